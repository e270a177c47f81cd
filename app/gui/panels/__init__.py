"""The panels of the window, as a table; each module beside this one joins a view to the models."""

from __future__ import annotations

from app.gui.desk import PanelSpec
from app.gui.panels import charts, esxtop, findings, inventory, timeline

PANELS: tuple[PanelSpec, ...] = (
    PanelSpec("inventory", "Inventory", "inventory", "left", inventory.make),
    PanelSpec("charts", "Charts", "charts", "center", charts.make, ("Ctrl+2",)),
    PanelSpec("esxtop", "esxtop", "table", "center", esxtop.make, ("Ctrl+3",)),
    PanelSpec("findings", "Findings", "findings", "right", findings.make),
    PanelSpec("timeline", "Timeline", "timeline", "bottom", timeline.make),
)
"""In the order in which tabs and menu show them."""
