"""Events and marks on a time axis: their pixel positions, which are near a point, and their texts. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

from resources.foreign_text import shown
from resources.units import format_duration
from sessions.model import Event, FloatArray, Mark
from sessions.times import TimeRange
from viewmodels.time_labels import Clock

AxisEvent = Event | Mark
Event_co = TypeVar("Event_co", bound=AxisEvent, covariant=True)


def event_label(one: AxisEvent, at: Clock) -> str:
    """Return an event's or mark's text with its time: ``14:05:00 – 14:05:42 CET (42 s) · db01 moved to
    esx02``.
    """
    text = shown(one.text)
    if isinstance(one, Mark):
        return f"{at.moment(one.at)} · {text}"
    by = f", by {shown(one.by)}" if one.by else ""
    by += f" [{shown(one.log)}]" if one.log else ""
    if one.until == one.at:
        return f"{at.moment(one.at)} · {text}{by}"
    time = at.time if at(one.at).date() == at(one.until).date() else at.day_time
    took = format_duration((one.until - one.at) / 1000)
    zone = at.zone_of(TimeRange(one.at, one.until))
    return f"{time(one.at)} – {time(one.until)} {zone} ({took}) · {text}{by}"


class Track(Generic[Event_co]):
    """Events or marks of a time axis, indexed in numpy arrays by start and end time.

    A vCenter session can have 100,000 events while a strip has a thousand pixels; the arrays keep painting
    fast.
    """

    def __init__(self, events: Sequence[Event_co] = ()) -> None:
        self.all = events
        starts = np.fromiter((one.at for one in events), np.int64, len(events))
        ends = np.fromiter((_until(one) for one in events), np.int64, len(events))
        self._order = np.argsort(starts, kind="stable")
        self._starts, self._ends = starts[self._order], ends[self._order]
        self._long = self._ends > self._starts

    def near(self, window: TimeRange, max_count: int) -> list[Event_co]:
        """Return at most ``max_count`` events that overlap ``window``, shortest first: short ones are hardest
        to hit.
        """
        found = np.flatnonzero((self._starts <= window.end) & (self._ends >= window.start))
        by_length = np.argsort((self._ends - self._starts)[found], kind="stable")
        return [self.all[self._order[number]] for number in found[by_length][:max_count].tolist()]

    def ticks(self, window: TimeRange, left: float, right: float) -> list[tuple[int, Event_co]]:
        """Return (pixel column, first event that begins in it) for each column in which an event begins.

        ``window`` is mapped to the pixels from ``left`` to ``right``.
        """
        begin, end = np.searchsorted(self._starts, (window.start, window.end + 1))
        columns = np.rint(_pixels(self._starts[begin:end], window, left, right)).astype(np.int64)
        unique, first = np.unique(columns, return_index=True)
        numbers = self._order[begin:end][first].tolist()
        return [(x, self.all[number]) for x, number in zip(unique.tolist(), numbers, strict=True)]

    def bars(
        self, window: TimeRange, left: float, right: float, min_width: float
    ) -> list[tuple[float, float]]:
        """Return (from, to) in pixels for the events that last, overlapping ones merged into one bar.

        ``window`` is mapped to the pixels from ``left`` to ``right``; a bar is at least ``min_width`` pixels
        wide.
        """
        overlapping = self._long & (self._starts <= window.end) & (self._ends >= window.start)
        begins = np.clip(_pixels(self._starts[overlapping], window, left, right), left, right)
        ends = np.clip(_pixels(self._ends[overlapping], window, left, right), left, right)
        if not begins.size:
            return []
        reached = np.maximum.accumulate(np.maximum(ends, begins + min_width))
        opens = np.concatenate([[True], begins[1:] > reached[:-1]])
        closes = np.concatenate([opens[1:], [True]])
        return list(zip(begins[opens].tolist(), reached[closes].tolist(), strict=True))


def _until(one: AxisEvent) -> int:
    return one.until if isinstance(one, Event) else one.at


def _pixels(times: np.ndarray, window: TimeRange, left: float, right: float) -> FloatArray:
    length = max(window.end - window.start, 1)
    placed: FloatArray = left + (times - window.start) / length * (right - left)
    return placed
