"""The tabs of the pages: where there is no room for all names, all but the one in front are icons."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetrics, QIcon, QResizeEvent
from PySide6.QtWidgets import QTabWidget, QWidget

from widgets.theme import Theme

_BESIDE_NAME = 26
"""Pixels that a tab takes beside its name."""


class PageTabs(QTabWidget):
    """A tab widget whose names give way to icons when it is too narrow; the tooltips have the names then."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tabs: list[tuple[str, str]] = []
        self._is_compact = False
        self.setDocumentMode(True)
        self.currentChanged.connect(lambda _page: self._arrange())
        theme.changed.connect(self._arrange)

    def add_page(self, page: QWidget, name: str, icon: str) -> None:
        """Add a page with the name and the icon of its tab."""
        self._tabs.append((name, icon))
        self.addTab(page, name)
        self.tabBar().setAccessibleTabName(self.count() - 1, name)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show names or icons, whichever there is room for."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        bar, before = self.tabBar(), self._is_compact
        self._is_compact = self._needed() > self.width()
        if not (self._is_compact or before):
            return
        if self._is_compact != before:
            bar.setProperty("compact", self._is_compact)
            bar.style().unpolish(bar)
            bar.style().polish(bar)
        for number, (name, icon) in enumerate(self._tabs):
            is_icon = self._is_compact and number != self.currentIndex()
            bar.setTabText(number, "" if is_icon else name)
            bar.setTabIcon(number, self._theme.icons.get(icon) if is_icon else QIcon())
            bar.setTabToolTip(number, name if is_icon else "")

    def _needed(self) -> int:
        """Return how wide all names are: each one may be the bold one in front."""
        font = QFont(self.tabBar().font())
        font.setWeight(QFont.Weight.DemiBold)
        wide = QFontMetrics(font).horizontalAdvance
        return sum(wide(name) + _BESIDE_NAME for name, _ in self._tabs)
