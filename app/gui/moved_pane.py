"""Shows the pane of what moved where the findings stand, and these again when it is closed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from app.gui.desk import Desk
from sessions.times import TimeRange


class MovedPane(QObject):
    """Opens the dock in the place of the findings, which come back when the user closes it.

    Both one above the other would leave neither enough lines to be read.
    """

    def __init__(self, dock: QDockWidget, findings: QDockWidget, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._dock, self._findings = dock, findings
        self._has_hidden = False
        desk.moved.asked.connect(self._show)
        desk.moved.window = lambda: _narrowed(desk)
        desk.session.closed.connect(self._forget)
        dock.toggleViewAction().triggered.connect(self._toggled)

    def _show(self) -> None:
        width = self._findings.width()
        window = self._dock.parentWidget()
        if self._findings.isVisible() and (self._dock.isHidden() or self._is_below_them()):
            self._has_hidden = True
            self._findings.hide()
            self._dock.show()
            if isinstance(window, QMainWindow):
                window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)
        self._dock.show()
        self._dock.raise_()

    def _is_below_them(self) -> bool:
        """Whether both share a side of the window: not if the user dragged one of them elsewhere."""
        window, docks = self._dock.parentWidget(), (self._dock, self._findings)
        if not isinstance(window, QMainWindow) or any(one.isFloating() for one in docks):
            return False
        has_tabs = self._findings in window.tabifiedDockWidgets(self._dock)
        return not has_tabs and len({window.dockWidgetArea(one) for one in docks}) == 1

    def _toggled(self, is_opened: bool) -> None:
        if is_opened:
            self._show()
        else:
            self._give_back()

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
