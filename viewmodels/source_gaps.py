"""The gaps of a session's sources: those of a lane, their words, and the window around one. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from resources.foreign_text import shown
from resources.units import format_count
from sessions.clock import Clock
from sessions.model import Gap
from sessions.times import TimeRange
from viewmodels.entity_names import full_name
from viewmodels.snapshot import USUAL_INTERVAL_S, Snapshot
from viewmodels.timeline import GapBar

_NAME = 80
_SHOWN_INTERVALS = 60
_SHOWN_LENGTHS = 4


def gaps_of(source: int, snapshot: Snapshot) -> Sequence[Gap]:
    """Return the gaps of a source in the order of time."""
    return sorted(
        (gap for gap in snapshot.gaps if gap.source == source), key=lambda gap: (gap.start, gap.end)
    )


def gap_bars(source: int, snapshot: Snapshot) -> list[GapBar]:
    """Return the gaps of a source as the timeline draws them, those of the whole source last, on top."""
    bars = [_bar(gap, snapshot) for gap in gaps_of(source, snapshot)]
    return sorted(bars, key=lambda bar: not bar.is_partial)


def _bar(gap: Gap, snapshot: Snapshot) -> GapBar:
    window = TimeRange(gap.start, max(gap.end, gap.start))
    return GapBar(window, _reason(gap, snapshot), is_partial=gap.entity is not None)


def _reason(gap: Gap, snapshot: Snapshot) -> str:
    if gap.entity is None:
        return shown(gap.reason)
    return f"only of {shown(full_name(gap.entity, snapshot), _NAME)} ({gap.entity.kind}), {shown(gap.reason)}"


def gap_count(gaps: int, partial: int) -> str:
    """Return how many gaps a source has: ``2 gaps``, ``1 partial gap``, ``2 gaps and 1 partial``, or nothing.

    A partial gap is one of a single entity, while the source's other samples came.
    """
    whole = f"{format_count(gaps)} gap{'' if gaps == 1 else 's'}"
    if not partial:
        return whole if gaps else ""
    if gaps:
        return f"{whole} and {format_count(partial)} partial"
    return f"{format_count(partial)} partial gap{'' if partial == 1 else 's'}"


def gap_text(number: int, gaps: Sequence[Gap], snapshot: Snapshot, clock: Clock) -> str:
    """Return the words of the gap ``number`` (from 0) of a source: which one, when, of what, and why."""
    gap = gaps[number]
    name = next((one.spec.name for one in snapshot.sources if one.id == gap.source), "")
    window = clock.window(TimeRange(gap.start, max(gap.end, gap.start)))
    ticks = "" if gap.ticks is None else f", {format_count(gap.ticks)} missed"
    which = f"Gap {number + 1} of {len(gaps)}" if len(gaps) > 1 else "The gap"
    return f"{which} of {shown(name, _NAME)}: {window}{ticks}: {_reason(gap, snapshot)}."


def window_around(gap: Gap, snapshot: Snapshot) -> TimeRange | None:
    """Return a window with the gap in its middle, within the session; None without samples."""
    if snapshot.span is None:
        return None
    interval = round(snapshot.intervals.get(gap.source, USUAL_INTERVAL_S) * 1000)
    length = max(interval * _SHOWN_INTERVALS, (gap.end - gap.start) * _SHOWN_LENGTHS)
    middle = (gap.start + max(gap.end, gap.start)) // 2
    around = TimeRange(middle - length // 2, middle + length // 2)
    return around.intersect(snapshot.span)
