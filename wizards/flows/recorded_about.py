"""What a session has for “would DRS help here?”, told from its inventory alone: what the card says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from resources.foreign_text import shown
from resources.units import format_duration
from sessions.model import EntityRef, Fact
from viewmodels.snapshot import EntityIndex, SeriesIndex, Snapshot
from wizards.flows.recorded_cluster import USED
from wizards.flows.verdicts.phrases import counted

_MINUTE_S = 60
_Parts = tuple[SeriesIndex, EntityIndex, Mapping[EntityRef, Fact]]


@dataclass(frozen=True, slots=True)
class RecordedAbout:
    """The cluster with most VMs whose CPU was recorded: its name (empty without one), its hosts and VMs, and
    how long the session is (whole minutes, in seconds); ``clusters`` is how many there are.

    ``made_from`` are the parts of the session that it was told from.
    """

    cluster: str
    hosts: int
    vms: int
    seconds: int
    clusters: int
    made_from: _Parts | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """What there is: ``Cluster Perf: 4 hosts, 16 VMs, 3 h recorded``."""
        more = f" (1 of {self.clusters})" if self.clusters > 1 else ""
        name = f"Cluster {shown(self.cluster, 40)}{more}: " if self.cluster else ""
        hosts, vms = counted(self.hosts, "host"), counted(self.vms, "VM")
        return f"{name}{hosts}, {vms}, {format_duration(self.seconds)} recorded"


def recorded_about(snapshot: Snapshot, before: RecordedAbout | None = None) -> RecordedAbout:
    """Return what a session has. ``before`` is what was told of it earlier: counts are taken from it as long
    as the session has the same entities and series, and VMs are where they were.
    """
    whole = snapshot.span.seconds if snapshot.span is not None else 0.0
    seconds = round(whole / _MINUTE_S) * _MINUTE_S
    made_from = (snapshot.series_index, snapshot.entity_index, snapshot.records.hosts)
    given = before.made_from if before is not None else None
    if before is not None and given and all(a is b for a, b in zip(given, made_from, strict=True)):
        return replace(before, seconds=seconds)
    hosts = Counter(_cluster_of(snapshot, ref) for ref in snapshot.entities if ref.kind == "host")
    vms = Counter(
        _cluster_of(snapshot, host)
        for ref in snapshot.entities
        if ref.kind == "vm" and (host := snapshot.host_of(ref)) is not None and _has_cpu(snapshot, ref)
    )
    if not hosts:
        return RecordedAbout("", 0, 0, seconds, 0, made_from)
    chosen = max(hosts, key=lambda one: (vms[one], hosts[one]))
    name = snapshot.entities[chosen].name if chosen is not None else ""
    return RecordedAbout(name, hosts[chosen], vms[chosen], seconds, len(hosts), made_from)


def _cluster_of(snapshot: Snapshot, host: EntityRef) -> EntityRef | None:
    entity = snapshot.entities.get(host)
    above = entity.parent if entity is not None else None
    return above if above is not None and above.kind == "cluster" and above in snapshot.entities else None


def _has_cpu(snapshot: Snapshot, vm: EntityRef) -> bool:
    return any(one.counter == USED and not one.spec.instance for one in snapshot.series_of.get(vm, ()))
