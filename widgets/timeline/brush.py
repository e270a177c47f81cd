"""The brush: the frame on the strip that shows the window, and that mouse and keys move."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from sessions.times import TimeRange
from widgets.theme import Tokens
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Grip, Scale

_CLICK_PIXELS = 3
_MIN_STEP_MS = 1_000
_STEPS = 10
"""A key moves the window by its length divided by this number."""


class Brush:
    """Computes windows from drags and keys, and paints itself; ``window`` None: no brush is shown."""

    def __init__(self) -> None:
        self.window: TimeRange | None = None
        self._grabbed: tuple[Grip, float, TimeRange] | None = None
        self._is_moved = False

    @property
    def is_grabbed(self) -> bool:
        """True while the mouse drags the brush."""
        return self._grabbed is not None

    def grab(self, scale: Scale, x: float) -> None:
        """Begin a drag at the pixel column ``x``: of a handle, of the brush, or of a new window beside it."""
        if self.window is not None:
            self._grabbed, self._is_moved = (scale.grip(x, self.window), x, self.window), False

    def drag(self, scale: Scale, x: float) -> TimeRange | None:
        """Return the window for the mouse at ``x``; None while the movement may still be a click."""
        if self._grabbed is None:
            return None
        grip, begin, window = self._grabbed
        self._is_moved = self._is_moved or abs(x - begin) > _CLICK_PIXELS
        return scale.dragged(grip, window, begin, x) if self._is_moved else None

    def release(self, scale: Scale, x: float) -> TimeRange | None:
        """End the drag; returns the window, None for a click."""
        window = self.drag(scale, x) if self._is_moved else None
        self._grabbed = None
        return window

    def cancel_drag(self) -> None:
        """End the drag without a new window."""
        self._grabbed = None

    def cursor(self, scale: Scale, x: float) -> Qt.CursorShape:
        """Return the mouse cursor for what is at the pixel column ``x``."""
        grip = scale.grip(x, self.window) if self.window is not None else "outside"
        if grip in {"start", "end"}:
            return Qt.CursorShape.SizeHorCursor
        return Qt.CursorShape.OpenHandCursor if grip == "inside" else Qt.CursorShape.ArrowCursor

    def moved(self, direction: int, span: TimeRange) -> TimeRange | None:
        """Return the window moved by a part of its length, earlier (−1) or later (1), within the session
        ``span``.
        """
        window = self.window
        if window is None:
            return None
        length = window.end - window.start
        start = min(max(window.start + direction * _step(window), span.start), span.end - length)
        return TimeRange(start, start + length)

    def widened(self, direction: int, span: TimeRange) -> TimeRange | None:
        """Return the window with its end moved earlier (−1) or later (1), within the session ``span``."""
        window = self.window
        if window is None:
            return None
        end = max(window.end + direction * _step(window), window.start + _MIN_STEP_MS)
        return TimeRange(window.start, min(end, span.end))

    def paint_ground(self, painter: QPainter, scale: Scale, height: int, tokens: Tokens) -> None:
        """Tint the window; called before the lanes are painted."""
        if self.window is not None:
            tint = QColor(tokens.accent)
            tint.setAlphaF(0.1)
            painter.fillRect(_box(scale, self.window, height), tint)

    def paint_handles(
        self, painter: QPainter, scale: Scale, height: int, tokens: Tokens, *, has_focus: bool
    ) -> None:
        """Paint the handles over all lanes, and a frame if the timeline has the keyboard focus."""
        if self.window is None:
            return
        box = _box(scale, self.window, height)
        accent = QColor(tokens.accent)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        for x in (box.left(), box.right()):
            painter.drawRoundedRect(QRectF(x - 2.5, at.FINDINGS_TOP - 5, 5, 24), 2.5, 2.5)
        if has_focus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(accent, 1))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))


def _step(window: TimeRange) -> int:
    return max((window.end - window.start) // _STEPS, _MIN_STEP_MS)


def _box(scale: Scale, window: TimeRange, height: int) -> QRectF:
    left = max(scale.x(window.start), float(at.GUTTER))
    right = min(scale.x(window.end), float(scale.width - at.RIGHT))
    return QRectF(left, 2, max(right - left, 2), height - at.AXIS_HEIGHT - 2)
