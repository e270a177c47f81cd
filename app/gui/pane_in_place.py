"""A pane that takes the place of another one while it is shown: both above each other would leave neither
enough lines to be read.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from app.gui.session_model import SessionModel


class PaneInPlace(QObject):
    """Opens a dock in the place of another one, which comes back when the user closes it."""

    def __init__(self, dock: QDockWidget, other: QDockWidget, session: SessionModel, parent: QObject) -> None:
        super().__init__(parent)
        self._dock, self._other = dock, other
        self._has_hidden = False
        session.closed.connect(self._forget)
        dock.toggleViewAction().triggered.connect(self._toggled)

    def show(self) -> None:
        """Show the pane; the other one, if it stands above or below it, makes room."""
        width = self._other.width()
        window = self._dock.parentWidget()
        keys_at = window.focusWidget() if window is not None else None
        had_keys = keys_at is not None and self._other.isAncestorOf(keys_at)
        if self._other.isVisible() and (self._dock.isHidden() or self._is_below_them()):
            self._has_hidden = True
            self._other.hide()
            self._dock.show()
            if isinstance(window, QMainWindow):
                window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)
        self._dock.show()
        self._dock.raise_()
        pane = self._dock.widget()
        if had_keys and pane is not None and not self._other.isVisible():
            pane.setFocus(Qt.FocusReason.OtherFocusReason)  # else they'd go to whatever comes next

    def _is_below_them(self) -> bool:
        """Whether both share a side of the window: not if the user dragged one of them elsewhere."""
        window, docks = self._dock.parentWidget(), (self._dock, self._other)
        if not isinstance(window, QMainWindow) or any(one.isFloating() for one in docks):
            return False
        has_tabs = self._other in window.tabifiedDockWidgets(self._dock)
        return not has_tabs and len({window.dockWidgetArea(one) for one in docks}) == 1

    def _toggled(self, is_opened: bool) -> None:
        if is_opened:
            self.show()
        else:
            self._give_back()

    def _give_back(self) -> None:
        if self._has_hidden and self._dock.isHidden():
            self._other.show()
            self._has_hidden = False

    def _forget(self) -> None:
        self._has_hidden = False
