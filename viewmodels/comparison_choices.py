"""What is offered to be compared in a session: pairs of windows that are ready to go, and windows for one
side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from resources.foreign_text import shown
from sessions.findings import Finding
from sessions.journal import Phase, TestRun
from sessions.model import Event, Mark
from sessions.times import TimeRange, joined
from viewmodels.comparison_offers import offers

_NAME = 40
_MOST = 6
_LEAST_SHARE = 0.1
"""A time without the problem tells nothing if it is less than this part of the time with it."""
_RANKS = {"critical": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class ChosenSide:
    """One of the two things that are compared: a window, what it is called, and its session (None: the one
    that is open). ``note`` says where the window is from.
    """

    title: str
    window: TimeRange
    note: str = ""
    session: Path | None = None


@dataclass(frozen=True, slots=True)
class PairOffer:
    """Two windows to compare, and why: ``normal against worst: Swapping of db-prod``."""

    why: str
    a: ChosenSide
    b: ChosenSide

    @property
    def swapped(self) -> PairOffer:
        """The same with A and B exchanged."""
        return replace(self, a=self.b, b=self.a)


@dataclass(frozen=True, slots=True)
class Known:
    """What a session tells about its own time: from when to when, findings (the first matters most), marks,
    events, the runs of tests, and the window that is shown (None: all of it).
    """

    span: TimeRange
    findings: Sequence[Finding] = ()
    marks: Sequence[Mark] = ()
    events: Sequence[Event] = ()
    runs: Sequence[TestRun] = ()
    shown: TimeRange | None = None


def pair_offers(known: Known) -> list[PairOffer]:
    """Return the comparisons that a session suggests, the likeliest first; never none."""
    found = [
        *_of_runs(known.runs),
        *_of_marks(known),
        *_of_findings(known),
        *_of_window(known),
        *_of_days(known.span),
        _halves(known.span),
    ]
    unique: dict[tuple[TimeRange, TimeRange], PairOffer] = {}
    for one in found:
        unique.setdefault((one.a.window, one.b.window), one)
    return list(unique.values())


def before_offers(known: Known, window: TimeRange) -> list[PairOffer]:
    """Return what a chosen window may be compared with, the likeliest first: B is the window."""
    return [
        PairOffer(one.why, ChosenSide(_title(one.why), one.a, one.why), ChosenSide("chosen", one.b, "chosen"))
        for one in offers(known.span, window, known.events, known.marks)
    ]


def side_offers(known: Known) -> list[ChosenSide]:
    """Return the windows that either side may be, the likeliest first."""
    found = []
    if known.shown is not None and known.shown != known.span:
        found.append(ChosenSide("shown", known.shown, "the time that is shown"))
    for finding in list(_worst(known.findings))[:_MOST]:
        what = _of(finding)
        with_it = max(finding.windows, key=lambda one: one.seconds)
        found.append(ChosenSide("worst", with_it, what))
        without = _quiet(known.span, finding.windows)
        if without is not None:
            found.append(ChosenSide("normal", without, f"without: {what}"))
    found += _around_marks(known.span, known.marks)
    for run in known.runs:
        found += [ChosenSide(name, window, "phase of the test") for name, window in _phases(run)]
    half = _halves(known.span)
    found += [half.a, half.b, ChosenSide("all", known.span, "the whole session")]
    unique: dict[TimeRange, ChosenSide] = {}
    for one in found:
        unique.setdefault(one.window, one)
    return list(unique.values())


def whole_session(path: Path, span: TimeRange) -> ChosenSide:
    """Return a side that is all of another session."""
    return ChosenSide(shown(path.stem, _NAME), span, "another session", path)


def _of_runs(runs: Sequence[TestRun]) -> Iterator[PairOffer]:
    """The first measured phase of each run against its last one: off against weighted."""
    for run in reversed(runs):
        phases = dict(_phases(run))
        names = list(phases)
        if len(names) > 1:
            first, last = names[0], names[-1]
            sides = (ChosenSide(name, phases[name], f"phase of {shown(run.test)}") for name in (first, last))
            yield PairOffer(f"{first} against {last}", *sides)


def _phases(run: TestRun) -> Iterator[tuple[str, TimeRange]]:
    for one in run.phases:
        if _is_measured(one):
            assert one.start is not None
            assert one.end is not None
            yield shown(one.name, _NAME), TimeRange(one.start, max(one.end - 1, one.start))


def _is_measured(one: Phase) -> bool:
    return one.state == "done" and one.start is not None and one.end is not None and one.end > one.start


def _of_marks(known: Known) -> Iterator[PairOffer]:
    """Before the first mark against after the last one, and each side of the last one."""
    marks = [one for one in sorted(known.marks, key=lambda one: one.at) if _splits(known.span, one.at)]
    if not marks:
        return
    first, last = marks[0], marks[-1]
    before = TimeRange(known.span.start, first.at - 1)
    after = TimeRange(last.at, known.span.end)
    why = f"before and after “{_note(last)}”"
    if len(marks) > 1:
        why = f"before “{_note(first)}” and after “{_note(last)}”"
    yield PairOffer(why, ChosenSide("before", before, _note(first)), ChosenSide("after", after, _note(last)))
    if len(marks) > 1:
        between = TimeRange(marks[-2].at, last.at - 1)
        why = f"from “{_note(marks[-2])}” on, and after “{_note(last)}”"
        a, b = ChosenSide("between the marks", between, _note(marks[-2])), ChosenSide("after", after)
        yield PairOffer(why, a, replace(b, note=_note(last)))


def _around_marks(span: TimeRange, marks: Iterable[Mark]) -> Iterator[ChosenSide]:
    inside = [one for one in sorted(marks, key=lambda one: one.at) if _splits(span, one.at)]
    edges = [(span.start, ""), *((one.at, _note(one)) for one in inside), (span.end + 1, "")]
    if len(edges) == 2:
        return
    for (start, note), (end, following) in pairwise(edges):
        if end > start:
            title = f"from “{note}” on" if note else f"before “{following}”"
            yield ChosenSide(title, TimeRange(start, end - 1), "by the marks")


def _note(mark: Mark) -> str:
    return shown(mark.text, _NAME) or "the mark"


def _splits(span: TimeRange, at: int) -> bool:
    return span.start < at < span.end


def _worst(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings of their own, those of the worst severity first, each in the order in which they came."""
    own = [one for one in findings if one.consequence_of is None and one.windows]
    yield from sorted(own, key=lambda one: _RANKS[one.severity])


def _of_findings(known: Known) -> Iterator[PairOffer]:
    """Normal against worst, for the worst problems; first the one whose two windows are most alike in
    length.
    """
    found: list[tuple[int, float, PairOffer]] = []
    for finding in list(_worst(known.findings))[:_MOST]:
        window = max(finding.windows, key=lambda one: one.seconds)
        quiet = _quiet(known.span, finding.windows)
        if quiet is None or quiet.seconds < _LEAST_SHARE * window.seconds:
            continue
        alike = min(quiet.seconds, window.seconds) / max(quiet.seconds, window.seconds, 1.0)
        what = _of(finding)
        offer = PairOffer(
            f"normal against worst: {what}",
            ChosenSide("normal", quiet, f"without: {what}"),
            ChosenSide("worst", window, what),
        )
        found.append((_RANKS[finding.severity], -alike, offer))
    yield from (one for _, _, one in sorted(found, key=lambda one: one[:2]))


def _quiet(span: TimeRange, windows: Iterable[TimeRange]) -> TimeRange | None:
    """The longest time without the problem; of equal ones the earliest."""
    free, start = [], span.start
    for one in joined(windows):
        if one.start > start:
            free.append(TimeRange(start, one.start - 1))
        start = max(start, one.end + 1)
    if start < span.end:
        free.append(TimeRange(start, span.end))
    return max(free, key=lambda one: one.end - one.start, default=None)


def _of(finding: Finding) -> str:
    return f"{shown(finding.title, _NAME)}, {shown(finding.entity_name, _NAME)}"


def _of_window(known: Known) -> Iterator[PairOffer]:
    if known.shown is not None and known.shown != known.span:
        for one in before_offers(known, known.shown):
            yield replace(one, why=f"what is shown against {one.why}" if one.why in _BEFORE else one.why)


_BEFORE = frozenset({"right before", "same time a day before", "all before"})


def _title(why: str) -> str:
    return {"same time a day before": "a day before"}.get(why, "before")


def _of_days(span: TimeRange) -> Iterator[PairOffer]:
    """The last hour against the same hour a day before."""
    hour, day = 3_600_000, 86_400_000
    last = TimeRange(span.end - hour + 1, span.end)
    if last.start - day < span.start:
        return
    before = TimeRange(last.start - day, last.end - day)
    yield PairOffer(
        "same time yesterday",
        ChosenSide("yesterday", before, "the same hour a day before"),
        ChosenSide("last hour", last, "the session's last hour"),
    )


def _halves(span: TimeRange) -> PairOffer:
    middle = (span.start + span.end) // 2
    a, b = TimeRange(span.start, middle), TimeRange(middle + 1, max(span.end, middle + 1))
    return PairOffer(
        "first half against second half",
        ChosenSide("first half", a, "of the session"),
        ChosenSide("second half", b, "of the session"),
    )
