"""The tabs of the pages: where room is scarce the names move together; with still less of it, all but the one
in front are icons.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QResizeEvent
from PySide6.QtWidgets import QLabel, QTabBar, QTabWidget, QWidget

from viewmodels.health import Health
from widgets.theme import Theme

_BESIDE_NAME, _NARROW_BY = 26, 10
"""Pixels that a tab takes beside its name, and how many fewer where room is scarce (window.qss)."""
_NEARER, _NEARER_TO_ICON = 5, 12
"""So many pixels a badge stands nearer to its own name or icon than Qt puts it: half-way to the next tab."""
_BADGE_GAP = 18
"""Pixels between a name and its badge."""


class PageTabs(QTabWidget):
    """A tab widget whose names give way to icons when it is too narrow; the tooltips have the names then."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tabs: list[tuple[str, str]] = []
        self._badges: dict[str, QLabel] = {}
        self._have_badges: bool | None = None
        self._is_compact = self._is_narrow = self._is_moving = False
        self.setDocumentMode(True)
        self.currentChanged.connect(lambda _page: self._arrange())
        # A click leaves the focus where it was; the page that goes would hand it on to anything.
        self.tabBarClicked.connect(lambda _tab: self.tabBar().setFocus(Qt.FocusReason.MouseFocusReason))
        theme.changed.connect(self._arrange)

    def add_page(self, page: QWidget, name: str, icon: str) -> None:
        """Add a page with the name and the icon of its tab."""
        self._tabs.append((name, icon))
        self.addTab(page, name)
        self.tabBar().setAccessibleTabName(self.count() - 1, name)
        self._arrange()

    def show_badge(self, name: str, text: str, state: Health, spoken: str) -> None:
        """Show a few letters beside a tab's name, none for an empty text; ``spoken`` is what is read."""
        number = next((at for at, (own, _) in enumerate(self._tabs) if own == name), None)
        if number is None:
            return
        self.tabBar().setAccessibleTabName(number, f"{name}, {spoken}" if text else name)
        badge = self._badges.get(name)
        if not text:
            if badge is not None:
                self._badges.pop(name).deleteLater()
                self._put(number, None)
                self._arrange()
            return
        if badge is None:
            badge = self._badges[name] = QLabel(self.tabBar())
            badge.setProperty("role", "chip")
            badge.installEventFilter(self)
        if (badge.text(), badge.property("state")) != (text, state):
            badge.setText(text)
            badge.setProperty("state", state)
            badge.style().unpolish(badge)
            badge.style().polish(badge)
            badge.adjustSize()
            self._have_badges = None  # the bar measures a tab when a badge is put there, not when that grows
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Move a badge that the bar has placed to its own name: else it seems to be the next one's."""
        if event.type() == QEvent.Type.Move and isinstance(watched, QLabel) and not self._is_moving:
            self._is_moving = True
            nearer = _NEARER_TO_ICON if self._is_compact else _NEARER
            watched.move(watched.x() - nearer, watched.y())
            self._is_moving = False
        return super().eventFilter(watched, event)

    def _put(self, number: int, badge: QLabel | None) -> None:
        """Put a badge into a tab, or take it out: the bar hides the one that was there, whichever it is."""
        self.tabBar().setTabButton(number, QTabBar.ButtonPosition.RightSide, badge)
        if badge is not None:
            badge.show()

    def _show_badges(self, *, on: bool) -> None:
        """Show the badges where there is room for them beside all names."""
        if on == self._have_badges:
            return
        self._have_badges = on
        for number, (name, _) in enumerate(self._tabs):
            badge = self._badges.get(name)
            if badge is not None:
                self._put(number, badge if on else None)
                badge.setVisible(on)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show names or icons, whichever there is room for."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        bar, before = self.tabBar(), self._is_compact
        badges = sum(one.sizeHint().width() + _BADGE_GAP for one in self._badges.values())
        narrow = self._needed() + badges > self.width()
        names = self._needed() - (_NARROW_BY * len(self._tabs) if narrow else 0)
        self._is_compact = names > self.width()
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            bar.setProperty("narrow", narrow)
            bar.style().unpolish(bar)
            bar.style().polish(bar)
        self._show_badges(on=self._is_compact or names + badges <= self.width())
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
