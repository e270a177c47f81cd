"""Which resource pools VMs are in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from diagnosis.facts import FactTable
from sessions.model import Entity, EntityRef

_DEEPEST = 16  # pools within pools; a session is untrusted and may hold a cycle


class ResourcePools:
    """The pools of a session's VMs at the end of a window, and the pools that these are in."""

    def __init__(self, facts: FactTable, entities: Mapping[EntityRef, Entity]) -> None:
        self._facts, self._entities = facts, entities

    def nearest(self, ref: EntityRef) -> EntityRef | None:
        """Return the resource pool of a VM, None if the session does not know it."""
        key = self._facts.latest("pool").get(ref)
        return EntityRef("pool", str(key)) if key is not None else None

    def members(self, pool: EntityRef) -> Sequence[EntityRef]:
        """Return the VMs in a pool and in the pools within it, those without any samples, too."""
        return [ref for ref in self._facts.latest("pool") if pool in self.above(ref)]

    def above(self, ref: EntityRef) -> Sequence[EntityRef]:
        """Return all resource pools that a VM is in, the nearest first."""
        return list(pools_from(self.nearest(ref) if ref.kind == "vm" else None, self._entities))


def pools_from(pool: EntityRef | None, entities: Mapping[EntityRef, Entity]) -> Iterator[EntityRef]:
    """Yield a pool and the pools that it is in, the nearest first."""
    current = pool
    for _ in range(_DEEPEST):
        if current is None or current.kind != "pool":
            return
        yield current
        known = entities.get(current)
        current = known.parent if known else None
