"""Defects that every genuine capture has: a first sample without I/O, a group filled with zeros."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from collectors.esxtop_names import ColumnPath
from sessions.model import FloatArray

_DISK_CLASSES = ("Physical Disk", "Virtual Disk")
_KNOWN_AT_ONCE = frozenset({"Adapter Q Depth", "Device Q Depth", "World Q Depth", "Shares"})
_FILLED_GROUP = "8:helper"


class Defects:
    """Reproduces the defects in one host's rows.

    esxtop's first sample has no interval to divide by: all rates, latencies and counts of disks are zero.
    When the set of worlds of a group changes between two samples, all of the group's columns are zero for one
    row (here the group ``8:helper``, at a tick that the seed draws).
    """

    def __init__(self, columns: Sequence[ColumnPath], ticks: int, rng: np.random.Generator) -> None:
        self._io = np.flatnonzero([_is_io(path) for path in columns])
        self._group = np.flatnonzero([_is_filled(path) for path in columns])
        self._at = int(rng.integers(1, max(ticks, 2)))

    def apply(self, row: FloatArray, tick: int) -> None:
        """Change the row of a tick (numbered from 0) in place."""
        if tick == 0:
            row[self._io] = 0.0
        elif tick == self._at:
            row[self._group] = 0.0


def _is_io(path: ColumnPath) -> bool:
    return path.cls.startswith(_DISK_CLASSES) and path.counter not in _KNOWN_AT_ONCE


def _is_filled(path: ColumnPath) -> bool:
    if path.cls == "Group Cpu":
        return path.instance == _FILLED_GROUP
    return path.cls == "Vcpu" and path.instance.startswith(f"{_FILLED_GROUP}:")
