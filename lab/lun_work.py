"""The cost of an I/O for an array, and the highest rate of one LUN."""

from __future__ import annotations

import numpy as np

from sessions.model import FloatArray

LUN_SHARE = 0.45
"""What one LUN can do of its array's capacity: its part of the spindles or controllers."""
WRITE_COST = (2.2, 1.3, 1.6, 1.0, 1.0, 1.0)
"""Back-end work of a write over that of a read, by array: RAID on spindles, log-structured flash, …"""


def io_cost(size_kb: FloatArray, reads: FloatArray, write_cost: FloatArray | float) -> FloatArray:
    """Return the back-end work of an average I/O, relative to a read of 8 KB."""
    cost: FloatArray = (1.0 + np.maximum(size_kb - 8.0, 0.0) / 96.0) * (reads + (1.0 - reads) * write_cost)
    return cost
