"""Which docks stand beside the page in front: a page may put some away, or one in another's place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from widgets.pane import Pane

_SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


class DockPlaces:
    """Hides docks for a page, and shows them again after it; what the user hid stays hidden."""

    def __init__(self, docks: Mapping[str, QDockWidget]) -> None:
        self._docks = docks
        self._away: set[str] = set()
        self._hosts: dict[str, str] = {}  # by guest
        self._beside: frozenset[str] | None = None
        self._is_arranged = False
        self._widths: dict[str, int] = {}

    def show_beside(self, beside: frozenset[str] | None) -> None:
        """Put all docks away but these (None: show again what was put away).

        A dock that the user opens beside a page stays there until another page comes to the front.
        """
        if self._is_arranged and beside == self._beside:
            return
        self._beside, self._is_arranged = beside, True
        self._arrange()

    def replace(self, identity: str, by: str, *, on: bool) -> None:
        """Show the dock ``by`` where ``identity`` stands, beside the pages that name it, or (``on`` False)
        nowhere.
        """
        if on == (self._hosts.get(by) == identity):
            return
        if on:
            self._hosts[by] = identity
        else:
            del self._hosts[by]
            self._docks[by].hide()
        self._arrange()

    def forget(self) -> None:
        """Forget what was put away, and note how wide docks are: all will be hidden with their session."""
        self._away.clear()
        self._is_arranged = False
        for identity, dock in self._docks.items():
            if dock.isVisible():
                self._widths[self._hosts.get(identity, identity)] = dock.width()

    def keep_widths(self) -> None:
        """Have the docks that are shown again be as wide as before they were hidden with their session."""
        for identity, width in self._widths.items():
            if not self._docks[identity].isHidden():
                self._keep_width(self._docks[identity], width)

    def _width_at(self, guest: str) -> int:
        """Return how wide the dock is whose place this one takes."""
        dock = self._docks.get(self._hosts.get(guest, ""))
        return dock.width() if dock is not None else 0

    @staticmethod
    def _keep_width(dock: QDockWidget, width: int) -> None:
        """Have a dock that was just shown be so wide: a dock comes with the width of what is in it."""
        window = dock.parentWidget()
        if isinstance(window, QMainWindow):
            window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)

    def _arrange(self) -> None:
        guests = set() if self._beside is None else self._beside & self._hosts.keys()
        replaced = {self._hosts[guest] for guest in guests}
        for identity, dock in self._docks.items():
            fits = self._beside is None or identity in self._beside
            if identity in self._hosts:
                is_shown = identity in guests
                width = self._width_at(identity) if dock.isHidden() else 0
                dock.setVisible(is_shown)
                if is_shown and width:
                    self._keep_width(dock, width)
            elif fits and identity not in replaced:
                if identity in self._away:
                    self._away.discard(identity)
                    dock.show()
            elif not dock.isHidden():
                self._away.add(identity)
                dock.hide()


def make_room(window: QMainWindow, dock: QDockWidget, docks: Iterable[QDockWidget]) -> None:
    """Have a pane that was just opened below other ``docks`` be as high as what is in it, half of their
    height at most: Qt leaves it a title and a line.
    """
    pane, area = dock.widget(), window.dockWidgetArea(dock)
    if not isinstance(pane, Pane) or dock.isFloating() or area not in _SIDES:
        return
    others = [
        one for one in docks if one is not dock and one.isVisible() and window.dockWidgetArea(one) == area
    ]
    most = max((one.height() for one in others), default=0) // 2
    if most > dock.minimumHeight():
        window.resizeDocks([dock], [min(pane.content_height(), most)], Qt.Orientation.Vertical)
