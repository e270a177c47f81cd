"""Where the parts of the heat map are: names, cells and worst values side by side, the time axis below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize

from sessions.times import TimeRange
from viewmodels.heat_map import Heat

ROW_HEIGHT = 18
MIN_NAMES_WIDTH = 190
MAX_NAMES_PART = 0.4
"""Of the whole width: cells need some, too."""
WORST_WIDTH = 96
AXIS_HEIGHT = 22


@dataclass(frozen=True, slots=True)
class Geometry:
    """A viewport of some size, scrolled down by some pixels, with ``rows`` rows over a window of time.

    ``longest_name``: how many pixels the longest name needs, with what stands beside it.
    """

    size: QSize
    scrolled: int
    rows: int
    window: TimeRange | None
    longest_name: int = 0

    @classmethod
    def of(cls, heat: Heat, size: QSize, scrolled: int, longest_name: int) -> Geometry:
        """The geometry of a heat map."""
        return cls(size, scrolled, len(heat.rows), heat.window, longest_name)

    @property
    def names_width(self) -> int:
        """How wide the column of names is: as the longest, within bounds."""
        return max(MIN_NAMES_WIDTH, min(self.longest_name, round(self.size.width() * MAX_NAMES_PART)))

    @property
    def cells(self) -> QRect:
        """Where cells are, as far as they are in sight."""
        width = max(self.size.width() - self.names_width - WORST_WIDTH, 1)
        return QRect(self.names_width, 0, width, self.size.height() - AXIS_HEIGHT)

    @property
    def axis(self) -> QRect:
        """The strip of the time axis."""
        return QRect(0, self.size.height() - AXIS_HEIGHT, self.size.width(), AXIS_HEIGHT)

    @property
    def rows_in_sight(self) -> range:
        """The numbers of the rows that are in sight, as far as there are so many."""
        first = max(self.scrolled // ROW_HEIGHT, 0)
        return range(first, min(first + self.size.height() // ROW_HEIGHT + 2, self.rows))

    @property
    def hidden_height(self) -> int:
        """How many pixels of the rows have no room."""
        return max(self.rows * ROW_HEIGHT - max(self.cells.height(), 1), 0)

    def row_box(self, row: int) -> QRect:
        """The whole line of a row."""
        return QRect(0, row * ROW_HEIGHT - self.scrolled, self.size.width(), ROW_HEIGHT)

    def row_at(self, point: QPoint) -> int | None:
        """The row at a point."""
        if point.y() >= self.axis.top():
            return None
        row = (point.y() + self.scrolled) // ROW_HEIGHT
        return row if 0 <= row < self.rows else None

    def time_at(self, x: float) -> int | None:
        """The instant at a pixel column, in ms; None beside the cells."""
        area, window = self.cells, self.window
        if window is None or not area.left() <= x <= area.right():
            return None
        return window.start + round((x - area.left()) / area.width() * (window.end - window.start))

    def part_of_window(self, when: float) -> float:
        """How much of the window has passed at an instant, 0 to 1."""
        assert self.window is not None
        return (when - self.window.start) / max(self.window.end - self.window.start, 1)
