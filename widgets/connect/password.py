"""The dialog that asks for one password, with the reason if the last one was refused."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import breakable, shown
from widgets.elided_label import ElidedLabel
from widgets.theme import Theme

_WIDTH = 460


class PasswordDialog(QDialog):
    """Signals: ``given`` with the password and whether to keep it in the keyring; ``rejected`` if
    cancelled.
    """

    given = Signal(str, bool)

    def __init__(
        self, theme: Theme, user: str, place: str, trouble: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("password")
        self.setWindowTitle(f"Password of {shown(place)}")
        title = ElidedLabel(f"{place[:1].upper()}{place[1:]}" if " " in place else place)
        title.setProperty("role", "display")
        introduction = QLabel(
            f"Password of {breakable(shown(user))}", textFormat=Qt.TextFormat.PlainText, wordWrap=True
        )
        self.trouble = QLabel(f"◆ {trouble}", textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.trouble.setStyleSheet(f"color: {theme.tokens.warning}")
        self.trouble.setVisible(bool(trouble))
        self.line = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.line.setAccessibleName("Password")
        self.keep = QCheckBox("Keep it in this computer's keyring")
        self.ok = QPushButton("Log in")
        self.ok.setDefault(True)
        self.ok.setEnabled(False)
        self.line.textChanged.connect(lambda text: self.ok.setEnabled(bool(text)))
        self.ok.clicked.connect(self._give)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.ok)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        for widget in (title, introduction, self.trouble, self.line, self.keep):
            column.addWidget(widget)
        column.addStretch(1)
        column.addSpacing(8)
        column.addLayout(buttons)
        self.setMinimumWidth(_WIDTH)
        width = max(self.sizeHint().width(), _WIDTH)
        self.resize(width, column.heightForWidth(width))  # a window by itself leaves wrapped lines no room
        self.line.setFocus()

    def _give(self) -> None:
        password = self.line.text()
        self.line.clear()
        self.accept()
        self.given.emit(password, self.keep.isChecked())
