"""Loads what the overview page shows: small charts and top lists (views/overview.toml)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml


class OverviewChart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A small chart: the first (kind, counter) that the session has, for the entities with the highest
    values.

    Values are multiplied by those of the counter ``by`` of the same entity before they are ranked. Entities
    whose name matches the pattern ``leave_out`` as a whole have no place in it.
    """

    title: str
    counters: tuple[tuple[EntityKind, str], ...]
    by: str = ""
    leave_out: str = ""


class Talkers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A top list: the entities of a kind with the highest ``statistic`` of a counter."""

    title: str
    kind: EntityKind
    counter: str
    statistic: Literal["mean", "max"]


class Overview(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The charts and top lists of the overview page."""

    chart: tuple[OverviewChart, ...]
    talkers: tuple[Talkers, ...]


def load_overview(catalogue: Catalogue, path: Path = RESOURCES / "views" / "overview.toml") -> Overview:
    """Load the overview page. Raises KnowledgeError for a counter that is not in the catalogue."""
    page = checked(read_toml(path), Overview, path)
    named = [counter for chart in page.chart for _, counter in chart.counters]
    named += [chart.by for chart in page.chart if chart.by]
    for counter in (*named, *(talkers.counter for talkers in page.talkers)):
        if counter not in catalogue:
            raise knowledge_error(path, counter, "no counter is called so")
    return page
