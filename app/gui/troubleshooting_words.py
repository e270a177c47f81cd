"""What the Troubleshoot page says of the symptom, of a session with nothing to look into, and of keeping."""

from __future__ import annotations

from app.gui.desk import Desk
from resources.foreign_text import shown
from resources.guided_flow import load_flow
from sessions.verdict_wording import limits_of_areas
from viewmodels.verdict_words import sentence_of
from wizards.pages.troubleshoot_bar import SymptomWords


def symptom_words(desk: Desk) -> SymptomWords | None:
    """Return the sentence of the symptom; None if nothing is looked into."""
    model, clock, whole = desk.troubleshooting, desk.times.clock, desk.session.whole
    question, run = model.question, model.run
    if question is None or whole is None:
        return None
    noticed = load_flow().noticed(question.noticed)
    window = run.symptom.window if run is not None else whole.span
    start = question.since if question.since is not None else (window.start if window else None)
    normal = run.symptom.normal if run is not None else question.normal
    times = (normal.start, normal.end) if normal is not None else ()
    end = "now" if whole.recording else "the end"  # of a session that has ended no admin says now
    judged, took = "checking…" if model.state == "checking" else "", ""
    if not judged and run is not None and run.judged_to is not None:
        judged, took = f"judged to {clock.time(run.judged_to)}", f", in {run.took_s:.1f} s"
    return SymptomWords(
        question.entity.kind,
        whole.name(question.entity),
        noticed.title if noticed is not None else shown(question.noticed, 30),
        clock.time(start, seconds=False) if start is not None else "its beginning",
        clock.time(question.until, seconds=False) if question.until is not None else end,
        " – ".join(clock.time(at, seconds=False) for at in times) or "not known",
        judged,
        took,
    )


def nothing_words(desk: Desk) -> str:
    """Return why nothing is looked into, and what helps."""
    if desk.session.snapshot is None:
        return "Open a session: a symptom in it is looked into here."
    if desk.findings.diagnosis is None:
        return "The session is being judged. The worst problem is looked into as soon as it is known."
    verdict = desk.findings.diagnosis.verdict
    if not verdict.is_judged:
        why = sentence_of(f"{verdict.state}: {verdict.reason}" if verdict.reason else verdict.state)
        return f"{why} Choose a VM, a host or a datastore in the inventory: each check says what it lacks."
    found = " ".join(["Nothing was found in this session.", *limits_of_areas(verdict)])
    return (
        f"{found} Choose a VM, a host or a datastore in the inventory: "
        "all checks are run on it, and each says what it measured."
    )


def kept_words(desk: Desk) -> str:
    """Return whether the run is kept in the session, or why not."""
    keeping = desk.troubleshooting.keeping
    if keeping.why_not:
        return keeping.why_not
    return f"Kept in the session as run {keeping.number}." if keeping.number else ""
