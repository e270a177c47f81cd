"""The problems of a run of the lab, in the terms of findings, for the scoreboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.injection import ParameterChange
from lab.inventory import UPLINKS, Cluster, RoleMembers
from lab.parameters import Index
from lab.scenario import ENTITY_KIND, Expect, RoleKind, Scenario, View
from lab.vcenter_names import CLUSTER_NAME, VCENTER_NAME, datastore_names, limited_pool_name, vsan_disk_name
from sessions.model import Kind


@dataclass(frozen=True, slots=True)
class Truth:
    """A problem that must be found, with its first cause. Times are seconds of lab time.

    ``severity`` info means that a finding with a higher severity would be wrong. ``spell_s`` is how many
    seconds it lasts at once, with what causes it at full strength: all of the time (None), or each of the
    bursts that come back (``returns``).
    """

    problem: str
    kind: Kind
    name: str
    cause: str
    start_s: float
    end_s: float
    severity: str
    instead: tuple[str, ...] = ()
    views: tuple[View, ...] = ("esxtop", "vcenter")
    spell_s: float | None = None
    returns: bool = False

    @property
    def problems(self) -> tuple[str, ...]:
        """The problem, and those that say the same of the entity."""
        return (self.problem, *self.instead)

    def has_first(self, cause: str) -> bool:
        """True if this cause may come first."""
        return not self.cause or cause in self.cause.split("|")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Findings of ``problem`` that are allowed as consequences: on these entities, on any
    if there are none.
    """

    problem: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The problems of one run.

    Those in ``truth`` must be found and those in ``also`` may be; any other finding above info is a false
    alarm.
    """

    truth: tuple[Truth, ...]
    also: tuple[Allowed, ...]

    def seen_in(self, view: View) -> GroundTruth:
        """What one kind of source shows; what it does not show may be reported all the same."""
        rest = [one for one in self.truth if view not in one.views]
        more = tuple(Allowed(problem, frozenset({one.name})) for one in rest for problem in one.problems)
        return GroundTruth(tuple(one for one in self.truth if view in one.views), (*self.also, *more))


def find_truth(
    scenario: Scenario, cluster: Cluster, index: Index, changes: Sequence[ParameterChange], duration_s: float
) -> GroundTruth:
    """Return the problems of one run."""
    truths = [
        truth
        for expect in scenario.truth
        for truth in _expected(expect, scenario, cluster, changes, duration_s)
    ]
    allowed = [
        Allowed(
            one.problem, frozenset() if one.on == "*" else _names_around(cluster, index, cluster.cast[one.on])
        )
        for one in scenario.also
    ]
    alike = [Allowed(problem, frozenset({one.name})) for one in truths for problem in one.instead]
    return GroundTruth(tuple(truths), (*allowed, *alike))


def _expected(
    expect: Expect,
    scenario: Scenario,
    cluster: Cluster,
    changes: Sequence[ParameterChange],
    duration_s: float,
) -> list[Truth]:
    cast = cluster.cast[expect.on]
    start, end, spell, returns = 0.0, duration_s, duration_s, False
    if scenario.inject:
        envelope = changes[expect.inject].envelope
        start, end, returns = envelope.start, envelope.end, envelope.period > 0
        rising = max(envelope.ramp, expect.delay)
        spell = max(
            envelope.length - envelope.ramp if returns else min(end, duration_s) - start - rising, 0.0
        )
    return [
        Truth(
            expect.problem, kind, name, expect.cause,
            min(start + expect.delay, duration_s), min(end, duration_s), expect.severity,
            expect.instead, expect.views, spell, returns,
        )
        for kind, name in _named(expect, cluster, cast)
    ]  # fmt: skip


def _named(expect: Expect, cluster: Cluster, cast: RoleMembers) -> list[tuple[Kind, str]]:
    """Kind and name of the entities of a truth."""
    if expect.named == "pool":
        vm = cluster.vms[cast.members[0]]
        return [("pool", limited_pool_name(vm.host, vm.pool))]
    if expect.named == "datastore":
        stores = datastore_names(cluster)
        return [("datastore", stores[one]) for one in cast.members]
    return [(ENTITY_KIND[cast.role.kind], name) for name in _names(cluster, cast)]


_ALONE: Mapping[RoleKind, str] = {"cluster": CLUSTER_NAME, "vcenter": VCENTER_NAME}
"""What there is one of."""


def _names(cluster: Cluster, cast: RoleMembers) -> list[str]:
    """The entities of a role, as a finding names them; an array stands for its LUNs, a pool for its VMs."""
    kind = cast.role.kind
    if kind in _ALONE:
        return [_ALONE[kind]]
    if kind in ("vm", "pool"):
        return [cluster.vms[one].shown_name for one in cast.members]
    if kind == "host":
        return [cluster.hosts[one].name for one in cast.members]
    if kind == "array":
        return [lun.name for lun in cluster.luns if lun.array in cast.members and not lun.nfs]
    if kind in ("nic", "vsan_disk"):
        return [_of_host(cluster, kind, one) for one in cast.members]
    return [cluster.luns[one].name for one in cast.members]


def _of_host(cluster: Cluster, kind: RoleKind, one: int) -> str:
    """An uplink, or the first disk that vSAN has of a host, as the recording calls it."""
    if kind == "nic":
        return f"{cluster.hosts[one // UPLINKS].name}/vmnic{one % UPLINKS}"
    title = "vSAN disk" if cluster.vsan == "express" else "vSAN capacity disk"
    return f"{title} {vsan_disk_name(cluster, one, 0)} ({cluster.hosts[one].name})"


def _names_around(cluster: Cluster, index: Index, cast: RoleMembers) -> frozenset[str]:
    """The entities of a role, and for a host everything that stands on it."""
    names = set(_names(cluster, cast))
    if cast.role.kind == "host":
        for host in cast.members:
            names |= {vm.shown_name for number, vm in enumerate(cluster.vms) if index.vm_host[number] == host}
            names |= {f"{cluster.hosts[host].name}/vmnic{uplink}" for uplink in range(UPLINKS)}
    return frozenset(names)
