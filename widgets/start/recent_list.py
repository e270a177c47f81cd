"""The list of recent sessions: one Tab stop, with keys, a context menu, and buttons on the row in hand."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

from resources.foreign_text import visible
from widgets.context_menu import COPY, ContextMenu, Entries, MenuEntry, make_menu
from widgets.copying import copy_text
from widgets.start.recent import RecentDelegate, RecentEntry, RecentModel
from widgets.theme import Theme


class RecentList(QListView):
    """The list.

    Signals: ``opened``, ``windowed`` (in another window), ``forgotten`` and ``revealed`` with a session's
    path, ``pinned`` with path and True or False, ``copied`` with a message.
    """

    opened = Signal(str)
    windowed = Signal(str)
    forgotten = Signal(str)
    revealed = Signal(str)
    pinned = Signal(str, bool)
    copied = Signal(str)

    def __init__(self, theme: Theme, model: RecentModel) -> None:
        super().__init__()
        self._rows = RecentDelegate(theme, self)
        self.setObjectName("recent")
        self.setAccessibleName("Recent sessions")
        self.setModel(model)
        self.setItemDelegate(self._rows)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._menu = ContextMenu(self, self._entries)
        theme.changed.connect(self.viewport().update)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Open the session that was clicked, or do what the button under the mouse says."""
        point = event.position().toPoint()
        index = self.indexAt(point)
        super().mouseReleaseEvent(event)
        entry = _entry(index)
        if event.button() != Qt.MouseButton.LeftButton or entry is None:
            return
        button = self._rows.button_at(self.visualRect(index), point)
        if button == "pin":
            self.pinned.emit(entry.path, not entry.pinned)
        elif button == "more":
            self._open_menu(entry, event.globalPosition().toPoint())
        else:
            self.opened.emit(entry.path)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Make the row under any button the current one."""
        self.setCurrentIndex(self.indexAt(event.position().toPoint()))

    def _open_menu(self, entry: RecentEntry, at: QPoint) -> None:
        make_menu(self._of(entry), self).popup(at)

    def _entries(self, at: QPoint | None) -> Entries:
        entry = _entry(self.indexAt(at) if at is not None else self.currentIndex())
        return self._of(entry) if entry is not None else []

    def _copy_path(self, path: str) -> None:
        self.copied.emit(copy_text(visible(path), "The path was"))

    def _of(self, entry: RecentEntry) -> Entries:
        path, here = entry.path, not entry.missing
        return [
            MenuEntry("Open", lambda: self.opened.emit(path), "Return", why=entry.missing),
            MenuEntry(
                "Open in another window", lambda: self.windowed.emit(path), "Shift+Return",
                enabled=here, why=entry.missing,
            ),
            None,
            MenuEntry(
                "Unpin" if entry.pinned else "Pin to the top",
                lambda: self.pinned.emit(path, not entry.pinned), "Ctrl+P",
            ),
            MenuEntry("Show in folder", lambda: self.revealed.emit(path), enabled=here, why=entry.missing),
            MenuEntry("Copy the path", lambda: self._copy_path(path), COPY),
            None,
            MenuEntry(
                "Take off this list", lambda: self.forgotten.emit(path), "Del", why="The file stays.",
            ),
        ]  # fmt: skip


def _entry(index: QModelIndex) -> RecentEntry | None:
    entry = index.data(Qt.ItemDataRole.UserRole)
    return entry if isinstance(entry, RecentEntry) else None
