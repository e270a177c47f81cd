"""Windows of time for charts: what to read for one, and where one may be moved to."""

from __future__ import annotations

from collections.abc import Collection

from sessions.times import TimeRange
from viewmodels.snapshot import Snapshot

_WHOLE_CELLS = 1 << 20
"""A session with at most so many samples of the charts' series (8 MB) is read whole: then nobody waits."""
READ_MARGIN, NEAR_MARGIN = 1.0, 0.4
"""Parts of a window's length: so much is read before and behind it, and read on when so little is left."""
_EMPTY_MARGIN = 0.25
"""A window may be moved beyond the ends of the session by so much of its length."""


def window_to_read(shown: TimeRange, span: TimeRange, cells: int, margin: float = READ_MARGIN) -> TimeRange:
    """A window with a margin on both sides, all of a session of few ``cells`` (samples of these series)."""
    if cells <= _WHOLE_CELLS:
        return TimeRange(min(shown.start, span.start), max(shown.end, span.end))
    extra = round((shown.end - shown.start) * margin)
    return TimeRange(
        min(shown.start, max(shown.start - extra, span.start)),
        max(shown.end, min(shown.end + extra, span.end)),
    )


def cells_of(ids: Collection[int], snapshot: Snapshot) -> int:
    """How many samples these series have over the whole session, if every tick has one of each."""
    ticks = {source.id: source.ticks for source in snapshot.sources}
    return sum(ticks.get(snapshot.by_id[one].source, 0) for one in ids if one in snapshot.by_id)


def moved_window(wanted: TimeRange, span: TimeRange) -> TimeRange | None:
    """Where a window goes that is asked for by dragging or zooming: near the session; None is all of it."""
    length = min(wanted.end - wanted.start, span.end - span.start)
    if length >= span.end - span.start:
        return None
    margin = round(length * _EMPTY_MARGIN)
    latest = max(span.end + margin - length, span.start - margin)
    start = min(max(wanted.start, span.start - margin), latest)
    return TimeRange(start, start + length)
