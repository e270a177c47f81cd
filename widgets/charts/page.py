"""The charts page: the charts, or why there are none, and a note if they do not follow the scope."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from viewmodels.time_labels import Clock
from widgets.charts import plot
from widgets.charts.card_menu import CLOSE, MOVE_KEYS
from widgets.charts.stack import ChartStack
from widgets.elided_label import ElidedLabel
from widgets.empty_state import EmptyState
from widgets.focus_passing import FocusPassing
from widgets.keys import KeyRow
from widgets.theme import Theme

_STATISTICS = KeyRow("statistics", "Last, min, mean, max and p95 of each curve", ("S",))
_CHART = (
    KeyRow("move chart", "Move the chart up or down", MOVE_KEYS),
    KeyRow("close chart", "Close the chart", (CLOSE,)),
)
KEYS = (*plot.KEYS, _STATISTICS, *_CHART)


class ChartsPage(QWidget):
    """The page around the stack of charts.

    Signals: ``appeared``; ``released`` when the charts are to follow the scope again; ``statistics_switched``
    when the key for the table of statistics was pressed.
    """

    released = Signal()
    appeared = Signal()
    statistics_switched = Signal()

    def __init__(self, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self.stack = ChartStack(theme, clock)
        FocusPassing(self, lambda: self.stack)
        self._empty = EmptyState()
        self._empty.show_reason(
            "Nothing to draw for this scope.\n\nChoose a VM, host, datastore or device in the inventory, "
            "or drag a counter here from the esxtop view."
        )
        self.pinned_note = self._make_pinned_note()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pinned_note)
        self._pages = QStackedLayout()
        column.addLayout(self._pages, 1)
        self._pages.addWidget(self.stack)
        self._pages.addWidget(self._empty)

        for key in _STATISTICS.keys:
            context = Qt.ShortcutContext.WidgetWithChildrenShortcut
            shortcut = QShortcut(QKeySequence(key), self, context=context)
            shortcut.activated.connect(self.statistics_switched)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Emit ``appeared``: charts that changed while the page was hidden are drawn now."""
        super().showEvent(event)
        self.appeared.emit()

    def show_empty(self, *, on: bool) -> None:
        """Show how to get charts (``on``), or the charts."""
        self._pages.setCurrentWidget(self._empty if on else self.stack)

    def show_pinned(self, *, on: bool) -> None:
        """Show or hide the note that the charts are the user's own and do not follow the scope."""
        self.pinned_note.setVisible(on)

    def _make_pinned_note(self) -> QWidget:
        note = QWidget()
        label = ElidedLabel("These charts are pinned: they stay when the scope changes.")
        label.setProperty("role", "muted")
        self.follow = QPushButton("Follow the scope")
        self.follow.setToolTip("Shows the charts that suit the scope, now and whenever it changes.")
        self.follow.clicked.connect(self.released)
        row = QHBoxLayout(note)
        row.setContentsMargins(13, 8, 10, 0)
        row.addWidget(label, 1)
        row.addWidget(self.follow)
        note.hide()
        return note
