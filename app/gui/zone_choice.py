"""Where the time zone is chosen besides the preferences: in the status bar, and by the palette's commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from app.gui.desk import Desk
from app.gui.preferences import preferences
from app.gui.window import Window
from viewmodels.time_labels import HOST, LOCAL, UTC_ZONE


class ZoneChoice(QObject):
    """Shows the zone of the window's times in the status bar, with a menu that changes it."""

    def __init__(self, desk: Desk, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._menu = QMenu(window)
        self._menu.setObjectName("zone-menu")
        self._menu.setAccessibleName("Time zone")
        self._menu.aboutToShow.connect(self._fill)
        window.status.zone.setMenu(self._menu)
        desk.times.changed.connect(lambda _clock: self._show())
        desk.session.opened.connect(lambda _snapshot: self._show())
        desk.session.closed.connect(self._show)
        self._show()

    def handlers(self) -> Mapping[str, Callable[[], None]]:
        """Return the handlers of the actions ``times.…`` by id."""
        times = self._desk.times
        return {
            "times.local": lambda: times.choose(LOCAL),
            "times.utc": lambda: times.choose(UTC_ZONE),
            "times.host": lambda: times.choose(HOST),
            "times.other": self.ask,
        }

    def ask(self) -> None:
        """Open the preferences at the field of the zone."""
        dialog = preferences(self._desk, self._window)
        dialog.open()
        dialog.show_setting("look.times")

    def _show(self) -> None:
        clock, whole = self._desk.times.clock, self._desk.session.whole
        zone = clock.zone_of(whole.span if whole is not None else None)
        self._window.status.show_zone(zone, clock.about())

    def _fill(self) -> None:
        self._menu.clear()
        group = QActionGroup(self._menu)
        for choice in self._desk.times.choices:
            one = QAction(choice.title, self._menu, checkable=True)
            one.setChecked(choice.value == self._desk.times.setting)
            one.setEnabled(choice.is_known or choice.value == self._desk.times.setting)
            one.triggered.connect(lambda _checked=False, value=choice.value: self._desk.times.choose(value))
            group.addAction(one)
            self._menu.addAction(one)
        self._menu.addSeparator()
        self._menu.addAction("Another zone…", self.ask)
