"""What chunk statistics tell of the series that conditions read, and what differs from an earlier look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from diagnosis.arrays import BoolArray
from diagnosis.compiled import CompiledSignal
from diagnosis.evaluate import Bounds
from diagnosis.members import Members
from diagnosis.samples import SampleTable
from sessions.model import IntArray, SeriesStats


@dataclass(frozen=True, slots=True)
class Pruning:
    """Count, minimum and maximum of series over the window, from chunk statistics; ``ids`` ascending.

    ``look`` is how often they were read before; ``differs`` says which bounds are not those of the look
    before.
    """

    ids: IntArray
    stats: SeriesStats
    look: int
    differs: BoolArray
    _found: dict[tuple[int, int], tuple[Bounds, CompiledSignal, Members]] = field(default_factory=dict)

    def measured(self, signal: CompiledSignal, members: Members, find: Callable[[], Bounds]) -> Bounds:
        """Return the bounds of a measured signal; found once for the rules of a card that share it."""
        key = id(signal), id(members)
        if key not in self._found:
            self._found[key] = find(), signal, members  # who holds an object, holds its id
        return self._found[key][0]

    def bounds(self, ids: IntArray) -> Bounds:
        """Return the bounds of each series; NaN where it has no sample or the id is −1."""
        if not self.ids.size:
            nothing = np.full(ids.shape, np.nan)
            return Bounds(nothing, nothing)
        position = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        found = (self.ids[position] == ids) & (self.stats.count[position] > 0)
        low, high = self.stats.minimum[position], self.stats.maximum[position]
        return Bounds(np.where(found, low, np.nan), np.where(found, high, np.nan))


def pruning_of(table: SampleTable, ids: IntArray, before: Pruning | None = None) -> Pruning:
    """Read the statistics of all series that conditions read, in one request; ``before`` are those of the
    same ``ids`` at an earlier look.
    """
    now = table.statistics(ids)
    if before is None or before.ids is not ids:
        return Pruning(ids, now, 0, np.ones(ids.shape, np.bool_))
    was = before.stats
    differs = (now.count > 0) != (was.count > 0)
    for some, others in ((now.minimum, was.minimum), (now.maximum, was.maximum)):
        differs |= (some != others) & ~(np.isnan(some) & np.isnan(others))
    return Pruning(ids, now, before.look + 1, differs)


@dataclass(frozen=True, slots=True)
class Gate:
    """The rows that can meet a rule, decided by chunk statistics without reading samples;
    masks (rows,), bool.
    """

    possible: BoolArray  # the condition can be true at some sample
    decidable: BoolArray  # what the condition needs is there
    measured: Bounds | None = None  # what the number of the check can be, one for each row
