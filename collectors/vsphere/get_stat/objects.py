"""Whose samples they are: the objects that files name, as the inventory of a vCenter would have them.

A sample tells its object's name, type and id. What else diagnosis reads of the inventory (a VM's vCPUs and
limits, its host, the host's cores) stands in what ``Get-VM``, ``Get-VMHost`` and
``Get-VMResourceConfiguration`` return, which can be imported with it, or in columns of the samples' own
(VMHost, NumCpu).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collectors.powercli_tables import TableKind, opened_table
from collectors.unpacking import BROKEN
from collectors.vsphere.get_stat.samples import SeriesKey
from resources.catalogue import Catalogue
from resources.failures import BadInputError
from resources.foreign_text import shown, storable
from sessions.identities import MOID, Identities
from sessions.model import Entity, EntityRef, Fact, Kind

VM, HOST, CLUSTER, DATASTORE = "VirtualMachine", "HostSystem", "ClusterComputeResource", "Datastore"
_KINDS: Mapping[str, Kind] = {
    VM: "vm",
    HOST: "host",
    CLUSTER: "cluster",
    DATASTORE: "datastore",
    "ResourcePool": "pool",
    "VirtualApp": "pool",
}
_PREFIXES = {
    "vm-": VM,
    "host-": HOST,
    "domain-c": CLUSTER,
    "datastore-": DATASTORE,
    "resgroup-": "ResourcePool",
}
_ENTITY_ID = re.compile(r"(?:(?P<type>[A-Za-z]+)-)?(?P<moid>[a-z]+-[\w-]+)")
_SERVER = re.compile(r"/VIServer=(?:[^/]*@)?(?P<name>[^/@:]+)(?::\d+)?/", re.IGNORECASE)
_MAX_ROWS = 1 << 20
_GIB_MB = 1024.0
_YES_NO = {"true": True, "false": False}
_Row = Mapping[str, str]
FactValue = str | float | bool


@dataclass(slots=True)
class StatObject:
    """An object with counters; it is a ``naming.Subject``. ``vcpus`` 0: nobody says how many."""

    moid: str
    type: str
    ref: EntityRef
    name: str
    host: str | None = None
    cluster: str | None = None
    vcpus: int = 0
    powered_on: bool = True
    connected: bool = True
    instances: Mapping[str, EntityRef] = field(default_factory=dict)
    parent: EntityRef | None = None
    facts: dict[str, FactValue] = field(default_factory=dict)

    def say(self, facts: Mapping[str, FactValue | None]) -> None:
        """Add facts; None is not known."""
        self.facts |= {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True, slots=True)
class InventoryTable:
    """The rows of what Get-VM, Get-VMHost or Get-VMResourceConfiguration returned, by column name in lower
    case.
    """

    kind: TableKind
    rows: Sequence[_Row]


def read_inventory(path: Path) -> InventoryTable:
    """Read a table of VMs, hosts or limits. Raises NotFoundError, AccessDeniedError, BadInputError."""
    rows: list[_Row] = []
    with opened_table(path) as (table, lines, _):
        try:
            for line in lines:
                if len(line) == len(table.columns):
                    rows.append(
                        {name: storable(cell.strip()) for name, cell in zip(table.columns, line, strict=True)}
                    )
                if len(rows) > _MAX_ROWS:
                    raise BadInputError(f"{shown(path.name)} has more rows than a vCenter has objects.")
        except (csv.Error, *BROKEN) as error:
            raise BadInputError(f"{shown(path.name)} can't be read: {error}.") from error
    return InventoryTable(table.kind, rows)


class Objects:
    """All objects of an import by what tells them apart: the server, and the id or else the name."""

    def __init__(self, catalogue: Catalogue, default_server: str) -> None:
        self._catalogue, self._server = catalogue, default_server
        self._by_identity: dict[tuple[str, str, str], StatObject] = {}
        self._by_name: dict[tuple[Kind, str], StatObject] = {}
        self._identities = Identities()
        self.guessed: dict[str, Kind] = {}

    def __iter__(self) -> Iterator[StatObject]:
        return iter(self._by_identity.values())

    def server_of(self, key: SeriesKey) -> str:
        """Return which server an object belongs to, as far as the files tell."""
        return key.server or self._server

    def add_inventory(self, tables: Sequence[InventoryTable]) -> None:
        """Take in these tables: hosts first, which VMs refer to, and limits last, which refer to VMs."""
        add = {"hosts": self._add_host, "vms": self._add_vm, "limits": self._add_limits}
        for kind, take in add.items():
            for table in tables:
                for row in table.rows if table.kind == kind else ():
                    take(row)

    def of(self, key: SeriesKey, metrics: Mapping[tuple[str, str], set[str]]) -> StatObject | None:
        """Return whose series it is; None for what has no counters here, such as a folder.

        ``metrics`` has the counters of each (server, entity) that tells no id: by them it is a host or a VM.
        """
        server = self.server_of(key)
        kind, moid = _of_id(key.entity_id)
        if moid and kind is None:
            return None
        name = key.entity or moid
        if kind is None:
            known = self._by_name.get(("vm", name)) or self._by_name.get(("host", name))
            if known is not None:
                return known
            kind = self._guess(name, metrics.get((server, key.entity), set()))
        found = self._object(server, kind, moid, name)
        if found.ref.kind == "vm":
            self._place(found, key.host)
            if not found.vcpus and (number := _number(key.vcpus)):
                self._set_vcpus(found, int(number))
        return found

    def count_vcpus(self, most: Mapping[EntityRef, int]) -> None:
        """VMs of which nobody tells how many vCPUs they have, have those whose counters are there."""
        for one in self:
            if one.ref.kind == "vm" and not one.vcpus and one.ref in most:
                self._set_vcpus(one, most[one.ref])

    def entities(self) -> Iterator[Entity]:
        """Yield all entities, parents first."""
        for one in sorted(self, key=lambda one: (one.ref.kind != "cluster", one.ref.kind != "host")):
            yield Entity(one.ref, one.name, one.parent)

    def facts(self, at_ms: int) -> Iterator[Fact]:
        """Yield what is known of the objects, from the first sample on."""
        for one in self:
            for name, value in one.facts.items():
                yield Fact(one.ref, name, value, at_ms)

    def _object(self, server: str, kind: str, moid: str, name: str, uuid: str = "") -> StatObject:
        identity = server, _KINDS[kind], moid or name
        found = self._by_identity.get(identity)
        if found is None and not moid:
            found = self._by_name.get((_KINDS[kind], name))
        if found is None:
            own = uuid or (f"{server}/{moid}" if moid and kind != HOST else name)
            # Two hosts may both call themselves localhost: the second one is told apart.
            ref = self._identities.identify(_KINDS[kind], [f"{server}/{moid or name}"], own)
            found = StatObject(moid or name, kind, ref, name)
            self._by_identity[identity] = found
            self._by_name.setdefault((ref.kind, name), found)
            if kind == HOST and moid:
                found.facts[MOID] = f"{server}/{moid}"
        return found

    def _guess(self, name: str, metrics: set[str]) -> str:
        """What has these counters: a host if only hosts have more of them, else a VM."""
        on = [{twin.on for _, twin in self._catalogue.vcenter(metric)} for metric in metrics]
        of_hosts = sum("host" in kinds and "vm" not in kinds for kinds in on)
        of_vms = sum("vm" in kinds and "host" not in kinds for kinds in on)
        kind = HOST if of_hosts > of_vms else VM
        self.guessed[name] = _KINDS[kind]
        return kind

    def _place(self, vm: StatObject, host_name: str) -> None:
        if not host_name or "host" in vm.facts:
            return
        host = self._by_name.get(("host", host_name)) or self._object(self._server, HOST, "", host_name)
        vm.facts["host"], vm.host = host.ref.key, host.moid
        vm.parent = vm.parent or host.parent or host.ref

    def _set_vcpus(self, vm: StatObject, number: int) -> None:
        vm.vcpus = number
        vm.facts["vcpus"] = float(number)

    def _add_host(self, row: _Row) -> None:
        server, moid = _server_of(row, self._server), _of_id(row.get("id", ""))[1]
        if not row["name"]:
            return
        host = self._object(server, HOST, moid, row["name"])
        kind, cluster_id = _of_id(row.get("parentid", ""))
        if kind == CLUSTER and row.get("parent"):
            cluster = self._object(server, CLUSTER, cluster_id, row["parent"])
            host.parent, host.cluster = cluster.ref, cluster.moid
        cores, mhz = _number(row["numcpu"]), _number(row["cputotalmhz"])
        has_threads = _YES_NO.get(row.get("hyperthreadingactive", "").casefold())
        state = row.get("connectionstate", "").casefold()
        host.say({
            "cpu.cores": cores,
            "cpu.mhz": float(round(mhz / cores)) if cores and mhz else None,
            "hyperthreading": has_threads,
            "cpu.threads": cores * (1 + has_threads) if cores and has_threads is not None else None,
            "mem.size_mb": _megabytes(row, "memorytotal"),
            "maintenance": state == "maintenance" if state else None,
            "connection_state": "connected" if state in ("connected", "maintenance") else None,
        })  # fmt: skip

    def _add_vm(self, row: _Row) -> None:
        server, moid = _server_of(row, self._server), _of_id(row.get("id", ""))[1]
        if not row["name"]:
            return
        vm = self._object(server, VM, moid, row["name"], row.get("persistentid", ""))
        if number := _number(row["numcpu"]):
            self._set_vcpus(vm, int(number))
        self._place(vm, row["vmhost"])
        state = row.get("powerstate", "")
        vm.say({
            "mem.size_mb": _megabytes(row, "memory"),
            "cores_per_socket": _number(row.get("corespersocket", "")),
            "power_state": state[:1].lower() + state[1:] or None,
            "hardware_version": row.get("hardwareversion") or None,
        })  # fmt: skip

    def _add_limits(self, row: _Row) -> None:
        """A limit of −1 is none."""
        server, moid = _server_of(row, self._server), _of_id(row["vmid"])[1]
        if not moid:
            return
        self._object(server, VM, moid, row.get("vm") or moid).say({
            "cpu.limit_mhz": _number(row["cpulimitmhz"]),
            "cpu.reservation_mhz": _number(row.get("cpureservationmhz", "")),
            "cpu.shares": _number(row.get("numcpushares", "")),
            "mem.limit_mb": _megabytes(row, "memlimit"),
            "mem.reservation_mb": _megabytes(row, "memreservation"),
            "mem.shares": _number(row.get("nummemshares", "")),
        })  # fmt: skip


def _of_id(text: str) -> tuple[str | None, str]:
    """The type and the id of ``VirtualMachine-vm-90``: (None, "") without one, (None, id) if it has no
    counters here.
    """
    found = _ENTITY_ID.fullmatch(text.strip())
    if found is None:
        return None, ""
    moid = found["moid"]
    kind = found["type"] or next((kind for prefix, kind in _PREFIXES.items() if moid.startswith(prefix)), "")
    return (kind if kind in _KINDS else None), moid


def server_in(tables: Iterable[InventoryTable]) -> str:
    """Return the only server that inventory tables name; empty if none does, or several."""
    names = {_server_of(row, "") for table in tables for row in table.rows} - {""}
    return names.pop() if len(names) == 1 else ""


def _server_of(row: _Row, otherwise: str) -> str:
    found = _SERVER.match(row.get("uid", ""))
    return found["name"] if found else otherwise


def _megabytes(row: _Row, column: str) -> float | None:
    """The size that stands in ``…MB`` or ``…GB``."""
    size = _number(row.get(f"{column}mb", ""))
    if size is None and (gib := _number(row.get(f"{column}gb", ""))) is not None:
        size = gib * _GIB_MB
    return size and float(round(size))


def _number(text: str) -> float | None:
    """The positive number in a cell; None for anything else."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if 0 < number < 1e12 else None
