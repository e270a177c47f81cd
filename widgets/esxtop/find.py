"""The bar that finds rows and columns of the esxtop table by their names."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.table import EsxtopTable
from widgets.keys import key_name
from widgets.search_field import SearchField

_STEPS = {"Return": 1, "F3": 1, "Shift+Return": -1, "Shift+F3": -1}


class FindBar(QWidget):
    """Highlights the rows whose names contain all words, and goes from one to the next.

    Words that fit no row are looked for in the headings: ``mlmtd`` goes to that column. ``closed`` is emitted
    when the keyboard focus should go back to the table.
    """

    closed = Signal()

    def __init__(self, table: EsxtopTable, model: EsxtopModel) -> None:
        super().__init__()
        self._table, self._model = table, model
        self.field = SearchField("Find names, hosts, columns", "Find in the table")
        self.field.textChanged.connect(self._search)
        self.field.left.connect(self.close_bar)
        self.count = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.count.setProperty("role", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 10, 4)
        row.setSpacing(6)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        for text, tip, act in (
            ("‹", "Shift+F3: the match before", lambda: self.step(-1)),
            ("›", "F3: the next match", lambda: self.step(1)),
            ("✕", "Esc: close", self.close_bar),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip.partition(": ")[2])
            button.clicked.connect(act)
            row.addWidget(button)
        model.modelReset.connect(self._again)
        self.hide()

    def open_bar(self) -> None:
        """Show the bar, with the words of the last search chosen."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._again()

    def close_bar(self) -> None:
        """Hide the bar and the highlights."""
        self.hide()
        self._table.highlight(frozenset())
        self.closed.emit()

    def step(self, steps: int) -> None:
        """Go to the next match, or to the one before; opens the bar if it was closed."""
        if not self.isVisible():
            self.open_bar()
        places = self._places()
        if not places:
            self._go_to_column()
            return
        now = self._table.currentIndex().row()
        later = [place for place in places if (place > now if steps > 0 else place < now)]
        self._go(places, (later or places)[0 if steps > 0 else -1])

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Go on with Enter and F3, back with Shift."""
        steps = _STEPS.get(key_name(event))
        if steps is None:
            super().keyPressEvent(event)
        else:
            self.step(steps)

    def _search(self) -> None:
        places = self._places()
        self._again()
        if not places:
            self._go_to_column()
            return
        now = max(self._table.currentIndex().row(), 0)
        self._go(places, next((place for place in places if place >= now), places[0]))

    def _again(self) -> None:
        """Highlight the matches among the rows that are there now."""
        if not self.isVisible():
            return
        places = self._places()
        self._table.highlight(frozenset(self._model.row_at(place)[0] for place in places))
        found = "no match" if self.field.text().strip() else ""
        self.count.setText(f"{len(places)} found" if places else found)

    def _places(self) -> list[int]:
        words = self.field.text().casefold().split()
        if not words:
            return []
        texts = (
            f"{self._model.text_at(row, 0)} {self._model.text_at(row, 1)}".casefold()
            for row in range(self._model.rowCount())
        )
        return [row for row, text in enumerate(texts) if all(word in text for word in words)]

    def _go(self, places: list[int], place: int) -> None:
        column = max(self._table.currentIndex().column(), 0)
        self._table.setCurrentIndex(self._model.index(place, column))
        self.count.setText(f"{places.index(place) + 1} of {len(places)}")

    def _go_to_column(self) -> None:
        words = self.field.text().strip().casefold()
        for column in range(EsxtopModel.FIXED, self._model.columnCount()):
            title = str(self._model.headerData(column, Qt.Orientation.Horizontal)).casefold()
            if words and words in title:
                row = max(self._table.currentIndex().row(), 0)
                self._table.setCurrentIndex(self._model.index(row, column))
                self.count.setText("column")
                return
