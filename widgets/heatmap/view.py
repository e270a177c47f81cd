"""The heat map page: choice of counter and measure on top, the map below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from resources.units import format_count
from viewmodels.heat_map import Heat, is_sorted
from viewmodels.time_labels import Clock
from widgets.elided_label import ElidedLabel
from widgets.empty_state import EmptyState
from widgets.focus_passing import FocusPassing
from widgets.heatmap.map import HeatMap
from widgets.theme import Theme

_COUNTER_LETTERS, _MEASURE_LETTERS = 16, 12
_BOX_WIDTH = 280
_POPUP_MARGINS = 48


class HeatmapView(QWidget):
    """The page. Signals: ``counter_chosen(n)``, ``measure_chosen(n)``, ``chosen(HeatRow, ms)`` for a clicked
    cell.

    ``appeared`` is emitted when the page becomes visible, ``sorting_wanted`` when the worst row is to be
    first.
    """

    counter_chosen = Signal(int)
    measure_chosen = Signal(int)
    chosen = Signal(object, object)
    appeared = Signal()
    sorting_wanted = Signal()

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.counters = QComboBox()
        self.counters.setAccessibleName("Counter")
        self.counters.activated.connect(self.counter_chosen)
        self.measures = QComboBox()
        self.measures.setAccessibleName("Measure")
        self.measures.activated.connect(self.measure_chosen)
        for box, min_letters in ((self.counters, _COUNTER_LETTERS), (self.measures, _MEASURE_LETTERS)):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(min_letters)
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            box.setMaximumWidth(_BOX_WIDTH)
        self.summary = ElidedLabel()
        self.summary.setProperty("role", "muted")
        self.summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.map = HeatMap(theme, clock)
        self.map.chosen.connect(self.chosen)
        self._empty = EmptyState()
        bar = QHBoxLayout()
        bar.setContentsMargins(10, 6, 12, 6)
        bar.setSpacing(8)
        bar.addWidget(self.counters, 3)
        bar.addWidget(self.measures, 2)
        bar.addWidget(self.summary, 2)
        self.left_out = ElidedLabel()  # what is not shown: below the bar, whose room is for what is
        self.left_out.setProperty("role", "muted")
        self.left_out.setContentsMargins(12, 0, 12, 6)
        self.left_out.hide()
        self.sort = QPushButton("Worst first")
        self.sort.setToolTip("Rows keep their places while samples come. This sorts them again.")
        self.sort.clicked.connect(self.sorting_wanted)
        self.sort.hide()
        bar.addWidget(self.sort)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.left_out)
        column.addWidget(self.map, 1)
        column.addWidget(self._empty, 1)
        FocusPassing(self, lambda: self.map)
        self.show_empty("Open a session to see which entities were worst, and when.")

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Emit ``appeared``."""
        super().showEvent(event)
        self.appeared.emit()

    def set_choices(self, counters: Sequence[str], measures: Sequence[str]) -> None:
        """Set the counters and the measures (how samples become a cell's value) to choose from."""
        for box, texts in ((self.counters, counters), (self.measures, measures)):
            now = box.currentText()
            box.clear()
            box.addItems(list(texts))
            box.setCurrentIndex(max(box.findText(now), 0))
            box.view().setMinimumWidth(box.view().sizeHintForColumn(0) + _POPUP_MARGINS)

    def show_heat(self, heat: Heat, *, is_held: bool = False) -> None:
        """Show this heat map. ``is_held``: its rows keep their places, so the worst may not be the first."""
        self.map.show_heat(heat)
        self.sort.setVisible(is_held and not is_sorted(heat))
        limit = f" · {heat.limit_text}" if heat.limit_text else ""
        rows = "1 row" if len(heat.rows) == 1 else f"{format_count(len(heat.rows))} rows"
        order = ", worst first" if is_sorted(heat) else ""
        self.summary.show_text(*((f"{rows}{order}{limit}", rows) if heat.rows else ("",)))
        self.left_out.show_text(f"{heat.left_out[:1].upper()}{heat.left_out[1:]}")
        self.left_out.setVisible(bool(heat.left_out))
        self.show_empty("" if heat.rows else "No entity of this session has that counter in this window.")

    def show_empty(self, text: str) -> None:
        """Show why there is no map; an empty text shows the map."""
        self._empty.show_reason(text)
        self._empty.setVisible(bool(text))
        self.map.setVisible(not text)
