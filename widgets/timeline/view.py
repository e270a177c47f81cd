"""The timeline's strip: painted in one go, brushed with the mouse or the keyboard."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from resources.foreign_text import shown, tip
from resources.units import format_value
from sessions.findings import Severity
from sessions.model import Mark
from sessions.times import TimeRange
from viewmodels.time_labels import Clock, time_label, time_ticks
from viewmodels.timeline import Bar, TimelineContent
from widgets.pane import Pane
from widgets.theme import Theme, body_font
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Grip, Scale
from widgets.timeline.lane import EventLane
from widgets.timeline.moments import neighbour

_RANK: dict[Severity, int] = {"info": 0, "warning": 1, "critical": 2}
_CLICK = 3
_TICK_PIXELS = 96
_LABEL_LEFT = 12
_SOURCES_SHOWN = 6


class TimelineView(Pane):
    """Signals: ``windowed(TimeRange, passing)``, ``unzoomed``, ``wanted(Finding)``, ``mark(ms)`` where a mark
    is to be dropped; of one that is there ``mark_edited(Mark, QPoint)`` and ``mark_removed(Mark)``.
    """

    windowed = Signal(object, bool)
    unzoomed = Signal()
    wanted = Signal(object)
    mark = Signal(object)
    mark_edited = Signal(object, object)
    mark_removed = Signal(object)

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._clock = theme, clock
        self._content = TimelineContent()
        self._window: TimeRange | None = None
        self._drag: tuple[Grip, float, TimeRange] | None = None
        self._moved = False
        self._chosen: Mark | None = None
        self._lane = EventLane()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(at.SOURCES_TOP + 2 * at.SOURCE_STEP + at.AXIS_HEIGHT + 4)
        self.setAccessibleName("Timeline of the session")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as its lanes."""
        lanes = min(len(self._content.sources), _SOURCES_SHOWN)
        return QSize(900, at.SOURCES_TOP + max(lanes, 2) * at.SOURCE_STEP + at.AXIS_HEIGHT + 6)

    def set_clock(self, clock: Clock) -> None:
        """Show another clock."""
        self._clock = clock
        self.update()

    def show_content(self, content: TimelineContent) -> None:
        """Show these lanes."""
        old, self._content = self._content, content
        self._lane.change(old, content)
        if self._chosen is not None and self._chosen not in content.marks:
            self._choose(None)
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    def show_window(self, window: TimeRange | None) -> None:
        """Put the brush around a window."""
        self._window = window
        self.update()

    @property
    def content(self) -> TimelineContent:
        """What is shown."""
        return self._content

    @property
    def chosen(self) -> Mark | None:
        """The mark that was clicked, or reached with the keys."""
        return self._chosen

    # -- the user

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take a handle, the brush, or begin a new one."""
        scale = self._scale()
        if scale is None or event.button() != Qt.MouseButton.LeftButton or self._window is None:
            return
        x = event.position().x()
        self._choose(self._mark_at(event.position()))
        if self._chosen is not None:
            return
        self._drag, self._moved = (scale.grip(x, self._window), x, self._window), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drag, or show what could be dragged."""
        scale, x = self._scale(), event.position().x()
        if scale is None or self._window is None:
            return
        if self._drag is None:
            grip = scale.grip(x, self._window)
            shapes = {"start": Qt.CursorShape.SizeHorCursor, "end": Qt.CursorShape.SizeHorCursor}
            shape = shapes.get(
                grip, Qt.CursorShape.OpenHandCursor if grip == "inside" else Qt.CursorShape.ArrowCursor
            )
            can_click = self._bar_at(event.position()) or self._mark_at(event.position())
            self.setCursor(Qt.CursorShape.PointingHandCursor if can_click else shape)
            return
        grip, begin, window = self._drag
        self._moved = self._moved or abs(x - begin) > _CLICK
        if self._moved:
            self.windowed.emit(scale.dragged(grip, window, begin, x), True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Let go; a click on a finding shows it."""
        scale, drag, self._drag = self._scale(), self._drag, None
        if scale is None or drag is None:
            return
        grip, begin, window = drag
        if self._moved:
            self.windowed.emit(scale.dragged(grip, window, begin, event.position().x()), False)
            return
        bar = self._bar_at(event.position())
        if bar is not None:
            self.wanted.emit(bar.finding)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The note of a mark, else the whole session."""
        self._drag = None
        mark = self._mark_at(event.position())
        if mark is not None:
            self._edit(mark)
        else:
            self.unzoomed.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """What can be done to the mark under the mouse, or to the one that is chosen; or a new one."""
        scale = self._scale()
        if scale is None:
            return
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        if by_mouse:
            self._choose(self._mark_at(QPointF(event.pos())))
        place = event.globalPos() if by_mouse else self._place_of(self._chosen, scale)
        at_ms = scale.time(event.pos().x()) if by_mouse else None
        self._menu_of(self._chosen, at_ms).popup(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows move the brush, with Shift they move its end; up and down go from mark to mark."""
        if self._mark_key(Qt.Key(event.key())):
            return
        window, span = self._window, self._content.span
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or window is None or span is None:
            super().keyPressEvent(event)
            return
        by = step * max((window.end - window.start) // 10, 1_000)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            moved = TimeRange(window.start, min(max(window.end + by, window.start + 1_000), span.end))
        else:
            length = window.end - window.start
            start = min(max(window.start + by, span.start), span.end - length)
            moved = TimeRange(start, start + length)
        self.windowed.emit(moved, False)

    def _mark_key(self, key: Qt.Key) -> bool:
        """What a key does to marks; False when it does nothing."""
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps:
            now = self._window.end if self._window is not None and key == Qt.Key.Key_Up else 0
            self._choose(neighbour(self._content.marks, self._chosen, steps[key], now))
            return True
        chosen = self._chosen
        if chosen is None:
            return False
        if key in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.mark_removed.emit(chosen)
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2}:
            self._edit(chosen)
        elif key == Qt.Key.Key_Escape:
            self._choose(None)
        else:
            return False
        return True

    def _choose(self, mark: Mark | None) -> None:
        self._chosen = mark
        words = f"Mark at {self._clock(mark.at):%H:%M:%S}: {shown(mark.text)}" if mark else ""
        self.setAccessibleDescription(words)
        self.update()

    def _edit(self, mark: Mark) -> None:
        scale = self._scale()
        if scale is not None:
            self.mark_edited.emit(mark, self._place_of(mark, scale))

    def _place_of(self, mark: Mark | None, scale: Scale) -> QPoint:
        x = min(max(scale.x(mark.at), at.GUTTER), self.width()) if mark is not None else at.GUTTER
        return self.mapToGlobal(QPoint(round(x), at.EVENTS_TOP))

    def _menu_of(self, mark: Mark | None, at_ms: int | None) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if mark is not None:
            menu.addAction("Change the note…").triggered.connect(lambda: self._edit(mark))
            remove = menu.addAction("Remove the mark")
            remove.setIcon(self._theme.icons.get("close"))
            remove.triggered.connect(lambda: self.mark_removed.emit(mark))
        else:
            drop = menu.addAction("Drop a mark here…")
            drop.setIcon(self._theme.icons.get("mark"))
            drop.triggered.connect(lambda: self.mark.emit(at_ms))
            menu.addAction("Show the whole session").triggered.connect(lambda _on: self.unzoomed.emit())
        return menu

    def event(self, event: QEvent) -> bool:
        """Tooltips say what is under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._words_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tip(text) if text else "", self)
            return True
        return super().event(event)

    # -- painting

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """All lanes, then the brush over them."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.tokens.surface1))
        painter.setFont(body_font(11))
        self._paint_gutter(painter)
        scale = self._scale()
        if scale is None:
            painter.setPen(QColor(self._theme.tokens.faint))
            painter.drawText(
                self.rect().adjusted(at.GUTTER, 0, 0, 0),
                Qt.AlignmentFlag.AlignVCenter,
                "Nothing recorded yet.",
            )
            return
        self._paint_brush(painter, scale)
        self._paint_axis(painter, scale)
        self._paint_load(painter, scale)
        self._paint_findings(painter, scale)
        self._lane.paint(painter, scale, self._theme.tokens)
        self._paint_chosen(painter, scale)
        self._paint_sources(painter, scale)
        self._paint_handles(painter, scale)

    def _paint_gutter(self, painter: QPainter) -> None:
        painter.setPen(QColor(self._theme.tokens.muted))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        words = painter.fontMetrics().elidedText(
            self._content.load.words or "Load", Qt.TextElideMode.ElideRight, at.GUTTER - _LABEL_LEFT - 8
        )
        load, half = self._content.load, at.LOAD_HEIGHT // 2
        scale = f"up to {format_value(load.top, load.unit)}" if np.isfinite(load.top) else ""
        for top, height, text in (
            (at.LOAD_TOP, half, words),
            (at.LOAD_TOP + half, half, scale),
            (at.FINDINGS_TOP, at.FINDINGS_HEIGHT, "Findings"),
            (at.EVENTS_TOP, at.EVENTS_HEIGHT, "Events, marks"),
            (at.SOURCES_TOP - 6, 16, "Sources"),
        ):
            painter.drawText(QRectF(_LABEL_LEFT, top, at.GUTTER - _LABEL_LEFT, height), left, text)

    def _paint_load(self, painter: QPainter, scale: Scale) -> None:
        load = self._content.load
        if not np.isfinite(load.top):
            return
        top = max(load.top, 1e-9)
        bottom = at.LOAD_TOP + at.LOAD_HEIGHT
        accent = QColor(self._theme.tokens.accent)
        area = QColor(accent)
        area.setAlphaF(0.2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for run in _runs(load.values):
            points = [
                QPointF(scale.x(load.times[i]), bottom - load.values[i] / top * (at.LOAD_HEIGHT - 4))
                for i in run
            ]
            closed = QPolygonF([QPointF(points[0].x(), bottom), *points, QPointF(points[-1].x(), bottom)])
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(area)
            painter.drawPolygon(closed)
            painter.setPen(QPen(accent, 1))
            for a, b in pairwise(points):
                painter.drawLine(a, b)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_findings(self, painter: QPainter, scale: Scale) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for bar in sorted(self._content.bars, key=lambda bar: _RANK[bar.severity]):
            colour = QColor(self._theme.tokens.health(bar.severity))
            box = self._bar_box(bar, scale)
            painter.setBrush(colour)
            painter.drawRoundedRect(box, 3, 3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_chosen(self, painter: QPainter, scale: Scale) -> None:
        """A frame around the chosen mark and its words."""
        if self._chosen is None:
            return
        box = self._lane.box_of(self._chosen, scale)
        accent = QColor(self._theme.tokens.accent)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(accent, 1))
        accent.setAlphaF(0.2)
        painter.setBrush(accent)
        painter.drawRoundedRect(box, 3, 3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_sources(self, painter: QPainter, scale: Scale) -> None:
        tokens = self._theme.tokens
        painter.setPen(Qt.PenStyle.NoPen)
        for number, lane in enumerate(self._content.sources[:_SOURCES_SHOWN]):
            top = at.SOURCES_TOP + number * at.SOURCE_STEP
            start, end = scale.x(lane.window.start), scale.x(lane.window.end)
            painter.setBrush(QColor(tokens.ok))
            painter.drawRoundedRect(QRectF(start, top, max(end - start, 2), 4), 2, 2)
            painter.setBrush(QColor(tokens.surface1))
            for gap, _reason in lane.gaps:
                left, right = scale.x(gap.start), scale.x(gap.end)
                painter.drawRect(QRectF(left, top - 1, max(right - left, 1.5), 6))

    def _paint_axis(self, painter: QPainter, scale: Scale) -> None:
        span = scale.span
        top = self.height() - at.AXIS_HEIGHT
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignHCenter
        ticks, step = time_ticks(span.start, span.end, scale.pixels, self._clock, _TICK_PIXELS)
        painter.setPen(QPen(QColor(self._theme.tokens.line), 1))
        for tick in ticks:
            painter.drawLine(QPointF(scale.x(tick), at.LOAD_TOP), QPointF(scale.x(tick), top))
        painter.setPen(QColor(self._theme.tokens.muted))
        for tick in ticks:
            text = time_label(tick, step, self._clock)
            half = painter.fontMetrics().horizontalAdvance(text) / 2 + 2
            x = min(max(scale.x(tick), scale.left + half), self.width() - half)
            painter.drawText(QRectF(x - half, top, 2 * half, at.AXIS_HEIGHT), middle, text)

    def _paint_brush(self, painter: QPainter, scale: Scale) -> None:
        if self._window is None:
            return
        tint = QColor(self._theme.tokens.accent)
        tint.setAlphaF(0.1)
        painter.fillRect(self._brush(scale, self._window), tint)

    def _paint_handles(self, painter: QPainter, scale: Scale) -> None:
        if self._window is None:
            return
        box = self._brush(scale, self._window)
        accent = QColor(self._theme.tokens.accent)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        for x in (box.left(), box.right()):
            painter.drawRoundedRect(QRectF(x - 2.5, at.FINDINGS_TOP - 5, 5, 24), 2.5, 2.5)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(accent, 1))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))

    # -- geometry

    def _scale(self) -> Scale | None:
        span = self._content.span
        return Scale(span, self.width()) if span is not None else None

    def _brush(self, scale: Scale, window: TimeRange) -> QRectF:
        left = max(scale.x(window.start), float(at.GUTTER))
        right = min(scale.x(window.end), float(self.width() - at.RIGHT))
        return QRectF(left, 2, max(right - left, 2), self.height() - at.AXIS_HEIGHT - 2)

    def _bar_box(self, bar: Bar, scale: Scale) -> QRectF:
        left, right = scale.x(bar.window.start), scale.x(bar.window.end)
        return QRectF(left, at.FINDINGS_TOP + 2, max(right - left, 3), at.FINDINGS_HEIGHT - 4)

    def _bar_at(self, position: QPointF) -> Bar | None:
        scale = self._scale()
        if scale is None:
            return None
        hit = [
            bar
            for bar in self._content.bars
            if self._bar_box(bar, scale).adjusted(-2, -2, 2, 2).contains(position)
        ]
        return max(hit, key=lambda bar: _RANK[bar.severity], default=None)

    def _mark_at(self, position: QPointF) -> Mark | None:
        scale = self._scale()
        return self._lane.mark_at(scale, position.x(), position.y()) if scale is not None else None

    def _words_at(self, position: QPointF) -> str:
        scale = self._scale()
        if scale is None or position.x() < at.GUTTER:
            return ""
        bar = self._bar_at(position)
        if bar is not None:
            return shown(bar.text)
        if text := self._lane.words_at(scale, position.x(), position.y(), self._clock):
            return text
        number = math.floor((position.y() - at.SOURCES_TOP + 2) / at.SOURCE_STEP)
        if 0 <= number < min(len(self._content.sources), _SOURCES_SHOWN):
            return self._source_words(number, scale, position.x())
        when = scale.time(position.x())
        words = f"{self._clock(when):%d %b %H:%M:%S}"
        load = self._content.load
        if load.words and position.y() < at.LOAD_TOP + at.LOAD_HEIGHT:
            words += f"\n{load.words} {format_value(load.near(when), load.unit)}"
        return words

    def _source_words(self, number: int, scale: Scale, x: float) -> str:
        lane = self._content.sources[number]
        for gap, reason in lane.gaps:
            if scale.x(gap.start) - 2 <= x <= scale.x(gap.end) + 2:
                return f"{shown(lane.name)}: gap from {self._clock(gap.start):%H:%M:%S}, {shown(reason)}"
        return shown(lane.name)


def _runs(values: np.ndarray) -> list[range]:
    """Stretches of finite values, as ranges of indices."""
    finite = np.isfinite(values).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite, [0]])))
    return [range(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
