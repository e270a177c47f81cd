"""Time windows of charts: which window to read, and how far the shown window may be moved."""

from __future__ import annotations

from collections.abc import Collection

from sessions.times import TimeRange
from viewmodels.snapshot import Snapshot

_WHOLE_CELLS = 1 << 20
"""If the charts' series have at most this many samples in the session (8 MB), all are read at once."""
READ_MARGIN, NEAR_MARGIN = 1.0, 0.4
"""Multiples of a window's length: how much is read before and behind it, and how near its end reading goes
on.
"""


def window_to_read(shown: TimeRange, span: TimeRange, cells: int, margin: float = READ_MARGIN) -> TimeRange:
    """Return the window to read for the ``shown`` one: with a margin on both sides, cut to the session.

    ``cells`` is the number of samples of the charts' series in the session ``span``: few are read whole.
    ``margin`` is a multiple of the shown window's length.
    """
    if cells <= _WHOLE_CELLS:
        return TimeRange(min(shown.start, span.start), max(shown.end, span.end))
    extra = round((shown.end - shown.start) * margin)
    return TimeRange(
        min(shown.start, max(shown.start - extra, span.start)),
        max(shown.end, min(shown.end + extra, span.end)),
    )


def cells_of(ids: Collection[int], snapshot: Snapshot) -> int:
    """Return the number of samples that these series have in the whole session, if no tick lacks one."""
    ticks = {source.id: source.ticks for source in snapshot.sources}
    return sum(ticks.get(snapshot.by_id[one].source, 0) for one in ids if one in snapshot.by_id)


def moved_window(wanted: TimeRange, span: TimeRange) -> TimeRange | None:
    """Return the window that dragging or zooming leads to, within the session; None is the whole session.

    At the session's ends it keeps its length.
    """
    length = min(wanted.end - wanted.start, span.end - span.start)
    if length >= span.end - span.start:
        return None
    start = min(max(wanted.start, span.start), span.end - length)
    return TimeRange(start, start + length)
