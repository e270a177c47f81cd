"""The page of guided tests: all of them, or a step of the one that is set up, running or done."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.gui.desk import Desk
from wizards.flows.cards import card_groups, interrupted
from wizards.pages.gallery import GalleryView


class TestsPanel(QObject):
    """Shows the gallery while no test is open."""

    __test__ = False  # pytest: this is none of its tests

    def __init__(self, desk: Desk) -> None:
        self.view = QStackedWidget()
        super().__init__(self.view)
        self._desk, self._tests = desk, desk.tests
        self.view.setAccessibleName("Guided tests")
        self.gallery = GalleryView(desk.theme, self._day)
        self.view.addWidget(self.gallery)
        self.view.setFocusProxy(self.gallery)
        self._tests.changed.connect(self._show_gallery)
        desk.session.opened.connect(lambda _snapshot: self._show_gallery())
        desk.times.changed.connect(lambda _clock: self._show_gallery())

    def _show_gallery(self) -> None:
        tests, records = self._tests, self._tests.records
        self.gallery.show_groups(card_groups(tests.known, tests.connected, records.runs))
        running = tests.running
        live = running.id if running is not None else ""
        left = interrupted(records.runs, records.journal, live, self._day)
        self.gallery.show_interrupted(left)

    def _day(self, at: int) -> str:
        """Return the day of a time as a card shows it: ``12 Nov``."""
        moment = self._desk.times.clock(at)
        year = "" if moment.year == datetime.now(UTC).year else f" {moment.year}"
        return f"{moment.day} {moment:%b}{year}"


def make(desk: Desk) -> QWidget:
    """Return the view of the panel; the view owns the panel."""
    return TestsPanel(desk).view
