"""Sums over groups of array elements: what vCPUs do to VMs, disks to LUNs, ports to uplinks."""

from __future__ import annotations

from typing import cast

import numpy as np

from sessions.model import FloatArray, IntArray


def sums(group: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Total of ``values`` in each of ``count`` groups; ``group[i]`` says where ``values[i]`` belongs."""
    return cast("FloatArray", np.bincount(group, values, minlength=count))


def run_sums(values: FloatArray, start: IntArray) -> FloatArray:
    """Totals of runs of ``values``: each from its ``start`` up to the next, the last to the end."""
    return cast("FloatArray", np.add.reduceat(values, start))
