"""A drawing that covers all that a plot shows, and is drawn anew when that changes."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF


class WholeView(pg.GraphicsObject):  # type: ignore[misc]
    """What lies outside of the window is not drawn, so the item is as large as the window."""

    def boundingRect(self) -> QRectF:  # noqa: N802
        """All that is visible."""
        view = self.getViewBox()
        return QRectF(view.viewRect()) if view is not None else QRectF()

    def viewRangeChanged(self, *_args: object) -> None:  # noqa: N802
        """As pyqtgraph says it: another window."""
        self.prepareGeometryChange()
        self.update()

    viewTransformChanged = viewRangeChanged  # noqa: N815
