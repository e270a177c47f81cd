"""The context menu of the inventory: look at an entity, chart it, copy it, export it. A right click alone
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPoint, Signal
from PySide6.QtWidgets import QTreeView

from resources.foreign_text import shown
from sessions.model import EntityRef
from viewmodels.text_table import TextTable
from widgets.context_menu import COPY, NO_MORE, ContextMenu, Entries, MenuEntry, table_entries
from widgets.copying import copy_table, copy_text
from widgets.inventory.model import KIND, REF, STATE, VALUE

_HEADS = ("name", "kind", "path", "state", "value")
_STEP = " › "
_NAME = 40


class InventoryMenu(QObject):
    """Opens the menu of the tree.

    Signals: ``scoped`` and ``charted`` with the entities to look at; ``exported`` with those to export;
    ``copied`` with a message; ``save_wanted`` with a FileOffer; ``explain_wanted`` with the entity whose
    number is to be explained, ``troubleshoot_wanted`` with the one to look into. ``more`` returns further
    entries about the entities that are meant.
    """

    scoped = Signal(object)
    charted = Signal(object)
    exported = Signal(object)
    copied = Signal(str)
    save_wanted = Signal(object)
    explain_wanted = Signal(object)
    troubleshoot_wanted = Signal(object)

    def __init__(self, tree: QTreeView, selected: Callable[[], Sequence[EntityRef]]) -> None:
        super().__init__(tree)
        self._tree, self._selected, self.more = tree, selected, NO_MORE
        self._menu = ContextMenu(tree, self._entries)

    def _entries(self, at: QPoint | None) -> Entries:
        index = self._tree.indexAt(at) if at is not None else self._tree.currentIndex()
        return [*self._of_entity(index), *self._of_all()]

    def _of_entity(self, index: QModelIndex) -> list[MenuEntry | None]:
        ref = index.data(REF) if index.isValid() else None
        if not isinstance(ref, EntityRef):
            return []
        chosen = list(self._selected())
        refs = chosen if ref in chosen else [ref]
        name = shown(str(index.data()), _NAME) if len(refs) == 1 else f"these {len(refs)}"
        more = [one for one in chosen if one != ref] if ref in chosen else [*chosen, ref]
        return [
            MenuEntry(f"Show only {name}", lambda: self.scoped.emit(refs), "Return"),
            MenuEntry(
                "Take out of the scope" if ref in chosen else "Add to the scope",
                lambda: self.scoped.emit(more),
                enabled=bool(chosen),
                why="" if chosen else "The scope is everything now.",
            ),
            MenuEntry(f"Chart {name}", lambda: self.charted.emit(refs), "Ctrl+Return"),
            MenuEntry(
                f"Troubleshoot {shown(str(index.data()), _NAME)}", lambda: self.troubleshoot_wanted.emit(ref)
            ),
            *(
                [MenuEntry("What is its number?", lambda: self.explain_wanted.emit(ref))]
                if index.data(VALUE)
                else []
            ),
            *self.more(refs),
            None,
            MenuEntry("Copy the name", lambda: self._copy_name(index)),
            MenuEntry("Copy the path", lambda: self._copy_path(index)),
            MenuEntry(f"Export {name}…", lambda: self.exported.emit(refs)),
            None,
        ]

    def _of_all(self) -> list[MenuEntry | None]:
        some = self._tree.selectionModel().hasSelection()
        copy: list[MenuEntry | None] = []
        if some:
            copy = [MenuEntry("Copy the chosen rows", self._copy_chosen, COPY)]
        whole, save = table_entries(
            lambda: _table(list(self._visible())), self.copied.emit, self.save_wanted.emit,
            copy_key="" if some else COPY,
        )  # fmt: skip
        return [*copy, whole, save]

    def _visible(self) -> Iterator[QModelIndex]:
        """The rows that are shown or can be scrolled to, top to bottom."""
        index = self._tree.model().index(0, 0)
        while index.isValid():
            yield index
            index = self._tree.indexBelow(index)

    def _copy_chosen(self) -> None:
        select = self._tree.selectionModel()
        rows = [index for index in self._visible() if select.isSelected(index)]
        self.copied.emit(copy_table(_table(rows)))

    def _copy_name(self, index: QModelIndex) -> None:
        self.copied.emit(copy_text(shown(str(index.data())), "The name was"))

    def _copy_path(self, index: QModelIndex) -> None:
        self.copied.emit(copy_text(_path(index), "The path was"))


def _table(rows: Sequence[QModelIndex]) -> TextTable:
    """The rows as a table; headings have no kind."""
    cells = (
        (str(row.data()), row.data(KIND), _path(row), row.data(STATE), row.data(VALUE) or "") for row in rows
    )
    return TextTable("Inventory", _HEADS, tuple(cells))


def _path(index: QModelIndex) -> str:
    """Names from the top down to this one, without headings: ``esx03.lab › db-prod``."""
    names: list[str] = []
    while index.isValid():
        if index.data(REF) is not None:
            names.append(shown(str(index.data())))
        index = index.parent()
    return _STEP.join(reversed(names))
