"""Sorts the samples of all files into the sources of a session, and each source's into series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from collectors.vsphere.get_stat.series import SeriesFinder, Target, interval_of
from collectors.vsphere.get_stat.storing import Samples, in_order
from collectors.vsphere.get_stat.timing import TimedFile
from resources.get_stat_forms import GetStatForms
from sessions.model import EntityRef, FloatArray, Gap, IntArray, SeriesSpec

_FINEST_ROLLUP_S = 300
NO_SAMPLES = "the files have no samples"
Of = tuple[str, int]
"""What a source is of: a server, and an interval (s)."""


@dataclass(slots=True)
class SourceParts:
    """The series of one source, the numbers of their objects, and pieces of samples in no order."""

    of: Of
    specs: list[SeriesSpec] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    _numbers: dict[tuple[EntityRef, str, str], int] = field(default_factory=dict)
    _pieces: list[tuple[IntArray, IntArray, FloatArray]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name that a recording gives: the vCenter's, of rollups with their interval."""
        server, interval_s = self.of
        if interval_s < _FINEST_ROLLUP_S:
            return server
        return f"{server} rollups" if interval_s == _FINEST_ROLLUP_S else f"{server} rollups {interval_s} s"

    @property
    def has_samples(self) -> bool:
        """True if there is anything to store."""
        return bool(self._pieces)

    def number(self, spec: SeriesSpec, owner: int) -> int:
        """Return the number of a series; a new one gets a new number."""
        identity = spec.entity, spec.counter, spec.instance
        if identity not in self._numbers:
            self._numbers[identity] = len(self.specs)
            self.specs.append(spec)
            self.owners.append(owner)
        return self._numbers[identity]

    def add(self, series: IntArray, times: IntArray, values: FloatArray) -> None:
        """Take in samples."""
        if series.size:
            self._pieces.append((series, times, values))

    def ordered(self) -> tuple[Samples, int]:
        """Return all samples in order, and how many had another value at their instant; none is kept here."""
        series, times, values = (np.concatenate(column) for column in zip(*self._pieces, strict=True))
        self._pieces.clear()
        return in_order(series, times, values)


def gathered(
    files: Sequence[TimedFile], finder: SeriesFinder, intervals_s: Sequence[Sequence[int]]
) -> Mapping[Of, SourceParts]:
    """Return the sources of a session that have samples in these files, by server and interval;
    ``intervals_s`` are those of each file's series.
    """
    sources: dict[Of, SourceParts] = {}
    owners: dict[EntityRef, int] = {}
    finder.plan([one.file for one in files], intervals_s)
    for one, lengths in zip(files, intervals_s, strict=True):
        targets = [finder.target(key, length) for key, length in zip(one.file.keys, lengths, strict=True)]
        _gather(one, targets, sources, owners)
    return {of: parts for of, parts in sorted(sources.items()) if parts.has_samples}


def intervals(one: TimedFile, forms: GetStatForms) -> list[int]:
    """Return how long the samples of each series of a file are (s)."""
    steps = one.steps()
    every = np.concatenate(steps)
    usual = max(1, round(float(np.median(every)) / 1000)) if every.size else forms.intervals_s[0]
    return [interval_of(key, own, usual, forms) for key, own in zip(one.file.keys, steps, strict=True)]


def _gather(
    one: TimedFile,
    targets: Sequence[Target | None],
    sources: dict[Of, SourceParts],
    owners: dict[EntityRef, int],
) -> None:
    """Put the samples of a file into the sources that they belong to."""
    place = np.full(len(targets), -1, np.int64)
    number = np.zeros(len(targets), np.int64)
    places: dict[Of, int] = {}
    values = one.file.values
    for at, target in enumerate(targets):
        if target is None:
            continue
        parts = sources.setdefault(target.of, SourceParts(target.of))
        number[at] = parts.number(target.spec, owners.setdefault(target.owner.ref, len(owners)))
        place[at] = places.setdefault(target.of, len(places))
        if target.state_numbers:
            mine = one.file.series == at
            values[mine] = _translated(values[mine], target.state_numbers)
    series = one.file.series[one.rows]
    for of, at in places.items():
        here = place[series] == at
        rows = one.rows[here]
        sources[of].add(number[series[here]], one.times[rows], values[rows])


def _translated(values: FloatArray, numbers: Sequence[int]) -> FloatArray:
    """States by our catalogue's numbers; one that the server does not name stays."""
    table = np.array(numbers, np.float64)
    known = (values >= 0) & (values < table.size)
    return np.where(known, table[np.where(known, values, 0).astype(np.int64)], values)


def holes(source: int, interval_s: int, times: IntArray) -> list[Gap]:
    """Return where no series of a source has a sample for more than an interval."""
    interval_ms = interval_s * 1000
    found = []
    for at in np.flatnonzero(np.diff(times) > interval_ms * 3 // 2).tolist():
        last, following = int(times[at]), int(times[at + 1])
        start, missed = last + interval_ms, max(1, round((following - last) / interval_ms) - 1)
        found.append(Gap(source, start, max(start, following - interval_ms), NO_SAMPLES, ticks=missed))
    return found
