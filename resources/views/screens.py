"""Loads the screens of the esxtop view (views/esxtop.toml)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.catalogue import Catalogue
from resources.counter_schema import EntityKind
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A screen of the esxtop view: the kinds of entities in its rows, its columns, and esxtop's keys for it.

    ``deciding`` columns come first, ``columns`` after them; ``more`` can be added; ``classic`` are esxtop's
    own, in its order. ``below``: kinds that an expanded row shows. ``sort``: counter to sort by, by key;
    ``default``: the one to sort by at first, if it is not the first of these.
    ``head``: counters above the table. ``each``: one row for each instance of the entity's series (a CPU, an
    interrupt) instead of one for the entity; ``instance`` is the word before such an instance's number, which
    some sources leave out. ``same``: a counter that stands in the column of another one where that is shown.
    ``tab``: the title where there is little room.
    """

    key: str
    id: str
    title: str
    kinds: tuple[EntityKind, ...]
    below: tuple[EntityKind, ...]
    deciding: tuple[str, ...]
    columns: tuple[str, ...]
    more: tuple[str, ...]
    classic: tuple[str, ...]
    sort: dict[str, str]
    head: tuple[str, ...]
    each: bool = False
    instance: str = ""
    note: str = ""
    default: str = ""
    same: dict[str, str] = {}
    tab: str = ""

    @property
    def short(self) -> str:
        """The title where there is little room."""
        return self.tab or self.title

    @property
    def standard(self) -> tuple[str, ...]:
        """The columns that are shown unless the user chose others: the deciding ones first."""
        return (*self.deciding, *self.columns)

    @property
    def default_sort(self) -> str:
        """The counter by which the screen is sorted at first, largest value on top."""
        return self.default or next(iter(self.sort.values()))


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    screen: list[Screen]


def load_screens(
    catalogue: Catalogue, path: Path = RESOURCES / "views" / "esxtop.toml"
) -> tuple[Screen, ...]:
    """Load the screens. Raises KnowledgeError for a counter that is not in the catalogue."""
    screens = checked(read_toml(path), _File, path).screen
    for screen in screens:
        all_columns = (*screen.standard, *screen.more)
        for counter in (*all_columns, *screen.head, *screen.sort.values(), *screen.same):
            if counter not in catalogue:
                raise knowledge_error(path, screen.id, f"no counter is called {counter}")
        for counter in (*screen.classic, screen.default_sort, *screen.same.values()):
            if counter not in all_columns:
                raise knowledge_error(path, screen.id, f"{counter} is no column of the screen")
    return tuple(screens)
