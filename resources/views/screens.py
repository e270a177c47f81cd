"""The screens of the esxtop view, as esxtop's admins know them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, read_toml, wrong


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A screen: which entities have a row, which counters a column, and the keys that esxtop has for it.

    ``each``: a row of each instance of the entity's series (a CPU, an interrupt) instead of one an entity;
    ``instance``: the word for such a row, which sources put before its number or leave out.
    """

    key: str
    id: str
    title: str
    kinds: tuple[EntityKind, ...]
    below: tuple[EntityKind, ...]
    columns: tuple[str, ...]
    more: tuple[str, ...]
    sort: dict[str, str]
    head: tuple[str, ...]
    each: bool = False
    instance: str = ""
    note: str = ""

    @property
    def default_sort(self) -> str:
        """The column that it is sorted by at first, largest on top."""
        return next(iter(self.sort.values()))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    screen: list[Screen]


def load_screens(
    catalogue: Catalogue, path: Path = RESOURCES / "views" / "esxtop.toml"
) -> tuple[Screen, ...]:
    """Read the table; a counter that the catalogue does not know raises KnowledgeError."""
    screens = checked(read_toml(path), _File, path).screen
    for screen in screens:
        for counter in (*screen.columns, *screen.more, *screen.head, *screen.sort.values()):
            if counter not in catalogue:
                raise wrong(path, screen.id, f"no counter is called {counter}")
    return tuple(screens)
