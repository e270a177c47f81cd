"""The layout of the heat map: names, cells and worst values side by side, the time axis below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize

from sessions.times import TimeRange
from viewmodels.heat_map import Heat

ROW_HEIGHT = 18
MIN_NAMES_WIDTH = 190
MAX_NAMES_PART = 0.4
"""The largest part of the width that names may take; the rest is for the cells."""
MIN_CELLS_PART = 0.5
"""The least part of the width that cells have: in a narrow pane names get less than ``MIN_NAMES_WIDTH``."""
KEY_WIDTH = 156
"""What the key of the colours takes below the names."""
WORST_WIDTH, _ZONE_WIDTH = 96, 64
AXIS_HEIGHT = 22


@dataclass(frozen=True, slots=True)
class Geometry:
    """Positions in a viewport of some size that is scrolled by some pixels, with ``rows`` rows over a
    window.
    """

    size: QSize
    scrolled: int
    rows: int
    window: TimeRange | None
    longest_name: int = 0
    longest_worst: int = WORST_WIDTH

    @classmethod
    def of(cls, heat: Heat, size: QSize, scrolled: int, longest_name: int, longest_worst: int) -> Geometry:
        """Return the geometry of a heat map; ``scrolled`` is the scroll position in pixels."""
        return cls(size, scrolled, len(heat.rows), heat.window, longest_name, longest_worst)

    @property
    def names_width(self) -> int:
        """The width of the column of names in pixels: that of the longest name, within bounds."""
        width = self.size.width()
        wanted = max(MIN_NAMES_WIDTH, min(self.longest_name, round(width * MAX_NAMES_PART)))
        beside_cells = width - round(width * MIN_CELLS_PART) - self.worst_width
        return max(min(wanted, beside_cells), KEY_WIDTH)

    @property
    def worst_width(self) -> int:
        """The width of the column of worst values in pixels."""
        return max(min(self.longest_worst, WORST_WIDTH), _ZONE_WIDTH)

    @property
    def cells(self) -> QRect:
        """The rectangle of the visible cells."""
        width = max(self.size.width() - self.names_width - self.worst_width, 1)
        return QRect(self.names_width, 0, width, self.size.height() - AXIS_HEIGHT)

    @property
    def axis(self) -> QRect:
        """The rectangle of the time axis."""
        return QRect(0, self.size.height() - AXIS_HEIGHT, self.size.width(), AXIS_HEIGHT)

    @property
    def rows_in_sight(self) -> range:
        """The numbers of the visible rows."""
        first = max(self.scrolled // ROW_HEIGHT, 0)
        return range(first, min(first + self.size.height() // ROW_HEIGHT + 2, self.rows))

    @property
    def hidden_height(self) -> int:
        """The height of the rows that do not fit, in pixels."""
        return max(self.rows * ROW_HEIGHT - max(self.cells.height(), 1), 0)

    def row_box(self, row: int) -> QRect:
        """Return the rectangle of a row, over the whole width."""
        return QRect(0, row * ROW_HEIGHT - self.scrolled, self.size.width(), ROW_HEIGHT)

    def row_at(self, point: QPoint) -> int | None:
        """Return the row at a point, None if there is none."""
        if point.y() >= self.axis.top():
            return None
        row = (point.y() + self.scrolled) // ROW_HEIGHT
        return row if 0 <= row < self.rows else None

    def time_at(self, x: float) -> int | None:
        """Return the time (ms) at the pixel column ``x``, None beside the cells."""
        area, window = self.cells, self.window
        if window is None or not area.left() <= x <= area.right():
            return None
        return window.start + round((x - area.left()) / area.width() * (window.end - window.start))

    def part_of_window(self, when: float) -> float:
        """Return the position of the time ``when`` (ms) in the window, from 0 to 1."""
        assert self.window is not None
        return (when - self.window.start) / max(self.window.end - self.window.start, 1)
