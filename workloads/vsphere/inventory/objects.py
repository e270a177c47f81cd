"""All objects of a vCenter that a test can act on or observe, with their facts as they are now."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from fnmatch import fnmatchcase
from typing import Any

from pyVmomi import vim

from collectors.vsphere.inventory.lookup import Identify
from collectors.vsphere.inventory.values import Ref
from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from resources.failures import PrivilegeError
from resources.vcenter_acting import Acting
from sessions.journal import ChangedObject, Setting
from sessions.model import EntityRef
from workloads.environment import TestObject
from workloads.vsphere.clock import ServerClock
from workloads.vsphere.inventory import place_facts as place
from workloads.vsphere.inventory import vm_facts as vm
from workloads.vsphere.inventory.entities import entities
from workloads.vsphere.inventory.load_now import DiskLoad, LoadNow, by_datastore
from workloads.vsphere.inventory.reading import InventoryReader, Seen
from workloads.vsphere.inventory.vsan_facts import vsan_facts

_PATHS = {
    "VirtualMachine": vm.VM_PATHS,
    "HostSystem": place.HOST_PATHS,
    "Datastore": place.STORE_PATHS,
    "ClusterComputeResource": place.CLUSTER_PATHS,
    "ResourcePool": place.POOL_PATHS,
}
_BUSY = ("running", "queued")
_ORDER = ("ClusterComputeResource", "HostSystem", "Datastore", "VirtualMachine")

Facts = dict[str, Setting]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """``identify`` gives hosts their entities; ``is_worker`` says of a name whether that VM does the I/O."""

    identify: Identify
    is_worker: Callable[[str], bool]


class Objects:
    """Reads the objects of one vCenter: about ten requests, more only with the number of objects."""

    def __init__(self, vsphere: VSphere, known: Acting, clock: ServerClock) -> None:
        self._vsphere = vsphere
        self._clock_there = clock
        self._known = known
        self._reader = InventoryReader(vsphere, known.inventory.page)
        self._load = LoadNow(vsphere, known.inventory)

    def read(self, options: ReadOptions) -> list[TestObject]:
        """Return the vCenter itself, then its clusters, hosts, datastores and VMs. Raises SourceError."""
        seen = {one.ref.moid: one for one in self._reader.all(_PATHS) if one.ref.moid}
        about = self._vsphere.about
        site = about.instance_uuid or self._vsphere.address.host
        known = entities(seen.values(), site, options.identify, is_vcenter=about.api_type == "VirtualCenter")
        workers = {
            moid
            for moid, (_, name) in known.items()
            if seen[moid].ref.type == "VirtualMachine" and options.is_worker(name)
        }
        facts = self._facts(seen, known, workers)
        found = [self._itself(EntityRef("vcenter", site))]
        for kind in _ORDER:
            of_kind = [moid for moid in known if seen[moid].ref.type == kind and moid in facts]
            for moid in sorted(of_kind, key=lambda moid: known[moid][1]):
                ref, name = known[moid]
                found.append(
                    TestObject(self._object(kind, moid, name), ref, _parent(seen[moid], seen), facts[moid])
                )
        return found

    def _itself(self, ref: EntityRef) -> TestObject:
        about = self._vsphere.about
        facts: Facts = {
            "version": about.version or None,
            "build": about.build or None,
            "clock_offset_ms": round(self._clock_there.offset_ms, 1),
        }
        of = self._object("ServiceInstance", "ServiceInstance", self._vsphere.address.place)
        return TestObject(of, ref, "", facts)

    def _object(self, kind: str, moid: str, name: str) -> ChangedObject:
        return ChangedObject(str(self._vsphere.address), kind, moid, name)

    def _facts(
        self, seen: Mapping[str, Seen], known: Mapping[str, tuple[EntityRef, str]], workers: Collection[str]
    ) -> dict[str, Facts]:
        busy = self._busy()
        ignored = self._known.inventory.ignored
        vms = [
            moid
            for moid, (_, name) in known.items()
            if seen[moid].ref.type == "VirtualMachine" and not any(fnmatchcase(name, one) for one in ignored)
        ]
        facts: dict[str, Facts] = {}
        for moid in known:
            one = seen[moid]
            if one.ref.type == "HostSystem":
                facts[moid] = dict(place.host_facts(one))
            elif one.ref.type == "Datastore":
                facts[moid] = dict(place.store_facts(one))
            elif one.ref.type == "ClusterComputeResource":
                facts[moid] = dict(place.cluster_facts(one))
        facts |= self._of_vms(vms, seen, workers)
        self._add_clocks(seen, facts)
        for cluster in _with_vsan(seen) & facts.keys():
            facts[cluster].update(vsan_facts(self._vsphere, cluster))
        for moid, number in busy.items():
            if moid in facts:
                facts[moid]["running_tasks"] = float(number)
        for moid, of in facts.items():
            if seen[moid].ref.type != "HostSystem":
                of.setdefault("running_tasks", 0.0)
        self._add_loads(vms, seen, facts, workers)
        return facts

    def _of_vms(
        self, vms: Sequence[str], seen: Mapping[str, Seen], workers: Collection[str]
    ) -> dict[str, Facts]:
        pools = {moid: one for moid, one in seen.items() if one.ref.type in ("ResourcePool", "VirtualApp")}
        clusters = [one for one in seen.values() if one.ref.type == "ClusterComputeResource"]
        overrides = {
            moid: behaviour
            for cluster in clusters
            for moid, behaviour in place.drs_overrides(cluster).items()
        }
        facts: dict[str, Facts] = {}
        for moid in vms:
            own = dict(vm.vm_facts(seen[moid]))
            own["is_worker"] = moid in workers
            own["pool_is_limited"] = place.is_limited(seen[moid].text("resourcePool"), pools)
            own["drs_behaviour"] = overrides.get(moid) or _cluster_behaviour(seen[moid], seen)
            facts[moid] = own
        detailed = vms if len(vms) <= self._known.inventory.detailed_vms else [*workers]
        for detail in self._reader.some(
            [Ref("VirtualMachine", moid) for moid in detailed], {"VirtualMachine": vm.DETAIL_PATHS}
        ):
            if detail.ref.moid in facts:
                facts[detail.ref.moid].update(vm.detail_facts(detail))
        return facts

    def _busy(self) -> dict[str, int]:
        """How many tasks of each object run or wait."""
        found: dict[str, int] = {}
        for task in self._reader.tasks():
            of = task.text("info.entity")
            if of and task.text("info.state") in _BUSY:
                found[of] = found.get(of, 0) + 1
        return found

    def _add_clocks(self, seen: Mapping[str, Seen], facts: dict[str, Facts]) -> None:
        hosts = [moid for moid, of in facts.items() if of.get("connected") and "cpu_model" in of]
        now = self._clock_there.now_ms()
        ages = self._load.sample_ages_s(hosts, now)
        for moid in hosts:
            facts[moid]["sample_age_s"] = ages.get(moid)
        for moid in hosts[: self._known.waits.host_clocks]:
            facts[moid]["clock_offset_ms"] = self._clock(seen[moid].text("configManager.dateTimeSystem"))

    def _clock(self, moid: str) -> float | None:
        """A host's clock minus the vCenter's, in ms; None where it may not be read."""

        def question(connection: Connection) -> Any:
            return vim.host.DateTimeSystem(moid, connection.stub).QueryDateTime()

        if not moid:
            return None
        try:
            before = self._clock_there.now_ms()
            there = self._vsphere.ask("a host's clock", question)
        except (SoapFault, PrivilegeError):
            return None
        middle = (before + self._clock_there.now_ms()) / 2
        return round(float(there.astimezone(UTC).timestamp()) * 1000 - middle, 1)

    def _add_loads(
        self,
        vms: Sequence[str],
        seen: Mapping[str, Seen],
        facts: dict[str, Facts],
        workers: Collection[str],
    ) -> None:
        stores = [moid for moid in facts if seen[moid].ref.type == "Datastore"]
        living = set(vms)
        for store in stores:
            on_it = {ref for ref in _moids(seen[store], "vm") if ref in living}
            facts[store]["bystanders"] = float(len(on_it - set(workers)))
            facts[store]["rdm_workers"] = float(
                sum(_has_raw(facts[one], store) for one in on_it & set(workers))
            )
        running = [moid for moid in vms if facts[moid].get("powered_on")]
        if not running or len(running) > self._known.inventory.loaded_vms:
            return
        places = {(moid, slot): store for moid in vms for slot, store in _places(facts[moid])}
        loads = by_datastore(self._load.disk_loads(running, self._clock_there.now_ms()), places)
        for store in stores:
            facts[store].update(_load_facts(loads.get(store, {}), workers))


def _with_vsan(seen: Mapping[str, Seen]) -> set[str]:
    """The clusters whose hosts mount a vSAN datastore."""
    stores = [one for one in seen.values() if one.text("summary.type") == "vsan"]
    hosts = {host for store in stores for host in place.mounting_hosts(store)}
    return {seen[host].text("parent") for host in hosts if host in seen}


def _load_facts(loads: Mapping[str, DiskLoad], workers: Collection[str]) -> Iterator[tuple[str, Setting]]:
    others = [load for moid, load in loads.items() if moid not in workers]
    latencies = [load.latency_ms for load in others if not math.isnan(load.latency_ms)]
    yield "iops", sum(load.iops for load in loads.values()) if loads else None
    yield "other_iops", sum(load.iops for load in others) if loads else None
    yield "bystander_ms", max(latencies, default=0.0) if loads else None


def _places(facts: Mapping[str, Setting]) -> Iterator[tuple[str, str]]:
    for disk in vm.listed_disks(facts):
        yield str(disk["name"]), str(disk["datastore"])


def _has_raw(facts: Mapping[str, Setting], store: str) -> bool:
    return any(disk["is_raw"] and disk["datastore"] == store for disk in vm.listed_disks(facts))


def _moids(seen: Seen, path: str) -> Iterable[str]:
    array = seen.element(path)
    return [] if array is None else [one.text or "" for one in array if isinstance(one.tag, str)]


def _parent(seen: Seen, others: Mapping[str, Seen]) -> str:
    if seen.ref.type == "VirtualMachine":
        return seen.text("runtime.host")
    if seen.ref.type == "HostSystem":
        parent = seen.text("parent")
        return parent if parent in others else ""
    return ""


def _cluster_behaviour(seen: Seen, others: Mapping[str, Seen]) -> str | None:
    host = others.get(seen.text("runtime.host"))
    cluster = others.get(host.text("parent")) if host is not None else None
    return None if cluster is None else str(dict(place.cluster_facts(cluster))["drs_behaviour"] or "") or None
