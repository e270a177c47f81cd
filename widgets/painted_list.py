"""A list whose rows are painted: it scrolls by pixels, cuts or breaks words, and has a table behind it."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, Qt, Signal
from PySide6.QtWidgets import QListView, QWidget

from widgets.context_menu import ContextMenu, Entries
from widgets.theme import Theme


class PaintedList(QListView):
    """The base of such a list; a subclass says what its menu has (``entries``).

    Signals: ``opened`` with the chosen row, to be charted; ``copied`` with a message for the user;
    ``save_wanted`` with a FileOffer.
    """

    opened = Signal(object)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(
        self, theme: Theme, model: QAbstractItemModel, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        model.setParent(self)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QListView.Shape.NoFrame)
        theme.changed.connect(self.viewport().update)
        ContextMenu(self, lambda _at: self.entries())

    def entries(self) -> Entries:
        """Return the entries of the menu."""
        return []
