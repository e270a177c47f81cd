"""The context menu of the timeline: for a mark, or for a point without one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from widgets.theme import Theme


class MarkMenu(QMenu):
    """Signals: ``edited`` and ``removed`` for a mark; ``dropped`` (add a mark) and ``unzoomed`` elsewhere."""

    edited = Signal()
    removed = Signal()
    dropped = Signal()
    unzoomed = Signal()

    def __init__(self, theme: Theme, parent: QWidget, *, has_mark: bool) -> None:
        super().__init__(parent)
        if has_mark:
            self.addAction("Change the note…").triggered.connect(self.edited)
            remove = self.addAction(theme.icons.get("close"), "Remove the mark")
            remove.triggered.connect(self.removed)
        else:
            drop = self.addAction(theme.icons.get("mark"), "Drop a mark here…")
            drop.triggered.connect(self.dropped)
            self.addAction("Show the whole session").triggered.connect(self.unzoomed)
