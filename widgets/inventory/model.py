"""The Qt item model of the inventory, over plain nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from resources.foreign_text import tooltip_text
from sessions.model import EntityRef
from viewmodels.health import Health
from viewmodels.inventory_tree import Node

REF = Qt.ItemDataRole.UserRole
HEALTH = Qt.ItemDataRole.UserRole + 1
VALUE = Qt.ItemDataRole.UserRole + 2
KIND = Qt.ItemDataRole.UserRole + 3
SEARCH = Qt.ItemDataRole.UserRole + 4

Index = QModelIndex | QPersistentModelIndex


class InventoryModel(QAbstractItemModel):
    """A model with one column; health, value and search text are roles of the same index."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = Node("")
        self._nodes: dict[EntityRef, Node] = {}
        self._health: Mapping[EntityRef, Health] = {}
        self._others: Health = "none"
        self._values: Mapping[EntityRef, str] = {}

    def set_tree(self, root: Node) -> None:
        """Show another tree."""
        self.beginResetModel()
        self._root = root
        self._nodes = {node.ref: node for node in root.walk() if node.ref is not None}
        self.endResetModel()

    def set_health(self, health: Mapping[EntityRef, Health], others: Health = "ok") -> None:
        """Set the health of entities; ``others`` is that of all other entities."""
        touched = set(self._health) | set(health) | (set(self._nodes) if others != self._others else set())
        old, self._health, self._others = self._health, health, others
        self._announce(
            [ref for ref in touched if old.get(ref) != health.get(ref) or ref not in health], HEALTH
        )

    def set_values(self, values: Mapping[EntityRef, str]) -> None:
        """Set the text beside each of these entities."""
        old, self._values = self._values, values
        touched = set(old) | set(values)
        self._announce([ref for ref in touched if old.get(ref) != values.get(ref)], VALUE)

    def index_of(self, ref: EntityRef) -> QModelIndex:
        """Return the index of an entity; an invalid index if it is not in the tree."""
        node = self._nodes.get(ref)
        return QModelIndex() if node is None else self.createIndex(node.row, 0, node)

    @property
    def refs(self) -> Sequence[EntityRef]:
        """Return all entities of the tree."""
        return list(self._nodes)

    @property
    def titles(self) -> Collection[str]:
        """The names of all nodes."""
        return {node.title for node in self._nodes.values()}

    # -- what Qt asks

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Return the index of a child (called by Qt)."""
        node = self._node(parent)
        if column == 0 and 0 <= row < len(node.children):
            return self.createIndex(row, 0, node.children[row])
        return QModelIndex()

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        """Return the index of the parent row, invalid for rows at the top."""
        above = self._node(index).parent if index.isValid() else None
        if above is None or above is self._root:
            return QModelIndex()
        return self.createIndex(above.row, 0, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Return the number of children."""
        return 0 if parent.column() > 0 else len(self._node(parent).children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: ARG002, B008, N802
        """Return 1."""
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return name, health, value or search text of a node."""
        if not index.isValid():
            return None
        answer = _ANSWERS.get(role)
        return answer(self, self._node(index)) if answer is not None else None

    def value_text(self, node: Node) -> str:
        """Return the text beside a node."""
        return self._values.get(node.ref, "") if node.ref is not None else ""

    def state(self, node: Node) -> Health:
        """Return the health of a node; a heading has none."""
        return self._health.get(node.ref, self._others) if node.ref is not None else "none"

    def _node(self, index: Index) -> Node:
        if not index.isValid():
            return self._root
        node = index.internalPointer()
        assert isinstance(node, Node)
        return node

    def _announce(self, refs: Sequence[EntityRef], role: int) -> None:
        roles = [role, Qt.ItemDataRole.AccessibleTextRole]
        if len(refs) > 500:  # one signal for all is cheaper than many
            last = len(self._root.children) - 1
            if last >= 0:
                self.dataChanged.emit(self.index(0, 0), self.index(last, 0), roles)
            return
        for ref in refs:
            index = self.index_of(ref)
            if index.isValid():
                self.dataChanged.emit(index, index, roles)


def _tooltip(_model: InventoryModel, node: Node) -> str:
    return tooltip_text(f"{node.title}\n{node.ref.kind}" if node.ref else node.title)


def _spoken(model: InventoryModel, node: Node) -> str:
    state = model.state(node)
    return ", ".join(
        part for part in (node.title, "" if state == "none" else state, model.value_text(node)) if part
    )


_ANSWERS: dict[int, Callable[[InventoryModel, Node], Any]] = {
    Qt.ItemDataRole.DisplayRole: lambda _model, node: node.title,
    Qt.ItemDataRole.ToolTipRole: _tooltip,
    Qt.ItemDataRole.AccessibleTextRole: _spoken,
    REF: lambda _model, node: node.ref,
    HEALTH: InventoryModel.state,
    VALUE: InventoryModel.value_text,
    KIND: lambda _model, node: node.ref.kind if node.ref else "",
    SEARCH: lambda _model, node: node.search_text,
}
