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

    ``placements`` are ``host`` facts: an inventory tells them, and so does the header of a capture. Names
    repeat: where two VMs of a host have the same one, in the capture or in the vCenter, nobody knows which is
    which, and they stay apart.
    """
    told: dict[_Place, set[EntityRef]] = {}
    for fact in placements:
        known = entities.get(fact.entity) if fact.entity.kind == "vm" else None
        if known is not None and not _is_of_capture(known):
            told.setdefault((str(fact.value), known.name), set()).add(fact.entity)
    if not told:
        return {}
    captured: dict[_Place, list[EntityRef]] = {}
    for ref, entity in entities.items():
        if ref.kind == "vm" and entity.parent is not None and _is_of_capture(entity):
            captured.setdefault((entity.parent.key, entity.name), []).append(ref)
    return {
        refs[0]: next(iter(told[place]))
        for place, refs in captured.items()
        if len(refs) == 1 and len(told.get(place, ())) == 1
    }


def _is_of_capture(vm: Entity) -> bool:
    """Return True if a VM is known by its place on a host, as a capture knows it, not by an id of its own."""
    host = vm.parent
    return host is not None and host.kind == "host" and vm.ref.key.startswith(f"{host.key}/")
