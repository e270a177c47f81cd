"""The status bar's texts for sources: while they are recorded, and of a stored session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.gui.status_bar import SourceEntry
from recorder.protocol import CollectorReport, SourceReport, StatusReport
from resources.failures import ChangedCertificateError, LoginError, PrivilegeError, UntrustedError
from resources.units import format_count, format_duration
from sessions.model import Source
from viewmodels.snapshot import Snapshot
from viewmodels.source_gaps import gap_count
from widgets.theme import Health
from wizards.flows.change_count import ChangeCount, left_words

_ON_TIME_INTERVALS = 1.5
"""A sample is on time if it comes within this many intervals; the same as on the recorder's page."""

_LAB = "lab:"
_REFUSALS = {
    UntrustedError.exit_code: "not trusted",
    ChangedCertificateError.exit_code: "certificate changed",
    LoginError.exit_code: "login refused",
    PrivilegeError.exit_code: "privilege missing",
}
"""What a source waits for, until a person has mended it."""

_RANK: dict[Health, int] = {"critical": 0, "warning": 1, "ok": 2, "info": 3, "none": 4}


def live_entries(status: StatusReport) -> list[SourceEntry]:
    """Return an entry for each recorded source, those in trouble first, and for connections not yet made."""
    entries = [_live(source) for source in status.sources]
    known = {source.message for source in status.sources if source.state == "failed"}
    made = {name for source in status.sources for name in (source.name, source.collector)}
    has_workers = any(source.kind == "fio" for source in status.sources)  # a test is at work: it is connected
    for one in status.collectors:
        place = place_of(one.name)
        if one.code and not any(message and one.message.startswith(message) for message in known):
            entries.append(_unmade("critical", f"{place} · failed", f"{place}: {one.message}"))
        elif not (
            one.is_over or has_workers or made & {place, one.name} or (made and one.name.startswith(_LAB))
        ):
            entries.append(_unmade("info", f"{place} · connecting"))
    return sorted(entries, key=lambda entry: _RANK[entry.state])


def _unmade(state: Health, text: str, details: str = "") -> SourceEntry:
    """Return the entry of a connection without a source: the pane says why, and what can be done."""
    return SourceEntry(state, text, details, link="sources")


def beginning(sources: Sequence[str], status: StatusReport) -> tuple[str, str]:
    """Return two lines for a recording that is not shown yet: what it connects to, and the step it is at."""
    first, *others = [place_of(source) for source in sources] or [""]
    more = f" and {_count(len(others), 'other')}" if others else ""
    lab = first.startswith(_LAB)
    title = "Starting the lab" if lab else f"Connecting to {first}{more}"
    stage = next((source.message.rstrip(".") for source in status.sources if source.message), "")
    if not stage and any(source.state == "recording" for source in status.sources):
        stage = "Waiting for the first samples"
    stage = stage or ("Simulating its hosts" if lab else "Waiting for its answer")
    stage = "Opening what was recorded so far" if status.samples else stage
    return title, f"{stage} · {format_duration(int(status.seconds))}"


def refused_sources(status: StatusReport) -> list[CollectorReport]:
    """Return the connections that ended because their login was refused."""
    return [one for one in status.collectors if one.is_over and one.code == LoginError.exit_code]


def place_of(connection: str) -> str:
    """Return the host of an address: ``vc01.corp`` for ``vcenter://anna@vc01.corp``; a lab's address is
    unchanged.
    """
    return connection.rpartition("@")[2] or connection


def _live(source: SourceReport) -> SourceEntry:
    health, words = health_of(source)
    parts = [f"{source.name} {_family(source.kind)}".strip()]
    if source.interval_s:
        parts.append(format_duration(source.interval_s))
    if source.series:
        parts.append(f"{format_count(source.series)} series")
    parts.append(words)
    details = f"{source.name}: {format_count(source.entities)} entities"
    if source.expected:
        details += f", {source.received / source.expected:.1%} of the expected samples"
    if message := message_of(source):
        details += f". {message}"
    return SourceEntry(health, " · ".join(parts), details, source.source, gap_count(source.gaps, 0))


def health_of(source: SourceReport) -> tuple[Health, str]:
    """Return how a source is doing, and that in words."""
    behind_s = source.behind_s or 0.0
    late = behind_s > _ON_TIME_INTERVALS * (source.interval_s or 1.0)
    match source.state:
        case "recording":
            return ("warning", f"behind by {format_duration(behind_s)}") if late else ("ok", "on time")
        case "failed":
            return "critical", "failed"
        case "reconnecting" if source.refusal:
            return "critical", _REFUSALS.get(source.refusal, "refused")
        case "reconnecting" | "paused":
            return "warning", source.state
        case "connecting":
            stage = source.message.rstrip(".") or "connecting"
            return "info", stage[0].lower() + stage[1:]
        case _:
            return "none", source.state or "ended"


def message_of(source: SourceReport) -> str:
    """Return what is wrong with a source and what to do about it; empty when all is well.

    The recorder's advice about a certificate is an argument of its command, which no window has.
    """
    if source.refusal != ChangedCertificateError.exit_code:
        return source.message
    return (
        f"The certificate of {source.name} has changed since it was trusted: it was renewed, or somebody in "
        "between poses as it. No password was sent, and nothing is recorded of it until this is settled. "
        "Ask who runs it, and compare the thumbprints; hosts keep the last hour meanwhile."
    )


def left_entries(count: ChangeCount) -> list[SourceEntry]:
    """Return an entry for what tests of the session changed and did not put back; none if they did."""
    if not count.still:
        return []
    health: Health = "critical" if count.open else "warning"
    about = "Tests shows which and why" + (", and puts them back" if count.open else "")
    return [SourceEntry(health, left_words(count), about, link="tests")]


def stored_entries(snapshot: Snapshot) -> list[SourceEntry]:
    """Return an entry for each source of a session that this window does not record."""
    gaps = Counter((gap.source, gap.entity is not None) for gap in snapshot.gaps)
    series = snapshot.series_index.count_by_source
    return [
        _stored(
            source,
            series.get(source.id, 0),
            gap_count(gaps[source.id, False], gaps[source.id, True]),
            has_samples=snapshot.span is not None,
        )
        for source in snapshot.sources
    ]


def _stored(source: Source, series: int, gaps: str, *, has_samples: bool) -> SourceEntry:
    parts = [f"{source.spec.name} {_family(source.spec.kind)}".strip()]
    if source.spec.interval_s:
        parts.append(format_duration(source.spec.interval_s))
    parts.append(f"{format_count(series)} series")
    health: Health = "ok"
    if source.state in {"recording", "importing"}:
        health = "info"
        parts.append("is being recorded" if source.state == "recording" else "importing")
    elif source.state == "interrupted":
        health = "warning"
        parts.append("interrupted")
    elif not has_samples:
        health = "none"
        parts.append("no samples")
    return SourceEntry(health, " · ".join(parts), _of(source.spec.attributes), source.id, gaps)


def _of(attributes: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in attributes)


def _family(kind: str) -> str:
    return "" if kind in {"vcenter", "esxi", "lab"} else kind


def _count(number: int, thing: str) -> str:
    return f"{format_count(number)} {thing}{'' if number == 1 else 's'}"
