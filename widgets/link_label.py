"""A line of links that is one Tab stop: arrow keys go from link to link, Enter follows."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QWidget

_LINK = re.compile(r'(<a href="([^"]*)"[^>]*>)(.*?)(</a>)', re.DOTALL)
_STEPS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
_FOLLOW = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class LinkLabel(QLabel):
    """A rich text whose links can be clicked, or chosen with the arrow keys: the chosen one is underlined."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._html, self._at = "", 0
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setProperty("role", "muted")
        self.setObjectName(name)

    def show_links(self, html: str) -> None:
        """Show this text; the link that was chosen, by its place, stays so. Tab passes an empty label by."""
        self._html = html
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if html else Qt.FocusPolicy.NoFocus)
        self._show()

    @property
    def chosen(self) -> str:
        """Where the link leads that Enter would follow; empty without links."""
        links = _LINK.findall(self._html)
        return links[min(self._at, len(links) - 1)][1] if links else ""

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Underline the chosen link."""
        super().focusInEvent(event)
        self._show()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Underline none."""
        super().focusOutEvent(event)
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Choose the next or the previous link, or follow the chosen one."""
        key, count = Qt.Key(event.key()), len(_LINK.findall(self._html))
        if key in _STEPS and count:
            self._at = min(max(min(self._at, count - 1) + _STEPS[key], 0), count - 1)
            self._show()
        elif key in _FOLLOW and count:
            self.linkActivated.emit(self.chosen)
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        parts, end = [], 0
        for number, link in enumerate(_LINK.finditer(self._html)):
            begin, _, words, close = link.groups()
            is_chosen = self.hasFocus() and number == min(self._at, len(_LINK.findall(self._html)) - 1)
            middle = f"<u>{words}</u>" if is_chosen else words
            parts += [self._html[end : link.start()], begin, middle, close]
            end = link.end()
        super().setText("".join([*parts, self._html[end:]]))
