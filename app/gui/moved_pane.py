"""Shows the pane of what moved where the findings stand, and these again when it is closed."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDockWidget

from app.gui.desk import Desk
from app.gui.pane_in_place import PaneInPlace
from sessions.times import TimeRange


class MovedPane(PaneInPlace):
    """Opens the dock in the place of the findings when it is asked what moved with something."""

    def __init__(self, dock: QDockWidget, findings: QDockWidget, desk: Desk, parent: QObject) -> None:
        super().__init__(dock, findings, desk.session, parent)
        desk.moved.asked.connect(self.show)
        desk.moved.window = lambda: _narrowed(desk)


def _narrowed(desk: Desk) -> TimeRange | None:
    """The time that is shown; None if it is the whole session."""
    snapshot = desk.session.whole
    window = desk.scope.scope.window_in(snapshot.span) if snapshot is not None else None
    return window if snapshot is not None and window != snapshot.span else None
