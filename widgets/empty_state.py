"""What a view shows in place of content: why there is none, and a button that changes that."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

_WIDTH = 420


class EmptyState(QWidget):
    """Shows the reason and a button; ``wanted`` is emitted when the button is pressed."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reason = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.reason.setProperty("role", "muted")
        self.reason.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.reason.setMaximumWidth(_WIDTH)
        self.button = QPushButton()
        self.button.clicked.connect(self.wanted)
        self.button.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addStretch(1)
        middle = QHBoxLayout()  # a label that breaks its lines is not centred by the column alone
        middle.addStretch(1)
        middle.addWidget(self.reason, _WIDTH)
        middle.addStretch(1)
        column.addLayout(middle)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)

    def show_reason(self, text: str, button: str = "") -> None:
        """Show why there is nothing, and a button with this text (none if it is empty)."""
        self.reason.setText(text)
        self.button.setText(button)
        self.button.setVisible(bool(button))
