"""Turns the column paths of a header into the entities and series of each host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from collectors.esxtop_names.host_objects import HostObjects, read_host_objects
from collectors.esxtop_names.owners import Owner, owner_of
from collectors.esxtop_names.paths import ColumnPath
from collectors.esxtop_names.repairs import RepairRules
from collectors.esxtop_names.zero_fill import ZeroFill, find_zero_fills
from sessions.model import Entity, EntityRef, Fact, IntArray, SeriesSpec

_FACT_OF_COUNTER = {
    "mem.size": "mem.size_mb",
    "net.link_speed": "nic.speed_mbps",
    "disk.queue_depth": "device.queue_depth",
    "cpu.alloc_max": "cpu.limit_mhz",
    "cpu.alloc_min": "cpu.reservation_mhz",
    "cpu.alloc_shares": "cpu.shares",
}
_FACT_KINDS = frozenset({"vm", "nic", "device"})
_DEVICE = "Physical Disk SCSI Device"
_PATH = "Physical Disk Path"
_PARTS_OF_A_DEVICE = frozenset({"Physical Disk Per-Device-Per-World", "Physical Disk Partition"})


class CounterEntry(Protocol):
    """A counter of the catalogue, as far as columns are concerned."""

    @property
    def key(self) -> str:
        """Canonical counter key."""

    @property
    def unit(self) -> str:
        """Canonical unit."""


class Spelling(Protocol):
    """How esxtop names a counter, and how its values are to be read."""

    @property
    def per(self) -> str:
        """``vcpu`` when a VM's value is a sum over its worlds that is compared per vCPU."""

    @property
    def tail(self) -> str:
        """What a numbered counter adds to the instance: ``C1`` of ``%C-State C1``."""

    @property
    def cumulative(self) -> bool:
        """True for a count since boot, which is stored as a rate per second."""

    @property
    def text(self) -> bool:
        """True for a column of words, which is stored as a fact."""

    @property
    def io(self) -> bool:
        """True for I/O counters, which esxtop prints as zero in the first row of a capture."""


class Counters(Protocol):
    """A catalogue that finds counters by esxtop's names."""

    def esxtop(self, cls: str, counter: str) -> tuple[CounterEntry, Spelling] | None:
        """Return the counter with esxtop's class and name, or None if the catalogue lacks it."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of words (an RDMA device's name): its first value becomes a fact of the entity."""

    column: int
    entity: EntityRef
    name: str


@dataclass(frozen=True, slots=True)
class HostColumns:
    """The entities and series of one host of a header, and the columns that they come from.

    ``columns[i]`` is the index into the paths of ``specs[i]``; every other index here (``cumulative``,
    ``io``, ``fact_columns``, zero fills) is a position in ``specs``. ``stated`` holds facts that the header
    itself states (entity, name, value); ``fact_columns`` those that a constant column states.
    """

    host: str
    entities: tuple[Entity, ...]
    specs: tuple[SeriesSpec, ...]
    columns: IntArray
    stated: tuple[tuple[EntityRef, str, str | float], ...]
    fact_columns: tuple[tuple[int, str], ...]
    texts: tuple[TextColumn, ...]
    cumulative: IntArray
    io: IntArray
    zero_fills: tuple[ZeroFill, ...]
    notes: tuple[str, ...]

    @property
    def repairs(self) -> RepairRules:
        """The rules by which rows of this host's series are repaired."""
        return RepairRules.of(self.io, self.cumulative, self.zero_fills)

    def facts(self, start_ms: int) -> list[Fact]:
        """Return the facts that the header states, valid from ``start_ms`` on."""
        return [Fact(entity, name, value, start_ms) for entity, name, value in self.stated]


def columns_by_host(paths: Sequence[ColumnPath | None], catalogue: Counters) -> list[HostColumns]:
    """Return entities and series of each host in ``paths``, in order of first appearance.

    A None in ``paths`` is a column that could not be read: it gives no series. Column names may repeat: the
    column's index is its identity, and the second gets the instance suffix ``#2``.
    """
    by_host: dict[str, list[int]] = {}
    for column, path in enumerate(paths):
        if path is not None:
            by_host.setdefault(path.host, []).append(column)
    return [_HostReader(host, paths, catalogue).read(columns) for host, columns in by_host.items()]


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What one counter name of one class means: looked up once, used for every instance."""

    key: str
    unit: str
    label: str
    tail: str
    per_vcpu: bool
    cumulative: bool
    io: bool
    text: bool


class _HostReader:
    """Reads the columns of one host."""

    def __init__(self, host: str, paths: Sequence[ColumnPath | None], catalogue: Counters) -> None:
        self._host = host
        self._paths = paths
        self._catalogue = catalogue
        self._meanings: dict[tuple[str, str], _Meaning] = {}
        self._owners: dict[tuple[str, str], tuple[int, Owner]] = {}
        self._numbers: dict[EntityRef, int] = {}
        self._seen: dict[tuple[int, str, str], int] = {}

    def read(self, columns: Iterable[int]) -> HostColumns:
        """The layout of the given columns, all of which are this host's."""
        chosen = [(column, path) for column in columns if (path := self._paths[column]) is not None]
        objects = read_host_objects(self._host, _counters_of(path for _, path in chosen))
        specs: list[SeriesSpec] = []
        meanings: list[_Meaning] = []
        kept: list[tuple[int, ColumnPath]] = []
        texts: list[TextColumn] = []
        for column, path in chosen:
            number, owner = self._owner(objects, path)
            meaning = self._meaning(path.cls, path.counter)
            if meaning.text:
                texts.append(TextColumn(column, owner.entity, meaning.key))
                continue
            specs.append(self._spec(objects, owner, number, meaning))
            meanings.append(meaning)
            kept.append((column, path))
        return HostColumns(
            host=self._host,
            entities=tuple(objects.entities.values()),
            specs=tuple(specs),
            columns=np.asarray([column for column, _ in kept], dtype=np.int64),
            stated=(*_stated(objects), *self._devices_of_paths(path for _, path in chosen)),
            fact_columns=tuple(_fact_columns(specs)),
            texts=tuple(texts),
            cumulative=_flags(meaning.cumulative for meaning in meanings),
            io=_flags(meaning.io for meaning in meanings),
            zero_fills=find_zero_fills(objects, [path for _, path in kept], specs),
            notes=tuple(_notes(objects)),
        )

    def _devices_of_paths(self, columns: Iterable[ColumnPath]) -> Iterator[tuple[EntityRef, str, str]]:
        for path, device in _paths_by_device(columns).items():
            _, owner = self._owners[_PATH, path]
            if owner.entity.kind == "path":
                yield owner.entity, "path.device", device

    def _owner(self, objects: HostObjects, path: ColumnPath) -> tuple[int, Owner]:
        key = (path.cls, path.instance)
        found = self._owners.get(key)
        if found is None:
            owner = owner_of(objects, path.cls, path.instance)
            found = (self._numbers.setdefault(owner.entity, len(self._numbers)), owner)
            self._owners[key] = found
        return found

    def _meaning(self, cls: str, counter: str) -> _Meaning:
        key = (cls, counter)
        meaning = self._meanings.get(key)
        if meaning is None:
            meaning = self._meanings[key] = _look_up(self._catalogue, cls, counter)
        return meaning

    def _spec(self, objects: HostObjects, owner: Owner, number: int, meaning: _Meaning) -> SeriesSpec:
        instance, scale = owner.instance, 1.0
        if meaning.tail:
            instance = f"{instance} {meaning.tail}".lstrip()
        if meaning.per_vcpu and owner.entity.kind == "vm":
            vcpus = objects.vcpus.get(owner.entity)
            # A sum over an unknown number of vCPUs must not meet a threshold that is meant per vCPU.
            instance, scale = (instance, 1.0 / vcpus) if vcpus else ("sum", 1.0)
        instance = self._distinct(number, meaning.key, instance)
        return SeriesSpec(owner.entity, meaning.key, meaning.unit, instance, scale, meaning.label)

    def _distinct(self, entity: int, counter: str, instance: str) -> str:
        """The instance, with ``#2`` and so on when the entity has had it; a file may hold that name, too."""
        times = self._seen.get((entity, counter, instance), 0) + 1
        self._seen[entity, counter, instance] = times
        if times == 1:
            return instance
        while (entity, counter, f"{instance}#{times}") in self._seen:
            times += 1
        self._seen[entity, counter, instance] = times
        self._seen[entity, counter, f"{instance}#{times}"] = 1
        return f"{instance}#{times}"


def _paths_by_device(columns: Iterable[ColumnPath]) -> dict[str, str]:
    """Which paths lead to which device: esxtop lists the paths of each device right after it.

    Empty where the order does not say so: every device has a path and every path one device, or else
    somebody sorted or removed columns.
    """
    device = ""
    devices: set[str] = set()
    found: dict[str, str] = {}
    for column in columns:
        if column.cls == _DEVICE:
            device = column.instance
            devices.add(device)
        elif column.cls == _PATH:
            if not device or found.setdefault(column.instance, device) != device:
                return {}
        elif column.cls not in _PARTS_OF_A_DEVICE:
            device = ""
    return found if devices == set(found.values()) else {}


def _counters_of(paths: Iterable[ColumnPath]) -> dict[str, dict[str, set[str]]]:
    """Class → instance → the counters that the header has of it."""
    found: dict[str, dict[str, set[str]]] = {}
    front: tuple[str, str] | None = None
    counters: set[str] = set()
    for path in paths:
        if front != (path.cls, path.instance):  # columns of one instance stand together
            front = (path.cls, path.instance)
            counters = found.setdefault(path.cls, {}).setdefault(path.instance, set())
        counters.add(path.counter)
    return found


def _look_up(catalogue: Counters, cls: str, counter: str) -> _Meaning:
    label = f"{cls}\\{counter}"
    known = catalogue.esxtop(cls, counter)
    if known is None:
        return _Meaning(f"raw/{cls}/{counter}", "", label, "", False, False, False, False)
    entry, how = known
    return _Meaning(
        entry.key, entry.unit, label, how.tail, how.per == "vcpu", how.cumulative, how.io, how.text
    )


def _flags(flags: Iterable[bool]) -> IntArray:
    return np.flatnonzero(np.fromiter(flags, dtype=np.bool_)).astype(np.int64)


def _stated(objects: HostObjects) -> Iterator[tuple[EntityRef, str, str | float]]:
    for ref in objects.entities:
        if ref.kind == "vm":
            yield ref, "host", objects.host.key
            if ref in objects.vcpus:
                yield ref, "vcpus", float(objects.vcpus[ref])
    for ref, switch in objects.switches.items():
        yield ref, f"{ref.kind}.switch", switch


def _fact_columns(specs: Sequence[SeriesSpec]) -> Iterator[tuple[int, str]]:
    for position, spec in enumerate(specs):
        fact = _FACT_OF_COUNTER.get(spec.counter)
        if fact and spec.entity.kind in _FACT_KINDS and not spec.instance:
            yield position, fact


def _notes(objects: HostObjects) -> Iterator[str]:
    for name in objects.ambiguous_names():
        yield f"Several VMs are called {name!r}; a virtual disk has only the VM's name, so theirs stay apart."
