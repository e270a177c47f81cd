"""The list below the field: what is understood so far, and how the text can go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from widgets.hinted_rows import ROW_HEIGHT, HintedList, HintedRow
from widgets.theme import SYMBOLS, Theme

_MAX_ROWS = 12
_MAX_WIDTH = 760


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A row: ``text`` is what the field says when it is taken; ``icon`` is the theme's name of its icon.

    ``is_whole`` False: the text wants more words, such as a counter its entity.
    """

    text: str
    title: str
    hint: str
    icon: str = ""
    is_whole: bool = True


class Suggestions(QFrame):
    """A card over the window; ``taken`` carries the number of a row that was clicked."""

    taken = Signal(int)

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self.rows: Sequence[Suggestion] = ()
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._meaning = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._meaning.setContentsMargins(8, 4, 8, 4)
        self._list = HintedList(theme)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setObjectName("suggestions")
        self._list.setAccessibleName("Suggestions")
        self._list.itemClicked.connect(lambda _item: self.taken.emit(self._list.currentRow()))
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self._meaning)
        column.addWidget(self._list)
        self.hide()

    @property
    def meaning(self) -> str:
        """What is understood, or why not."""
        return self._meaning.text()

    @property
    def current(self) -> int:
        """The number of the selected row, −1 if none is."""
        return self._list.currentRow()

    def show_meaning(self, text: str, *, is_understood: bool | None) -> None:
        """Show what is understood, or in the warning's colour why not; None: a hint."""
        tokens = self._theme.tokens
        sign = {True: "→  ", False: f"{SYMBOLS['warning']}  ", None: ""}[is_understood]
        self._meaning.setText(f"{sign}{text}")
        self._meaning.setStyleSheet(f"color: {tokens.warning if is_understood is False else tokens.text}")
        self._fit()

    def show_rows(self, rows: Sequence[Suggestion]) -> None:
        """Show these rows; none is selected."""
        self.rows = rows
        icons = self._theme.icons
        self._list.show_rows(
            [HintedRow(row.title, row.hint, icons.get(row.icon) if row.icon else None) for row in rows]
        )
        self._list.setVisible(bool(rows))
        self._fit()

    def move_by(self, step: int) -> None:
        """Select another row; before the first one none is selected."""
        row = max(-1, min(len(self.rows) - 1, self._list.currentRow() + step))
        self._list.setCurrentRow(row)
        if row < 0:
            self._list.clearSelection()

    def show_under(self, field: QWidget) -> None:
        """Show the card below ``field``, not wider than it."""
        place = field.mapTo(self.window(), QPoint(0, field.height() + 2))
        self.setGeometry(QRect(place, QSize(min(field.width(), _MAX_WIDTH), self.height())))
        self._fit()
        self.show()
        self.raise_()

    def _fit(self) -> None:
        count = min(len(self.rows), _MAX_ROWS)
        self._list.setFixedHeight(count * ROW_HEIGHT + 2)
        room = self.width() - 28
        words = self._meaning.fontMetrics().boundingRect(
            QRect(0, 0, max(room, 100), 400), int(Qt.TextFlag.TextWordWrap), self._meaning.text()
        )
        height = words.height() + 8 + (count * ROW_HEIGHT + 6 if count else 0) + 14
        self._meaning.setFixedHeight(words.height() + 8)
        self.resize(self.width(), height)
