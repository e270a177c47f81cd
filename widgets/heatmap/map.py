"""The heat map's painted area, with hover, click, drag and keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip

from resources.foreign_text import shown, tooltip_text
from sessions.findings import Finding
from sessions.times import TimeRange
from viewmodels.heat_map import Heat
from viewmodels.time_labels import Clock
from viewmodels.view_tables import heat_table
from widgets import moment_keys
from widgets.dragging import Draggable
from widgets.eliding import NameElider
from widgets.heatmap.geometry import ROW_HEIGHT, Geometry
from widgets.heatmap.menu import HeatMenu
from widgets.heatmap.painting import HeatPainter, Marked, cells_image, longest_name, longest_worst
from widgets.heatmap.pointing import FindingsByEntity, by_entity, tooltip_at
from widgets.keys import KeyHandlers, KeyRow
from widgets.theme import Theme

KEYS = (
    KeyRow("rows", "Choose a row", ("Up", "Down", "PgUp", "PgDown")),
    KeyRow("chart", "Chart the row", ("Return",)),
    moment_keys.PIN,
    moment_keys.STEP,
    moment_keys.TEN,
)
_STEPS = {"Up": -1, "Down": 1, "PgUp": -15, "PgDown": 15}
_ROWS_ABOVE = 3


class HeatMap(QAbstractScrollArea):
    """The map, which scrolls vertically.

    Signals: ``chosen(HeatRow, ms)``: a cell was clicked; ms is None if a row was chosen with the keys.
    ``pinned`` with the moment to pin in ms, None to let go; ``stepped(n)`` to go n samples on.
    """

    chosen = Signal(object, object)
    pinned = Signal(object)
    stepped = Signal(int)

    def __init__(self, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self._theme, self._clock = theme, clock
        self._heat = Heat()
        self._image = QImage()
        self._longest_name = self._longest_worst = 0
        self._names = NameElider()
        self._current = 0
        self._hovered: int | None = None
        self._pressed: int | None = None
        self._moment: int | None = None
        self._findings: FindingsByEntity = {}
        self._keys = KeyHandlers(
            KEYS,
            {
                "rows": self._step,
                "chart": lambda _key: self.chosen.emit(self._heat.rows[self._current], None),
                "pin": lambda _key: self.pinned.emit(_toggled(self._moment, self._heat.window)),
                "step": lambda key: self.stepped.emit(moment_keys.STEPS[key]),
                "ten": lambda key: self.stepped.emit(moment_keys.STEPS[key]),
            },
        )
        self.menu = HeatMenu(
            self,
            lambda: self._heat,
            lambda at: self._current if at is None else self._geometry().row_at(at),
            lambda: heat_table(self._heat, self._clock),
        )
        self.menu.chosen.connect(self.chosen)
        self.setFrameShape(self.Shape.NoFrame)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        Draggable(self.viewport(), self._dragged)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Heat map")
        theme.changed.connect(self._colour)

    def set_clock(self, clock: Clock) -> None:
        """Show times in another time zone."""
        self._clock = clock
        self.viewport().update()

    def show_heat(self, heat: Heat) -> None:
        """Show this heat map."""
        self._heat = heat
        self._longest_name, self._longest_worst = longest_name(heat), longest_worst(heat)
        self._names.set_names(shown(row.name) for row in heat.rows)
        self._current = min(self._current, max(len(heat.rows) - 1, 0))
        self._colour()
        self._set_scroll_bar()

    def show_moment(self, at: int | None) -> None:
        """Draw the pinned moment (ms) over the cells; None draws none."""
        self._moment = at
        self.viewport().update()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Name these findings in the tooltips of their entities' cells."""
        self._findings = by_entity(findings)

    @property
    def heat(self) -> Heat:
        """The heat map that is shown."""
        return self._heat

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Highlight the row under the mouse."""
        self._hover(self._geometry().row_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Remove the highlight."""
        self._hover(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Begin a click or a drag."""
        self._pressed = self._geometry().row_at(event.position().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Emit ``chosen`` for a click; dragging a row's series is done by ``Draggable``."""
        row = self._geometry().row_at(event.position().toPoint())
        if row is not None and row == self._pressed and event.button() == Qt.MouseButton.LeftButton:
            self._current = row
            self.chosen.emit(self._heat.rows[row], self._geometry().time_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of the table."""
        if not self._heat.rows or not self._keys.press(event):
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """Show a tooltip with the value of the cell, and the findings there."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = tooltip_at(event.pos(), self._heat, self._geometry(), self._findings, self._clock)
            QToolTip.showText(event.globalPos(), tooltip_text(text), self)
            return True
        return super().viewportEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw names, cells, worst values and the time axis."""
        painter = QPainter(self.viewport())
        marked = Marked(self._hovered, self._current if self.hasFocus() else None)
        tokens = self._theme.tokens
        heat = HeatPainter(painter, self._heat, tokens, self._geometry(), self._names)
        heat.paint(self._image, marked, self._clock, self._moment)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Adjust the scroll range to the new height."""
        super().resizeEvent(event)
        self._set_scroll_bar()

    def _step(self, key: str) -> None:
        self._current = max(0, min(len(self._heat.rows) - 1, self._current + _STEPS[key]))
        self.verticalScrollBar().setValue(max(0, (self._current - _ROWS_ABOVE) * ROW_HEIGHT))
        self.viewport().update()

    def _hover(self, row: int | None) -> None:
        if row != self._hovered:
            self._hovered = row
            self.viewport().update()

    def _dragged(self, at: QPoint) -> tuple[Sequence[int], str]:
        row = self._geometry().row_at(at)
        return ((), "") if row is None else ((self._heat.rows[row].series,), self._heat.rows[row].name)

    def _geometry(self) -> Geometry:
        scrolled = self.verticalScrollBar().value()
        size = self.viewport().size()
        return Geometry.of(self._heat, size, scrolled, self._longest_name, self._longest_worst)

    def _colour(self) -> None:
        self._image = cells_image(self._heat, self._theme.tokens)
        self.viewport().update()

    def _set_scroll_bar(self) -> None:
        bar, geometry = self.verticalScrollBar(), self._geometry()
        bar.setRange(0, geometry.hidden_height)
        bar.setPageStep(max(geometry.cells.height(), 1))
        bar.setSingleStep(ROW_HEIGHT * 3)


def _toggled(moment: int | None, window: TimeRange | None) -> int | None:
    """Return the moment to pin after the key that pins and lets go: the middle of the window, or None."""
    return None if moment is not None or window is None else (window.start + window.end) // 2
