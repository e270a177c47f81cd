"""Loads the chart templates: which charts suit which kind of entity (views/charts.toml)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml


class ChartTemplate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chart for each entity whose kind is in ``on``; ``note`` says what its numbers are per (say, per
    vCPU).
    """

    on: tuple[EntityKind, ...]
    title: str
    counters: tuple[str, ...]
    note: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    chart: list[ChartTemplate]


def load_chart_templates(
    catalogue: Catalogue, path: Path = RESOURCES / "views" / "charts.toml"
) -> tuple[ChartTemplate, ...]:
    """Load the chart templates. Raises KnowledgeError for a counter that is not in the catalogue."""
    templates = checked(read_toml(path), _File, path).chart
    for template in templates:
        for counter in template.counters:
            if counter not in catalogue:
                raise knowledge_error(path, template.title, f"no counter is called {counter}")
    return tuple(templates)
