"""Which of the lab's values make which vCenter counter, and how ticks become its samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lab.esxtop_tables import Table
from lab.inventory import MOVED
from lab.lab import Lab
from lab.layout import Port
from lab.parameters import BoolArray
from lab.seen import Seen
from lab.vcenter_extras import Extras
from lab.vcenter_inventory import NIC_KEY, device_uuid
from lab.vcenter_names import datastore_names
from lab.worlds import NO_OWNER
from resources.catalogue import Catalogue, Counter, VcenterSpelling
from resources.conversions import scale_of
from sessions.model import FloatArray

INTERVAL_S = 20
ABSENT = -1
_CLASSES = {
    ("host", ""): ("Physical Cpu", "Memory", "Power"),
    ("host", "pcpu"): ("Physical Cpu",),
    ("host", "device"): ("Physical Disk SCSI Device",),
    ("host", "adapter"): ("Physical Disk Adapter", "Physical Disk"),
    ("host", "path"): ("Physical Disk Path",),
    ("host", "nic"): ("Network Port",),
    ("host", "datastore"): ("Physical Disk NFS Volume",),
    ("vm", ""): ("Group Cpu", "Group Memory"),
    ("vm", "vcpu"): ("Vcpu",),
    ("vm", "vdisk"): ("Virtual Disk",),
    ("vm", "nic"): ("Network Port",),
}
"""The object classes of esxtop that have a twin's value, by what it is on and what its instances are."""
_WEIGHTS = {"Command": "Commands/sec", "Read": "Reads/sec", "Write": "Writes/sec"}


class Line(NamedTuple):
    """One series: its object (``host:NAME`` or ``vm:NAME``), counter and instance; the position of its value,
    that of its weight, and the factor from the canonical value to vCenter's.
    """

    object: str
    counter: str
    instance: str
    cell: int
    weight: int
    factor: float

    @property
    def latest(self) -> bool:
        """True if the sample is the value at the end of its interval instead of a mean or sum."""
        return self.counter.endswith(".latest")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Ticks of an interval: values and weights of all lines, and which VMs and hosts are not there."""

    values: FloatArray
    weights: FloatArray
    gone: BoolArray

    def part(self, begin: int, end: int) -> _Piece:
        """Return some of the ticks."""
        return _Piece(self.values[begin:end], self.weights[begin:end], self.gone[begin:end])

    @staticmethod
    def joined(pieces: Sequence[_Piece]) -> _Piece:
        """Return the ticks of several pieces."""
        return _Piece(
            np.concatenate([one.values for one in pieces]), np.concatenate([one.weights for one in pieces]),
            np.concatenate([one.gone for one in pieces]),
        )  # fmt: skip


class Sampler:
    """Reduces the lab's ticks to samples, integers as vCenter has them, −1 where absent."""

    def __init__(self, lab: Lab, extras: Extras, lines: Sequence[Line]) -> None:
        self._lab = lab
        self._extras = extras
        self._cells = np.array([line.cell for line in lines])
        self._weights = np.array([line.weight for line in lines])
        self._factor = np.array([line.factor for line in lines])
        self._latest = np.flatnonzero([line.latest for line in lines])
        vms, hosts = lab.cluster.vms, lab.cluster.hosts
        names = [*(f"vm:{vm.name}" for vm in vms), *(f"host:{host.name}" for host in hosts)]
        number = {name: at for at, name in enumerate(names)}
        self._objects = len(names)
        self._object = np.array([number[line.object] for line in lines])
        self._pieces: list[_Piece] = []

    def take(self, seen: Seen, ends: Sequence[int]) -> list[FloatArray]:
        """Add the lab's last ticks; return the samples of the intervals that end with the ticks ``ends``."""
        looked, begin, upto = self._look(seen.taken()), 0, np.cumsum(seen.is_taken).tolist()
        found = []
        for stop in (upto[end] for end in ends):
            self._pieces.append(looked.part(begin, stop))
            found.append(self._sample())
            begin = stop
        self._pieces.append(looked.part(begin, len(looked.values)))
        return found

    def _look(self, taken: Seen) -> _Piece:
        """Look at ticks whose counters the lab's tables hold."""
        if not len(taken):
            none = np.zeros((0, len(self._cells)))
            return _Piece(none, none, np.zeros((0, self._objects), dtype=bool))
        held = np.concatenate([self._lab.esxtop_tables.held, self._extras.values(taken)], axis=1)
        gone = np.concatenate([taken.absent, taken.failed], axis=1)
        return _Piece(np.take(held, self._cells, axis=1), np.take(held, self._weights, axis=1), gone)

    def _sample(self) -> FloatArray:
        """The sample of all ticks since the last sample; means of latencies are weighted by I/Os.

        What was not there for the whole interval has none.
        """
        interval = _Piece.joined(self._pieces)
        self._pieces.clear()
        values, weights = interval.values, interval.weights
        if not len(values):
            return np.full(len(self._cells), float(ABSENT))
        total = weights.sum(axis=0)
        mean = (values * weights).sum(axis=0) / np.where(total > 0, total, 1.0)
        mean[self._latest] = values[-1, self._latest]
        whole: FloatArray = np.maximum(np.rint(mean * self._factor), 0.0)
        is_gone: BoolArray = np.logical_or.reduce(interval.gone, axis=0)
        whole[is_gone[self._object]] = ABSENT
        return whole


def as_one(lines: Sequence[Line], samples: FloatArray) -> tuple[list[Line], FloatArray]:
    """Give a VM that moved one series of each counter: the lab has one for each of its two hosts.

    ``samples`` are rows of samples; returns the lines and the samples of what vCenter has.
    """
    if not any(line.object.endswith(MOVED) for line in lines):
        return list(lines), samples
    own = {(line.object, line.counter, line.instance): n for n, line in enumerate(lines)}
    kept, joined = [], samples.copy()
    for number, line in enumerate(lines):
        if not line.object.endswith(MOVED):
            kept.append(number)
            continue
        at = own[line.object.removesuffix(MOVED), line.counter, line.instance]
        joined[:, at] = np.where(samples[:, at] == ABSENT, samples[:, number], samples[:, at])
    return [lines[n] for n in kept], joined[:, kept]


def plan_series(lab: Lab, extras: Extras, catalogue: Catalogue, interval_s: int = INTERVAL_S) -> list[Line]:
    """Return every series that a vCenter has of the lab: catalogue counters, then those
    with no esxtop twin. ``interval_s`` is how long a sample of them is.
    """
    plan = _Plan(lab, extras, interval_s)
    for counter in catalogue.counters():
        for twin in counter.vcenter:
            plan.add_twin(counter, twin)
    plan.add_extras()
    return plan.lines


def is_archived(line: Line, catalogue: Catalogue, level: int) -> bool:
    """Return True if a vCenter keeps rollups of this series at a statistics level."""
    kind = line.object.partition(":")[0]
    twins = [twin for _, twin in catalogue.vcenter(line.counter) if twin.on == kind]
    return any((twin.level_instance if line.instance else twin.level) <= level for twin in twins)


class _Plan:
    """Finds the cells of series; one series is planned once, by the first counter that names it."""

    def __init__(self, lab: Lab, extras: Extras, interval_s: int) -> None:
        self.lines: list[Line] = []
        self._interval_s = interval_s
        self._lab = lab
        self._tables = lab.esxtop_tables
        self._extras = extras
        self._seen: set[tuple[str, str, str]] = set()
        self._known: dict[tuple[str, int, str, bool], list[tuple[int, str, str]]] = {}
        self._names = [host.name for host in lab.cluster.hosts]
        self._vcpus = {f"vm:{vm.name}": vm.vcpus for vm in lab.cluster.vms}

    def add_twin(self, counter: Counter, twin: VcenterSpelling) -> None:
        """The series of a twin on every entity, where its conversion has an inverse."""
        if scale_of(twin.conversion, self._interval_s) is None and twin.conversion != "by_word":
            return
        for table, name in self._sources(counter, twin):
            weight = self._weight_of(table, name)
            if self._extras.is_own(twin):
                continue
            factor = {n: 1.0 / self._scale(twin, n) for n in {1, *self._vcpus.values()}}
            for what, instance, cell in self._places(table, twin, name):
                weigh = self._extras.one if weight is None else cell + weight
                self._add(Line(what, twin.name, instance, cell, weigh, factor[self._vcpus.get(what, 1)]))
        if twin.on == "host" and twin.instance == "datastore":
            self._add_vmfs(counter, twin)

    def _scale(self, twin: VcenterSpelling, vcpus: int) -> float:
        return scale_of(twin.conversion, self._interval_s, vcpus) or 1.0

    def add_extras(self) -> None:
        """Series whose value is no counter of esxtop's."""
        for extra in self._extras.lines(self._interval_s):
            self._add(
                Line(extra.object, extra.counter, extra.instance, extra.cell, self._extras.one, extra.factor)
            )

    def _add(self, line: Line) -> None:
        key = (line.object, line.counter, line.instance)
        if key not in self._seen:
            self._seen.add(key)
            self.lines.append(line)

    def _sources(self, counter: Counter, twin: VcenterSpelling) -> Iterator[tuple[Table, str]]:
        for cls in _CLASSES.get((twin.on, twin.instance), ()):
            table = self._tables[cls]
            for spelling in counter.esxtop:
                if spelling.cls == cls and spelling.counter in table.row:
                    yield table, spelling.counter

    def _weight_of(self, table: Table, name: str) -> int | None:
        """How far from a latency's cell that of its rate is, None for what is not a latency."""
        per = name.rpartition("/")[2]
        if not name.startswith("Average ") or per not in _WEIGHTS or _WEIGHTS[per] not in table.row:
            return None
        rows = [field.name for field in table.fields]
        return (rows.index(_WEIGHTS[per]) - rows.index(name)) * table.size

    def _places(self, table: Table, twin: VcenterSpelling, name: str) -> Iterator[tuple[str, str, int]]:
        """Object, instance and cell of each series of a twin in one table."""
        if twin.on == "vm" and not twin.instance:
            yield from self._of_vms(table, name)
            return
        row = [field.name for field in table.fields].index(name)
        base = table.offset + row * table.size
        for host in range(len(self._names)):
            start = base + int(table.start[host])
            for position, what, instance in self._instances_of(table, host, twin.on, bool(twin.instance)):
                yield what, instance, start + position

    def _instances_of(
        self, table: Table, host: int, on: str, has_instance: bool
    ) -> list[tuple[int, str, str]]:
        """Position, object and instance of those columns of a host's table that are on a kind of object.

        ``_Total`` of PCPUs is the host's own value; the others are instances.
        """
        key = (table.cls, host, on, has_instance)
        if key not in self._known:
            self._known[key] = [
                (position, what, instance)
                for position, (what, instance) in enumerate(self._instances(table, host))
                if what.startswith(f"{on}:") and bool(instance) == has_instance
            ]
        return self._known[key]

    def _of_vms(self, table: Table, name: str) -> Iterator[tuple[str, str, int]]:
        """A VM's own value: of CPU times the mean of its vCPUs, without its helper worlds."""
        if table.cls == "Group Cpu" and name in self._extras.vm_cpu:
            for number, vm in enumerate(self._lab.cluster.vms):
                yield f"vm:{vm.name}", "", self._extras.vm_cpu[name] + number
            return
        row = [field.name for field in table.fields].index(name)
        for host, layout in enumerate(self._lab.layouts):
            groups = layout.groups if table.cls == "Group Cpu" else layout.memory_groups
            start = table.offset + row * table.size + int(table.start[host])
            for position, group in enumerate(groups):
                if group.vm != NO_OWNER:
                    yield f"vm:{group.name}", "", start + position

    def _instances(self, table: Table, host: int) -> Iterator[tuple[str, str]]:
        """Object and instance of each column of a host's table, "" twice where vCenter has none."""
        layout, vms = self._lab.layouts[host], self._lab.cluster.vms
        own = f"host:{self._names[host]}"
        if table.cls == "Vcpu":
            yield from self._worlds(host)
        elif table.cls == "Virtual Disk":
            for vm, disk in layout.disks:
                yield f"vm:{vms[vm].name}", vms[vm].disks[disk].slot if disk >= 0 else ""
        elif table.cls == "Network Port":
            yield from (self._port(own, port) for port in layout.ports)
        elif table.cls == "Physical Disk NFS Volume":
            yield own, self._datastore(table.names[host][0])
        else:
            yield from ((own, "" if name == "_Total" else name) for name in table.names[host])

    def _worlds(self, host: int) -> Iterator[tuple[str, str]]:
        for group in self._lab.layouts[host].groups:
            first = min((world.vcpu for world in group.worlds if world.vcpu != NO_OWNER), default=0)
            for world in group.worlds:
                mine = world.vcpu != NO_OWNER
                yield (f"vm:{group.name}", str(world.vcpu - first)) if mine else ("", "")

    def _port(self, own: str, port: Port) -> tuple[str, str]:
        if port.uplink != NO_OWNER:
            return own, f"vmnic{port.uplink}"
        return (
            (f"vm:{self._lab.cluster.vms[port.vm].name}", str(NIC_KEY)) if port.vm != NO_OWNER else ("", "")
        )

    def _datastore(self, device: str) -> str:
        return device_uuid(f"{self._lab.cluster.worlds_seed}/{device}")

    def _add_vmfs(self, counter: Counter, twin: VcenterSpelling) -> None:
        """A VMFS datastore shows what its only device does."""
        table = self._tables["Physical Disk SCSI Device"]
        stores = {self._lab.cluster.luns[lun].name for lun in datastore_names(self._lab.cluster)}
        scale = scale_of(twin.conversion, self._interval_s) or 1.0
        names = [spelling.counter for spelling in counter.esxtop if spelling.counter in table.row]
        for name in names[:1]:
            weight = self._weight_of(table, name)
            row = [field.name for field in table.fields].index(name)
            for host, own in enumerate(self._names):
                start = table.offset + row * table.size + int(table.start[host])
                for position, device in enumerate(table.names[host]):
                    if device in stores:
                        cell = start + position
                        weigh = self._extras.one if weight is None else cell + weight
                        self._add(
                            Line(
                                f"host:{own}",
                                twin.name,
                                self._datastore(device),
                                cell,
                                weigh,
                                1.0 / scale,
                            )
                        )
