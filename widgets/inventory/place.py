"""What somebody looks at in a tree: which rows are open and what is scrolled to, kept over a rebuild."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QTreeView

from sessions.model import EntityRef
from widgets.inventory.model import REF

Key = EntityRef | str
"""Identifies a row: its entity, or the title of a heading."""


@dataclass(frozen=True, slots=True)
class Place:
    """The open and closed rows that have others below them, the scroll position, and the current row."""

    is_open: Mapping[Key, bool] = field(default_factory=dict)
    scrolled: int = 0
    current: Key | None = None


def place_of(tree: QTreeView) -> Place:
    """Return what somebody looks at now."""
    rows = {_key(index): tree.isExpanded(index) for index in _parents(tree)}
    current = tree.currentIndex()
    return Place(rows, tree.verticalScrollBar().value(), _key(current) if current.isValid() else None)


def return_to(place: Place, tree: QTreeView, index_of: Callable[[EntityRef], QModelIndex]) -> None:
    """Open and close the rows as they were, and scroll there; rows that are new stay as they are."""
    for index in list(_parents(tree)):
        was_open = place.is_open.get(_key(index))
        if was_open is not None and was_open != tree.isExpanded(index):
            tree.setExpanded(index, was_open)
    if isinstance(place.current, EntityRef):
        current = index_of(place.current)
        if current.isValid():
            keep = tree.selectionModel().SelectionFlag.NoUpdate
            tree.selectionModel().setCurrentIndex(current, keep)
    tree.doItemsLayout()  # else the scroll bar still has the range of the rows before
    tree.verticalScrollBar().setValue(place.scrolled)


def _key(index: QModelIndex) -> Key:
    ref = index.data(REF)
    return ref if isinstance(ref, EntityRef) else str(index.data())


def _parents(tree: QTreeView, below: QModelIndex | None = None) -> Iterator[QModelIndex]:
    model, parent = tree.model(), below or QModelIndex()
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        if model.rowCount(index):
            yield index
            yield from _parents(tree, index)
