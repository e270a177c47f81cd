"""How the tables of guided tests look: whole rows, without a grid, which are read and not written."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QTableView


def show_plain_rows(table: QTableView, row_height: int, head_height: int) -> None:
    """Have a table show rows of one height under headings that do nothing when they are clicked."""
    table.setShowGrid(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    rows, head = table.verticalHeader(), table.horizontalHeader()
    rows.hide()
    rows.setDefaultSectionSize(row_height)
    rows.setMinimumSectionSize(row_height)
    head.setFixedHeight(head_height)
    head.setHighlightSections(False)
    head.setSectionsClickable(False)
