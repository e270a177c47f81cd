"""Applies the settings for charts (statistics, time zone), and creates chart cards in advance."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.gui.desk import Desk
from widgets.charts.page import ChartsPage

_PREPARE_MS = 150
_STATISTICS = "look.statistics"


class ChartLooks(QObject):
    """Applies the settings to a charts page, and creates its cards in idle moments until a session opens."""

    def __init__(self, desk: Desk, page: ChartsPage) -> None:
        super().__init__(page)
        self._settings, self._stack = desk.settings, page.stack
        self._idle = QTimer(self, interval=_PREPARE_MS)
        self._idle.timeout.connect(self._prepare_card)
        self._idle.start()
        self._stack.show_statistics(on=self._settings.flag(_STATISTICS))
        self._stack.statistics.connect(lambda on: self._settings.set(_STATISTICS, on))
        page.statistics_switched.connect(
            lambda: self._settings.set(_STATISTICS, not self._settings.flag(_STATISTICS))
        )
        self._settings.changed.connect(self._take_setting)
        desk.times.changed.connect(self._stack.set_clock)
        desk.session.opened.connect(self._idle.stop)

    def _take_setting(self, key: str) -> None:
        if key == _STATISTICS:
            self._stack.show_statistics(on=self._settings.flag(key))

    def _prepare_card(self) -> None:
        """Create one chart card in advance, so that the first session opens faster."""
        if not self._stack.prepare():
            self._idle.stop()
