"""The line below the findings that says how many are outside of the scope, and widens or narrows."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from resources.foreign_text import tooltip_text
from resources.units import format_count
from sessions.findings import Severity
from widgets.theme import SYMBOLS, Theme


class OutsideLine(QWidget):
    """The line; it is hidden while nothing is outside.

    Its button emits ``widened`` if findings outside are to be shown, or ``narrowed`` if those that are shown
    are to be hidden.
    """

    widened = Signal()
    narrowed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._symbol, self._text = QLabel(), QLabel()
        self._text.setProperty("role", "muted")
        self.button = QPushButton()
        self._is_list_wider = False
        self.button.clicked.connect(self._press)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 10, 6)
        row.addWidget(self._symbol)
        row.addWidget(self._text, 1)
        row.addWidget(self.button)
        self._worst: Severity | None = None
        theme.changed.connect(self._dress)
        self.hide()

    @property
    def text(self) -> str:
        """The text of the line; empty while it is hidden."""
        return "" if self.isHidden() else self._text.text()

    def show_outside(self, text: str, explanation: str, worst: Severity | None) -> None:
        """Show ``3 more outside this scope`` with the symbol of the worst of them; an empty text hides it."""
        self._is_list_wider = False
        self.button.setText("Show all")
        self.button.setToolTip("Looks at all entities over the whole session. Back returns to this scope.")
        self._show(text, explanation, worst)

    def show_list_is_wider(self, count: int) -> None:
        """Show that ``count`` of the listed findings are outside of the scope; 0 hides the line."""
        self._is_list_wider = True
        self.button.setText("Only the scope's")
        self.button.setToolTip("Hides the findings that are outside of what the scope bar says.")
        are = "1 of these is" if count == 1 else f"{format_count(count)} of these are"
        self._show(f"{are} outside this scope" if count else "", "", None)

    def _press(self) -> None:
        (self.narrowed if self._is_list_wider else self.widened).emit()

    def _show(self, text: str, explanation: str, worst: Severity | None) -> None:
        self._worst = worst
        self._text.setText(text)
        self._text.setToolTip(tooltip_text(explanation))
        self._dress()
        self.setVisible(bool(text))

    def _dress(self) -> None:
        self._symbol.setVisible(self._worst is not None)
        if self._worst is not None:
            self._symbol.setText(SYMBOLS[self._worst])
            self._symbol.setStyleSheet(f"color: {self._theme.tokens.health(self._worst)}")
