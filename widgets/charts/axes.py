"""The axes of a chart: time in the user's time zone, values as plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from sessions.times import TimeRange
from viewmodels.time_labels import Clock, time_label, time_ticks
from widgets.theme import Tokens

_VALUE_WIDTH = 52
_TIME_HEIGHT = 24
_MINUTE = 60_000
_ZONE_LEFT, _ZONE_GAP, _TEXT_TOP = 8, 2, 6
_FLAG_GAP = 3


class _UnnamedAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis without a label: the head of the card names the quantity and its unit."""

    def _updateLabel(self) -> None:  # noqa: N802 - pyqtgraph's, which lays the empty label out as HTML each time
        self.picture = None
        self.update()


class TimeAxis(_UnnamedAxis):
    """A time axis with labels at round times, on the 24-hour clock."""

    def __init__(self, at: Clock) -> None:
        super().__init__("bottom")
        self._at = at
        self._step = _MINUTE
        self._zone = ""
        self._flags: dict[object, tuple[float, float]] = {}
        self._labels: Sequence[tuple[float, float]] = ()
        self.setHeight(_TIME_HEIGHT)
        self.setStyle(tickLength=0, tickTextOffset=6, autoExpandTextSpace=False, hideOverlappingLabels=True)
        self.enableAutoSIPrefix(False)

    @property
    def clock(self) -> Clock:
        """The clock (time zone) of the labels."""
        return self._at

    def set_flag(self, owner: object, ends: tuple[float, float] | None) -> None:
        """Leave out the labels that the flag of ``owner`` lies over.

        ``ends`` are its left and right pixel from the left end of the axis; None: the flag is hidden.
        """
        before = self._left_out()
        if ends is None:
            self._flags.pop(owner, None)
        else:
            self._flags[owner] = ends
        if self._left_out() != before:
            self.picture = None
            self.update()

    def _left_out(self) -> list[bool]:
        """Return of each label of the axis whether a flag lies over it."""
        return [
            any(left < end + _FLAG_GAP and right > begin - _FLAG_GAP for begin, end in self._flags.values())
            for left, right in self._labels
        ]

    def set_clock(self, at: Clock) -> None:
        """Show the labels in another time zone."""
        self._at = at
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802, N803
        """Return the step between labels and their times in ms (called by pyqtgraph)."""
        ticks, self._step = time_ticks(minVal, maxVal, size, self._at)
        self._zone = self._at.zone_of(TimeRange(round(minVal), max(round(minVal), round(maxVal))))
        return [(float(self._step), ticks)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002, N802
        """Return the texts of the labels (called by pyqtgraph)."""
        return [time_label(value, self._step, self._at) for value in values]

    def boundingRect(self) -> QRectF:  # noqa: N802
        """Return the axis with the place of its zone, below the numbers of the value axis."""
        own: QRectF = super().boundingRect()
        return own.adjusted(-_VALUE_WIDTH, 0, 0, 0)

    def drawPicture(  # noqa: N802
        self,
        painter: QPainter,
        axis_spec: object,
        tick_specs: object,
        text_specs: Sequence[tuple[QRectF, Qt.AlignmentFlag, str]],
    ) -> None:
        """Draw the zone of the labels once, left of them, and the labels (called by pyqtgraph) beside it."""
        metrics = QFontMetricsF(self.style["tickFont"] or painter.font())
        width = metrics.horizontalAdvance(self._zone)
        zone = QRectF(_ZONE_LEFT - _VALUE_WIDTH, _TEXT_TOP, width, _TIME_HEIGHT - _TEXT_TOP)
        taken = zone.right() + _ZONE_GAP
        ends = [_ends(box, metrics.horizontalAdvance(text)) for box, _flags, text in text_specs]
        beside = [spec for spec, (left, _right) in zip(text_specs, ends, strict=True) if left >= taken]
        self._labels = [one for one in ends if one[0] >= taken]
        shown = [spec for spec, out in zip(beside, self._left_out(), strict=True) if not out]
        super().drawPicture(painter, axis_spec, tick_specs, shown)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextDontClip
        painter.drawText(zone, flags, self._zone)


def _ends(box: QRectF, width: float) -> tuple[float, float]:
    """Return where a text of this width begins and ends that is centred in the box."""
    return box.center().x() - width / 2, box.center().x() + width / 2


class ValueAxis(_UnnamedAxis):
    """A value axis with four or five plain numbers; its fixed width lines up charts above each other."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(_VALUE_WIDTH)
        self.setStyle(tickLength=0, tickTextOffset=8, autoExpandTextSpace=False, maxTickLevel=0)
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Return the labels' texts, thousands as k and millions as M; ``scale`` is that of ``setScale``."""
        return [value_label(value * scale, spacing * scale) for value in values]


def value_label(value: float, spacing: float) -> str:
    """Return an axis label for labels that are ``spacing`` apart: ``37.5``, ``20k``, ``1.5M``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size and abs(value) >= 1e4:
            return f"{value / size:.6g}{letter}"
    return f"{value:.6g}" if abs(value) > spacing * 1e-6 else "0"


def apply_theme(axis: pg.AxisItem, tokens: Tokens, font: QFont) -> None:
    """Set the colours and the font of an axis."""
    axis.setPen(pg.mkPen(None))
    axis.setStyle(tickAlpha=0)
    axis.setTextPen(pg.mkPen(tokens.muted))
    axis.setTickFont(font)
