"""Times that go back within a capture: the host's clock was set, summer time ended, or rows were copied."""

from __future__ import annotations

import numpy as np

from collectors.esxtop.timestamps import NO_TIME
from resources.units import format_count, format_duration
from sessions.model import IntArray


class BackwardSteps:
    """Follows the rows of one file, and counts where their times go back."""

    def __init__(self) -> None:
        self._last = NO_TIME
        self._count = 0
        self._first = (0, 0)

    def restart(self) -> None:
        """Forget the last time: another capture begins in this file, and it may be older."""
        self._last = NO_TIME

    def follow(self, times: IntArray, lines: IntArray) -> None:
        """Count the backward steps in the next rows, given their times (milliseconds) and line numbers."""
        if not len(times):
            return
        steps = np.diff(times, prepend=times[0] if self._last == NO_TIME else self._last)
        back = np.flatnonzero(steps < 0)
        if len(back) and not self._count:
            self._first = int(lines[back[0]]), -int(steps[back[0]])
        self._count += len(back)
        self._last = int(times[-1])

    def note(self) -> str | None:
        """Return one sentence for the import's report, or None if time never went back."""
        if not self._count:
            return None
        line, back_ms = self._first
        often = f"{format_count(self._count)} times, first at" if self._count > 1 else "at"
        return (
            f"Times go back {often} line {line} by {format_duration(back_ms / 1000)}: "
            "the clock was set back, or rows were copied. Rows stand where their times say."
        )
