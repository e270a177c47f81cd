"""Requests of views that concern marks: to change a mark's note, or to remove the mark."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class MarkRequests(QObject):
    """Signals: ``edit`` with a Mark and its position on the screen (QPoint); ``remove`` with a Mark."""

    edit = Signal(object, object)
    remove = Signal(object)
