"""The panel of what moved, loaded and made when it is first shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.late_panel import LatePanel
from widgets.moved import keys

KEYS = view_actions("moved", keys.KEYS)


def make(desk: Desk) -> QWidget:
    """Return the place of the pane."""

    def made() -> QWidget:
        from app.gui.panels import moved  # noqa: PLC0415 - few ask, and all wait for the start

        return moved.make(desk)

    return LatePanel(made)
