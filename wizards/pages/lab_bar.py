"""The bar that says that all of this is simulated, and lets the outcome be changed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QWidget

from widgets.elided_label import ElidedLabel
from widgets.theme import Theme


class LabBar(QFrame):
    """The bar. ``chosen`` carries the address of the lab that was chosen."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, labs: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """``labs`` are addresses with what each lab is like."""
        super().__init__(parent)
        self._theme = theme
        self.setProperty("role", "lab")
        self._picture = QLabel()
        name = QLabel("Lab")
        name.setProperty("role", "title")
        text = ElidedLabel("simulated VMs, an hour of a test runs in a minute; nothing real is touched")
        text.setProperty("role", "muted")
        self.choice = QComboBox()
        self.choice.setAccessibleName("The lab's outcome")
        self.choice.setToolTip("Which datacenter is simulated decides how the test comes out")
        for address, words in labs:
            self.choice.addItem(words, address)
        self.choice.activated.connect(lambda _index: self.chosen.emit(self.choice.currentData()))
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 16, 4)
        row.setSpacing(8)
        row.addWidget(self._picture)
        row.addWidget(name)
        row.addWidget(text, 1)
        row.addWidget(QLabel("Outcome:"))
        row.addWidget(self.choice)
        theme.changed.connect(self._dress)
        self._dress()

    def show_lab(self, address: str) -> None:
        """Show which lab is chosen."""
        self.choice.setCurrentIndex(max(0, self.choice.findData(address)))

    def _dress(self) -> None:
        self._picture.setPixmap(self._theme.icons.get("lab", self._theme.tokens.accent).pixmap(16, 16))
