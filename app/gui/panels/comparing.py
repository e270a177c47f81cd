"""The panels of the comparison, loaded and made when they are first shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.late_panel import LatePanel
from wizards.pages import compare_keys

KEYS = view_actions("compare", compare_keys.KEYS)


def make_page(desk: Desk) -> QWidget:
    """Return the place of the Compare page."""

    def made() -> QWidget:
        from app.gui.panels import compare  # noqa: PLC0415 - few look at it, and all wait for the start

        return compare.make(desk)

    return LatePanel(made)


def make_rail(desk: Desk) -> QWidget:
    """Return the place of the pane with A and B."""

    def made() -> QWidget:
        from app.gui.panels import compare_rail  # noqa: PLC0415 - few look at it, and all wait for the start

        return compare_rail.make(desk)

    return LatePanel(made)
