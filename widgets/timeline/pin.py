"""The pinned moment on the timeline: its line through all lanes, the words of what was clicked, its keys."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from sessions.times import TimeRange
from viewmodels.time_labels import Clock
from widgets import moment_keys
from widgets.keys import KeyHandlers
from widgets.moment_keys import STEPS
from widgets.theme import Tokens, body_font
from widgets.theme.tokens import RADIUS_CARD
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale
from widgets.timeline.pointing import Target

_WIDTH = 1.5
_PX, _PADDING, _FLAG_HEIGHT, _BESIDE = 11, 6, 16, 6
_MAX_PART = 0.6
"""The words of what was clicked take at most this part of the width."""


class TimelinePin(QObject):
    """Draws the moment and asks for others.

    Signals: ``wanted`` with the time to pin in ms, None to let go; ``stepped(n)`` to go n samples on;
    ``released`` when no moment is pinned any more.
    """

    wanted = Signal(object)
    stepped = Signal(int)
    released = Signal()

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self._at: int | None = None
        self._before: int | None = None
        self._words = ""
        self.span: TimeRange | None = None
        self.window: TimeRange | None = None
        self._always = KeyHandlers((moment_keys.PIN,), {"pin": lambda _key: self._toggle()})
        self._while_pinned = KeyHandlers(
            moment_keys.WHILE_PINNED,
            {
                "step": lambda key: self.stepped.emit(STEPS[key]),
                "ten": lambda key: self.stepped.emit(STEPS[key]),
                "ends": self._to_end,
            },
        )

    @property
    def at(self) -> int | None:
        """The pinned moment in ms, None if there is none."""
        return self._at

    @property
    def words(self) -> str:
        """What was clicked: the words of an event, mark, finding or gap; empty if there was nothing."""
        return self._words

    def show_moment(self, moment: int | None) -> None:
        """Draw the line at a time (ms); None draws none."""
        self._at = moment
        self._tell("")
        if moment is None:
            self.released.emit()

    def click(self, target: Target) -> None:
        """Ask to pin the time of what was clicked, and show its words."""
        self._before = self._at
        self.wanted.emit(target.at)
        self._tell(target.words)

    def unclick(self) -> None:
        """Ask for the moment before the last click, which was the first half of a double click."""
        self.wanted.emit(self._before)

    def claims(self, event: QKeyEvent) -> bool:
        """Return True for a key of the pinned moment; the window may have a shortcut on it, too."""
        return self._at is not None and self._while_pinned.has(event)

    def press(self, event: QKeyEvent) -> bool:
        """Handle the keys of the moment; returns False for others."""
        return (self._at is not None and self._while_pinned.press(event)) or self._always.press(event)

    def flag_ends(self, scale: Scale, clock: Clock) -> tuple[float, float] | None:
        """Return the left and right pixel column of the flag with the time, None if no moment is pinned."""
        if self._at is None:
            return None
        width = QFontMetricsF(body_font(_PX)).horizontalAdvance(clock.time(self._at)) + 2 * _PADDING
        left = _within(scale.x_within(self._at) - width / 2, width, scale)
        return left, left + width

    def paint(self, painter: QPainter, scale: Scale, height: int, tokens: Tokens, clock: Clock) -> None:
        """Paint line, flag and words over all lanes."""
        if self._at is None:
            return
        x = scale.x_within(self._at)
        floor = height - at.AXIS_HEIGHT
        painter.setFont(body_font(_PX))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.text), _WIDTH))
        painter.drawLine(QPointF(x, 2), QPointF(x, floor))
        left, right = self.flag_ends(scale, clock) or (x, x)
        flag = QRectF(left, floor + 1, right - left, _FLAG_HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.accent))
        painter.drawRoundedRect(flag, 4, 4)
        painter.setPen(QColor(tokens.on_accent))
        painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, clock.time(self._at))
        if self._words:
            self._paint_words(painter, x, scale, tokens)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_words(self, painter: QPainter, x: float, scale: Scale, tokens: Tokens) -> None:
        metrics, room = painter.fontMetrics(), round(scale.pixels * _MAX_PART)
        lines = [
            metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room) for line in self._words.splitlines()
        ]
        width = max(map(metrics.horizontalAdvance, lines)) + 2 * _PADDING
        height = len(lines) * metrics.height() + _PADDING
        left = x + _BESIDE if x + _BESIDE + width <= scale.left + scale.pixels else x - _BESIDE - width
        box = QRectF(_within(left, width, scale), at.LOAD_TOP, width, height)
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.setBrush(QColor(tokens.surface3))
        painter.drawRoundedRect(box, RADIUS_CARD / 2, RADIUS_CARD / 2)
        painter.setPen(QColor(tokens.text))
        painter.drawText(box.adjusted(_PADDING, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, "\n".join(lines))

    def _tell(self, words: str) -> None:
        self._words = words
        if words:
            self._view.setAccessibleDescription(words)
        self._view.update()

    def _toggle(self) -> None:
        if self._at is not None:
            self.wanted.emit(None)
        elif self.window is not None:
            self.wanted.emit((self.window.start + self.window.end) // 2)

    def _to_end(self, key: str) -> None:
        if self.span is not None:
            self.wanted.emit(self.span.end if key == "End" else self.span.start)


def _within(left: float, width: float, scale: Scale) -> float:
    """Return a left edge with which a box of this width stays over the lanes."""
    return max(min(left, scale.left + scale.pixels - width), float(scale.left))
