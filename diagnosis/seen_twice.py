"""What a session has twice, of a host itself and of a vCenter: VMs, and hosts, which then get a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from sessions.model import Entity, EntityRef, Fact

_NO_NAMES: Mapping[EntityRef, Collection[str]] = {}
_Place = tuple[str, str]
"""The key of a host and the name of a VM there."""


def known_to_vcenter(
    entities: Mapping[EntityRef, Entity],
    placements: Iterable[Fact],
    names: Mapping[EntityRef, Collection[str]] = _NO_NAMES,
) -> dict[EntityRef, EntityRef]:
    """Return the vCenter's entity for each VM of a capture that has the name of one VM on the same host.
    ``names`` are all names of those that were renamed: a capture keeps the one of its first moment.

    ``placements`` are ``host`` facts: an inventory tells them, and so does the header of a capture. Names
    repeat: where two VMs of a host have the same one, in the capture or in the vCenter, nobody knows which is
    which, and they stay apart.
    """
    told: dict[_Place, set[EntityRef]] = {}
    for fact in placements:
        known = entities.get(fact.entity) if fact.entity.kind == "vm" else None
        if known is not None and not _is_of_capture(known):
            for name in names.get(fact.entity, (known.name,)):
                told.setdefault((str(fact.value), name), set()).add(fact.entity)
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


def with_clusters(
    entities: Mapping[EntityRef, Entity], placements: Iterable[Fact]
) -> Mapping[EntityRef, Entity]:
    """Return the entities; a host that its own counters told of first, which know no cluster, gets that of
    most VMs that a vCenter places on it.
    """
    clusters: dict[EntityRef, Counter[EntityRef]] = {}
    for fact in placements:
        host, vm = EntityRef("host", str(fact.value)), entities.get(fact.entity)
        alone = host in entities and entities[host].parent is None
        if alone and vm is not None and vm.parent is not None and vm.parent.kind == "cluster":
            clusters.setdefault(host, Counter())[vm.parent] += 1
    found = {
        host: replace(entities[host], parent=counted.most_common(1)[0][0])
        for host, counted in clusters.items()
    }
    return {**entities, **found} if found else entities


def _is_of_capture(vm: Entity) -> bool:
    """Return True if a VM is known by its place on a host, as a capture knows it, not by an id of its own."""
    host = vm.parent
    return host is not None and host.kind == "host" and vm.ref.key.startswith(f"{host.key}/")
