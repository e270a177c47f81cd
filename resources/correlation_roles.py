"""What counters say about cause and effect, for "what moved with it" (resources/correlation/*.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec

from resources.study_numbers import Number
from resources.toml_files import checked, knowledge_error, knowledge_files, read_toml, shipped_once

Resource = Literal["storage", "network", "cpu", "memory"]
CounterRole = Literal["load", "effect", "mirror", "other"]


class RoleGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counters (keys, * for any letters) that make load on a resource, suffer from it, or mirror it."""

    role: Literal["load", "effect", "mirror"]
    resource: Resource
    counters: tuple[str, ...]
    because: str


class IdleWorlds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counters of worlds (names, * for any letters) that say what is not used: nobody's load or trouble."""

    worlds: tuple[str, ...]
    counters: tuple[str, ...]
    because: str


class Follows(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Effects on a resource may follow from load on ``load``; ``weight`` 1 for its own resource."""

    effect: Resource
    load: Resource
    weight: float
    because: str


class CorrelationNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of the ranking; the file says what each means."""

    baseline_times: Number
    baseline_samples: Number
    max_samples: Number
    min_samples: Number
    max_lag_s: Number
    lead_gain: Number
    chance: Number
    full_change: Number
    full_evidence: Number
    weight_load: Number
    weight_effect: Number
    weight_mirror: Number
    weight_other: Number
    weight_carrier: Number
    weight_slow_place: Number
    weight_same_host: Number
    weight_unknown: Number
    weight_elsewhere: Number
    weight_unspecific: Number
    weight_follower: Number
    late_s: Number
    least_correlation: Number
    least_score: Number
    neighbour_share: Number
    pattern_excess: Number
    pattern_bursts: Number
    pattern_chance: Number


class LeastChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The smallest change of counters with this unit that anybody would look at."""

    unit: str
    value: float
    source: str


class _RoleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    group: tuple[RoleGroup, ...] = ()
    follows: tuple[Follows, ...] = ()
    least: tuple[LeastChange, ...] = ()
    idle: tuple[IdleWorlds, ...] = ()


@dataclass(frozen=True)
class CorrelationKnowledge:
    """Roles of counters, which effects follow from which load, the numbers of the ranking, and the smallest
    change worth a look by unit.
    """

    groups: tuple[RoleGroup, ...]
    follows: tuple[Follows, ...]
    numbers: CorrelationNumbers
    least_changes: Mapping[str, float]
    idle: tuple[IdleWorlds, ...] = ()

    def idle_counters(self, world: str) -> Sequence[str]:
        """Return the counters (* for any letters) of a world of this name that say what is not used."""
        named = (one for one in self.idle if any(fnmatchcase(world, name) for name in one.worlds))
        return [key for one in named for key in one.counters]

    def role(self, counter: str) -> tuple[CounterRole, Resource | None]:
        """Return the role of a counter and the resource that it is about."""
        if counter not in self._known:
            self._known[counter] = next(
                ((group.role, group.resource) for group, fits in self._patterns if fits.fullmatch(counter)),
                ("other", None),
            )
        return self._known[counter]

    def loads_behind(self, resource: Resource | None) -> Mapping[Resource, float]:
        """Return the resources whose load may be behind an effect on ``resource``, with their weights."""
        return {one.load: one.weight for one in self.follows if one.effect == resource}

    @cached_property
    def _known(self) -> dict[str, tuple[CounterRole, Resource | None]]:
        return {}

    @cached_property
    def _patterns(self) -> list[tuple[RoleGroup, re.Pattern[str]]]:
        def pattern(keys: Sequence[str]) -> re.Pattern[str]:
            return re.compile("|".join(re.escape(key).replace(r"\*", ".*") for key in keys))

        return [(group, pattern(group.counters)) for group in self.groups]


@shipped_once
def load_correlation(extra_dirs: Sequence[Path] = ()) -> CorrelationKnowledge:
    """Load the roles and numbers that ship with Hyperscope, then ``correlation/*.toml`` of ``extra_dirs``.

    Groups of a later folder come first; its numbers replace single ones. Raises KnowledgeError.
    """
    groups: list[RoleGroup] = []
    follows: list[Follows] = []
    idle: list[IdleWorlds] = []
    least: dict[str, float] = {}
    numbers: dict[str, object] = {}
    numbers_file = Path("correlation/numbers.toml")
    for place in knowledge_files("correlation", extra_dirs):
        for path in place:
            if path.stem == "numbers":
                numbers_file = path
                numbers.update(read_toml(path))
                continue
            found = checked(read_toml(path), _RoleFile, path)
            groups = [*found.group, *groups]
            follows = [*found.follows, *follows]
            idle = [*found.idle, *idle]
            least.update({one.unit: one.value for one in found.least})
    figures = checked(numbers, CorrelationNumbers, numbers_file)
    if figures.max_samples.value < figures.min_samples.value:
        raise knowledge_error(numbers_file, "max_samples", "is less than min_samples")
    return CorrelationKnowledge(tuple(groups), tuple(follows), figures, least, tuple(idle))
