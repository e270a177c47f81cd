"""Local stamps over the start or end of summer time: rows go on in another bias than the header tells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from collectors.esxtop.timestamps import NO_TIME
from sessions.model import IntArray

_HOUR = 3_600_000
_DAY = 24 * _HOUR
_SUNDAY = 3
"""1 January 1970 was a Thursday: the number of the first Sunday's day."""
_NIGHT = 4 * _HOUR
"""Clocks change before four o'clock in the morning."""
_FEWEST = 3
"""Steps from which the usual one is known."""
_FAR = 1.5
"""How much longer than usual the true step over the change may be."""
_WITHOUT = frozenset({"", "UTC", "GMT", "Z", "COORDINATED UNIVERSAL TIME"})
"""Zones that have no summer time, and headers that do not say."""


class SummerTime:
    """Follows the rows of one file, and moves those behind a change of the clock to where they belong.

    Rows that go back an hour may be copies: it is a change if the true step, an hour more, is as long as the
    file's steps are. An hour that is missing may be a pause: it is a change only in the night to a Sunday.
    """

    def __init__(self) -> None:
        self._last = NO_TIME
        self._usual = 0.0
        self._moved = 0
        self._first: tuple[int, int] | None = None
        self._has_it = False

    def restart(self, zone: str) -> None:
        """Another capture begins in this file, with the zone that its header tells."""
        self._last, self._usual, self._moved = NO_TIME, 0.0, 0
        self._has_it = zone.strip().upper() not in _WITHOUT

    def corrected(self, times: IntArray, lines: IntArray) -> IntArray:
        """The next rows' times (milliseconds, local) by the clock that the header's bias is of."""
        if not self._has_it or not len(times):
            return times
        steps = np.diff(times, prepend=times[0] if self._last == NO_TIME else self._last)
        self._last = int(times[-1])
        if not self._usual and np.count_nonzero(steps > 0) >= _FEWEST:
            self._usual = float(np.median(steps[steps > 0]))
        ended = (steps < 0) & self._is_usual(steps + _HOUR)
        began = (steps > _HOUR) & self._is_usual(steps - _HOUR) & _in_sundays_night(times)
        changes = np.where(ended, _HOUR, 0) - np.where(began, _HOUR, 0)
        if self._first is None and changes.any():
            at = int(np.flatnonzero(changes)[0])
            self._first = int(lines[at]), int(changes[at])
        moves = self._moved + np.cumsum(changes)
        self._moved = int(moves[-1])
        result: IntArray = times + moves
        return result

    def _is_usual(self, steps: IntArray) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = (steps > 0) & (steps <= _FAR * self._usual)
        return result

    def note(self) -> str | None:
        """Return one sentence for the import's report, or None if the clock did not change."""
        if self._first is None:
            return None
        line, moved = self._first
        what = "ends" if moved > 0 else "begins"
        return f"Summer time {what} at line {line}: the stamps from there on were moved by an hour."


def _in_sundays_night(times: IntArray) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = (times // _DAY % 7 == _SUNDAY) & (times % _DAY < _NIGHT)
    return result
