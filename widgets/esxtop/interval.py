"""The dialog that asks how often the esxtop table is updated."""

from __future__ import annotations

from PySide6.QtWidgets import QInputDialog, QWidget

MIN_INTERVAL_S, MAX_INTERVAL_S = 2, 60


def interval_dialog(seconds: int, parent: QWidget) -> QInputDialog:
    """Return the dialog; its signal ``intValueSelected`` carries the seconds."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle("How often the table is renewed")
    dialog.setLabelText("Seconds between two looks at the newest samples:")
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    dialog.setIntRange(MIN_INTERVAL_S, MAX_INTERVAL_S)
    dialog.setIntValue(seconds)
    dialog.resize(360, dialog.sizeHint().height())
    return dialog
