"""What a comparison is made of: two sides, rows of numbers with verdicts, and what else differs between
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sessions.model import EntityRef, SampleSource, Series
from sessions.times import TimeRange

Verdict = Literal["higher", "lower", "same", "undecided"]
Judged = Literal["better", "worse", "to know", ""]
JoinedBy = Literal["identity", "key", "part", "name"]
VERDICTS: tuple[Verdict, ...] = ("higher", "lower", "same", "undecided")


@dataclass(frozen=True)
class Side:
    """One of the two things compared: a window of a session, without what was left out of it."""

    session: SampleSource
    window: TimeRange
    left_out: tuple[TimeRange, ...] = ()

    @property
    def pieces(self) -> tuple[TimeRange, ...]:
        """The parts of the window that count, in order; none if everything is left out."""
        pieces = [self.window]
        for out in self.left_out:
            pieces = [part for piece in pieces for part in _without(piece, out)]
        return tuple(pieces)

    @property
    def left_out_inside(self) -> tuple[TimeRange, ...]:
        """The parts of the window that do not count."""
        return tuple(part for out in self.left_out if (part := out.intersect(self.window)) is not None)

    def ticks(self, source: int) -> int:
        """Return how many sampling instants of a source are in the parts that count."""
        return sum(self.session.times(source, piece).size for piece in self.pieces)


def _without(piece: TimeRange, out: TimeRange) -> Sequence[TimeRange]:
    if piece.intersect(out) is None:
        return [piece]
    before = [TimeRange(piece.start, out.start - 1)] if out.start > piece.start else []
    after = [TimeRange(out.end + 1, piece.end)] if out.end < piece.end else []
    return [*before, *after]


@dataclass(frozen=True, slots=True)
class Pair:
    """The same counter of the same entity on both sides. ``joined_by`` says how sure that is: ``name`` is a
    guess.
    """

    a: Series
    b: Series
    joined_by: JoinedBy


@dataclass(frozen=True, slots=True)
class Sample:
    """The numbers of one side of a row, in the counter's unit; percentiles are those of the raw samples.

    ``effective`` is how many independent samples tell as much. Percentiles are NaN where they were not
    asked for.
    """

    n: int
    effective: float
    mean: float
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Row:
    """A counter of an entity on both sides. ``owner`` names the VM or host that a part (a vCPU, a disk) is
    of.

    ``difference`` is B − A, ``interval`` its interval (None where there are too few samples), ``ratio`` B /
    A with ``ratio_interval`` (None where A may be 0). ``chance`` is the probability of such a difference if
    nothing had changed, ``corrected`` that after the correction for all comparisons. ``effect`` is Cliff's
    delta, −1 to 1: how much more often a sample of B is above one of A than below it; NaN where it was not
    computed.
    """

    rank: int
    entity: EntityRef
    name: str
    name_in_b: str
    owner: str
    counter: str
    instance: str
    unit: str
    source: str
    joined_by: JoinedBy
    a: Sample
    b: Sample
    difference: float
    interval: tuple[float, float] | None
    ratio: float | None
    ratio_interval: tuple[float, float] | None
    chance: float
    corrected: float
    effect: float
    verdict: Verdict
    judged: Judged
    margin: float
    why: str


@dataclass(frozen=True, slots=True)
class LoadRow:
    """A part of the load on both sides; numbers as in a Row. ``of`` says what was added up:
    ``18 devices``. ``no_more`` is when it was on side B no higher than on A, but for the margin.
    """

    title: str
    of: str
    counters: tuple[str, ...]
    unit: str
    a: float
    b: float
    difference: float
    interval: tuple[float, float] | None
    verdict: Verdict
    margin: float
    no_more: tuple[TimeRange, ...] = ()


@dataclass(frozen=True, slots=True)
class OnlyInOne:
    """A load that was there in one window only: whose, how much of which, when: offered to be left out."""

    entity: EntityRef
    name: str
    side: Literal["a", "b"]
    title: str
    mean: float
    unit: str
    when: TimeRange


@dataclass(frozen=True, slots=True)
class Load:
    """Whether the load was the same: True, False, or None where that is undecided or nothing measured it."""

    same: bool | None
    because: str
    rows: tuple[LoadRow, ...]
    vms_a: int
    vms_b: int
    only_in_one: tuple[OnlyInOne, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Something about an entity that is not the same: renamed, moved, added, gone, or a setting.

    ``before`` and ``after`` are texts, empty where there is none.
    """

    what: Literal["renamed", "moved", "added", "gone", "setting", "by name"]
    entity: EntityRef
    name: str
    before: str = ""
    after: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True)
class CounterChange:
    """A counter that only one side measures, of how many entities."""

    counter: str
    side: Literal["a", "b"]
    entities: int
