"""Shows the pane of what moved where the findings stand, and these again when it is closed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from app.gui.desk import Desk
from sessions.times import TimeRange


class MovedPane(QObject):
    """Opens the dock when something is asked; the findings come back when the user closes it."""

    def __init__(self, dock: QDockWidget, findings: QDockWidget, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._dock, self._findings = dock, findings
        self._has_hidden = False
        desk.moved.asked.connect(self._show)
        desk.moved.window = lambda: _narrowed(desk)
        desk.session.closed.connect(self._forget)
        dock.toggleViewAction().triggered.connect(lambda _on: self._give_back())

    def _show(self) -> None:
        if self._dock.isHidden():
            width = self._findings.width()
            self._has_hidden = self._findings.isVisible()
            if self._has_hidden:
                self._findings.hide()
            self._dock.show()
            window = self._dock.parentWidget()
            if self._has_hidden and isinstance(window, QMainWindow):
                window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)
        self._dock.raise_()

    def _give_back(self) -> None:
        if self._has_hidden and self._dock.isHidden():
            self._findings.show()
            self._has_hidden = False

    def _forget(self) -> None:
        self._has_hidden = False


def _narrowed(desk: Desk) -> TimeRange | None:
    """The time that is shown; None if it is the whole session."""
    snapshot = desk.session.whole
    window = desk.scope.scope.window_in(snapshot.span) if snapshot is not None else None
    return window if snapshot is not None and window != snapshot.span else None
