"""Collects missed slots into gaps: of the whole source, of an object, or of a part of an object
(a vCPU, a disk).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.vsphere.counters.watermarks import Mask, Slots
from sessions.model import EntityRef, Gap, IntArray


@dataclass(slots=True)
class _Run:
    first: int
    last: int
    ticks: int
    reason: str


class SlotGaps:
    """Collects missed slots into gaps; a gap grows while the next slot is missed, too, for
    the same reason.
    """

    def __init__(self, source: int, slots: Slots) -> None:
        self._source, self._slots = source, slots
        self._runs: dict[EntityRef | None, _Run] = {}
        self._changed: set[EntityRef | None] = set()
        self._done: list[Gap] = []
        self.count = 0

    def add_missed(self, subject: EntityRef | None, first: int, last: int, reason: str) -> None:
        """Record that the slots ``first`` to ``last`` of ``subject`` have no samples (None: of
        the whole source).
        """
        run = self._runs.get(subject)
        if run is not None and run.last + 1 == first and run.reason == reason:
            run.last, run.ticks = last, run.ticks + last - first + 1
        else:
            if run is not None and subject in self._changed:
                self._done.append(self._gap(subject, run))
            self._runs[subject] = _Run(first, last, last - first + 1, reason)
            self.count += 1
        self._changed.add(subject)

    def take_changed(self) -> list[Gap]:
        """Return the gaps that are new or have grown since the last call."""
        news = [*self._done, *(self._gap(subject, self._runs[subject]) for subject in self._changed)]
        self._done, self._changed = [], set()
        return news

    def _gap(self, subject: EntityRef | None, run: _Run) -> Gap:
        start, end = self._slots.instant(run.first), self._slots.instant(run.last)
        return Gap(self._source, start, end, run.reason, subject, run.ticks)


def subjects(
    lost: Mask,
    due: Mask,
    owner: IntArray,
    owners: Sequence[EntityRef],
    entity_of: Callable[[int], EntityRef],
) -> list[EntityRef | None]:
    """Return the entities that a gap is recorded for: [None] if all series are lost, else objects,
    else their parts.

    ``lost`` and ``due`` are masks (n,) over the series, ``owner`` (n,) gives the number of the object of each
    series, ``entity_of`` the entity of a series. A part gets a gap only if all of its due series are lost: a
    single absent sample shows in its own series.
    """
    if not (due & ~lost).any():
        return [None]
    missed = np.bincount(owner[lost], minlength=len(owners))
    wanted = np.bincount(owner[due], minlength=len(owners))
    whole = (missed > 0) & (missed >= wanted)
    found: list[EntityRef | None] = [owners[number] for number in np.flatnonzero(whole).tolist()]
    rest = np.flatnonzero(lost & ~whole[owner])
    if rest.size:
        parts = {entity_of(column) for column in rest.tolist()}
        there = np.flatnonzero(due & ~lost & np.isin(owner, owner[rest]))
        parts -= {entity_of(column) for column in there.tolist()}
        found += sorted(parts)
    return found
