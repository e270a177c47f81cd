"""A panel that is made when it is first shown: what few look at costs no start, and no change of theme."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget


class LatePanel(QWidget):
    """The place of a panel. ``make`` makes its view, and is called once."""

    def __init__(self, make: Callable[[], QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make: Callable[[], QWidget] | None = make
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Make the view."""
        make, self._make = self._make, None
        if make is not None:
            view = make()
            self._column.addWidget(view)
            view.show()  # now, so that it can take the keys
            self.setFocusProxy(view)
            self.setAccessibleName(view.accessibleName())
        super().showEvent(event)
