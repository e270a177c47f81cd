"""Which resource pools VMs are in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from diagnosis.facts import FactTable, Held
from diagnosis.placement import Periods, joined_periods, overlap_ms
from sessions.model import Entity, EntityRef
from sessions.times import TimeRange

_DEEPEST = 16  # pools within pools; a session is untrusted and may hold a cycle


class ResourcePools:
    """The pools of a session's VMs in a window, and the pools that these are in."""

    def __init__(self, facts: FactTable, entities: Mapping[EntityRef, Entity]) -> None:
        self._facts, self._entities = facts, entities

    def nearest(self, ref: EntityRef, windows: Collection[TimeRange] = ()) -> EntityRef | None:
        """Return the resource pool of a VM, None if the session does not know it: where it was for most of
        the time of ``windows`` (default: at the end).
        """
        key = self._facts.latest("pool").get(ref)
        stays = self._changed(ref)
        if windows and stays:
            key = max(stays, key=lambda one: overlap_ms(one.start, one.end, windows)).value
        return EntityRef("pool", str(key)) if key is not None else None

    def members(self, pool: EntityRef) -> Sequence[EntityRef]:
        """Return the VMs in a pool and in the pools within it, those without any samples, too."""
        return [ref for ref in self._facts.latest("pool") if pool in self.above(ref)]

    def above(self, ref: EntityRef) -> Sequence[EntityRef]:
        """Return all resource pools that a VM was in, the nearest first; the one at the end before others."""
        if ref.kind != "vm":
            return ()
        stays = reversed(self._changed(ref))
        nearest = [self.nearest(ref), *(EntityRef("pool", str(one.value)) for one in stays)]
        return list(dict.fromkeys(pool for one in nearest for pool in pools_from(one, self._entities)))

    def stays(self, ref: EntityRef) -> Sequence[tuple[EntityRef, Periods | None]]:
        """Return all resource pools that a VM was in, with the times; None for the whole window."""
        changed = self._changed(ref)
        if not changed:
            return [(pool, None) for pool in self.above(ref)]
        found: dict[EntityRef, Periods | None] = {}
        for one in changed:
            for pool in pools_from(EntityRef("pool", str(one.value)), self._entities):
                found[pool] = joined_periods(found.get(pool, ()), ((one.start, one.end),))
        return list(found.items())

    def _changed(self, ref: EntityRef) -> Sequence[Held]:
        """Where a VM was when, if it was not in the same pool in the whole window."""
        return self._facts.changing("pool").get(ref, ()) if ref.kind == "vm" else ()


def pools_from(pool: EntityRef | None, entities: Mapping[EntityRef, Entity]) -> Iterator[EntityRef]:
    """Yield a pool and the pools that it is in, the nearest first."""
    current = pool
    for _ in range(_DEEPEST):
        if current is None or current.kind != "pool":
            return
        yield current
        known = entities.get(current)
        current = known.parent if known else None
