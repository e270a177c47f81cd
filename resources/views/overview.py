"""What the overview page shows."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, read_toml, wrong


class OverviewChart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A small chart: the first (kind, counter) that the session has, of the entities that have most of it.

    ``by`` is a counter by which values are weighed first, where an entity has it.
    """

    title: str
    counters: tuple[tuple[EntityKind, str], ...]
    by: str = ""


class Talkers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A list of the entities of a kind that have most of a counter."""

    title: str
    kind: EntityKind
    counter: str
    statistic: Literal["mean", "max"]


class Overview(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of the page."""

    chart: tuple[OverviewChart, ...]
    talkers: tuple[Talkers, ...]


def load_overview(catalogue: Catalogue, path: Path = RESOURCES / "views" / "overview.toml") -> Overview:
    """Read the table; a counter that the catalogue does not know raises KnowledgeError."""
    page = checked(read_toml(path), Overview, path)
    named = [counter for chart in page.chart for _, counter in chart.counters]
    named += [chart.by for chart in page.chart if chart.by]
    for counter in (*named, *(talkers.counter for talkers in page.talkers)):
        if counter not in catalogue:
            raise wrong(path, counter, "no counter is called so")
    return page
