"""The charts that suit a kind of entity."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, read_toml, wrong


class ChartTemplate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chart of every entity whose kind is in ``on``; ``note`` says what its numbers are per."""

    on: tuple[EntityKind, ...]
    title: str
    counters: tuple[str, ...]
    note: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    chart: list[ChartTemplate]


def load_chart_templates(
    catalogue: Catalogue, path: Path = RESOURCES / "views" / "charts.toml"
) -> tuple[ChartTemplate, ...]:
    """Read the table; a counter that the catalogue does not know raises KnowledgeError."""
    templates = checked(read_toml(path), _File, path).chart
    for template in templates:
        for counter in template.counters:
            if counter not in catalogue:
                raise wrong(path, template.title, f"no counter is called {counter}")
    return tuple(templates)
