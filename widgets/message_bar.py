"""The message bar above the pages: one sentence, with a button if something can be done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from widgets.theme import SYMBOLS, Theme

Level = Literal["info", "ok", "warning", "critical"]
_PASSING_MS = 6_000


class MessageBar(QFrame):
    """Shows one message at a time; good news disappears after a while, problems stay until closed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._level: Level = "info"
        self._act: Callable[[], None] | None = None
        self.setProperty("role", "message")
        self._symbol = QLabel()
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._button = QPushButton()
        self._button.clicked.connect(self._do)
        self._close = QToolButton()
        self._close.setAccessibleName("Close the message")
        self._close.setProperty("role", "ghost")
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._symbol)
        row.addWidget(self._text, 1)
        row.addWidget(self._button)
        row.addWidget(self._close)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)  # works while the bar is visible
        self._escape.activated.connect(self.hide)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    @property
    def text(self) -> str:
        """The message that is shown."""
        return self._text.text()

    def show_message(
        self, text: str, level: Level = "info", *, button: str = "", act: Callable[[], None] | None = None
    ) -> None:
        """Show a message; ``button`` is the text of a button that calls ``act``."""
        self._level, self._act = level, act
        self._text.setText(text)
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self.setProperty("state", level)
        self.style().polish(self)
        self._dress()
        self._timer.stop()
        if level in {"info", "ok"} and act is None:
            self._timer.start(_PASSING_MS)
        self.show()

    def take_escape(self, *, on: bool) -> None:
        """Hide the bar on Escape; with ``on`` False leave the key to another shortcut of the window."""
        self._escape.setEnabled(on)

    def _do(self) -> None:
        self.hide()
        if self._act is not None:
            self._act()

    def _dress(self) -> None:
        tokens = self._theme.tokens
        self._symbol.setText(SYMBOLS[self._level])
        self._symbol.setStyleSheet(f"color: {tokens.health(self._level)}")
        self._close.setIcon(self._theme.icons.get("close"))
