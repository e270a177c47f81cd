"""The Qt item model of the inventory, over plain nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from resources.foreign_text import tooltip_text
from sessions.model import EntityRef
from viewmodels.entity_states import PARTS
from viewmodels.entity_words import KINDS
from viewmodels.health import PASSED_ON, RANK, SPOKEN, Health, Symbol
from viewmodels.inventory_tree import Node

REF = Qt.ItemDataRole.UserRole
HEALTH = Qt.ItemDataRole.UserRole + 1
VALUE = Qt.ItemDataRole.UserRole + 2
KIND = Qt.ItemDataRole.UserRole + 3
IS_BELOW = Qt.ItemDataRole.UserRole + 5
STATE = Qt.ItemDataRole.UserRole + 6

Index = QModelIndex | QPersistentModelIndex
_NAMED = 4
"""How many troubles below it the tooltip of a heading names."""


Reasons = Callable[[EntityRef], Sequence[str]]
"""Returns the sentences that say why an entity has its symbol."""


class InventoryModel(QAbstractItemModel):
    """A model with one column; health and value are roles of the same index.

    A heading shows the worst of what is below it.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = Node("")
        self._nodes: dict[EntityRef, Node] = {}
        self._symbols: Mapping[EntityRef, Symbol] = {}
        self._judged: Collection[EntityRef] = ()
        self._headings: Mapping[Node, Health] = {}
        self._reasons: Reasons = lambda _ref: ()
        self._values: Mapping[EntityRef, str] = {}

    def set_tree(self, root: Node) -> None:
        """Show another tree."""
        self.beginResetModel()
        self._root = root
        self._nodes = {node.ref: node for node in root.walk() if node.ref is not None}
        self._headings = self._worst_by_heading()
        self.endResetModel()

    def set_health(
        self,
        symbols: Mapping[EntityRef, Symbol],
        judged: Collection[EntityRef] = (),
        reasons: Reasons = lambda _ref: (),
    ) -> None:
        """Set the symbols of these entities; all others are "ok" if they are among those ``judged``."""
        old, self._symbols, self._reasons = self._symbols, symbols, reasons
        touched = {ref for ref in {*old, *symbols} if old.get(ref) != symbols.get(ref)}
        if self._judged != judged:
            touched |= set(self._nodes)
        self._judged = judged
        before, self._headings = self._headings, self._worst_by_heading()
        self._announce(list(touched), HEALTH)
        for heading in {*before, *self._headings}:
            if before.get(heading) != self._headings.get(heading):
                index = self.createIndex(heading.row, 0, heading)
                self.dataChanged.emit(index, index, [HEALTH])

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
    def root(self) -> Node:
        """The root of the tree that is shown."""
        return self._root

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
        """Return name, health or value of a node."""
        if not index.isValid():
            return None
        answer = _ANSWERS.get(role)
        return answer(self, self._node(index)) if answer is not None else None

    def value_text(self, node: Node) -> str:
        """Return the text beside a node."""
        return self._values.get(node.ref, "") if node.ref is not None else ""

    def symbol(self, node: Node) -> Symbol:
        """Return the symbol of a node."""
        ref = node.ref
        if ref is None:
            return Symbol(self._headings.get(node, "none"), is_below=True)
        known = self._symbols.get(ref)
        if known is not None:
            return known
        return Symbol("ok" if ref in self._judged else "part" if ref.kind in PARTS else "none")

    def reasons(self, ref: EntityRef) -> Sequence[str]:
        """Return the sentences that say why an entity has its symbol."""
        return self._reasons(ref)

    def troubles_below(self, node: Node) -> Sequence[str]:
        """Return a line for each of the worst entities below a heading that have a problem of their own."""
        below = list(node.children)
        found: list[tuple[Node, Health]] = []
        while below:
            one = below.pop(0)
            below[:0] = one.children
            symbol = self._symbols.get(one.ref) if one.ref is not None else None
            if symbol is not None and not symbol.is_below and symbol.health in PASSED_ON:
                found.append((one, symbol.health))
        found.sort(key=lambda pair: -RANK[pair[1]])
        more = [f"and {len(found) - _NAMED} more"] if len(found) > _NAMED else []
        return [*(f"{one.title}: {SPOKEN[health]}" for one, health in found[:_NAMED]), *more]

    def _worst_by_heading(self) -> Mapping[Node, Health]:
        found: dict[Node, Health] = {}
        for ref, symbol in self._symbols.items():
            node = self._nodes.get(ref)
            above = node.parent if node is not None and symbol.health in PASSED_ON else None
            while above is not None:
                if above.ref is None and RANK[symbol.health] > RANK[found.get(above, "none")]:
                    found[above] = symbol.health
                above = above.parent
        return found

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


def _tooltip(model: InventoryModel, node: Node) -> str:
    if node.ref is None:
        return tooltip_text("\n".join([node.title, *model.troubles_below(node)]))
    return tooltip_text("\n".join([f"{node.title} · {KINDS[node.ref.kind][0]}", *model.reasons(node.ref)]))


def _state_text(model: InventoryModel, node: Node) -> str:
    symbol = model.symbol(node)
    state = "" if node.ref is None and symbol.health == "none" else SPOKEN[symbol.health]
    return f"{state} below it" if symbol.is_below and state else state


def _spoken(model: InventoryModel, node: Node) -> str:
    parts = (node.title, _state_text(model, node), model.value_text(node))
    return ", ".join(part for part in parts if part)


_ANSWERS: dict[int, Callable[[InventoryModel, Node], Any]] = {
    Qt.ItemDataRole.DisplayRole: lambda _model, node: node.title,
    Qt.ItemDataRole.ToolTipRole: _tooltip,
    Qt.ItemDataRole.AccessibleTextRole: _spoken,
    REF: lambda _model, node: node.ref,
    HEALTH: lambda model, node: model.symbol(node).health,
    IS_BELOW: lambda model, node: model.symbol(node).is_below,
    STATE: _state_text,
    VALUE: InventoryModel.value_text,
    KIND: lambda _model, node: node.ref.kind if node.ref else "",
}
