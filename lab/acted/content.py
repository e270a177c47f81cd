"""What is written on disks of a datastore that deduplicates, and how much space that takes.

fio's random content comes from a seed: two disks that were written with equal seeds hold equal blocks, so
that N of them read as 1 − 1/N duplicates. vSAN deduplicates and compresses when it destages, some time after
the write. Source: tests.md W1 (LAB: five processes with equal seeds gave 80.0 %; a block is kept compressed
only if half of it is saved, which 50 % compressibility misses by 2 points).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

_ZLIB_SHORTFALL = 0.02
_KEPT = 0.5
_DESTAGE_S = 40.0
_BUFFER = 2.0e9
"""DESIGN: a small write buffer, so that it is free again only when nearly all has been deduplicated."""

Key = tuple[int, float, float]
"""Seed, share of duplicates, share that compresses."""


@dataclass(slots=True)
class DiskContent:
    """The content of one disk of ``size`` bytes: bytes by what they were written with."""

    size: float
    parts: dict[Key, float] = field(default_factory=dict)

    def write(self, key: Key, count: float) -> None:
        """Write ``count`` bytes: on free space first, then over what was there."""
        count = min(count, self.size)
        over = max(0.0, sum(self.parts.values()) + count - self.size)
        others = sum(length for one, length in self.parts.items() if one != key)
        same = max(0.0, over - others)
        if others > 0:
            kept = max(0.0, 1.0 - (over - same) / others)
            self.parts = {one: length * (1.0 if one == key else kept) for one, length in self.parts.items()}
        self.parts[key] = min(self.parts.get(key, 0.0) + count - same, self.size)


@dataclass(slots=True)
class Space:
    """What a datastore reports: ``logical`` bytes written, ``physical`` bytes that they take."""

    logical: float = 0.0
    unique: float = 0.0
    physical: float = 0.0
    pending: float = 0.0

    def follow(self, disks: Iterable[DiskContent], seconds: float) -> None:
        """Take over what the disks hold, as far as it was destaged after so many more seconds."""
        longest: dict[Key, float] = {}
        logical = 0.0
        for disk in disks:
            for key, length in disk.parts.items():
                longest[key] = max(longest.get(key, 0.0), length)
                logical += length
        unique = sum(length * (1.0 - key[1]) for key, length in longest.items())
        physical = sum(length * (1.0 - key[1]) * _stored(key[2]) for key, length in longest.items())
        arrived = logical - self.logical
        self.unique = self._towards(self.unique, arrived, unique, seconds)
        self.physical = self._towards(self.physical, arrived, physical, seconds)
        self.logical = logical
        self.pending = (self.pending + max(arrived, 0.0)) * float(np.exp(-seconds / _DESTAGE_S))
        if self.pending < 1.0:
            self.pending = 0.0

    def _towards(self, now: float, arrived: float, then: float, seconds: float) -> float:
        """What has just arrived takes its full space until it is destaged."""
        before = max(now + arrived, 0.0)
        return then + (before - then) * float(np.exp(-seconds / _DESTAGE_S))

    @property
    def duplicates(self) -> float:
        """Share of the written bytes that deduplication saves."""
        return 1.0 - self.unique / self.logical if self.logical > 0 else 0.0

    @property
    def destaged(self) -> float:
        """Share of the write buffer that is free again, 1.0 when all that was written has been destaged."""
        return 1.0 - min(1.0, self.pending / _BUFFER)

    @property
    def ratio(self) -> float:
        """Logical over physical bytes, 1.0 for an empty datastore."""
        return self.logical / self.physical if self.physical > 0 else 1.0


def _stored(compressible: float) -> float:
    """What is kept of a block: half of it if it compresses to half, else all."""
    return _KEPT if 1.0 - compressible + _ZLIB_SHORTFALL <= _KEPT else 1.0
