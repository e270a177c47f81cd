"""Loads how PowerShell and PowerCLI write what Get-Stat returns (resources/vcenter/get_stat.toml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

_FILE = RESOURCES / "vcenter" / "get_stat.toml"


class _Halves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    am: list[str]
    pm: list[str]
    silent: list[str]
    source: str


class _Intervals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seconds: list[int]
    source: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    columns: dict[str, list[str]]
    halves: _Halves
    units: dict[str, str]
    intervals: _Intervals


@dataclass(frozen=True, slots=True)
class GetStatForms:
    """``columns``: what a column is, by its name in lower case. ``afternoon``: whether a word beside a time
    (lower case, without spaces and dots) means the second half of the day; ``silent``: words that mean
    nothing. ``units``: the API's key of a unit, by its label in lower case. ``intervals_s``: how long samples
    of a vCenter usually are, ascending.
    """

    columns: Mapping[str, str]
    afternoon: Mapping[str, bool]
    silent: frozenset[str]
    units: Mapping[str, str]
    intervals_s: tuple[int, ...]


@cache
def load_get_stat_forms() -> GetStatForms:
    """Load the file. Raises KnowledgeError."""
    file = checked(read_toml(_FILE), _File, _FILE)
    halves = {word.casefold(): False for word in file.halves.am}
    halves |= {word.casefold(): True for word in file.halves.pm}
    return GetStatForms(
        columns={name.casefold(): what for what, names in file.columns.items() for name in names},
        afternoon=halves,
        silent=frozenset(file.halves.silent),
        units={label.casefold(): key for label, key in file.units.items()},
        intervals_s=tuple(sorted(file.intervals.seconds)),
    )
