"""Which host, pool and datastores an entity had, and when: VMs and their disks move."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sessions.model import EntityRef, Fact
from sessions.times import TimeRange

Relations = Mapping[EntityRef, tuple[Fact, ...]]
"""The facts of each entity that name another entity (its host, pool, datastores), ordered by start."""

_HOST, _POOL, _STORE_OF_DEVICE, _SWITCH = "host", "pool", "device.datastore", "nic.switch"
_STORE_OF_DISK = re.compile(r"vdisk\.(?P<disk>.*)\.datastore")
_NAMES = re.compile(rf"host|pool|device\.datastore|nic\.switch|{_STORE_OF_DISK.pattern}")
_LAST = (1 << 62) - 1


def with_relations(known: Relations, written: Sequence[Fact]) -> Relations:
    """Return ``known`` with the newly written facts that name another entity; itself if there are none."""
    new: dict[EntityRef, list[Fact]] = {}
    for fact in written:
        if _NAMES.fullmatch(fact.name):
            new.setdefault(fact.entity, []).append(fact)
    if not new:
        return known
    return {**known, **{ref: _ordered([*known.get(ref, ()), *own]) for ref, own in new.items()}}


def _ordered(written: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return facts ordered by start, of those with the same name and start the one written last.

    They stay as they were written, without the ends that later ones give them: a fact that is told late would
    find the ends of another order.
    """
    last = {(fact.name, fact.start): fact for fact in written}
    return tuple(sorted(last.values(), key=lambda fact: fact.start))


def hosts_during(relations: Relations, ref: EntityRef) -> list[tuple[EntityRef, TimeRange]]:
    """Return the hosts that a VM was placed on, each with the time; empty if no fact says so.

    The first stay reaches back to the beginning: a recorder that back-fills reads the inventory after the
    samples. Each stay lasts until the next one begins.
    """
    return [(EntityRef("host", key), when) for key, when in _stays(relations.get(ref, ()), _HOST)]


def pools_during(relations: Relations, ref: EntityRef) -> list[tuple[EntityRef, TimeRange]]:
    """Return the resource pools that a VM was in, each with the time."""
    return [(EntityRef("pool", key), when) for key, when in _stays(relations.get(ref, ()), _POOL)]


def datastores_during(
    relations: Relations, ref: EntityRef, disk: str = ""
) -> list[tuple[EntityRef, TimeRange]]:
    """Return the datastores on which a VM has its disks, or only the one called ``disk``; or those that a
    device holds.
    """
    own = relations.get(ref, ())
    names = dict.fromkeys(fact.name for fact in own)
    wanted = [name for name in names if _holds_disk(name, disk) or name == _STORE_OF_DEVICE]
    return [(EntityRef("datastore", key), when) for name in wanted for key, when in _stays(own, name)]


def switch_of(relations: Relations, ref: EntityRef) -> str:
    """Return the virtual switch that an uplink serves, as last known; empty if no fact says so."""
    return next((str(one.value) for one in reversed(relations.get(ref, ())) if one.name == _SWITCH), "")


def _holds_disk(name: str, disk: str) -> bool:
    match = _STORE_OF_DISK.fullmatch(name)
    return match is not None and disk in {"", match["disk"]}


def _stays(facts: Sequence[Fact], name: str) -> list[tuple[str, TimeRange]]:
    """Return the values of the fact ``name``, each with the time from its start to before the next one's."""
    own = [fact for fact in facts if fact.name == name]
    starts = [-_LAST, *(fact.start for fact in own[1:]), _LAST]
    return [
        (str(fact.value), TimeRange(start, max(start, after - 1)))
        for fact, start, after in zip(own, starts, starts[1:], strict=False)
    ]
