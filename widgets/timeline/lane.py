"""The lane of events and marks: paints them and finds what is at a point."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import AxisEvent, Track, event_label
from viewmodels.time_labels import Clock
from viewmodels.timeline import TimelineContent
from widgets.theme import Tokens
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale
from widgets.timeline.moments import Label, labelled_at, labels, mark_at

_NEAR = 5
_LINES = 8
_FLOOR = at.SPANS_TOP + at.SPANS_HEIGHT - 1

TOP, BOTTOM = at.EVENTS_TOP - 2, at.EVENTS_TOP + at.EVENTS_HEIGHT + 2
"""The first and the last pixel row of the lane."""


class EventLane:
    """A tick where an event begins, a bar while it lasts, and texts where they fit."""

    def __init__(self) -> None:
        self._events: Track[Event] = Track()
        self._marks: Track[Mark] = Track()
        self._labels: list[Label] = []

    def change(self, old: TimelineContent, new: TimelineContent) -> None:
        """Take over new content, reusing indexes if events and marks are the same objects."""
        if new.events is not old.events:
            self._events = Track(new.events)
        if new.marks is not old.marks:
            self._marks = Track(new.marks)

    def paint(self, painter: QPainter, scale: Scale, tokens: Tokens, chosen: Mark | None) -> None:
        """Paint events, marks over them, texts over both, and a frame around the chosen mark."""
        span, left, right = scale.span, scale.left, scale.left + scale.pixels
        events, marks = (track.ticks(span, left, right) for track in (self._events, self._marks))
        painter.setPen(QPen(QColor(tokens.faint), 1))
        for x, _ in events:
            painter.drawLine(x, at.SPANS_TOP - 2, x, _FLOOR)
        for begin, end in self._events.bars(span, left, right, at.SPANS_MIN_WIDTH):
            box = QRectF(begin, at.SPANS_TOP, end - begin, at.SPANS_HEIGHT)
            painter.fillRect(box, QColor(tokens.muted))
        width_of = painter.fontMetrics().horizontalAdvance
        drawn = [*self._beyond(scale, before=True), *(one for _, one in marks), *self._beyond(scale)]
        self._labels = list(labels(drawn, (one for _, one in events), scale, width_of))
        for mark in drawn:
            self._paint_line(painter, scale, mark, tokens.accent)
        for label in self._labels:
            of_mark = isinstance(label.of, Mark)
            if not of_mark:
                self._paint_line(painter, scale, label.of, tokens.faint)
            painter.setPen(QColor(tokens.text if of_mark else tokens.muted))
            box = QRectF(label.left, at.EVENTS_TOP, label.right - label.left + 4, at.EVENTS_HEIGHT)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, label.text)
        if chosen is not None:
            self._paint_frame(painter, self._box_of(chosen, scale), QColor(tokens.accent))

    def _beyond(self, scale: Scale, *, before: bool = False) -> list[Mark]:
        """Return the marks after the last sample (or ``before`` the first), which are drawn at the edge."""
        span = scale.span
        return [mark for mark in self._marks.all if (mark.at < span.start if before else mark.at > span.end)]

    @staticmethod
    def _paint_frame(painter: QPainter, box: QRectF, colour: QColor) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 1))
        colour.setAlphaF(0.2)
        painter.setBrush(colour)
        painter.drawRoundedRect(box, 3, 3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    @staticmethod
    def _paint_line(painter: QPainter, scale: Scale, one: AxisEvent, colour: str) -> None:
        """Draw a line from the text down to the tick."""
        painter.setPen(QPen(QColor(colour), 1))
        x = round(scale.x_within(one.at))
        painter.drawLine(x, at.EVENTS_TOP + 1, x, _FLOOR)

    def _box_of(self, mark: Mark, scale: Scale) -> QRectF:
        """Return the rectangle around a mark and its text; at the edge for a mark outside the session."""
        x = scale.x_within(mark.at)
        label = next((label for label in self._labels if label.of == mark), None)
        left, right = (min(x, label.left), max(x, label.right)) if label else (x, x)
        return QRectF(left - 3, at.EVENTS_TOP - 1, right - left + 7, at.EVENTS_HEIGHT + 2)

    def mark_at(self, scale: Scale, x: float, y: float) -> Mark | None:
        """Return the mark at a point, None if there is none."""
        return mark_at(self._labels, self._marks.all, scale, x) if TOP <= y <= BOTTOM else None

    def text_at(self, scale: Scale, x: float, y: float, clock: Clock) -> str:
        """Return the whole text whose label is at a point, else those of events near it, one line each."""
        return "\n".join(event_label(one, clock) for one in self._found_at(scale, x, y))

    def event_at(self, scale: Scale, x: float, y: float) -> AxisEvent | None:
        """Return the event or mark that ``text_at`` tells of first, None if there is none."""
        return next(iter(self._found_at(scale, x, y)), None)

    def _found_at(self, scale: Scale, x: float, y: float) -> list[AxisEvent]:
        if not TOP <= y <= BOTTOM:
            return []
        around = TimeRange(scale.time(x - _NEAR), scale.time(x + _NEAR))
        here = [mark for mark in self._marks.all if abs(scale.x_within(mark.at) - x) <= _NEAR]
        near: list[AxisEvent] = [*here[:_LINES], *self._events.near(around, _LINES)]
        named = labelled_at(self._labels, x)
        return [named] if named is not None and named not in near else near[:_LINES]
