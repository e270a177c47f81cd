"""The panels of the report, loaded and made when they are first shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.late_panel import LatePanel
from wizards.pages import report_keys

KEYS = view_actions("report", report_keys.KEYS)


def make_page(desk: Desk) -> QWidget:
    """Return the place of the Report page."""

    def made() -> QWidget:
        from app.gui.panels import report  # noqa: PLC0415 - few look at it, and all wait for the start

        return report.make(desk)

    return LatePanel(made)


def make_rail(desk: Desk) -> QWidget:
    """Return the place of the pane with the contents."""

    def made() -> QWidget:
        from app.gui.panels import report_rail  # noqa: PLC0415 - few look at it, and all wait for the start

        return report_rail.make(desk)

    return LatePanel(made)
