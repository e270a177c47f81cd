"""Loads how records of the API's esxtop service contain one another, and what holds among their numbers
(resources/esxtop_service/records.toml).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from resources.toml_files import checked, knowledge_files, read_toml, shipped_once

__all__ = [
    "EsxtopRecords",
    "Identity",
    "KnownLayout",
    "Polling",
    "ReplyLimits",
    "load_esxtop_layouts",
    "load_esxtop_records",
]


class ReplyLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How large a reply may be; a larger one is refused unread.

    A layout fits as long as no identity is broken in more than the part ``broken_part`` of its records.
    """

    reply_bytes: int
    broken_part: float
    source: str


class Polling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often hosts are asked, in seconds; ``most_hosts`` are recorded at once.

    ``missed`` intervals without a sample end the comparison with what was before. A host's clock that moves
    by more than ``clock_jump_s`` against its time since the boot was set.
    """

    usual_s: float
    least_s: float
    most_hosts: int
    grace_s: float
    refused_s: float
    missed: int
    clock_jump_s: float
    source: str


class Identity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that holds among the numbers of each record of a type, whatever the host does.

    The sum of the fields ``left`` is the sum of ``right`` ("equal"), or at least that ("at least"). A field
    ``VMNUMANodeMem.GuestMemInKB`` is the sum over the record's children. "alike in a core": ``left`` has the
    same value for all threads of a core. ``only`` names a field that is 0 where it need not hold. It may be
    off by ``absolute``, or by ``relative`` of the right side.
    """

    name: str
    record: str
    left: tuple[str, ...]
    source: str
    right: tuple[str, ...] = ()
    relation: Literal["equal", "at least", "alike in a core"] = "equal"
    only: str = ""
    absolute: float = 0.0
    relative: float = 0.0


class EsxtopRecords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known of the records.

    ``children`` parent → child → the parent's field that counts the children, empty where none does.
    """

    source: str
    limits: ReplyLimits
    polling: Polling
    children: dict[str, dict[str, str]]
    identity: tuple[Identity, ...]

    def parent_of(self, record: str) -> str:
        """Return the type of record that contains records of a type; empty for one that stands alone."""
        return next((parent for parent, children in self.children.items() if record in children), "")

    def names(self) -> frozenset[str]:
        """Return the types of records whose place is known."""
        return frozenset(self.children).union(*self.children.values())

    def descendants(self, record: str) -> frozenset[str]:
        """Return the types of all records that may stand below one of the type ``record``."""
        below = self.children.get(record, {})
        return frozenset(below).union(*(self.descendants(child) for child in below))


class KnownLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The CounterInfo of a release, as its hosts write it."""

    name: str
    source: str
    counter_info: str


class _Layouts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    layout: tuple[KnownLayout, ...]


@shipped_once
def load_esxtop_records(extra_dirs: Sequence[Path] = ()) -> EsxtopRecords:
    """Load it; a file of the same name in ``extra_dirs`` replaces ours. Raises KnowledgeError."""
    path = _file("records.toml", extra_dirs)
    return checked(read_toml(path), EsxtopRecords, path)


@shipped_once
def load_esxtop_layouts(extra_dirs: Sequence[Path] = ()) -> tuple[KnownLayout, ...]:
    """Load the layouts of known releases (layouts.toml), likewise. Raises KnowledgeError."""
    path = _file("layouts.toml", extra_dirs)
    return checked(read_toml(path), _Layouts, path).layout


def _file(name: str, extra_dirs: Sequence[Path]) -> Path:
    places = [path for place in knowledge_files("esxtop_service", extra_dirs) for path in place]
    return [one for one in places if one.name == name][-1]
