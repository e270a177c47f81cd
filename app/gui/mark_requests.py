"""What views ask of marks: to change the note of one, or to take one away."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class MarkRequests(QObject):
    """``edit`` with a Mark and where on the screen it is (QPoint); ``remove`` with a Mark."""

    edit = Signal(object, object)
    remove = Signal(object)
