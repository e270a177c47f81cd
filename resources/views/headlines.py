"""Loads the headline counters: the one number beside an entity in the inventory (views/headlines.toml)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml


class Headline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The headline of a kind of entity: the first of ``counters`` that an entity has.

    ``suffix`` is written after the unit of the first counter.
    """

    kind: EntityKind
    counters: tuple[str, ...]
    suffix: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    headline: list[Headline]


def load_headlines(
    catalogue: Catalogue, path: Path = RESOURCES / "views" / "headlines.toml"
) -> dict[str, Headline]:
    """Load the headlines by kind of entity. Raises KnowledgeError for a counter that is not in the
    catalogue.
    """
    found = checked(read_toml(path), _File, path).headline
    for headline in found:
        for counter in headline.counters:
            if counter not in catalogue:
                raise knowledge_error(path, headline.kind, f"no counter is called {counter}")
    return {headline.kind: headline for headline in found}
