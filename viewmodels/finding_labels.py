"""What a card says of a finding: evidence against its limit, verdicts, how long it lasted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from diagnosis.session_events import change_words
from resources.units import format_count, format_duration, format_value
from sessions.findings import Evidence, Finding, Verdict

Label = Callable[[str], str]
"""What people call a counter, by its key."""

SeriesOf = Callable[[Finding, Evidence], Sequence[int]]
"""The ids of the series that a piece of evidence is about."""


@dataclass(frozen=True, slots=True)
class EvidenceLookup:
    """How a card finds a counter's name, and the series of a piece of evidence, which can be dragged."""

    label: Label
    series: SeriesOf = lambda _finding, _item: ()


VERDICTS: dict[Verdict, str] = {
    "likely": "critical",
    "possible": "warning",
    "unknown": "",
    "ruled out": "",
}
"""The state in which a verdict's chip is drawn."""

_ORDER: dict[Verdict, int] = {"likely": 0, "possible": 1, "unknown": 2, "ruled out": 3}


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A number against its limit, as three texts."""

    what: str
    value: str
    limit: str


def evidence_row(item: Evidence, label: Label) -> EvidenceRow:
    """``CPU ready (p95)``, ``33.8 %``, ``limit 10 %``."""
    what = f"{label(item.counter)} ({item.statistic})" if item.statistic else label(item.counter)
    if item.instance:
        what += f", {item.instance}"
    limit = f"limit {format_value(item.threshold, item.unit)}" if item.threshold is not None else ""
    return EvidenceRow(what, format_value(item.value, item.unit), limit)


def foremost(finding: Finding, most: int) -> Sequence[Evidence]:
    """The rows that say most, in their order: of several hosts or instances those of the worst one.

    Diagnosis names the worst one first; rows of no instance belong to all.
    """
    rows = finding.evidence
    if len(rows) <= most:
        return rows
    return [row for row in rows if row.instance in {rows[0].instance, ""}][:most]


def followers_label(followers: int, *, unfolded: bool) -> str:
    """``▸ 3 findings follow from this``."""
    words = "1 finding follows" if followers == 1 else f"{followers} findings follow"
    return f"{'▾' if unfolded else '▸'} {words} from this"


def duration_label(finding: Finding) -> str:
    """How long a finding lasted in all: ``26 min``; nothing for what is merely worth knowing."""
    seconds = sum(window.seconds for window in finding.windows)
    return format_duration(seconds) if seconds > 0 else ""


def change_rows(finding: Finding) -> Sequence[tuple[str, str]]:
    """When, as seen from the beginning, and what happened around it; last how much more did."""
    if not finding.windows:
        return ()
    rows = [change_words(event, finding.windows[0].start) for event in finding.changes]
    return [
        *rows,
        *([("", f"and {format_count(finding.changes_left)} more")] if finding.changes_left else []),
    ]


def by_verdict(finding: Finding) -> Sequence[tuple[Verdict, str, str]]:
    """Verdict, title and reason of each cause, the likely ones first."""
    causes = sorted(finding.causes, key=lambda cause: _ORDER[cause.verdict])
    return [(cause.verdict, cause.title, cause.because) for cause in causes]
