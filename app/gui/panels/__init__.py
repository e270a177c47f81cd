"""The panels of the window, as a table; each module beside this one joins a view to the models."""

from __future__ import annotations

from app.gui.desk import PanelSpec

PANELS: tuple[PanelSpec, ...] = ()
"""In the order in which tabs and menu show them."""
