"""The parts of a session as frozen values: sources, entities, series, facts, events, marks and gaps.

Times are milliseconds since 1970 (UTC). Values are float64 in the counter's canonical unit; NaN means absent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from sessions.times import TimeRange

Kind = Literal[
    "vcenter", "cluster", "pool", "host", "vm", "vcpu", "world", "datastore", "device",
    "adapter", "path", "nic", "port", "vdisk", "guest", "vsan", "worker",
]  # fmt: skip

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class EntityRef(msgspec.Struct, frozen=True, order=True, cache_hash=True, gc=False):
    """The reference of an entity: its kind and its stable key within a session.

    ``key`` is lasting: ``esx01/vm/1303688`` (host and group id) from esxtop, the instance UUID from vSphere;
    the ``naa.`` name alone for a device that hosts share. A struct: references are the keys of nearly every
    index, and a frozen class takes four times as long to hash and to compare.
    """

    kind: Kind
    key: str


@dataclass(frozen=True, slots=True)
class Entity:
    """An object that has counters. ``name`` is the display name; names may repeat, refs do not."""

    ref: EntityRef
    name: str
    parent: EntityRef | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A property of an entity that held from ``start`` until ``end`` (None: still holds).

    Names: ``vcpus`` ``host`` (placement, value is the host's key) ``power_state`` ``cpu.limit_mhz``
    ``cpu.reservation_mhz`` ``cpu.shares`` ``mem.size_mb`` ``mem.limit_mb`` ``mem.shares`` ``nic.speed_mbps``
    ``nic.switch`` ``device.queue_depth`` ``tools`` …; −1 is never stored for "unlimited": the fact is absent.

    A fact with the same entity, name and start replaces the earlier one; a later start ends one that is still
    open. Readers get the facts that hold (``sessions.current_records``).
    """

    entity: EntityRef
    name: str
    value: str | float | bool
    start: int
    end: int | None = None


EXPECTED, RECEIVED = "expected", "received"
"""Attributes of a source that was recorded live: how many samples it should have given, and gave."""

ZONE, AHEAD_OF_UTC = "time zone", "minutes ahead of UTC"
"""Attributes of an imported capture: the zone that its header names, and how far that is ahead of UTC."""
ZONE_NOT_TOLD = "not told by the capture; its times are read as UTC"

DISK_PLACE = re.compile(r"vdisk\..*\.datastore")
"""Names of the facts that say where a VM's disks lie."""

SourceKind = Literal["esxtop", "lab", "vcenter", "esxi", "guest", "fio", "log"]


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """The specification of a source. ``name`` is the host as its source names it, or the vCenter's name.

    ``clock_offset_ms`` is how far the stored times are ahead of the reference clock: they are as the source
    gave them, or moved onto the axis of the recording (``collectors.axis``). ``attributes`` are texts shown
    by ``info`` (file names, time zone, what was lost); the attributes EXPECTED and RECEIVED are numbers of
    samples.
    """

    kind: SourceKind
    name: str
    interval_s: float | None = None
    clock_offset_ms: int = 0
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def counted(self) -> tuple[int, int] | None:
        """The numbers of expected and received samples of a live source; None where they were not counted."""
        texts = dict(self.attributes)
        numbers = [texts.get(name, "") for name in (EXPECTED, RECEIVED)]
        if not all(text.isascii() and text.isdigit() and len(text) <= 18 for text in numbers):
            return None
        return int(numbers[0]), int(numbers[1])


class SeriesSpec(NamedTuple):
    """The specification of a series: entity × counter × instance.

    ``counter`` is a key of the catalogue, or ``raw/<class>/<name>`` for a counter that the catalogue lacks.
    ``scale`` converts the stored number to the canonical one (1/vCPUs for a group's ready): the store keeps
    the source's number to the digit, and every reader gets stored × scale. ``label`` is the source's own
    spelling. A tuple: a capture has 20,000 of them, and a frozen class takes three times as long to make.
    """

    entity: EntityRef
    counter: str
    unit: str
    instance: str = ""
    scale: float = 1.0
    label: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A source as stored: its specification, its state, and its present number of samples and time range."""

    id: int
    spec: SourceSpec
    start: int | None
    end: int | None
    ticks: int
    samples: int
    state: str

    @property
    def is_growing(self) -> bool:
        """True while somebody records or imports it."""
        return self.state in {"recording", "importing"}


@dataclass(frozen=True, slots=True)
class Series:
    """A series as stored: its id, its source's id and its specification."""

    id: int
    source: int
    spec: SeriesSpec

    @property
    def entity(self) -> EntityRef:
        """The entity of the series."""
        return self.spec.entity

    @property
    def counter(self) -> str:
        """The canonical counter key."""
        return self.spec.counter


@dataclass(frozen=True, slots=True)
class Gap:
    """Samples that are missing between two instants (both included).

    ``entity`` None means the whole source. ``reason`` is a short sentence: ``the group's worlds changed``.
    ``ticks`` is the number of missed sampling instants, when known.

    A gap with the same source, entity and start replaces the earlier one, because an outage grows while it
    lasts, and shrinks as late samples arrive; ``ticks=0`` removes it. Readers get the present gaps.
    """

    source: int
    start: int
    end: int
    reason: str
    entity: EntityRef | None = None
    ticks: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a vMotion, a task, a power change, a DRS migration.

    ``end`` None: an instant, or something that is not known to have ended. ``id`` identifies it in its source
    and is unique in the session, empty for none; ``by`` is the user who requested it. ``log`` is the log file
    that tells it, in a session of several hosts after its host (``esx01: vmkernel.log``); empty if a server
    told it.

    An event with the same id replaces the earlier one, so that a running task is completed in place; an end,
    entity or user that was given before stays. Readers get the present events.
    """

    at: int
    kind: str
    text: str
    entity: EntityRef | None = None
    end: int | None = None
    id: str = ""
    by: str = ""
    log: str = ""

    def __post_init__(self) -> None:
        if self.end is not None and self.end < self.at:
            raise ValueError(f"an event that ends ({self.end}) before it starts ({self.at})")

    @property
    def log_host(self) -> str:
        """The host whose log tells it; empty if it is not said, or no log does."""
        return self.log.rpartition(": ")[0]

    @property
    def until(self) -> int:
        """Its end; for an instant, its time."""
        return self.at if self.end is None else self.end


@dataclass(frozen=True, slots=True)
class Mark:
    """A note that the admin put on the time axis."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class SeriesStats:
    """Statistics of many series over one window: arrays with one item for each requested id.

    ``count`` int64; ``minimum``/``maximum``/``mean`` float64 in canonical units, NaN where count is 0.
    """

    count: IntArray
    minimum: FloatArray
    maximum: FloatArray
    mean: FloatArray


@dataclass(frozen=True, slots=True)
class Frame:
    """Samples of one source: ``values[i, j]`` of series ``ids[j]`` at ``times[i]``; NaN is absent.

    ``times`` int64, strictly increasing, in milliseconds; ``values`` float64, canonical units, shape
    (len(times), len(ids)).
    """

    source: int
    ids: IntArray
    times: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Overview:
    """A series reduced to a given width: one bucket for each pixel column, without empty buckets.

    ``start``/``end`` int64 ms of the first and last sample in each bucket, ``count`` its number of samples.
    """

    start: IntArray
    end: IntArray
    count: IntArray
    minimum: FloatArray
    maximum: FloatArray
    mean: FloatArray


class SampleSource(Protocol):
    """A readable session, as diagnosis and exports use it. Ids are series ids; windows include both ends."""

    def span(self) -> TimeRange | None:
        """Return the time from the first to the last sample of all sources; None without samples."""

    def sources(self) -> Sequence[Source]:
        """Return all sources in the order in which they were added."""

    def entities(self) -> dict[EntityRef, Entity]:
        """Return all entities by reference."""

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """Return all series, or those of the given counter keys, ordered by id."""

    def facts(self) -> Sequence[Fact]:
        """Return all facts, ordered by start."""

    def events(self) -> Sequence[Event]:
        """Return all events, ordered by time."""

    def gaps(self) -> Sequence[Gap]:
        """Return all gaps, ordered by start."""

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return statistics of each series over the window, from chunk statistics where these suffice."""

    def times(self, source: int, window: TimeRange | None = None) -> IntArray:
        """Return the sampling instants of a source; shape (n,), int64, ms."""

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: one frame for each source that has any of the series, in the
        order of ``sources``.
        """
