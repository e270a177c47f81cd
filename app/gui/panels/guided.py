"""The panels of guided tests, loaded and made when they are first shown."""

from __future__ import annotations

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


def make_tests(desk: Desk) -> QWidget:
    """Return the place of the page of tests; its modules are loaded while a session is looked at."""

    def made() -> QWidget:
        from app.gui.panels import tests  # noqa: PLC0415 - a third of the window's start

        return _told(desk, tests.make(desk))

    place = LatePanel(made)
    soon = QTimer(place, singleShot=True, interval=_LOAD_AFTER_MS)
    soon.timeout.connect(
        lambda: desk.jobs.start("load tests", "Loading the tests", _load, lambda _none: None)
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
    from app.gui.panels import steps, tests  # noqa: F401, PLC0415 - in a worker, before the page is asked for
