"""A popup with the messages since the window was opened, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from widgets.messages.values import Message
from widgets.popup import Popup
from widgets.theme import SYMBOLS

_WIDTH, _HEIGHT = 560, 320
_LONGEST = 4_000


class MessageLog(Popup):
    """Lists messages with the time when they came; chosen ones, or all, can be copied as text.

    ``time_of`` returns the text of a time in ms, ``zone`` the name of its zone.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        time_of: Callable[[float], str],
        zone: str,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("message-log")
        self.setAccessibleName("Messages since the window was opened")
        self._messages, self._time_of = list(reversed(messages)), time_of
        self._window = parent.window()
        title = QLabel(f"Messages · times in {zone}")
        title.setProperty("role", "title")
        self.list = QListWidget()
        self.list.setAccessibleName("Messages")
        self.list.setWordWrap(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for message in self._messages:
            item = QListWidgetItem(f"{SYMBOLS[message.level]}  {self._line(message)}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{time_of(message.at)} {message.spoken}")
            self.list.addItem(item)
        none = QLabel("Nothing was said yet. What happens to recordings, imports and marks is listed here.")
        none.setWordWrap(True)
        none.setProperty("role", "muted")
        none.setVisible(not self._messages)
        self.list.setVisible(bool(self._messages))
        copy = QPushButton("Copy")
        copy.setEnabled(bool(self._messages))
        copy.setToolTip("Copy the chosen messages, or all")
        copy.clicked.connect(self.copy)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self).activated.connect(self.copy)
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(copy)
        foot.addWidget(close)
        column = QVBoxLayout(self.card)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addWidget(title)
        column.addWidget(none, 1, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        self.resize(_WIDTH, _HEIGHT)
        (self.list if self._messages else close).setFocus()

    def copy(self) -> None:
        """Copy the chosen messages to the clipboard, all of them if none is chosen."""
        rows = sorted(index.row() for index in self.list.selectedIndexes())
        chosen = [self._messages[row] for row in rows] or self._messages
        QGuiApplication.clipboard().setText("".join(f"{self._line(one)}\n" for one in chosen))

    def show_over(self, button: QWidget) -> None:
        """Show the popup above a button of the status bar, within the window."""
        right = button.mapToGlobal(QPoint(button.width(), 0))
        corner = self._window.mapToGlobal(QPoint(0, 0))
        self.move(
            max(min(right.x(), corner.x() + self._window.width() - 8) - self.width(), corner.x() + 8),
            max(right.y() - self.height() - 8, corner.y() + 8),
        )
        self.show()

    def _line(self, message: Message) -> str:
        return f"{self._time_of(message.at)}  {shown(message.text, _LONGEST)}"
