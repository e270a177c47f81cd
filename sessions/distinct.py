"""The different values of an array of integers, as numpy.unique gives them.

numpy.unique asks numpy.ma whether the array is masked, and imports it for that: 20 ms in each program that
reads a session, the window among them.
"""

from __future__ import annotations

import numpy as np

from sessions.model import IntArray


def distinct(values: IntArray) -> IntArray:
    """Return the different values in ascending order; shape (n,)."""
    ordered = np.sort(values, axis=None)
    is_new = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    found: IntArray = ordered[is_new]
    return found
