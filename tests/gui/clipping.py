"""Finds texts and controls that are cut off: wider than their widget, or beyond the edge of the window."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QLabel,
    QTabBar,
    QToolButton,
    QWidget,
)

from widgets.elided_label import ElidedLabel


def clipped(window: QWidget) -> list[str]:
    """Return the visible widgets below ``window`` whose text or whose edges can't be seen."""
    found = []
    for widget in window.findChildren(QWidget):
        if widget.isVisibleTo(window) and widget.width() and not _scrolled_away(widget):
            found += [f"{_name(widget)}: {why}" for why in _reasons(widget, window)]
    return found


def _reasons(widget: QWidget, window: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel):
        yield from _label(widget)
    elif isinstance(widget, QAbstractButton):
        if widget.text() and widget.width() + 1 < _needs(widget):
            yield f"{widget.width()} px wide, its text needs {_needs(widget)}"
    elif isinstance(widget, QComboBox):
        room = widget.width() - 24
        if not widget.isEditable() and widget.fontMetrics().horizontalAdvance(widget.currentText()) > room:
            yield f"{widget.currentText()!r} does not fit into {room} px"
    elif isinstance(widget, QTabBar):
        arrows = [one for one in widget.findChildren(QToolButton) if one.isVisibleTo(window)]
        if arrows:
            yield "tabs are hidden behind arrows"
    if isinstance(widget, QLabel | QAbstractButton | QComboBox):
        inside = QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())
        if not window.rect().adjusted(-1, -1, 1, 1).contains(inside) and not _scroll_area(widget):
            yield f"it lies at {inside.getRect()}, beyond the edge"


def _needs(button: QAbstractButton) -> int:
    if isinstance(button, QCheckBox):
        return button.sizeHint().width()
    return button.minimumSizeHint().width() or button.sizeHint().width()


def _label(label: QLabel) -> Iterator[str]:
    if isinstance(label, ElidedLabel) or not label.text():
        return
    if label.wordWrap():
        needed = label.heightForWidth(label.width())
        if label.height() + 1 < needed:
            yield f"{label.height()} px high, its lines need {needed}"
        return
    needed = label.sizeHint().width()
    if label.width() + 1 < needed:
        yield f"{label.width()} px wide, its text needs {needed}"


def _scroll_area(widget: QWidget) -> bool:
    """Whether it lies in an area that scrolls, where more is to be seen by design."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QAbstractScrollArea):
            return True
        above = above.parentWidget()
    return False


def _scrolled_away(widget: QWidget) -> bool:
    return bool(widget.visibleRegion().isEmpty() and _scroll_area(widget))


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    parent = widget.parentWidget()
    above = f" in {type(parent).__name__} {parent.objectName()}".rstrip() if parent is not None else ""
    words = text.replace("\n", " ")[:60] or widget.objectName() or widget.accessibleName()
    return f"{type(widget).__name__} {words!r}{above}"
