"""Gaps as they are found: runs of missed slots of the whole source, an object, or a part of one."""

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


class GapBook:
    """Collects missed slots into gaps, which grow while the next slot is missed too."""

    def __init__(self, source: int, slots: Slots) -> None:
        self._source, self._slots = source, slots
        self._runs: dict[EntityRef | None, _Run] = {}
        self._changed: set[EntityRef | None] = set()
        self._done: list[Gap] = []
        self.count = 0

    def miss(self, subject: EntityRef | None, first: int, last: int, reason: str) -> None:
        """Nothing came of ``subject`` (None: of the source) at the slots ``first`` to ``last``."""
        run = self._runs.get(subject)
        if run is not None and run.last + 1 == first and run.reason == reason:
            run.last, run.ticks = last, run.ticks + last - first + 1
        else:
            if run is not None and subject in self._changed:
                self._done.append(self._gap(subject, run))
            self._runs[subject] = _Run(first, last, last - first + 1, reason)
            self.count += 1
        self._changed.add(subject)

    def news(self) -> list[Gap]:
        """Gaps that are new or longer than when last asked."""
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
    """Of whom nothing came: [None] for everybody, else objects, else the parts of objects that lack it all.

    ``lost`` and ``due`` (n,) over the columns, ``owner`` the columns' objects, ``entity_of`` says which
    entity a column belongs to. A part of which some series came is no gap: single absent samples show as
    such in its series.
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
