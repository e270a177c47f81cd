"""VMs that a session has twice: from a host's own counters, which know them by name, and from a vCenter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sessions.model import Entity, EntityRef, Fact

_Place = tuple[str, str]
"""The key of a host and the name of a VM there."""


def known_to_vcenter(
    entities: Mapping[EntityRef, Entity], placements: Iterable[Fact]
) -> dict[EntityRef, EntityRef]:
    """Return the vCenter's entity for each VM of a capture that has the name of one VM on the same host.

    ``placements`` are the ``host`` facts that an inventory tells. Names repeat: where two VMs of a host have
    the same one, in the capture or in the vCenter, nobody knows which is which, and they stay apart.
    """
    told: dict[_Place, set[EntityRef]] = {}
    placed: set[EntityRef] = set()
    for fact in placements:
        if fact.entity.kind == "vm" and fact.entity in entities:
            placed.add(fact.entity)
            told.setdefault((str(fact.value), entities[fact.entity].name), set()).add(fact.entity)
    if not told:
        return {}
    captured: dict[_Place, list[EntityRef]] = {}
    for ref, entity in entities.items():
        if ref.kind == "vm" and ref not in placed and entity.parent and entity.parent.kind == "host":
            captured.setdefault((entity.parent.key, entity.name), []).append(ref)
    return {
        refs[0]: next(iter(told[place]))
        for place, refs in captured.items()
        if len(refs) == 1 and len(told.get(place, ())) == 1
    }
