"""The keys of the pages of guided tests, which the shortcut sheet lists."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QWidget

from widgets.keys import KeyRow

PRIMARY = KeyRow(
    "primary", "Press the page's main button: check, start, put into the report", ("Ctrl+Return",)
)
CHECK_ALL = KeyRow("check all", "Make all checks again", ("Shift+R",))
CHECK = KeyRow("check", "Make the check with the focus again", ("R",))
MOVE = KeyRow("move", "Go to the check, step or run above or below", ("Up", "Down"))
KEYS = (PRIMARY, CHECK_ALL, CHECK, MOVE)


def press_on(row: KeyRow, page: QWidget, button: Callable[[], QPushButton | None]) -> None:
    """Have the keys of a row press a button while the focus is in a page; one that is off stays so."""
    for key in row.keys:
        for each in (key, key.replace("Return", "Enter")) if "Return" in key else (key,):
            shortcut = QShortcut(QKeySequence(each), page)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda: _press(button()))


def _press(button: QPushButton | None) -> None:
    if button is not None and button.isEnabled() and button.isVisible():
        button.click()
