"""What a source does not count but what follows from its counters and inventory (problems/_derived.toml)."""

from __future__ import annotations

from typing import Literal

import msgspec

from resources.counter_schema import EntityKind


class DerivedFact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number from another fact ``made_of``: of the entity itself, or (``of`` "pool") its pools' smallest.

    ``of`` "pool shares": the entity's, as its pools divide theirs among what is in them.

    ``words`` gives the number of each text, any other text gives none; ``count`` is how many items the text
    lists, separated by commas. ``absent`` is the number of an entity of which ``known`` is known and the
    fact is not.
    """

    name: str
    made_of: str
    source: str
    of: Literal["self", "pool", "pool shares"] = "self"
    words: dict[str, float] = msgspec.field(default_factory=dict)
    count: bool = False
    known: str = ""
    absent: float = 0.0


class DerivedCounter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A counter for entities of the kinds that lack it: ``expr`` over their ``counters`` and ``facts``.

    All counters but those in ``optional`` must be there, and the fact ``known``. ``where`` are facts that
    must match these patterns. ``each``: summed over a VM's virtual disks, whose counters they then are: "vm"
    all of them, "device" those that lie on each device. ``source`` says why it follows.
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
    """The whole of ``_derived.toml``. ``kinds``: the kinds of sources that it is for."""

    kinds: list[str] = msgspec.field(default_factory=list)
    facts: list[DerivedFact] = msgspec.field(default_factory=list)
    counters: list[DerivedCounter] = msgspec.field(default_factory=list)
