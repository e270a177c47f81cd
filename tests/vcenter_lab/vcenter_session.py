"""A vCenter session without a vCenter: a scenario's document as the recorder stores it, name for name.

The rules of naming (which entity, key, instance, counter, scale) are those that collectors.vsphere follows,
written down a second time so that the two can be held against each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from collectors.vsphere.vsan.book import VsanBook
from collectors.vsphere.vsan.cluster import Disk, VsanCluster
from collectors.vsphere.vsan.replies import EntitySamples
from lab.physics import TICK_S
from lab.vcenter_names import VCENTER_NAME
from resources.catalogue import Catalogue
from resources.conversions import scale_of
from resources.counter_schema import Conversion
from resources.vsan_service import load_vsan_service
from sessions.model import Entity, EntityRef, Event, Fact, Kind, SeriesSpec, SourceSpec
from sessions.shared_devices import is_shared_device
from tests.sessions.memory_session import MemorySession
from tests.vsphere.feeds import MemoryFeed

NAME = VCENTER_NAME
VCENTER_KEY = "6d4a5f1e-lab"
Json = Mapping[str, Any]
_TOOLS = {
    "running": "guestToolsRunning",
    "notRunning": "guestToolsNotRunning",
    "notInstalled": "guestToolsNotRunning",
}
_POWER = {"on": "poweredOn", "off": "poweredOff"}
_INSTANCE_KINDS: Mapping[str, Kind] = {
    "vcpu": "vcpu", "vdisk": "vdisk", "nic": "port", "device": "device", "adapter": "adapter", "path": "path",
    "datastore": "datastore",
}  # fmt: skip


def vcenter_session(
    document: Json, catalogue: Catalogue, session: MemorySession | None = None
) -> MemorySession:
    """The scenario as one source of kind vcenter, in a session of its own or beside what ``session`` has; a
    sample is taken at the last tick of its interval.
    """
    built = _Session(document, catalogue)
    built.inventory()
    built.told()
    specs, columns = built.series()
    interval = int(document["interval_s"]) * 1000
    first = document["start_ms"] + interval - round(TICK_S * 1000)
    times = first + interval * np.arange(document["ticks"], dtype=np.int64)
    values = np.array(columns, dtype=np.float64).T
    values[values < 0] = np.nan
    taken = ~np.isnan(values).all(axis=1)
    session = MemorySession() if session is None else session
    session.add_source(
        SourceSpec("vcenter", NAME, float(document["interval_s"])), times[taken], specs, values[taken],
        entities=built.entities.values(), facts=built.facts, events=built.events,
    )  # fmt: skip
    if "vsan" in document:
        built.add_vsan(session)
    return session


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a counter's number is: which counter of ours, what its instances are, and the factor to ours,
    which differs by VM where the number is ``per_vcpu``.
    """

    key: str
    unit: str
    instances: str
    scale: float
    per_vcpu: Conversion | None = None


@dataclass
class _Session:
    document: Json
    catalogue: Catalogue
    entities: dict[EntityRef, Entity] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _stores: dict[str, EntityRef] = field(default_factory=dict)
    _names: dict[str, EntityRef] = field(default_factory=dict)
    _vcpus: dict[EntityRef, int] = field(default_factory=dict)
    _meanings: dict[tuple[str, str, bool], _Meaning] = field(default_factory=dict)
    _places: dict[tuple[str, str, str], tuple[EntityRef, str]] = field(default_factory=dict)

    def inventory(self) -> None:
        """Entities and facts of everything that the document lists."""
        self._add("vcenter", VCENTER_KEY, NAME)
        for number, cluster in enumerate(self.document["clusters"]):
            ref = self._add(
                "cluster",
                f"{VCENTER_KEY}/domain-c{number}",
                cluster["name"],
                EntityRef("vcenter", VCENTER_KEY),
            )
            self._names[f"cluster:{cluster['name']}"] = ref
            self._say(ref, {"drs.enabled": bool(cluster["drs"])})
        self._pools()
        for host in self.document["hosts"]:
            self._host(host)
        for store in self.document["datastores"]:
            self._datastore(store)
        for vm in self.document["vms"]:
            self._vm(vm)

    def told(self) -> None:
        """Further facts and events that a document may list: by object, as the recorder stores them."""
        for fact in self.document.get("facts", ()):
            value = fact["value"]
            if str(value).startswith(("pool:", "datastore:")):
                value = self._named(value).key
            start = int(self.document["start_ms"]) + round(fact["from_s"] * 1000)
            number = value if isinstance(value, str | bool) else float(value)
            until = fact.get("until_s")
            end = None if until is None else int(self.document["start_ms"]) + round(until * 1000)
            self.facts.append(Fact(self._named(fact["object"]), fact["name"], number, start, end))
        for event in self.document.get("happened", ()):
            at = int(self.document["start_ms"]) + round(event["at_s"] * 1000)
            end = None if event["lasted_s"] is None else at + round(event["lasted_s"] * 1000)
            self.events.append(Event(at, event["kind"], event["text"], self._named(event["object"]), end))

    def add_vsan(self, session: MemorySession) -> None:
        """vSAN's performance service as a source of its own, stored by the recorder's own book of it."""
        told = self.document["vsan"]
        ref = self._names[f"cluster:{told['cluster']}"]
        hosts = {host: EntityRef("host", host) for host in told["nodes"].values()}
        cluster = VsanCluster(
            "domain-c0", ref, told["cluster"], told["uuid"], told["architecture"], service=True,
            store=self._names[f"datastore:{told['datastore']}"],
            nodes={node: hosts[host] for node, host in told["nodes"].items()},
            disks={
                disk["uuid"]: Disk(disk["name"], hosts[disk["host"]], disk["group"], disk["flash"])
                for disk in told["disks"]
            },
        )  # fmt: skip
        times = np.array(told["times_ms"], np.int64)
        if not times.size:
            return
        feed = MemoryFeed()
        feed.entities.update(self.entities)
        source = SourceSpec("vcenter", f"{NAME} vSAN", float(told["interval_s"]))
        book = VsanBook(feed, feed.add_source(source), load_vsan_service(), self.catalogue)
        book.take(cluster, [
            EntitySamples(
                one["type"], one["id"], times,
                {label: np.array(values, np.float64) for label, values in one["values"].items()},
            )
            for one in told["entities"]
        ])  # fmt: skip
        keys = list(feed.samples)
        values = np.array([[feed.samples[key].get(int(at), np.nan) for key in keys] for at in times])
        session.add_source(
            source, times, [feed.specs[key] for key in keys], values,
            entities=[one for ref, one in feed.entities.items() if ref not in self.entities],
            facts=[*feed.facts, Fact(ref, "vsan.architecture", told["architecture"], int(times[0]))],
        )  # fmt: skip

    def _named(self, what: str) -> EntityRef:
        kind, _, called = what.partition(":")
        return EntityRef("host", called) if kind == "host" else self._names[what]

    def series(self) -> tuple[list[SeriesSpec], list[Sequence[int]]]:
        """What is stored of the counters: one spec and its values for each series of the document."""
        specs, columns = [], []
        for one in self.document["series"]:
            spec = self._spec(one["object"], one["counter"], one["instance"])
            specs.append(spec)
            columns.append(one["values"])
        return specs, columns

    def _add(self, kind: Kind, key: str, name: str, parent: EntityRef | None = None) -> EntityRef:
        ref = EntityRef(kind, key)
        self.entities.setdefault(ref, Entity(ref, name, parent))
        return ref

    def _say(self, ref: EntityRef, facts: Mapping[str, Any]) -> None:
        start = int(self.document["start_ms"])
        for name, value in facts.items():
            if value is not None:
                number = value if isinstance(value, str | bool) else float(value)
                self.facts.append(Fact(ref, name, number, start))

    def _pools(self) -> None:
        for number, pool in enumerate(self.document["pools"]):
            above = (
                self._names[f"pool:{pool['parent']}"]
                if pool["parent"]
                else self._names[f"cluster:{pool['cluster']}"]
            )
            ref = self._add("pool", f"{VCENTER_KEY}/resgroup-{number}", pool["name"], above)
            self._names[f"pool:{pool['name']}"] = ref
            self._say(ref, {
                "cpu.limit_mhz": pool["cpu_limit_mhz"], "cpu.shares": pool["cpu_shares"],
                "cpu.reservation_mhz": pool["cpu_reservation_mhz"], "mem.limit_mb": pool["mem_limit_mb"],
                "mem.reservation_mb": pool["mem_reservation_mb"],
            })  # fmt: skip

    def _host(self, host: Json) -> None:
        ref = self._add("host", host["name"], host["name"], self._names[f"cluster:{host['cluster']}"])
        self._say(ref, {
            "power_policy": host["power_policy"], "numa.nodes": host["numa_nodes"],
            "cpu.cores": host["cores"], "cpu.threads": host["threads"], "cpu.mhz": host["mhz"],
            "mem.size_mb": host["memory_mb"],
            "connection_state": "connected", "maintenance": False,
        })  # fmt: skip
        for nic in host["nics"]:
            one = self._add("nic", f"{host['name']}/{nic['name']}", f"{host['name']}/{nic['name']}", ref)
            self._names[f"nic:{host['name']}/{nic['name']}"] = one
            self._say(one, {"nic.speed_mbps": nic["speed_mbps"], "nic.switch": nic["switch"]})
        for name in host["adapters"]:
            self._add("adapter", f"{host['name']}/{name}", f"{host['name']}/{name}", ref)
        for device in host["devices"]:
            self._say(self._device(device["name"], ref), {"device.queue_depth": device["queue_depth"]})

    def _device(self, name: str, host: EntityRef) -> EntityRef:
        if is_shared_device(name):
            return self._add("device", name, name)
        return self._add("device", f"{host.key}/{name}", name, host)

    def _datastore(self, store: Json) -> None:
        ref = self._add("datastore", store["url"], store["name"])
        self._stores[store["uuid"]] = self._names[f"datastore:{store['name']}"] = ref
        self._say(ref, {
            "uuid": store["uuid"], "datastore.type": store["type"],
            "datastore.capacity_mb": store["capacity_mb"],
            "datastore.free_mb": store["free_mb"],
        })  # fmt: skip
        if store["device"]:
            self._say(
                self._device(store["device"], EntityRef("host", "")), {"device.datastore": store["url"]}
            )

    def _vm(self, vm: Json) -> None:
        cluster = next(ref for name, ref in self._names.items() if name.startswith("cluster:"))
        ref = self._add("vm", vm["uuid"], vm.get("shown", vm["name"]), cluster)
        self._names[f"vm:{vm['name']}"] = ref
        self._vcpus[ref] = vm["vcpus"]
        affinity = ",".join(map(str, vm["cpu_affinity"]))
        self._say(ref, {
            "host": vm["host"], "vcpus": vm["vcpus"], "mem.size_mb": vm["memory_mb"],
            "pool": self._names[f"pool:{vm['pool']}"].key if vm["pool"] else None,
            "cpu.limit_mhz": vm["cpu_limit_mhz"], "cpu.reservation_mhz": vm["cpu_reservation_mhz"],
            "cpu.shares": vm["cpu_shares"], "cpu.affinity": affinity or None,
            "mem.limit_mb": vm["mem_limit_mb"],
            "mem.reservation_mb": vm["mem_reservation_mb"], "mem.shares": vm["mem_shares"],
            "tools": _TOOLS[vm["tools"]], "power_state": _POWER[vm["power"]], "snapshots": vm["snapshots"],
        })  # fmt: skip
        for number in range(vm["vcpus"]):
            self._add("vcpu", f"{ref.key}/vcpu/{number}", f"vCPU {number}", ref)
        for disk in vm["disks"]:
            self._add("vdisk", f"{ref.key}/{disk['unit']}", disk["unit"], ref)
            store = self._names[f"datastore:{disk['datastore']}"]
            self._say(ref, {f"vdisk.{disk['unit']}.datastore": store.key})
        for nic in vm["nics"]:
            self._add("port", f"{ref.key}/nic/{nic['key']}", nic["label"], ref)
            self._say(ref, {f"nic.{nic['key']}.network": nic["network"]})

    def _spec(self, what: str, name: str, instance: str) -> SeriesSpec:
        of_counter = (name, what.partition(":")[0], bool(instance))
        if (meaning := self._meanings.get(of_counter)) is None:
            meaning = self._meanings[of_counter] = self._meaning(*of_counter)
        of_place = (what, meaning.instances, instance)
        if (place := self._places.get(of_place)) is None:
            place = self._places[of_place] = self._place(self._named(what), meaning.instances, instance)
        scale = meaning.scale
        if meaning.per_vcpu is not None:
            vcpus = self._vcpus.get(self._named(what), 1)
            scale = scale_of(meaning.per_vcpu, float(self.document["interval_s"]), vcpus) or 1.0
        return SeriesSpec(place[0], meaning.key, meaning.unit, place[1], scale, f"{name}[{instance}]")

    def _meaning(self, name: str, kind: str, has_instance: bool) -> _Meaning:
        """What a counter is on a kind of object: the first one that vCenter's number can be converted to."""
        twins = self.catalogue.vcenter(name)
        for counter, twin in twins:
            if (
                twin.on == kind and bool(twin.instance) == has_instance
                and twin.conversion not in ("related", "dropped_of_packets")
            ):  # fmt: skip
                scale = scale_of(twin.conversion, float(self.document["interval_s"]))
                per_vcpu = twin.conversion if twin.conversion == "ms_of_interval_per_vcpu" else None
                return _Meaning(
                    counter.key, counter.unit, twin.instance, 1.0 if scale is None else scale, per_vcpu
                )
        unit = next((one.unit for _, one in twins), "")
        return _Meaning(f"raw/vcenter/{name}", unit, _instance_kind(name, kind) if has_instance else "", 1.0)

    def _place(self, owner: EntityRef, kind: str, instance: str) -> tuple[EntityRef, str]:
        """The entity of a counter's instance, and what is left of the instance on it."""
        if not instance or kind in ("", "pcpu"):
            return owner, instance
        if kind == "datastore":
            return self._stores[instance], owner.key
        if kind == "device":
            ref = self._device(instance, owner)
            return ref, owner.key if self.entities[ref].parent is None else ""
        if owner.kind == "host":
            key = f"{owner.key}/{instance}"
            return self._add(cast("Kind", kind), key, key, owner), ""
        parts = {"vcpu": f"vcpu/{instance}", "nic": f"nic/{instance}", "vdisk": instance}
        return self._add(_INSTANCE_KINDS[kind], f"{owner.key}/{parts[kind]}", instance, owner), ""


def _instance_kind(name: str, on: str) -> str:
    """What the instances of a counter without a convertible twin are, by its group."""
    group = name.partition(".")[0]
    kinds = {"cpu": "vcpu" if on == "vm" else "pcpu", "net": "nic", "disk": "device", "virtualDisk": "vdisk",
             "storageAdapter": "adapter", "storagePath": "path", "datastore": "datastore"}  # fmt: skip
    return kinds.get(group, "")
