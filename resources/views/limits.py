"""The limits that views colour numbers by: for a counter and a kind of entity, thresholds of a card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from resources.counter_schema import EntityKind
from resources.problem_cards import Problems, Threshold
from resources.toml_files import RESOURCES, checked, read_toml, wrong

State = Literal["", "warning", "critical"]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    counter: str
    kinds: tuple[EntityKind, ...]
    warning: str
    critical: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    limit: list[_Entry]


@dataclass(frozen=True, slots=True)
class CounterLimits:
    """Above ``warning`` a number is coloured, above ``critical`` more so; ``problem`` is the card's id."""

    problem: str
    warning: Threshold
    critical: Threshold | None = None

    def state(self, value: float) -> State:
        """How bad a value is; NaN is not."""
        if self.critical is not None and value > self.critical.value:
            return "critical"
        return "warning" if value > self.warning.value else ""


class LimitsByCounter:
    """Limits by counter and kind of entity."""

    def __init__(self, entries: Mapping[tuple[str, str], CounterLimits]) -> None:
        self._entries = dict(entries)

    def of(self, counter: str, kind: str) -> CounterLimits | None:
        """The limits of a counter on entities of a kind, None where no card has any."""
        return self._entries.get((counter, kind))

    def items(self) -> Iterable[tuple[tuple[str, str], CounterLimits]]:
        """All limits by counter and kind, in the order of the table."""
        return self._entries.items()

    def __len__(self) -> int:
        return len(self._entries)


def load_limits(problems: Problems, path: Path = RESOURCES / "views" / "limits.toml") -> LimitsByCounter:
    """Read the table; a name that no card has raises KnowledgeError."""
    thresholds = {
        f"{card.id}/{name}": threshold
        for card in problems.cards
        for name, threshold in card.thresholds.items()
    }
    found: dict[tuple[str, str], CounterLimits] = {}
    for entry in checked(read_toml(path), _File, path).limit:
        for name in filter(None, (entry.warning, entry.critical)):
            if name not in thresholds:
                raise wrong(path, entry.counter, f"no problem card has the threshold {name}")
        limits = CounterLimits(
            entry.warning.partition("/")[0],
            thresholds[entry.warning],
            thresholds[entry.critical] if entry.critical else None,
        )
        for kind in entry.kinds:
            found[entry.counter, kind] = limits
    return LimitsByCounter(found)
