"""The carets before rows of a tree that can be expanded, plain and in the theme's colour."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QTreeView

from widgets.theme import Theme


def draw_caret(
    tree: QTreeView,
    painter: QPainter,
    rect: QRect,
    index: QModelIndex | QPersistentModelIndex,
    theme: Theme,
) -> None:
    """Draw a row's caret, if it has rows below it; ``rect`` is what Qt gives ``drawBranches``."""
    if tree.model().rowCount(index) == 0:
        return
    caret = "▾" if tree.isExpanded(index) else "▸"
    painter.save()
    painter.setPen(QColor(theme.tokens.muted))
    box = QRect(rect.right() - tree.indentation() + 1, rect.top(), tree.indentation(), rect.height())
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, caret)
    painter.restore()
