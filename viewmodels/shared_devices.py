"""Devices and datastores that several hosts share: each is one entity with series of its own from
each host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sessions.findings import Evidence, Finding
from sessions.model import Entity, EntityRef, Series
from viewmodels.snapshot import Snapshot


def is_shared(ref: EntityRef, snapshot: Snapshot) -> bool:
    """True for a device or datastore that belongs to no single host."""
    return _is_shared(ref, snapshot.entities)


def _is_shared(ref: EntityRef, entities: Mapping[EntityRef, Entity]) -> bool:
    entity = entities.get(ref)
    return ref.kind in {"device", "datastore"} and entity is not None and entity.parent is None


def part_measured(entities: Mapping[EntityRef, Entity], names: Mapping[int, str]) -> Callable[[Series], str]:
    """Return what tells which part of its entity a series is of: the host that measured a device that hosts
    share, else the instance. ``names`` are those of the sources by id.

    Of a shared device a vCenter names the host in the instance, esxtop is that host's: there an instance is a
    part of the device, as a partition, and two hosts' numbers of it are two quantities.
    """
    hosts = {word for ref, one in entities.items() if ref.kind == "host" for word in (one.name, ref.key)}
    hosts |= set(names.values())

    def part(one: Series) -> str:
        instance = one.spec.instance
        if not _is_shared(one.entity, entities):
            return instance
        seen = seen_by(one, names)
        return seen if seen in hosts else f"{names.get(one.source, '')} {instance}"

    return part


def source_names(snapshot: Snapshot) -> Mapping[int, str]:
    """Return the names of the session's sources by their id."""
    return {source.id: source.spec.name for source in snapshot.sources}


def seen_by(series: Series, names: Mapping[int, str]) -> str:
    """Return the name of the host that measured this series of a shared device.

    A vCenter names the host in the instance; with esxtop each source is one host, so its name in ``names``
    (by source id) is used.
    """
    return series.spec.instance or names.get(series.source, "")


def hosts_that_see(ref: EntityRef, snapshot: Snapshot, findings: Sequence[Finding]) -> set[EntityRef]:
    """Return the hosts that a shared device's problem concerns: those that its evidence names, else all that
    measure it.
    """
    series = snapshot.series_of.get(ref, ())
    names = source_names(snapshot)
    seen = {seen_by(one, names) for one in series}
    named = seen & {item.instance for finding in findings for item in finding.evidence if _is_over(item)}
    hosts = [one for one in snapshot.entities.values() if one.ref.kind == "host"]
    return {host.ref for host in hosts if {host.name, host.ref.key} & (named or seen)}


def _is_over(item: Evidence) -> bool:
    return item.threshold is not None and item.value > item.threshold
