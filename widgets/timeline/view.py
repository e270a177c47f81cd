"""The timeline strip: paints its lanes, and handles the brush with mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from resources.foreign_text import shown, tooltip_text
from sessions.model import Mark
from sessions.times import TimeRange
from viewmodels.axis_events import event_label
from viewmodels.time_labels import Clock
from viewmodels.timeline import TimelineContent
from widgets.keys import KeyHandlers
from widgets.pane import Pane
from widgets.theme import Theme, body_font
from widgets.timeline import geometry as at
from widgets.timeline import lanes
from widgets.timeline.brush import Brush
from widgets.timeline.geometry import Scale
from widgets.timeline.keys import MARK_KEYS, WINDOW_KEYS
from widgets.timeline.lane import EventLane
from widgets.timeline.menu import TimelineMenu
from widgets.timeline.moments import neighbour, successor
from widgets.timeline.pin import TimelinePin
from widgets.timeline.pointing import Pointing, Target

_DIRECTIONS = {
    "Left": -1, "Shift+Left": -1, "Ctrl+Left": -1, "Up": -1,
    "Right": 1, "Shift+Right": 1, "Ctrl+Right": 1, "Down": 1,
}  # fmt: skip


class TimelineView(Pane):
    """The timeline pane.

    Signals: ``windowed(TimeRange, passing)``, ``unzoomed``, ``wanted(Finding)``; ``mark(ms)`` to add a mark,
    ``mark_edited(Mark, QPoint)`` and ``mark_removed(Mark)`` for an existing one. ``pin`` shows the pinned
    moment.
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
        self._chosen: Mark | None = None
        self._brush, self._events = Brush(), EventLane()
        self.pin = TimelinePin(self)
        self.pin.released.connect(lambda: self._choose(None))
        self._keys = KeyHandlers(
            WINDOW_KEYS,
            {
                "move": lambda key: self._ask(self._brush.moved, _DIRECTIONS[key]),
                "widen": lambda key: self._ask(self._brush.widened, _DIRECTIONS[key]),
                "marks": lambda key: self._choose_next(_DIRECTIONS[key]),
            },
        )
        self._mark_keys = KeyHandlers(
            MARK_KEYS,
            {
                "note": lambda _key: self._edit(self._chosen),
                "unmark": lambda _key: self.mark_removed.emit(self._chosen),
                "leave": lambda _key: self._choose(None),
            },
        )
        self.menu = TimelineMenu(theme, self, lambda: self.pointing, self._choose, lambda: self._chosen)
        self.menu.edited.connect(self._edit)
        self.menu.removed.connect(self.mark_removed)
        self.menu.dropped.connect(self.mark)
        self.menu.unzoomed.connect(self.unzoomed)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(at.SOURCES_TOP + 2 * at.SOURCE_STEP + at.AXIS_HEIGHT + 4)
        self.setAccessibleName("Timeline of the session")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of all lanes."""
        sources = len(self._content.sources)
        return QSize(900, at.SOURCES_TOP + max(sources, 2) * at.SOURCE_STEP + at.AXIS_HEIGHT + 6)

    def set_clock(self, clock: Clock) -> None:
        """Show times in another time zone."""
        self._clock = clock
        self.update()

    def show_content(self, content: TimelineContent) -> None:
        """Show these lanes."""
        old, self._content = self._content, content
        self.pin.span = content.span
        self._events.change(old, content)
        if self._chosen is not None and self._chosen not in content.marks:
            self._choose(successor(self._chosen, old.marks, content.marks))
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    def show_window(self, window: TimeRange | None) -> None:
        """Put the brush around a window; None shows no brush."""
        self._brush.window = self.pin.window = window
        self.update()

    @property
    def content(self) -> TimelineContent:
        """The lanes that are shown."""
        return self._content

    @property
    def chosen(self) -> Mark | None:
        """The mark that was clicked or reached with the keys, None if there is none."""
        return self._chosen

    @property
    def pointing(self) -> Pointing | None:
        """Finds what is at a point of the timeline; None while nothing is recorded."""
        span = self._content.span
        if span is None:
            return None
        return Pointing(self._content, self._events, Scale(span, self.width()), self._clock)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Choose a mark, drag the brush or a handle, or begin a new window."""
        pointing = self.pointing
        if pointing is None or event.button() != Qt.MouseButton.LeftButton or self._brush.window is None:
            return
        mark = pointing.mark_at(event.position())
        self._choose(mark)
        if mark is not None:
            self.pin.click(Target(mark.at, event_label(mark, self._clock)))
        else:
            self._brush.grab(pointing.scale, event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drag the brush, or set the cursor for what can be dragged or clicked."""
        pointing, point = self.pointing, event.position()
        if pointing is None or self._brush.window is None:
            return
        if not self._brush.is_grabbed:
            can_click = pointing.bar_at(point) or pointing.mark_at(point)
            shape = self._brush.cursor(pointing.scale, point.x())
            self.setCursor(Qt.CursorShape.PointingHandCursor if can_click else shape)
            return
        window = self._brush.drag(pointing.scale, point.x())
        if window is not None:
            self.windowed.emit(window, True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """End the drag; a click pins the moment that it points at, on a finding it also emits ``wanted``."""
        pointing = self.pointing
        if pointing is None or not self._brush.is_grabbed:
            return
        window = self._brush.release(pointing.scale, event.position().x())
        if window is not None:
            self.windowed.emit(window, False)
            return
        target = pointing.target_at(event.position())
        if target.bar is not None:
            self.wanted.emit(target.bar.finding)
        if event.position().x() >= at.GUTTER:
            self.pin.click(target)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Edit the note of the mark that was clicked, else show the whole session."""
        self._brush.cancel_drag()
        pointing = self.pointing
        mark = pointing.mark_at(event.position()) if pointing is not None else None
        if mark is not None:
            self._edit(mark)
        else:
            if event.position().x() >= at.GUTTER:
                self.pin.unclick()
            self.unzoomed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of the table; those for marks only while a mark is chosen."""
        if self._chosen is not None and self._mark_keys.press(event):
            return
        if self.pin.press(event):
            return
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Show tooltips for what is under the mouse; claim the keys that move the pinned moment."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self.pin.claims(event):
            event.accept()
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.pointing.tooltip_at(QPointF(event.pos())) if self.pointing is not None else ""
            QToolTip.showText(event.globalPos(), tooltip_text(text), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint all lanes, the brush's tint below and its handles above them."""
        painter, tokens, content = QPainter(self), self._theme.tokens, self._content
        painter.fillRect(self.rect(), QColor(tokens.surface1))
        painter.setFont(body_font(11))
        lanes.paint_labels(painter, content.load, tokens)
        if content.span is None:
            painter.setPen(QColor(tokens.faint))
            place = self.rect().adjusted(at.GUTTER, 0, 0, 0)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, "No samples.")
            return
        scale = Scale(content.span, self.width())
        self._brush.paint_ground(painter, scale, self.height(), tokens)
        flag = self.pin.flag_ends(scale, self._clock)
        lanes.paint_axis(painter, scale, self.height(), self._clock, tokens, flag)
        lanes.paint_load(painter, content.load, scale, tokens)
        lanes.paint_unjudged(painter, content.unjudged, scale, tokens)
        lanes.paint_findings(painter, content.bars, scale, tokens)
        self._events.paint(painter, scale, tokens, self._chosen)
        lanes.paint_sources(painter, content.sources, scale, tokens)
        self._brush.paint_handles(painter, scale, self.height(), tokens, has_focus=self.hasFocus())
        self.pin.paint(painter, scale, self.height(), tokens, self._clock)

    def _ask(self, window_after: Callable[[int, TimeRange], TimeRange | None], direction: int) -> None:
        """Emit ``windowed`` with the window that a key leads to."""
        span = self._content.span
        window = window_after(direction, span) if span is not None else None
        if window is not None:
            self.windowed.emit(window, False)

    def _choose_next(self, direction: int) -> None:
        window = self._brush.window
        now = window.end if window is not None and direction < 0 else 0
        mark = neighbour(self._content.marks, self._chosen, direction, now)
        self._choose(mark)
        if mark is not None:
            self.pin.click(Target(mark.at, event_label(mark, self._clock)))

    def _choose(self, mark: Mark | None) -> None:
        self._chosen = mark
        text = f"Mark at {self._clock.moment(mark.at)}: {shown(mark.text)}" if mark else ""
        self.setAccessibleDescription(text)
        self.update()

    def _edit(self, mark: Mark | None) -> None:
        pointing = self.pointing
        if mark is not None and pointing is not None:
            self.mark_edited.emit(mark, self.mapToGlobal(pointing.place_of(mark)))
