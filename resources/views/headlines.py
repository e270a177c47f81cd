"""The one number beside an entity in the inventory."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, read_toml, wrong


class Headline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first of ``counters`` that an entity of this kind has; ``suffix`` follows the first one's unit."""

    kind: EntityKind
    counters: tuple[str, ...]
    suffix: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    headline: list[Headline]


def load_headlines(
    catalogue: Catalogue, path: Path = RESOURCES / "views" / "headlines.toml"
) -> dict[str, Headline]:
    """Headlines by kind of entity; a counter that the catalogue does not know raises KnowledgeError."""
    found = checked(read_toml(path), _File, path).headline
    for headline in found:
        for counter in headline.counters:
            if counter not in catalogue:
                raise wrong(path, headline.kind, f"no counter is called {counter}")
    return {headline.kind: headline for headline in found}
