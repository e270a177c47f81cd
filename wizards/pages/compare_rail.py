"""The pane beside the Compare page: A and B, whether the load was the same, and which rows are shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from widgets.elided_label import ElidedLabel
from widgets.keys import KeyHandlers
from widgets.pane import Pane
from widgets.theme import Theme
from wizards.pages.command_box import CommandBox
from wizards.pages.compare_filter import FilterSection
from wizards.pages.compare_keys import PAGE_KEYS
from wizards.pages.compare_load import LoadSection
from wizards.pages.compare_sides import SideCard


class CompareRail(Pane):
    """Signals: ``swapped``; ``again``; ``pairs_wanted`` when pairs that are ready are to be offered;
    ``side_wanted`` with a letter when windows for it are to be offered; ``copied`` with a message.
    """

    swapped = Signal()
    again = Signal()
    pairs_wanted = Signal()
    side_wanted = Signal(str)
    copied = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("What is compared")
        self.sides = {letter: SideCard(theme, letter) for letter in "ab"}
        for letter, card in self.sides.items():
            card.menu_wanted.connect(lambda letter=letter: self.side_wanted.emit(letter))
        self.swap = QPushButton("Swap")
        self.swap.setProperty("role", "ghost")
        self.swap.setAccessibleName("Swap A and B")
        self.swap.clicked.connect(self.swapped)
        self.offers = QPushButton("Other things…")
        self.offers.setAccessibleName("Choose two other things to compare")
        self.offers.clicked.connect(self.pairs_wanted)
        self._aligned = ElidedLabel()
        self._aligned.setProperty("role", "muted")
        self.load = LoadSection(theme)
        self.filter = FilterSection()
        self.command = CommandBox()
        self.command.copied.connect(self.copied)
        self._keys = KeyHandlers(
            PAGE_KEYS,
            {
                "swap": lambda _key: self.swapped.emit(),
                "again": lambda _key: self.again.emit(),
                "search": lambda _key: self.filter.search.setFocus(),
            },
        )
        self._arrange()
        theme.changed.connect(self._dress)
        self._dress()
        self.show_result(on=False)

    def _arrange(self) -> None:
        choices = QHBoxLayout()
        choices.setSpacing(4)
        choices.addWidget(self.offers, 1)
        choices.addWidget(self.swap)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(10, 2, 10, 8)
        column.setSpacing(8)
        for card in self.sides.values():
            column.addWidget(card)
        column.addWidget(self._aligned)
        column.addLayout(choices)
        self._lines = [_line(), _line()]
        column.addWidget(self._lines[0])
        column.addWidget(self.load)
        column.addWidget(self._lines[1])
        column.addWidget(self.filter)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(area, 1)
        whole.addWidget(self.command)

    def show_aligned(self, text: str) -> None:
        """Say what stands above each other in charts, and how long the windows are."""
        self._aligned.show_text(text)

    def show_choices(self, *, can_swap: bool, has_samples: bool) -> None:
        """Switch the buttons below A and B on, or off with the reason."""
        self.swap.setEnabled(can_swap)
        self.swap.setToolTip(
            "Swap A and B (X)" if can_swap else "Nothing is compared yet: choose A and B first"
        )
        self.offers.setEnabled(has_samples)
        self.offers.setToolTip("" if has_samples else "Without samples there is nothing to compare")

    def show_result(self, *, on: bool) -> None:
        """Show the sections that need a result, or hide them."""
        for one in (self.load, self.filter, *self._lines):
            one.setVisible(on)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of the page."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def _dress(self) -> None:
        self.swap.setIcon(self._theme.icons.get("swap"))


def _line() -> QFrame:
    line = QFrame()
    line.setFrameShape(QFrame.Shape.HLine)
    line.setProperty("role", "line")
    return line
