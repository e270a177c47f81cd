"""The start page's card for a recording that is being started, with a button to stop it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from widgets.elided_label import ElidedLabel


class Progress(QFrame):
    """The card, hidden until ``show_step``; ``stopped`` is emitted when the user presses Stop."""

    stopped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAccessibleName("What is being connected")
        self._title, self._step = ElidedLabel(), ElidedLabel()
        self._title.setProperty("role", "title")
        self._step.setProperty("role", "muted")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName("How far it is")
        self.stop = QPushButton("Stop")
        self.stop.clicked.connect(self.stopped)
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addWidget(self._title)
        texts.addWidget(self._step)
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addLayout(texts, 1)
        head.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.bar)
        self.hide()

    def show_step(self, title: str, step: str) -> None:
        """Show what is being connected and the current step; an empty title hides the card.

        The bar of a hidden card is not animated, which saves processor time.
        """
        self._title.show_text(title)
        self._step.show_text(step)
        self.bar.setRange(0, 0 if title else 1)
        self.setVisible(bool(title))

    @property
    def text(self) -> str:
        """The text that is shown."""
        return " · ".join(part for part in (self._title.text(), self._step.text()) if part)
