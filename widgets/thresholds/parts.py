"""Buttons, rows and notes of the pages about thresholds, which look alike."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget


def muted(text: str) -> QLabel:
    """Return a note that wraps."""
    label = QLabel(text, wordWrap=True)
    label.setProperty("role", "muted")
    return label


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
