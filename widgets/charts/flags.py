"""The words of marks and events at the top edge of a plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter

from resources.foreign_text import shown
from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import AxisEvent, Track
from viewmodels.flag_places import placed_flags, visible_flags
from widgets.charts.decorations import SPAN_PX, Frame
from widgets.eliding import NameElider

_HEIGHT = 15
_MARGIN = 4
_GROUND = 0.85
_LONGEST = 120
FLAGS_PX = SPAN_PX + _HEIGHT
"""The height of the first row of flags at the top of a plot in pixels: the curves leave it free."""


def flag_text(one: AxisEvent) -> str:
    """Return the words of a mark or event: ``⚑ users call``, ``db01 moved to esx02``."""
    return shown(f"⚑ {one.text}" if isinstance(one, Mark) else one.text, _LONGEST)


@dataclass(slots=True)
class FlagsPart:
    """Draws the flags; ``at`` says which one was drawn at a point."""

    marks: Track[Mark]
    events: Track[Event]
    font: QFont
    mark_colour: str
    event_colour: str
    ground: str
    _names: NameElider = field(default_factory=NameElider)
    _drawn: Sequence[tuple[QRectF, AxisEvent]] = ()

    def draw(self, painter: QPainter, frame: Frame) -> None:
        """Draw the words beside the lines of marks and events that are in sight."""
        self._drawn = ()
        if not self.marks.all and not self.events.all:
            return
        painter.setFont(self.font)
        metrics = painter.fontMetrics()
        left, right = frame.pixels.left(), frame.pixels.right()
        window = TimeRange(int(frame.area.left()), int(frame.area.right()))
        flags = visible_flags(
            self.marks,
            self.events,
            window,
            (left, right),
            lambda one: metrics.horizontalAdvance(flag_text(one)) + 2 * _MARGIN,
        )
        self._names.set_names(flag_text(flag.of) for flag in flags)
        placed = placed_flags(flags, left, right)
        top = frame.pixels.top() + SPAN_PX
        self._drawn = [
            (QRectF(one.left, top + one.row * _HEIGHT, one.right - one.left, _HEIGHT - 1), one.of)
            for one in placed
        ]
        for box, one in self._drawn:
            self._draw_flag(painter, metrics, box, one)

    def at(self, position: QPointF) -> AxisEvent | None:
        """Return the mark or event whose words are at a point; None if none are there."""
        return next((one for box, one in self._drawn if box.contains(position)), None)

    def _draw_flag(self, painter: QPainter, metrics: QFontMetrics, box: QRectF, one: AxisEvent) -> None:
        ground = QColor(self.ground)
        ground.setAlphaF(_GROUND)
        painter.fillRect(box, ground)
        painter.setPen(QColor(self.mark_colour if isinstance(one, Mark) else self.event_colour))
        text = self._names.elided(flag_text(one), int(box.width()) - 2 * _MARGIN, metrics)
        inside = box.adjusted(_MARGIN, 0, -_MARGIN, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
