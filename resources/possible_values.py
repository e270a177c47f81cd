"""What a sample can't be on a running host (resources/possible/values.toml)."""

from __future__ import annotations

import math
from collections.abc import Collection
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import msgspec

from resources.toml_files import checked, read_toml


class ValueRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lowest and highest sample, in the canonical ``unit``, of counters that match one of the patterns
    ``counters``.
    """

    unit: str
    least: float
    most: float
    source: str
    counters: tuple[str, ...] = ("*",)


class FactRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lowest and highest number of facts whose names match one of the patterns ``names``."""

    names: tuple[str, ...]
    least: float
    most: float
    source: str


class NeverZero(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counters of a host, the ``signs``, of which one at least is not 0 on a running host, and what else of
    an ``area`` says nothing where all of these are 0 throughout: counters like ``covers``. ``what`` says it
    as a sentence without its end.
    """

    area: str
    signs: tuple[str, ...]
    covers: tuple[str, ...]
    what: str
    source: str

    def has(self, counter: str) -> bool:
        """Return True if a counter is of this area."""
        return any(fnmatchcase(counter, one) for one in self.covers)


class LeastSamples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many samples tell that something is always zero."""

    least: int
    source: str


class PossibleValues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file. A later range of a counter or fact wins over an earlier one."""

    range: tuple[ValueRange, ...]
    fact: tuple[FactRange, ...]
    never_zero: tuple[NeverZero, ...]
    samples: LeastSamples

    @property
    def signs(self) -> Collection[str]:
        """The counters of hosts that tell whether anything was counted."""
        return {one for area in self.never_zero for one in area.signs}

    def limits(self, counter: str, unit: str) -> tuple[float, float]:
        """Return the lowest and the highest possible sample of a counter."""
        found = -math.inf, math.inf
        for one in self.range:
            if one.unit == unit and any(fnmatchcase(counter, pattern) for pattern in one.counters):
                found = one.least, one.most
        return found

    def fact_limits(self, name: str) -> tuple[float, float]:
        """Return the lowest and the highest possible number of a fact."""
        found = -math.inf, math.inf
        for one in self.fact:
            if any(fnmatchcase(name, pattern) for pattern in one.names):
                found = one.least, one.most
        return found


@cache
def load_possible_values() -> PossibleValues:
    """Load the file. Raises KnowledgeError."""
    path = Path(__file__).parent / "possible" / "values.toml"
    return checked(read_toml(path), PossibleValues, path)
