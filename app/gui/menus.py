"""The window's menus, made from the table of actions, and the header that shows them above the top bar."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QMenu, QMenuBar, QVBoxLayout, QWidget

from app.gui.actions import ACTIONS
from app.gui.top_bar import TopBar

MENUS = ("File", "Edit", "View", "Go", "Record", "Help")
"""The menus from left to right; the first letter of each opens it with Alt."""
_ROLES = {
    "file.preferences": QAction.MenuRole.PreferencesRole,
    "file.quit": QAction.MenuRole.QuitRole,
    "help.about": QAction.MenuRole.AboutRole,
}
"""What macOS puts into the menu of the program; everything else stays where the table has it."""


class Menus(QObject):
    """The menus by title, and ``whole`` with all of them as submenus."""

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.whole = QMenu(parent)
        self.by_title = {title: QMenu(f"&{title}", parent) for title in MENUS}
        for title, menu in self.by_title.items():
            menu.setToolTipsVisible(True)
            for spec in ACTIONS:
                if spec.menu != title:
                    continue
                if spec.line and not menu.isEmpty():
                    menu.addSeparator()
                action = actions[spec.id]
                action.setMenuRole(_ROLES.get(spec.id, QAction.MenuRole.NoRole))
                menu.addAction(action)
            self.whole.addMenu(menu)
        view = self.by_title["View"]
        self._end_of_panes = view.insertSeparator(view.actions()[0])
        self._end_of_pages = view.insertSeparator(self._end_of_panes)

    def add_page(self, action: QAction) -> None:
        """Add an action that shows a page to the View menu; its check mark says which page is in front."""
        action.setCheckable(True)
        self._add(action, self._end_of_pages)

    def add_pane(self, toggle: QAction, keys: str) -> None:
        """Add an action that shows or hides a pane; ``keys`` show it and go there."""
        native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        toggle.setText(f"{toggle.text()}\t{native}" if native else toggle.text())
        self._add(toggle, self._end_of_panes)

    def _add(self, action: QAction, before: QAction) -> None:
        action.setMenuRole(QAction.MenuRole.NoRole)
        self.by_title["View"].insertAction(before, action)


class Header(QWidget):
    """The menu bar above the top bar; if the user hides it, a button in the top bar opens the menu.

    On macOS the menu bar is the one of the screen, and the button never shows.
    """

    def __init__(self, menus: Menus, top: TopBar) -> None:
        super().__init__()
        self._top, self._whole = top, menus.whole
        self.bar = QMenuBar()
        self.bar.setObjectName("menu-bar")
        self.bar.setAccessibleName("Menu")
        for menu in menus.by_title.values():
            self.bar.addMenu(menu)
        self._alt = _AltKey(self)
        self._alt.pressed.connect(self._open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(top)
        self.show_bar(on=True)

    def show_bar(self, *, on: bool) -> None:
        """Show the menu bar, or the button instead of it."""
        if sys.platform == "darwin":
            on = True
        self.bar.setVisible(on)
        self._top.menu_button.setVisible(not on)

    def open_menu(self) -> None:
        """Open the first menu, for the keyboard."""
        if self.bar.isHidden():
            self._open_button()
        else:
            self.bar.setFocus(Qt.FocusReason.MenuBarFocusReason)
            self.bar.setActiveAction(self.bar.actions()[0])

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Listen for the Alt key: a hidden menu bar does not."""
        super().showEvent(event)
        window = self.window().windowHandle()
        if window is not None:
            window.removeEventFilter(self._alt)
            window.installEventFilter(self._alt)

    def _open_button(self) -> None:
        button = self._top.menu_button
        if button.isVisible() and self._whole.isHidden():
            self._whole.popup(button.mapToGlobal(QPoint(0, button.height())))
            self._whole.setActiveAction(self._whole.actions()[0])


class _AltKey(QObject):
    """Emits ``pressed`` when Alt is pressed and released alone in a window."""

    pressed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._alone = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Watch keys and mouse buttons; every event is passed on."""
        kind = event.type()
        if isinstance(event, QKeyEvent):
            is_alt = event.key() == Qt.Key.Key_Alt
            if kind == QEvent.Type.KeyRelease and is_alt and self._alone:
                self._alone = False
                self.pressed.emit()
            elif kind == QEvent.Type.KeyPress:
                self._alone = is_alt and event.modifiers() in {
                    Qt.KeyboardModifier.NoModifier,
                    Qt.KeyboardModifier.AltModifier,
                }
        elif kind in {QEvent.Type.MouseButtonPress, QEvent.Type.Wheel, QEvent.Type.FocusOut}:
            self._alone = False
        return super().eventFilter(watched, event)
