"""Recognises an object by the lasting identities that its source gives (UUID, moid), whatever its name.

A name is a fact: two ESXi hosts may both call themselves localhost.localdomain, and a host may be renamed. An
entity's key is the name that its object had when the session first saw it, so that a host that an esxtop
capture, or a session of version 1, knows only by name is the same entity. The identity (a host's hardware
UUID, or its id within one vCenter) decides which object a key belongs to, and is stored as a fact of the
entity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count

from sessions.model import EntityRef, Fact, Kind

UUID, MOID = "uuid", "moid"
"""The facts that keep identities: what is the same for every source, and an id within one vCenter."""

_SHORT = 4


class Identities:
    """The identities of a session's entities. Not thread-safe."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._refs: dict[tuple[Kind, str], EntityRef] = {}
        self._taken: set[EntityRef] = set()
        for fact in facts:
            if fact.name in (UUID, MOID):
                self._bind(str(fact.value), fact.entity)

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        """Return the entity of the object with these identities (the surest first), whose name
        is now ``name``.

        An unknown object gets the entity of its name, unless that entity belongs to another object.
        """
        known = (self._refs.get((kind, identity)) for identity in identities)
        ref = next((one for one in known if one is not None), None) or self._new(kind, identities[-1], name)
        for identity in identities:
            self._bind(identity, ref)
        return ref

    def _new(self, kind: Kind, identity: str, name: str) -> EntityRef:
        plain = (name, f"{name} ({identity[-_SHORT:]})", f"{name} ({identity})")
        numbered = (f"{name} ({at})" for at in count(2))
        refs = (EntityRef(kind, key) for key in chain(plain, numbered))
        return next(ref for ref in refs if ref not in self._taken)

    def _bind(self, identity: str, ref: EntityRef) -> None:
        self._taken.add(ref)
        self._refs.setdefault((ref.kind, identity), ref)
