"""The panel of the guided troubleshooting, loaded and made when it is first shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.late_panel import LatePanel
from wizards.pages import troubleshoot_keys

KEYS = view_actions("troubleshoot", troubleshoot_keys.KEYS)


def make_page(desk: Desk) -> QWidget:
    """Return the place of the Troubleshoot page."""

    def made() -> QWidget:
        from app.gui.panels import troubleshoot  # noqa: PLC0415 - few look at it, and all wait for the start

        return troubleshoot.make(desk)

    return LatePanel(made)
