"""The panels of guided tests, loaded and made when they are first shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.late_panel import LatePanel


def make_tests(desk: Desk) -> QWidget:
    """Return the place of the page of tests; its modules are loaded while a session is looked at."""
    desk.session.opened.connect(
        lambda _snapshot: desk.jobs.start("load tests", "Loading the tests", _load, lambda _none: None)
    )

    def made() -> QWidget:
        from app.gui.panels import tests  # noqa: PLC0415 - a third of the window's start

        return _told(desk, tests.make(desk))

    return LatePanel(made)


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
