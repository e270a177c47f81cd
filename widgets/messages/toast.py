"""One message as a card: symbol, sentence, a button for each action, and one that closes it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from resources.foreign_text import breakable, shown
from widgets.messages.values import Message, MessageAction
from widgets.theme import SYMBOLS, Theme

_LONGEST = 600
_AFTER_POINTING_MS = 3_000


class Toast(QFrame):
    """Signal ``done``: the message has been shown long enough, was closed, or its action was taken."""

    done = Signal()

    def __init__(self, theme: Theme, message: Message, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.message = message
        self.setProperty("role", "message")
        self.setProperty("state", message.level)
        self.setAccessibleName(message.spoken)
        self._symbol = QLabel()
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._text.setText(breakable(shown(message.text, _LONGEST)))
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._close = QToolButton()
        self._close.setObjectName("close-message")
        self._close.setAccessibleName("Close the message")
        self._close.setToolTip("Close the message (Esc)")
        self._close.setProperty("role", "ghost")
        self._close.clicked.connect(self.done)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(self._symbol, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._text, 1)
        self.buttons = [QPushButton(one.title) for one in message.actions]
        for button, action in zip(self.buttons, message.actions, strict=True):
            button.clicked.connect(partial(self._act, action))
            row.addWidget(button)
        row.addWidget(self._close)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.done)
        if message.shown_ms:
            self._timer.start(message.shown_ms)
        theme.changed.connect(self._dress)
        self._dress()

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        """Stay while somebody points at it."""
        super().enterEvent(event)
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Leave a little later."""
        super().leaveEvent(event)
        if self.message.shown_ms:
            self._timer.start(_AFTER_POINTING_MS)

    def _act(self, action: MessageAction, _checked: bool = False) -> None:
        self.done.emit()
        action.run()

    def _dress(self) -> None:
        tokens = self._theme.tokens
        self._symbol.setText(SYMBOLS[self.message.level])
        self._symbol.setStyleSheet(f"color: {tokens.health(self.message.level)}")
        self._close.setIcon(self._theme.icons.get("close"))
