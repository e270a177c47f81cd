"""Gaps that an earlier run of a recording left at its end, when the recording goes on.

An outage until the end is a gap. Who goes on soon enough gets some of its samples after all, and tells of the
time in which nobody recorded from the last sample on: neither may count the outage twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sessions.model import Gap


class EarlierGaps:
    """The last gap of each whole source, by the source's id in the file; those of single objects stay."""

    def __init__(self, gaps: Iterable[Gap] = ()) -> None:
        whole = sorted((gap for gap in gaps if gap.entity is None), key=lambda gap: gap.end)
        self._last = {gap.source: gap for gap in whole}
        self._ends = {gap.source: (gap.start, gap.end) for gap in whole}

    def beyond(self, gap: Gap) -> Gap | None:
        """The part of a source's new gap that lies after the earlier one; None where nothing does."""
        earlier = self._last.get(gap.source)
        if earlier is None or gap.entity is not None or not gap.ticks:
            return gap
        if not earlier.start <= gap.start <= earlier.end:
            return gap
        if gap.end <= earlier.end:
            return None
        step = (gap.end - gap.start) // (gap.ticks - 1)
        start = earlier.end + step
        return replace(gap, start=start, ticks=(gap.end - start) // step + 1)

    def was_lost(self, source: int, t_ms: int) -> bool:
        """Whether the earlier run counted the samples of this instant as lost."""
        start, end = self._ends.get(source, (0, -1))
        return start <= t_ms <= end

    def shortened(self, source: int, t_ms: int) -> Gap | None:
        """The earlier run's gap up to a sample that has now come; None where the gap stays as it is.

        What lies after it is the new run's business.
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
