"""A large button of the start page: icon, title, explanation, and shortcut."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from widgets.theme import Theme

_ICON = 28
_HEIGHT = 84


class Choice(QPushButton):
    """The button; its size follows its content. ``icon_name`` is an icon of the theme."""

    def __init__(
        self, theme: Theme, icon_name: str, title: str, help_: str, key: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._icon_name = theme, icon_name
        self.setProperty("role", "choice")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedHeight(_HEIGHT)
        self.setAutoDefault(True)
        self.setAccessibleName(title)
        self.setAccessibleDescription(help_)
        self._picture = QLabel()
        self._picture.setFixedSize(_ICON, _ICON)
        name, text, keys = QLabel(title), QLabel(help_, wordWrap=True), QLabel(key)
        name.setProperty("role", "choice-title")
        text.setProperty("role", "muted")
        keys.setProperty("role", "faint")
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addStretch(1)
        head = QHBoxLayout()
        head.addWidget(name, 1)
        head.addWidget(keys)
        texts.addLayout(head)
        texts.addWidget(text)
        texts.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(16)
        row.addWidget(self._picture)
        row.addLayout(texts, 1)
        for label in (self._picture, name, text, keys):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        icon = self._theme.icons.get(self._icon_name, self._theme.tokens.accent)
        self._picture.setPixmap(icon.pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))
