"""Opens a file dialog in which nothing is moved, and deletes it when nothing of it is in use any more."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QFileDialog

_AGAIN_MS = 50
_QUIET_LOOKS = 2


def open_dialog(dialog: QFileDialog) -> None:
    """Open a file dialog; it is deleted after its end.

    Where the system has no dialog of its own, Qt's is used, in whose list a slip of the mouse moves a file
    into the folder beside it. Files are only chosen here: nothing can be dragged.
    """
    for view in dialog.findChildren(QAbstractItemView):
        view.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
    delete_after_end(dialog)
    dialog.open()


def delete_after_end(dialog: QDialog) -> None:
    """Delete the dialog when it has finished, and no menu and no drag of it was seen at two looks in a row.

    Qt's file dialog opens the menus of its lists and headers on the stack, as their children: whoever deletes
    the dialog while such a menu returns (Esc twice, quickly) frees memory of the stack, and the program
    aborts. What is dragged from one of its lists is a child of the list in the same way.
    """
    timer = QTimer(dialog, interval=_AGAIN_MS)
    quiet = 0

    def look() -> None:
        nonlocal quiet
        is_used = QApplication.activePopupWidget() is not None or bool(dialog.findChildren(QDrag))
        quiet = 0 if is_used else quiet + 1
        if quiet == _QUIET_LOOKS:
            timer.stop()
            dialog.deleteLater()

    timer.timeout.connect(look)
    dialog.finished.connect(lambda _result: timer.start())
