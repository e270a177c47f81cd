"""Loads the names of all counters of vSphere 6.5, and the units that the API documents
(resources/vcenter/counters_65.toml).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

_FILE = RESOURCES / "vcenter" / "counters_65.toml"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    units: list[str]
    units_source: str
    names: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class DocumentedCounters:
    """``names`` (``group.name.rollup``) are those that vCenter and ESXi 6.5 define, ``units`` the keys of
    all units that the API documents.
    """

    names: frozenset[str]
    units: frozenset[str]


@cache
def load_documented_counters() -> DocumentedCounters:
    """Load the file. Raises KnowledgeError."""
    file = checked(read_toml(_FILE), _File, _FILE)
    names = frozenset(f"{group}.{name}" for group, names in file.names.items() for name in names)
    return DocumentedCounters(names, frozenset(file.units))
