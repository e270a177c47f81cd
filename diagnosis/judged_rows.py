"""Which rows of a scene had samples for long enough to be judged, and up to when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.arrays import BoolArray
from diagnosis.gates import places_in
from diagnosis.signals import Scene
from diagnosis.sustained import fewest_samples
from sessions.model import EntityRef, IntArray
from sessions.times import TimeRange

_OF_A_VM = ("cpu.", "mem.")
"""Cards whose counters end with a VM that leaves."""


@dataclass(frozen=True, slots=True)
class KnownSamples:
    """Number and time (ms) of the last sample of each series that conditions use; ``ids`` ascending.

    ``within``: the part of the time in which samples are counted, None for all of it.
    """

    ids: IntArray
    count: IntArray
    last: IntArray
    within: TimeRange | None = None

    def instants(self, times: IntArray) -> int:
        """Return how many of the times samples are counted at."""
        if self.within is None:
            return times.size
        first, end = np.searchsorted(times, (self.within.start, self.within.end + 1)).tolist()
        return int(end - first)

    def of(self, ids: IntArray) -> tuple[IntArray, IntArray]:
        """Return count and last time of each series; 0 for the id −1 and for a series without a sample."""
        if not self.ids.size:
            nothing = np.zeros(ids.shape, np.int64)
            return nothing, nothing
        place = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        there = self.ids[place] == ids
        return np.where(there, self.count[place], 0), np.where(there, self.last[place], 0)


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """Which rows of a scene were judged for how long something lasted, and up to when.

    ``part`` is the part (0 to 1) of the source's samples in that time that the fullest of these rows has;
    ``fullest`` is which row that is (−1: none was judged, or all have all samples), ``samples`` how many it
    has.
    """

    card: str
    refs: Sequence[EntityRef]
    judged: BoolArray
    to: IntArray
    part: float = 1.0
    fullest: int = -1
    samples: int = 0


def rows_judged(scene: Scene, decidable: BoolArray, known: KnownSamples) -> JudgedRows:
    """Rows that had samples long enough for the rule, and the last of these samples of each row."""
    times = scene.times
    fewest = fewest_samples(times, scene.compiled.sustained.warning)
    to = np.full(len(scene.rows), times[-1], np.int64)
    if (known.count[places_in(scene, known.ids)] == times.size).all():  # as it mostly is: nothing missing
        judged = decidable if times.size >= fewest else np.zeros_like(decidable)
        return JudgedRows(scene.compiled.card.id, scene.rows, judged, to)
    count = np.full(len(scene.rows), times.size, np.int64)
    for name in scene.compiled.detecting():
        if not scene.compiled.signals[name].counters:
            continue
        members = scene.members(name)
        last_of, count_of = (np.zeros(members.units, np.int64) for _ in range(2))
        for ids in members.ids.values():
            counts, lasts = known.of(ids)
            np.maximum.at(last_of, members.row, lasts)
            np.maximum.at(count_of, members.row, counts)
        there = last_of[members.unit] > 0
        to = np.where(there, np.minimum(to, last_of[members.unit]), to)
        count = np.where(there, np.minimum(count, count_of[members.unit]), count)
    judged = decidable & (count >= fewest)
    possible = max(known.instants(times) - 1, 1)  # a first sample has no interval
    most = int(count[judged].max(initial=0))
    fullest = int(np.argmax(np.where(judged, count, -1))) if judged.any() else -1
    return JudgedRows(scene.compiled.card.id, scene.rows, judged, to, most / possible, fullest, most)


def judged_to(every: Sequence[JudgedRows], refs: Sequence[EntityRef], places: IntArray) -> IntArray:
    """Return up to when (ms) each of ``refs`` was judged; ``places`` has that of each judged row, in order.

    A VM was judged up to where its CPU or memory was, if it was: of the disks of one that left esxtop goes on
    to print zeros, and what facts say holds on.
    """
    to, of_vm = np.zeros((2, len(refs)), np.int64)
    ends = [rows.to[rows.judged] for rows in every]
    np.maximum.at(to, places, np.concatenate(ends))
    counted = [one * rows.card.startswith(_OF_A_VM) for one, rows in zip(ends, every, strict=True)]
    np.maximum.at(of_vm, places, np.concatenate(counted))
    is_vm = np.array([ref.kind == "vm" for ref in refs], np.bool_)
    return np.where(is_vm & (of_vm > 0), of_vm, to)
