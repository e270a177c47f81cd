"""A view that is given the keyboard focus passes it on to one of its parts.

Qt's own focus proxy would make Tab skip all that comes before that part: the search above a list.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget


class FocusPassing(QObject):
    """Passes the focus of ``view`` on to the widget that ``part`` returns at that moment (None: it stays)."""

    def __init__(self, view: QWidget, part: Callable[[], QWidget | None]) -> None:
        super().__init__(view)
        self._part = part
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Hand the focus on when the view gets it."""
        if isinstance(event, QFocusEvent) and event.gotFocus():
            part = self._part()
            if part is not None:
                part.setFocus(event.reason())
        return super().eventFilter(watched, event)
