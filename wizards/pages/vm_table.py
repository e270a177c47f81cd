"""A table of VMs with ticks, for those whose guests do the I/O."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QTableView

from resources.foreign_text import shown, tooltip_text
from wizards.flows.choices import WorkerOffer
from wizards.pages.plain_rows import show_plain_rows

ROW, _NAME_WIDTH = 24, 190
_HEADS = ("VM", "host, and what its guest has")
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class VmModel(QAbstractTableModel):
    """The VMs with their ticks; ``ticked`` when the user changed one."""

    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[WorkerOffer] = []
        self.chosen: set[str] = set()

    def show(self, rows: Sequence[WorkerOffer], chosen: Collection[str]) -> None:
        """Show these VMs, those that can't be chosen last."""
        self.beginResetModel()
        self.rows = sorted(rows, key=lambda one: (one.name not in chosen, bool(one.why_not)))
        self.chosen = set(chosen) & {one.name for one in rows}
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802
        """Return the number of VMs."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802
        """Return the number of columns."""
        return 0 if parent.isValid() else len(_HEADS)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return that a VM can be ticked, unless something speaks against it."""
        one = self.rows[index.row()]
        if one.why_not and one.name not in self.chosen:
            return Qt.ItemFlag.ItemIsSelectable
        found = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return found | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return name or state, and whether it is ticked."""
        one = self.rows[index.row()]
        text = one.name if index.column() == 0 else one.why_not or one.about
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(text, 120)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip_text(text) if text else None
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == 0:
            return Qt.CheckState.Checked if one.name in self.chosen else Qt.CheckState.Unchecked
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Tick a VM, or clear its tick."""
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        name = self.rows[index.row()].name
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self.chosen.add(name)
        else:
            self.chosen.discard(name)
        self.dataChanged.emit(index, index, [role])
        self.ticked.emit()
        return True

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the headings."""
        is_head = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return _HEADS[section] if is_head else None


def vm_table(model: QSortFilterProxyModel) -> QTableView:
    """Return the table of a model of VMs."""
    table = QTableView()
    table.setModel(model)
    table.setAccessibleName("VMs that do the I/O")
    show_plain_rows(table, ROW, ROW)
    head = table.horizontalHeader()
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    head.resizeSection(0, _NAME_WIDTH)
    head.setStretchLastSection(True)
    return table
