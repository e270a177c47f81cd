"""The button over the cards that says how many findings arrived while somebody looked at the others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QPushButton, QWidget

from resources.foreign_text import tooltip_text
from sessions.findings import Finding
from viewmodels.held_findings import news_label
from widgets.theme import SYMBOLS, Theme

_FROM_BOTTOM = 10


class NewsButton(QPushButton):
    """Lies over the end of the pane, so that nothing moves when it comes or goes."""

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self._theme, self._over = theme, over
        self.setObjectName("news")
        self.setProperty("role", "primary")
        self.hide()
        over.installEventFilter(self)

    def show_new(self, new: Sequence[Finding], newest: Sequence[Finding]) -> None:
        """Say how many findings wait; without any, disappear."""
        self.setVisible(bool(new))
        if new:
            self.setText(f"{SYMBOLS[new[0].severity]} {news_label(new, newest)}")
            names = [f"{one.title}: {one.entity_name}" for one in new[:8]]
            self.setToolTip(tooltip_text("\n".join(["Show what was found meanwhile (N):", *names])))
            self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Stay in the middle above the pane's lower edge."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.adjustSize()
        left = (self._over.width() - self.width()) // 2
        self.move(left, self._over.height() - self.height() - _FROM_BOTTOM)
        self.raise_()
