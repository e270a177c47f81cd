"""Counters that a source lacks, computed from its other counters and its inventory
(problems/_derived.toml).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from resources.counter_schema import EntityKind


class DerivedFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A numeric fact, made from another fact.

    ``made_of`` is the fact of the entity itself, or (``of`` "pool") the smallest one of the resource pools
    above it ("nearest pool": that of the nearest one), or (``of`` "pool shares") the entity's shares as its
    pools divide them among their members, or (``of`` "pool members") the number of VMs and pools that have
    ``made_of`` in the nearest pool above it, or (``of`` "stores") the largest number of the datastores on
    which the VM's disks lie, or (``of`` "all") what all of the entity's facts say whose name matches the
    pattern ``made_of``: the largest number, or with ``words`` their different texts as one text, or (``of``
    "disks") for each of a VM's virtual disks what the VM's fact says of it whose name matches the pattern
    ``made_of``, with the disk's name as its group ``disk``; of several that match, the lowest number. Of all
    facts ``beside`` keeps those beside which another one stands, whose name differs in its last part only.

    The number is ``numbers[text]`` (no number for other texts), with ``count`` how many items the
    comma-separated text lists, or with ``hours`` how long before the end of the window the time was that the
    text gives. An entity that has the fact ``known`` but not ``made_of`` gets ``absent``.
    """

    name: str
    made_of: str
    source: str
    of: Literal["self", "pool", "nearest pool", "pool shares", "pool members", "stores", "all", "disks"] = (
        "self"
    )
    numbers: dict[str, float] = msgspec.field(default_factory=dict)
    count: bool = False
    words: bool = False
    beside: str = ""
    hours: bool = False
    known: str = ""
    absent: float = 0.0


class DerivedCounter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A counter computed by ``expr`` from ``counters`` and ``facts``, for ``entities`` whose source lacks it.

    All of ``counters`` except ``optional`` must exist, and the fact ``known``; facts must match the patterns
    in ``where``. ``each`` sums over a VM's virtual disks, whose counters are used then: "vm" over all its
    disks, "device" over those on each device. ``source`` says why the result is right.
    """

    counter: str
    entities: list[EntityKind]
    expr: str
    source: str
    counters: dict[str, str] = msgspec.field(default_factory=dict)
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    optional: list[str] = msgspec.field(default_factory=list)
    known: str = ""
    where: dict[str, str] = msgspec.field(default_factory=dict)
    each: Literal["", "vm", "device"] = ""


class DerivedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file ``_derived.toml``; it applies to sources of the given ``kinds``."""

    kinds: list[str] = msgspec.field(default_factory=list)
    facts: list[DerivedFact] = msgspec.field(default_factory=list)
    counters: list[DerivedCounter] = msgspec.field(default_factory=list)
