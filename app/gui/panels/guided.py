"""The panels of guided tests, loaded and made when they are first shown."""

from __future__ import annotations

from importlib import import_module

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.late_panel import LatePanel
from wizards.pages import keys

KEYS = view_actions("tests", keys.KEYS)

_LOAD_AFTER_MS = 1_500
"""The charts come first: importing takes the interpreter, in a worker, too."""
WITHOUT_QT = (
    "app.testing",
    "wizards.flows.drs_gain_sheet",
    "wizards.flows.planning",
    "wizards.flows.results",
    "wizards.flows.run_again",
    "wizards.flows.run_charts",
    "wizards.flows.run_details",
    "wizards.flows.run_reading",
    "wizards.flows.run_sheet",
)
"""Most of what the pages need, imported in a worker."""
WITH_QT = (
    "wizards.pages.rail_pane",
    "wizards.pages.result_charts",
    "wizards.pages.time_chart",
    "wizards.pages.result_page",
    "wizards.pages.run_page",
    "wizards.pages.plan_view",
    "wizards.pages.choose",
    "wizards.pages.gallery",
    "app.gui.panels.steps",
    "app.gui.panels.tests",
)
"""The pages, imported by the GUI thread, one after the other while it has nothing else to do. A worker must
not: making classes of Qt's while the GUI thread was in Qt has ended the program (signal 11).
"""


def make_tests(desk: Desk) -> QWidget:
    """Return the place of the page of tests; its modules are loaded while a session is looked at."""

    def made() -> QWidget:
        from app.gui.panels import tests  # noqa: PLC0415 - a third of the window's start

        return _told(desk, tests.make(desk))

    place = LatePanel(made)
    left = list(WITH_QT)
    idle = QTimer(place, interval=0)

    def load_next() -> None:
        if left:
            import_module(left.pop(0))
        else:
            idle.stop()

    idle.timeout.connect(load_next)
    soon = QTimer(place, singleShot=True, interval=_LOAD_AFTER_MS)
    soon.timeout.connect(
        lambda: desk.jobs.start("load tests", "Loading the tests", _load, lambda _none: idle.start())
    )
    desk.session.opened.connect(lambda _snapshot: soon.start())
    desk.session.closed.connect(soon.stop)
    return place


def make_steps(desk: Desk) -> QWidget:
    """Return the place of the pane of a test's steps."""

    def made() -> QWidget:
        from app.gui.panels import steps  # noqa: PLC0415 - a third of the window's start

        return _told(desk, steps.make(desk))

    return LatePanel(made)


def _told(desk: Desk, view: QWidget) -> QWidget:
    """Let a new view hear what others heard while it was not there."""
    desk.tests.tell_again()
    return view


def _load(_job: Job) -> None:
    for name in WITHOUT_QT:
        import_module(name)
