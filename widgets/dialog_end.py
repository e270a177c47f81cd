"""Deletes a dialog after it was closed, not before its last menu has gone."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog

_AGAIN_MS = 50
_QUIET_LOOKS = 2


def delete_after_end(dialog: QDialog) -> None:
    """Delete the dialog when it has finished and no menu was open at two looks in a row.

    Qt's file dialog opens the menus of its lists and headers on the stack, as their children: whoever deletes
    the dialog while such a menu returns (Esc twice, quickly) frees memory of the stack, and the program
    aborts.
    """
    timer = QTimer(dialog, interval=_AGAIN_MS)
    quiet = 0

    def look() -> None:
        nonlocal quiet
        quiet = quiet + 1 if QApplication.activePopupWidget() is None else 0
        if quiet == _QUIET_LOOKS:
            timer.stop()
            dialog.deleteLater()

    timer.timeout.connect(look)
    dialog.finished.connect(lambda _result: timer.start())
