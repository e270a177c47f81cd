"""Which host each VM was on, and when: VMs move while they are recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.arrays import BoolArray
from sessions.model import EntityRef, Fact, IntArray
from sessions.times import TimeRange

_FIRST, _LAST = -(1 << 62), 1 << 62


@dataclass(frozen=True, slots=True)
class Stay:
    """A VM's time on one host, from ``start`` to ``end`` (ms, exclusive)."""

    host: EntityRef
    start: int
    end: int

    def overlap_ms(self, windows: Iterable[TimeRange]) -> int:
        """Return how many ms of the windows lie in the stay."""
        return overlap_ms(self.start, self.end, windows)


def overlap_ms(start: int, end: int, windows: Iterable[TimeRange]) -> int:
    """Return how many ms of the windows lie between two times; a window that is a single instant counts as
    1 ms.
    """
    shared = (min(end, one.end + 1) - max(start, one.start) for one in windows)
    return sum(max(0, part) for part in shared)


Periods = tuple[tuple[int, int], ...]
"""Times that count, each from its start to before its end, in milliseconds, ascending."""


class Placement:
    """The stays of every VM whose host the session knows, within a window.

    The first stay extends back to the start of the window: a recorder that back-fills reads the inventory
    after the samples. Each stay lasts until the next one begins.
    """

    def __init__(self, facts: Iterable[Fact], window: TimeRange) -> None:
        """``facts`` are the ``host`` facts, ordered by start."""
        begun: dict[EntityRef, list[tuple[int, EntityRef]]] = {}
        for fact in facts:
            known = begun.setdefault(fact.entity, [])
            host = EntityRef("host", str(fact.value))
            if not known or known[-1][1] != host:
                known.append((fact.start, host))
        self._stays = {ref: _within(_stays(known), window) for ref, known in begun.items()}

    @property
    def has_moves(self) -> bool:
        """Whether any VM was on more than one host."""
        return any(len(stays) > 1 for stays in self._stays.values())

    def stays(self, refs: Iterable[EntityRef]) -> tuple[Stay, ...]:
        """Return the stays of the first of ``refs`` that has any; empty if none has."""
        return next((self._stays[ref] for ref in refs if ref in self._stays), ())


def _stays(begun: Sequence[tuple[int, EntityRef]]) -> list[Stay]:
    starts = [_FIRST, *(start for start, _ in begun[1:])]
    return [
        Stay(host, start, end)
        for (_, host), start, end in zip(begun, starts, [*starts[1:], _LAST], strict=True)
    ]


def _within(stays: Sequence[Stay], window: TimeRange) -> tuple[Stay, ...]:
    return tuple(stay for stay in stays if stay.start <= window.end and stay.end > window.start)


def shared_periods(some: Periods | None, others: Periods | None) -> Periods | None:
    """Return the intersection of two lists of periods; None stands for all time."""
    if some is None or others is None:
        return others if some is None else some
    both = ((max(a, c), min(b, d)) for a, b in some for c, d in others)
    return tuple((start, end) for start, end in both if start < end)


def joined_periods(some: Periods | None, others: Periods | None) -> Periods | None:
    """Return the union of two lists of periods that don't overlap; None stands for all time."""
    return None if some is None or others is None else tuple(sorted((*some, *others)))


def within_periods(times: IntArray, periods: Collection[tuple[int, int]]) -> BoolArray:
    """Return which of the instants lie in the periods; bool, the shape of ``times``."""
    inside = np.zeros(times.shape, dtype=np.bool_)
    for start, end in periods:
        inside |= (times >= start) & (times < end)
    return inside
