"""Edit and File commands for what has the keyboard focus: copy it, save it, open its context menu."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from app.gui.desk import Notify
from widgets.context_menu import COPY, SAVE, context_menu_of

_HINT = "Click into a table, a list or a chart first, or go there with Tab."


def copy_focused(notify: Notify) -> None:
    """Copy what has the focus, as Ctrl+C there would."""
    focus = QApplication.focusWidget()
    if isinstance(focus, QLineEdit | QPlainTextEdit | QTextEdit):
        focus.copy()
    elif not _press(focus, COPY):
        notify(f"Nothing here can be copied. {_HINT}", "info")


def save_focused(notify: Notify) -> None:
    """Save the table or chart that has the focus as a file."""
    if not _press(QApplication.focusWidget(), SAVE):
        notify(f"Nothing here can be saved as a file. {_HINT}", "info")


def open_focused_menu(notify: Notify) -> None:
    """Open the context menu of what has the focus."""
    menu = context_menu_of(QApplication.focusWidget())
    if menu is None:
        notify(f"Nothing here has a menu. {_HINT}", "info")
    else:
        menu.open_at_current()


def _press(focus: QWidget | None, key: str) -> bool:
    menu = context_menu_of(focus)
    return menu is not None and menu.press(key)
