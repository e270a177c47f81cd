"""Cuts lines at the borders of a plot, for drawings that cannot hide what is outside. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def clipped_lines(x: FloatArray, y: FloatArray, joined: NDArray[np.bool_], box: Box) -> list[FloatArray]:
    """Return the parts of a line that lie within ``box``, each as an array (points, 2).

    ``joined[i]`` says whether points i and i + 1 are connected. A point with no neighbour is a part of its
    own. (Liang and Barsky's algorithm, for all segments at once.)
    """
    left, top, right, bottom = box
    alone = ~np.concatenate([[False], joined]) & ~np.concatenate([joined, [False]])
    inside = alone & (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    parts = [np.array([[x[at], y[at]]]) for at in np.flatnonzero(inside).tolist()]
    starts = np.flatnonzero(joined)
    across, down = x[starts + 1] - x[starts], y[starts + 1] - y[starts]
    begin, end = np.zeros(starts.size), np.ones(starts.size)
    for speed, room in (
        (-across, x[starts] - left),
        (across, right - x[starts]),
        (-down, y[starts] - top),
        (down, bottom - y[starts]),
    ):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            crossed = room / speed
        begin = np.where(speed < 0, np.maximum(begin, crossed), begin)
        end = np.where(speed > 0, np.minimum(end, crossed), end)
        end = np.where((speed == 0) & (room < 0), -1.0, end)
    seen = np.flatnonzero(begin <= end)
    begin, end, starts = begin[seen], end[seen], starts[seen]
    if not seen.size:
        return parts
    first = np.stack([x[starts] + begin * across[seen], y[starts] + begin * down[seen]], axis=1)
    last = np.stack([x[starts] + end * across[seen], y[starts] + end * down[seen]], axis=1)
    goes_on = (starts[1:] == starts[:-1] + 1) & (end[:-1] == 1) & (begin[1:] == 0)
    cuts = np.flatnonzero(~goes_on) + 1
    runs = np.split(np.arange(seen.size), cuts)
    return [*parts, *(np.concatenate([first[run], last[run[-1:]]]) for run in runs)]
