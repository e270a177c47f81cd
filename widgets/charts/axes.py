"""The axes: time in the clock that the user chose, values in plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtGui import QFont

from viewmodels.time_labels import Clock, time_label, time_ticks
from widgets.theme import Tokens

_VALUE_WIDTH = 52
_TIME_HEIGHT = 24
_MINUTE = 60_000


class TimeAxis(pg.AxisItem):  # type: ignore[misc]
    """Labels at round times, 24-hour clock."""

    def __init__(self, at: Clock) -> None:
        super().__init__("bottom")
        self._at = at
        self._step = _MINUTE
        self.setHeight(_TIME_HEIGHT)
        self.setStyle(tickLength=0, tickTextOffset=6, autoExpandTextSpace=False, hideOverlappingLabels=True)
        self.enableAutoSIPrefix(False)

    @property
    def clock(self) -> Clock:
        """The clock that it shows."""
        return self._at

    def set_clock(self, at: Clock) -> None:
        """Show another clock."""
        self._at = at
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802, N803
        """As pyqtgraph asks for them."""
        ticks, self._step = time_ticks(minVal, maxVal, size, self._at)
        return [(float(self._step), ticks)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: ARG002, N802
        """As pyqtgraph asks for them."""
        return [time_label(value, self._step, self._at) for value in values]


class ValueAxis(pg.AxisItem):  # type: ignore[misc]
    """Four or five plain numbers; of a fixed width, so that charts above each other line up."""

    def __init__(self) -> None:
        super().__init__("left")
        self.setWidth(_VALUE_WIDTH)
        self.setStyle(tickLength=0, tickTextOffset=8, autoExpandTextSpace=False, maxTickLevel=0)
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """Thousands as k and millions as M, so that it stays narrow; ``scale`` is that of ``setScale``."""
        return [value_label(value * scale, spacing * scale) for value in values]


def value_label(value: float, spacing: float) -> str:
    """A number on an axis whose labels are ``spacing`` apart: ``37.5``, ``20k``, ``1.5M``."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size and abs(value) >= 1e4:
            return f"{value / size:.6g}{letter}"
    return f"{value:.6g}" if abs(value) > spacing * 1e-6 else "0"


def apply_theme(axis: pg.AxisItem, tokens: Tokens, font: QFont) -> None:
    """Colours and type of an axis."""
    axis.setPen(pg.mkPen(None))
    axis.setStyle(tickAlpha=0)
    axis.setTextPen(pg.mkPen(tokens.muted))
    axis.setTickFont(font)
