"""Buttons, rows and notes of the pages about thresholds, which look alike."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QWidget

TROUBLE_SIGN = "✕"
"""Before what could not be done: it is told by more than its colour."""


def muted(text: str) -> QLabel:
    """Return a note that wraps."""
    label = QLabel(text, wordWrap=True)
    label.setProperty("role", "muted")
    return label


class PageNote(QLabel):
    """What came of the last step: a note, or, as trouble, what could not be done; hidden without a text."""

    def __init__(self) -> None:
        super().__init__(wordWrap=True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.say("")

    def say(self, text: str, *, is_trouble: bool = False) -> None:
        """Show a text, where the page has to be scrolled to it, too; trouble has a sign and a border."""
        self.setProperty("role", "trouble" if is_trouble else "muted")
        self.style().unpolish(self)
        self.style().polish(self)
        self.setText(f"{TROUBLE_SIGN} {text}" if is_trouble and text else text)
        self.setVisible(bool(text))
        if text:
            QTimer.singleShot(0, self, self._bring_into_sight)

    def _bring_into_sight(self) -> None:
        above = self.parentWidget()
        while above is not None:
            if isinstance(above, QScrollArea):
                above.ensureWidgetVisible(self)
            above = above.parentWidget()


def button(text: str, tip: str, act: Callable[[], object]) -> QPushButton:
    """Return a button that Enter in a field does not press."""
    made = QPushButton(text)
    made.setAutoDefault(False)
    made.setToolTip(tip)
    made.clicked.connect(lambda _checked=False: act())
    return made


def row(*widgets: QWidget | None) -> QHBoxLayout:
    """Return widgets beside each other; None is what stretches."""
    made = QHBoxLayout()
    made.setSpacing(8)
    for widget in widgets:
        if widget is None:
            made.addStretch(1)
        else:
            made.addWidget(widget)
    return made


def show_step(step: QPushButton, what: str) -> None:
    """Say what a button (Undo, Redo) would do; it is disabled where there is nothing."""
    step.setEnabled(bool(what))
    step.setToolTip(f"{step.text()}: {what}" if what else f"Nothing to {step.text().lower()}")
