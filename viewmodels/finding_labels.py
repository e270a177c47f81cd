"""The texts of a finding's card: evidence with its limit, verdicts on causes, how long the problem lasted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from diagnosis.session_events import describe_change
from diagnosis.statistic_names import statistic_name
from resources.catalogue import Catalogue
from resources.units import format_count, format_duration, format_measured, format_value
from sessions.findings import CauseVerdict, Evidence, Finding, Verdict

Label = Callable[[str], str]
"""Returns the display name of a counter, given its key."""

ValueName = Callable[[str, float], str | None]
"""Returns the word for a value of a counter, given its key: ``soft`` of the memory state 2, else None."""

SeriesOf = Callable[[Finding, Evidence], Sequence[int]]
"""Returns the ids of the series that a piece of a finding's evidence was judged by."""


@dataclass(frozen=True, slots=True)
class EvidenceLookup:
    """How a card finds the name of a counter, the word for a value that is a state (None: it is a number),
    and the series of a piece of evidence (to be dragged to a chart).
    """

    label: Label
    value_name: ValueName = lambda _counter, _value: None
    series: SeriesOf = lambda _finding, _item: ()


def lookup_in(catalogue: Catalogue, series: SeriesOf) -> EvidenceLookup:
    """Return what looks up names and words in the catalogue of counters."""

    def label(key: str) -> str:
        known = catalogue.get(key)
        return known.label if known else key

    def value_name(key: str, value: float) -> str | None:
        known = catalogue.get(key)
        return known.value_name(value) if known else None

    return EvidenceLookup(label, value_name, series)


VERDICTS: dict[Verdict, str] = {
    "likely": "critical",
    "possible": "warning",
    "unknown": "",
    "ruled out": "",
}
"""The health state whose colour the label of a verdict has; "" for no colour."""

_LATE = ("come too late", "At the end of the recording")
"""What notes say, those of cards and those of diagnosis, of something that has changed since."""

_ORDER: dict[Verdict, int] = {"likely": 0, "possible": 1, "unknown": 2, "ruled out": 3}


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A piece of evidence as three texts: what was measured, its value, and its limit."""

    what: str
    value: str
    limit: str


def evidence_row(item: Evidence, lookup: EvidenceLookup) -> EvidenceRow:
    """Return a piece of evidence as texts: ``CPU ready (95th percentile)``, ``33.8 %``, ``limit 10 %``."""
    name = item.what or lookup.label(item.counter)
    what = f"{name} ({statistic_name(item.statistic)})" if item.statistic else name
    if item.instance:
        what += f", {item.instance}"
    limit = f"limit {_value(item, item.threshold, lookup)}" if item.threshold is not None else ""
    return EvidenceRow(what, _value(item, item.value, lookup), limit)


def _value(item: Evidence, value: float, lookup: EvidenceLookup) -> str:
    """The number with its unit; the word for a state, and for −1 where that means unlimited."""
    word = None if item.what else lookup.value_name(item.counter, value)
    if word is not None:
        return word
    if item.threshold is None:
        return format_value(value, item.unit)
    return format_measured(value, item.unit, item.threshold)


def main_evidence(finding: Finding, max_count: int) -> Sequence[Evidence]:
    """Return at most ``max_count`` pieces of evidence, in order: if there are more, those of the worst
    instance.

    Diagnosis names the worst instance first; evidence without an instance is kept, too.
    """
    rows = finding.evidence
    if len(rows) <= max_count:
        return rows
    return [row for row in rows if row.instance in {rows[0].instance, ""}][:max_count]


def late_notes(finding: Finding) -> Sequence[str]:
    """Return the notes that say what is otherwise at the end of the recording, so that steps come too late
    or are not the ones that are needed any more.
    """
    return [note for note in finding.notes if any(words in note for words in _LATE)]


def followers_label(followers: int, *, unfolded: bool) -> str:
    """Return the text of the button that unfolds consequences: ``▸ 3 findings follow from this``."""
    sentence = "1 finding follows" if followers == 1 else f"{followers} findings follow"
    return f"{'▾' if unfolded else '▸'} {sentence} from this"


def duration_label(finding: Finding) -> str:
    """Return how long a finding's windows last together: ``26 min``; empty if it has no duration."""
    seconds = sum(window.seconds for window in finding.windows)
    return format_duration(seconds) if seconds > 0 else ""


def change_rows(finding: Finding) -> Sequence[tuple[str, str]]:
    """Return (when, what happened) for each event near the beginning of a finding, and how many more there
    were.
    """
    if not finding.windows:
        return ()
    rows = [describe_change(event, finding.windows[0].start) for event in finding.changes]
    return [
        *rows,
        *([("", f"and {format_count(finding.changes_left)} more")] if finding.changes_left else []),
    ]


def by_verdict(finding: Finding) -> Sequence[tuple[Verdict, str, str]]:
    """Return verdict, title and reason of each cause, the likely ones first."""
    return [(one.verdict, one.title, one.because) for one in likely_first(finding.causes)]


def likely_first(causes: Sequence[CauseVerdict]) -> Sequence[CauseVerdict]:
    """Return causes, the likely ones first."""
    return sorted(causes, key=lambda cause: _ORDER[cause.verdict])
