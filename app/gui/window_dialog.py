"""Asks for a window of time: from when to when, typed in the zone that the window shows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from resources.failures import UsageError
from sessions.clock import Clock
from sessions.times import TimeRange


class WindowDialog(QDialog):
    """The dialog; it stays open while what is typed is no window. ``chosen`` carries the TimeRange."""

    chosen = Signal(object)

    def __init__(
        self, title: str, window: TimeRange, clock: Clock, parent: QWidget, *, button: str = "Compare"
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._clock = clock
        self.start = QLineEdit(clock(window.start).strftime("%Y-%m-%d %H:%M:%S"))
        self.end = QLineEdit(clock(window.end).strftime("%Y-%m-%d %H:%M:%S"))
        self.trouble = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.trouble.setProperty("role", "muted")
        self.trouble.setText(f"Times are {clock.zone_of(window)}.")
        form = QFormLayout()
        form.addRow("From", self.start)
        form.addRow("To", self.end)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons = buttons
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(button)
        buttons.accepted.connect(self._take)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.trouble)
        column.addWidget(buttons)
        self.setMinimumWidth(360)
        self.start.setFocus()

    def _take(self) -> None:
        try:
            first, last = (self._clock.parse(one.text().strip()) for one in (self.start, self.end))
        except UsageError as error:
            self.trouble.setText(f"{error.happened} {error.advice}".strip())
            return
        if last <= first:
            self.trouble.setText("It ends before it begins: To must be after From.")
            return
        self.chosen.emit(TimeRange(first, last))
        self.accept()
