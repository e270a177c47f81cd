"""Loads the limits by which views colour numbers: thresholds of problem cards, by counter and kind of
entity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from resources.counter_schema import EntityKind
from resources.problem_cards import Problems, Threshold
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

State = Literal["", "warning", "critical"]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    counter: str
    kinds: tuple[EntityKind, ...]
    warning: str
    critical: str = ""
    load: str = ""
    least: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    limit: list[_Entry]


@dataclass(frozen=True, slots=True)
class CounterLimits:
    """The limits above which a number is shown as a warning or as critical; ``problem`` is the card's id.

    They hold only while the counter ``load`` of the same entity is at least ``least``, if there is one.
    ``storage_class`` is the title of the class of storage that has these limits ("NVMe"), ``because`` says so
    with the set that judges it ("class NVMe, yours v2 of 2026-11-22"); both are empty for limits of all.
    """

    problem: str
    warning: Threshold
    critical: Threshold | None = None
    load: str = ""
    least: Threshold | None = None
    storage_class: str = ""
    because: str = ""

    def state(self, value: float) -> State:
        """Return how bad a value is: "critical", "warning" or ""; NaN is ""."""
        if self.critical is not None and value > self.critical.value:
            return "critical"
        return "warning" if value > self.warning.value else ""

    @property
    def depends_on_class(self) -> bool:
        """True if classes of storage have limits of their own."""
        return any(one is not None and one.of_class for one in (self.warning, self.critical))


class LimitsByCounter:
    """Limits by counter and kind of entity."""

    def __init__(self, entries: Mapping[tuple[str, str], CounterLimits]) -> None:
        self._entries = dict(entries)

    def of(self, counter: str, kind: str) -> CounterLimits | None:
        """Return the limits of a counter on entities of a kind, None if there are none."""
        return self._entries.get((counter, kind))

    def items(self) -> Iterable[tuple[tuple[str, str], CounterLimits]]:
        """Return ((counter, kind), limits) for all limits, in the order of the file."""
        return self._entries.items()

    def __len__(self) -> int:
        return len(self._entries)


def load_limits(problems: Problems, path: Path = RESOURCES / "views" / "limits.toml") -> LimitsByCounter:
    """Load the limits. Raises KnowledgeError for a threshold that no card has."""
    thresholds = {
        f"{card.id}/{name}": threshold
        for card in problems.cards
        for name, threshold in card.thresholds.items()
    }
    found: dict[tuple[str, str], CounterLimits] = {}
    for entry in checked(read_toml(path), _File, path).limit:
        for name in filter(None, (entry.warning, entry.critical, entry.least)):
            if name not in thresholds:
                raise knowledge_error(path, entry.counter, f"no problem card has the threshold {name}")
        limits = CounterLimits(
            entry.warning.partition("/")[0],
            thresholds[entry.warning],
            thresholds[entry.critical] if entry.critical else None,
            entry.load,
            thresholds[entry.least] if entry.least else None,
        )
        for kind in entry.kinds:
            found[entry.counter, kind] = limits
    return LimitsByCounter(found)
