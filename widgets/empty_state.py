"""What stands where a view has nothing to show: why, in a sentence, and a button that changes it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

_WIDTH = 420


class EmptyState(QWidget):
    """``wanted`` when somebody presses the button."""

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
        """Why there is nothing; ``button`` names what can be done about it."""
        self.reason.setText(text)
        self.button.setText(button)
        self.button.setVisible(bool(button))
