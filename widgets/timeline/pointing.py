"""What is at a point of the timeline: a finding or a mark; and the tooltip for that point."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF

from resources.foreign_text import shown
from resources.units import format_value
from sessions.model import Mark
from viewmodels.time_labels import Clock
from viewmodels.timeline import Bar, GapBar, TimelineContent
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale
from widgets.timeline.lane import EventLane
from widgets.timeline.lanes import RANK, bar_box, gap_ends

_NEAR = 2


@dataclass(frozen=True, slots=True)
class Target:
    """What a click means: the time in ms that it pins, and the words of what is there, if anything is."""

    at: int
    words: str = ""
    bar: Bar | None = None


@dataclass(frozen=True)
class Pointing:
    """Finds what is at a point of the timeline as it is painted now."""

    content: TimelineContent
    events: EventLane
    scale: Scale
    clock: Clock

    def bar_at(self, point: QPointF) -> Bar | None:
        """Return the worst finding's bar at a point, None if there is none."""
        near = (-_NEAR, -_NEAR, _NEAR, _NEAR)
        hit = [bar for bar in self.content.bars if bar_box(bar, self.scale).adjusted(*near).contains(point)]
        return max(hit, key=lambda bar: RANK[bar.severity], default=None)

    def mark_at(self, point: QPointF) -> Mark | None:
        """Return the mark at a point, None if there is none."""
        return self.events.mark_at(self.scale, point.x(), point.y())

    def place_of(self, mark: Mark | None) -> QPoint:
        """Return the position of a mark, at the edge if it is outside the session; None: the lane's
        beginning.
        """
        x = self.scale.x_within(mark.at) if mark is not None else at.GUTTER
        return QPoint(round(x), at.EVENTS_TOP)

    def target_at(self, point: QPointF) -> Target:
        """Return what a click at a point means: the start of a finding's window, an event, a mark, or that
        time.
        """
        bar = self.bar_at(point)
        if bar is not None:
            words = f"{shown(bar.text)}\n{self.clock.window(bar.window)}"
            return Target(bar.window.start, words, bar)
        event = self.events.event_at(self.scale, point.x(), point.y())
        if event is not None:
            return Target(event.at, self.events.text_at(self.scale, point.x(), point.y(), self.clock))
        number = self._source_at(point)
        gap = self._gap_at(number, point.x()) if number is not None else None
        if gap is not None:
            return Target(gap.window.start, self.tooltip_at(point))
        return Target(self.scale.time(point.x()), "")

    def tooltip_at(self, point: QPointF) -> str:
        """Return the tooltip for a point: a finding, events, a source or gap, else time and load.

        The text is empty left of the lanes.
        """
        if point.x() < at.GUTTER:
            return ""
        bar = self.bar_at(point)
        if bar is not None:
            return shown(bar.text)
        if text := self.events.text_at(self.scale, point.x(), point.y(), self.clock):
            return text
        number = self._source_at(point)
        if number is not None:
            return self._source_tooltip(number, point.x())
        if text := self._unjudged_text(point):
            return text
        when, load = self.scale.time(point.x()), self.content.load
        text = f"{self.clock.day(when)} {self.clock.moment(when)}"
        if load.label and point.y() < at.LOAD_TOP + at.LOAD_HEIGHT:
            text += f"\n{load.label} {format_value(load.near(when), load.unit)}"
        return text

    def _unjudged_text(self, point: QPointF) -> str:
        unjudged = self.content.unjudged
        is_in_lane = at.FINDINGS_TOP <= point.y() <= at.FINDINGS_TOP + at.FINDINGS_HEIGHT
        if unjudged is None or not is_in_lane or not unjudged.contains(self.scale.time(point.x())):
            return ""
        return f"Not judged yet: {self.clock.window(unjudged)}"

    def _source_at(self, point: QPointF) -> int | None:
        number = math.floor((point.y() - at.SOURCES_TOP + 2) / at.SOURCE_STEP)
        return number if 0 <= number < len(self.content.sources) else None

    def _gap_at(self, number: int, x: float) -> GapBar | None:
        for gap in reversed(self.content.sources[number].gaps):
            left, right = gap_ends(gap, self.scale)
            if left - _NEAR <= x <= right + _NEAR:
                return gap
        return None

    def _source_tooltip(self, number: int, x: float) -> str:
        name, found = shown(self.content.sources[number].name), self._gap_at(number, x)
        if found is None:
            return name
        return f"{name}: gap {self.clock.window(found.window)}, {shown(found.reason)}"
