"""The table of the window's panels; each module of this package connects one view to the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.gui.actions import ActionSpec
from app.gui.desk import PanelSpec
from app.gui.panels import (
    charts,
    comparing,
    esxtop,
    findings,
    guided,
    heatmap,
    inventory,
    jobs,
    moved_late,
    overview,
    reporting,
    sources,
    timeline,
    troubleshooting,
)
from resources.views import Screen

_BESIDE_TESTS = frozenset({"inventory", "jobs", "sources", "steps"})
_BESIDE_TROUBLESHOOT = frozenset({"inventory", "jobs", "sources", "timeline"})
_BESIDE_REPORT = frozenset({"inventory", "jobs", "reporting"})
_BESIDE_COMPARE = frozenset({"inventory", "jobs", "comparing"})

PANELS: tuple[PanelSpec, ...] = (
    PanelSpec("inventory", "Inventory", "inventory", "left", inventory.make, ("Ctrl+5",)),
    PanelSpec("steps", "Guided test", "tests", "left", guided.make_steps, shown=False, is_passing=True),
    PanelSpec(
        "comparing", "What is compared", "compare", "left", comparing.make_rail, shown=False, is_passing=True
    ),
    PanelSpec(
        "reporting", "Report contents", "print", "left", reporting.make_rail, shown=False, is_passing=True
    ),
    PanelSpec("overview", "Overview", "overview", "center", overview.make, ("Ctrl+1",)),
    PanelSpec("charts", "Charts", "charts", "center", charts.make, ("Ctrl+2",)),
    PanelSpec("esxtop", "esxtop", "table", "center", esxtop.make, ("Ctrl+3",)),
    PanelSpec("heatmap", "Heat map", "heatmap", "center", heatmap.make, ("Ctrl+4",)),
    PanelSpec(
        "troubleshoot",
        "Troubleshoot",
        "troubleshoot",
        "center",
        troubleshooting.make_page,
        ("Ctrl+8",),
        beside=_BESIDE_TROUBLESHOOT,
    ),
    PanelSpec("tests", "Tests", "tests", "center", guided.make_tests, ("Ctrl+9",), beside=_BESIDE_TESTS),
    PanelSpec(
        "compare", "Compare", "compare", "center", comparing.make_page, ("Ctrl+0",), beside=_BESIDE_COMPARE
    ),
    PanelSpec("report", "Report", "print", "center", reporting.make_page, ("Ctrl+R",), beside=_BESIDE_REPORT),
    PanelSpec("findings", "Findings", "findings", "right", findings.make, ("Ctrl+6",)),
    PanelSpec("jobs", "Jobs", "jobs", "right", jobs.make, shown=False, is_passing=True),
    PanelSpec("sources", "Sources", "connect", "right", sources.make, shown=False, is_passing=True),
    PanelSpec("moved", "What moved with it", "moved", "right", moved_late.make, shown=False, is_passing=True),
    PanelSpec("timeline", "Timeline", "timeline", "bottom", timeline.make, ("Ctrl+7",)),
)
"""The panels in the order of tabs and menu."""


def view_keys(screens: Sequence[Screen]) -> Mapping[str, tuple[ActionSpec, ...]]:
    """Return the keys of the views by panel id; ``screens`` are those of the esxtop view."""
    return {
        "inventory": inventory.KEYS,
        "charts": charts.KEYS,
        "esxtop": esxtop.keys(screens),
        "heatmap": heatmap.KEYS,
        "findings": findings.KEYS,
        "timeline": timeline.KEYS,
        "tests": guided.KEYS,
        "compare": comparing.KEYS,
        "report": reporting.KEYS,
        "moved": moved_late.KEYS,
        "troubleshoot": troubleshooting.KEYS,
    }


def panel_keys(screens: Sequence[Screen]) -> tuple[ActionSpec, ...]:
    """Return the keys that open panels and those of the views in them, for the shortcut sheet."""
    shown = (
        ActionSpec(f"panel.{spec.id}", f"Show {spec.title}", keys=spec.keys) for spec in PANELS if spec.keys
    )
    return (*shown, *(key for keys in view_keys(screens).values() for key in keys))
