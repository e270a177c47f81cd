"""Gaps that an earlier run left at its end, when a recording is continued.

A run that ends during an outage stores a gap to its end. If the recording is soon continued, some of these
samples still arrive, and the collector reports the time without a recorder as a gap from the last sample on:
this module prevents counting the same time twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sessions.model import Gap


class EarlierGaps:
    """The last gap of each whole source, by source id; gaps of single objects are not changed."""

    def __init__(self, gaps: Iterable[Gap] = ()) -> None:
        whole = sorted((gap for gap in gaps if gap.entity is None), key=lambda gap: gap.end)
        self._last = {gap.source: gap for gap in whole}
        self._ends = {gap.source: (gap.start, gap.end) for gap in whole}

    def beyond(self, gap: Gap) -> Gap | None:
        """Return the part of a source's new gap that lies after the earlier gap; None if there is none."""
        earlier = self._last.get(gap.source)
        if earlier is None or gap.entity is not None or not gap.ticks:
            return gap
        if not earlier.start <= gap.start <= earlier.end:
            return gap
        if gap.end <= earlier.end:
            return None
        if gap.ticks == 1:  # it ends where its sample begins to count, which need not be an instant
            return None
        step = (gap.end - gap.start) / (gap.ticks - 1)
        start = round(earlier.end + step)
        ticks = round((gap.end - start) / step) + 1
        return replace(gap, start=start, ticks=ticks) if ticks > 0 else None

    def was_lost(self, source: int, t_ms: int) -> bool:
        """Return True if the earlier run counted the samples of this instant as lost."""
        start, end = self._ends.get(source, (0, -1))
        return start <= t_ms <= end

    def shortened(self, source: int, t_ms: int) -> Gap | None:
        """Return the earlier gap, shortened to end before a sample that has now arrived; None if
        it stays as it is.

        The time after that sample is covered by the new run.
        """
        gap = self._last.get(source)
        if gap is None or not gap.start <= t_ms <= gap.end:
            return None
        step = (gap.end - gap.start) // max(1, (gap.ticks or 1) - 1)
        ticks = (t_ms - gap.start) // step if step else 0
        left = replace(gap, end=max(gap.start, t_ms - step), ticks=ticks)
        if ticks:
            self._last[source] = left
        else:
            del self._last[source]
        return left
