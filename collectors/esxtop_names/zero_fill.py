"""Which columns hold no data when esxtop fills an entity's row with zeros.

An entity whose set of worlds changed is written as 0.00 in every column, not left blank. A group without a
member, or a world that neither ran nor waited nor was ready, is such a row: a world's states always add up
to about 100 %, so zero means "no data" and never "idle".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from collectors.esxtop_names.host_objects import HostObjects
from collectors.esxtop_names.paths import ColumnPath
from sessions.model import EntityRef, IntArray, SeriesSpec

_STATES = ("% Run", "% Wait", "% Ready")
_NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class ZeroFill:
    """How to tell that an entity's columns hold no data; all indices are positions in the layout's specs.

    ``signs`` are the three columns that are all zero exactly then (a group's ``Members`` thrice);
    ``absent`` the columns that hold no data then; ``doubtful`` those that hold none if they are all zero too
    (a group's memory). ``within`` is the index of the group's fill that already tells the world's, or −1.
    """

    entity: EntityRef
    signs: tuple[int, int, int]
    absent: IntArray
    doubtful: IntArray
    within: int


def find_zero_fills(
    objects: HostObjects, paths: Sequence[ColumnPath], specs: Sequence[SeriesSpec]
) -> tuple[ZeroFill, ...]:
    """Return the zero fills of all groups, then of all worlds; ``paths[i]`` is the column of ``specs[i]``."""
    groups = _by_entity("Group Cpu", paths, specs)
    memory = _by_entity("Group Memory", paths, specs)
    fills: list[ZeroFill] = []
    fill_of_group: dict[EntityRef | None, int] = {}
    for entity, columns in groups.items():
        signs = _signs(columns)
        if signs:
            fill_of_group[entity] = len(fills)
            fills.append(_fill(entity, signs, columns, memory.get(entity, {}), -1))
    for entity, columns in _by_entity("Vcpu", paths, specs).items():
        signs = _signs(columns)
        if signs:
            within = fill_of_group.get(objects.entities[entity].parent, -1)
            fills.append(_fill(entity, signs, columns, {}, within))
    return tuple(fills)


def _by_entity(
    cls: str, paths: Sequence[ColumnPath], specs: Sequence[SeriesSpec]
) -> dict[EntityRef, dict[str, list[int]]]:
    """Entity → counter → positions, of one class; columns whose instance could not be read are left out."""
    found: dict[EntityRef, dict[str, list[int]]] = {}
    entity, counters = None, {}
    for position, path in enumerate(paths):
        if path.cls != cls:
            continue
        owner = specs[position].entity
        if owner is not entity:  # columns of one entity stand together: hashing it for each takes long
            entity, counters = owner, found.setdefault(owner, {}) if owner.kind != "host" else {}
        counters.setdefault(path.counter, []).append(position)
    return found


def _fill(
    entity: EntityRef,
    signs: tuple[int, int, int],
    columns: Mapping[str, Sequence[int]],
    doubtful: Mapping[str, Sequence[int]],
    within: int,
) -> ZeroFill:
    return ZeroFill(entity, signs, _sorted(columns), _sorted(doubtful), within)


def _sorted(columns: Mapping[str, Sequence[int]]) -> IntArray:
    if not columns:
        return _NOTHING  # a header of 20,000 columns has thousands of worlds
    return np.asarray(sorted(chain.from_iterable(columns.values())), dtype=np.int64)


def _signs(columns: Mapping[str, Sequence[int]]) -> tuple[int, int, int] | None:
    members = columns.get("Members")
    if members:
        return members[0], members[0], members[0]
    if not all(state in columns for state in _STATES):
        return None
    run, wait, ready = (columns[state][0] for state in _STATES)
    return run, wait, ready
