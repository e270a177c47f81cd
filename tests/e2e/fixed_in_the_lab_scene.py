"""From the symptom to the fix in a lab that is recorded: it acts on a click, and the verdict has numbers."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton

from app.gui.application import Program
from tests.e2e.guided_test_scene import picture
from tests.e2e.hands import click, click_in, one_visible, press, type_, until, visible
from tests.e2e.recording_end import stop_recording
from wizards.pages.troubleshoot_page import TroubleshootPage

_ENOUGH_S = 780.0
"""So much of the lab is recorded before somebody looks: each case is plain by then."""


def fix_in_the_lab(program: Program, arguments: list[str]) -> dict[str, object]:
    """A case from the palette; a click to the page, one for the remedy in the lab, one for Done, verify."""
    title, problem, act, name = arguments
    window, desk = program.window, program.desk
    press("ctrl+k")
    type_(f"Lab: {title}")
    press("Return")

    def is_found() -> bool:
        whole = desk.session.whole
        span = whole.span if whole is not None else None
        long = span is not None and span.seconds > _ENOUGH_S
        return long and any(one.problem in problem.split() for one in desk.findings.findings)

    until("the problem is found", is_found)
    tabs = window.pages.tabBar()
    number = next(n for n in range(tabs.count()) if tabs.accessibleTabName(n) == "Troubleshoot")
    click_in(tabs, tabs.tabRect(number))
    page, model = one_visible(window, TroubleshootPage), desk.troubleshooting
    until("a verdict", lambda: model.state == "ready" and page.detail.problem)
    picture(program, f"{name}-1-verdict")
    seen: dict[str, object] = {
        "first": page.detail.problem,
        "of": model.run.symptom.name if model.run else "",
    }

    def buttons() -> list[QPushButton]:
        return [one for one in visible(page.detail, QPushButton) if one.text() == f"In the lab: {act}"]

    until("the lab can do it", buttons)
    page.detail.ensureWidgetVisible(buttons()[0])
    click(buttons()[0])

    def done() -> list[str]:
        texts = [one.text() for one in visible(page.detail, QLabel)]
        return [one for one in texts if one.startswith(("✓ done in the lab at", "seen at"))]

    until("it was done", done)
    seen["done"] = done()[0].split(": ", 1)[1]
    picture(program, f"{name}-2-done")
    card = page.detail.verify
    page.detail.ensureWidgetVisible(card.done)
    click(card.done)
    until("it waits for more", lambda: model.fix.found is not None)
    picture(program, f"{name}-3-waiting")
    until("the verdict", lambda: model.fix.found is not None and model.fix.found.state == "done")
    until("it is kept", lambda: model.keeping.runs and model.keeping.runs[-1].verifications)
    picture(program, f"{name}-4-verdict")
    assert model.fix.found is not None
    seen["outcome"] = model.fix.found.outcome
    seen["title"] = card.title.text()
    seen["because"] = model.fix.found.because
    seen["numbers"] = len(model.fix.found.numbers)
    seen["kept while recording"] = bool(desk.session.whole and desk.session.whole.recording)
    seen["kept"] = page.detail.kept.text()
    stop_recording(program)
    seen["session"] = str(desk.session.path)
    return seen
