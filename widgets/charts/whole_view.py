"""A graphics item that covers the whole visible part of a plot."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF


class WholeView(pg.GraphicsObject):  # type: ignore[misc]
    """An item as large as the visible range: it draws only what is visible, and again when that changes."""

    def boundingRect(self) -> QRectF:  # noqa: N802
        """Return the visible range of the plot."""
        view = self.getViewBox()
        return QRectF(view.viewRect()) if view is not None else QRectF()

    def viewRangeChanged(self, *_args: object) -> None:  # noqa: N802
        """Redraw for another visible range (called by pyqtgraph)."""
        self.prepareGeometryChange()
        self.update()

    viewTransformChanged = viewRangeChanged  # noqa: N815
