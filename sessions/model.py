"""What a session is made of: sources, entities, series, facts, events, marks and gaps, as frozen values.

Times are milliseconds since 1970 (UTC). Values are float64 in the counter's canonical unit; NaN means absent.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sessions.times import TimeRange

Kind = Literal[
    "vcenter", "cluster", "pool", "host", "vm", "vcpu", "world", "datastore", "device",
    "adapter", "path", "nic", "port", "vdisk", "guest", "vsan", "worker",
]  # fmt: skip

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, order=True)
class EntityRef:
    """Which entity: its kind and its stable identity within a session.

    ``key`` is what the source promises to keep: ``esx01/vm/1303688`` (host and group id) from esxtop,
    instance UUID from vSphere; a device that hosts share is keyed by its ``naa.`` name alone.
    """

    kind: Kind
    key: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that has counters. ``name`` is what an admin calls it; names may repeat, refs do not."""

    ref: EntityRef
    name: str
    parent: EntityRef | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that held of an entity from ``start`` until ``end`` (None: still holds).

    Names: ``vcpus`` ``host`` (placement, value is the host's key) ``power_state`` ``cpu.limit_mhz``
    ``cpu.reservation_mhz`` ``cpu.shares`` ``mem.size_mb`` ``mem.limit_mb`` ``mem.shares`` ``nic.speed_mbps``
    ``nic.switch`` ``device.queue_depth`` ``tools`` …; −1 is never stored for "unlimited": the fact is absent.

    A fact that is written again (same entity, name and start) replaces the earlier; a later start ends one
    that is still open. Readers get the facts that hold (``sessions.current_records``).
    """

    entity: EntityRef
    name: str
    value: str | float | bool
    start: int
    end: int | None = None


EXPECTED, RECEIVED = "expected", "received"
"""Attributes of a source that was recorded live: how many samples it should have given, and gave."""

SourceKind = Literal["esxtop", "lab", "vcenter", "esxi", "guest", "fio"]


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """Where counters come from. ``name`` is the host as its source gives it, or the vCenter's name.

    ``clock_offset_ms`` is source clock minus reference clock; sample times are kept
    as the source gave them.
    ``attributes`` is free text shown by ``info`` (file names, time zone, what was lost); EXPECTED and
    RECEIVED among them are numbers.
    """

    kind: SourceKind
    name: str
    interval_s: float | None = None
    clock_offset_ms: int = 0
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def counted(self) -> tuple[int, int] | None:
        """Samples that a live source should have given, and gave; None where nobody counted."""
        said = dict(self.attributes)
        numbers = [said.get(name, "") for name in (EXPECTED, RECEIVED)]
        if not all(text.isascii() and text.isdigit() and len(text) <= 18 for text in numbers):
            return None
        return int(numbers[0]), int(numbers[1])


@dataclass(frozen=True, slots=True)
class SeriesSpec:
    """One column of a source: entity × counter × instance.

    ``counter`` is a key of the catalogue, or ``raw/<class>/<name>`` where the catalogue does not know it.
    ``scale`` turns the stored number into the canonical one (1/vCPUs for a group's ready): the store keeps
    what the source said, to the digit, and every reader gets stored × scale. ``label`` is the source's own
    spelling, for provenance.
    """

    entity: EntityRef
    counter: str
    unit: str
    instance: str = ""
    scale: float = 1.0
    label: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A source as stored: what was said of it, and what it holds now."""

    id: int
    spec: SourceSpec
    start: int | None
    end: int | None
    ticks: int
    samples: int
    state: str


@dataclass(frozen=True, slots=True)
class Series:
    """A series as stored."""

    id: int
    source: int
    spec: SeriesSpec

    @property
    def entity(self) -> EntityRef:
        """The entity that the series belongs to."""
        return self.spec.entity

    @property
    def counter(self) -> str:
        """Canonical counter key."""
        return self.spec.counter


@dataclass(frozen=True, slots=True)
class Gap:
    """Samples that should be there and are not, between two instants (both included).

    ``entity`` None means the whole source. ``reason`` is a short sentence: ``the group's worlds changed``.
    ``ticks`` is how many sampling instants it covers, when known.

    A gap that is written again (same source, entity and start) replaces the earlier: an outage grows as it
    lasts, and shrinks as late samples come; one of no ticks takes it back. Who reads gets what that comes to.
    """

    source: int
    start: int
    end: int
    reason: str
    entity: EntityRef | None = None
    ticks: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a vMotion, a task, a power change, a DRS move.

    ``end`` None: an instant, or something of which nobody has said yet that it is over. ``id`` is what its
    source knows it by, unique in the session, empty for none; ``by`` who asked for it, as the source has it.

    An event that is written again (same id) replaces the earlier, so that what runs is completed in place;
    an end, an entity or a name that was said stays. Who reads gets what that comes to.
    """

    at: int
    kind: str
    text: str
    entity: EntityRef | None = None
    end: int | None = None
    id: str = ""
    by: str = ""

    def __post_init__(self) -> None:
        if self.end is not None and self.end < self.at:
            raise ValueError(f"an event that ends ({self.end}) before it starts ({self.at})")

    @property
    def until(self) -> int:
        """Its end, or the instant."""
        return self.at if self.end is None else self.end


@dataclass(frozen=True, slots=True)
class Mark:
    """A note that the admin dropped on the time axis."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class SeriesStats:
    """Statistics of many series over one window: arrays of the same length as the ids that were asked.

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
    """A series at a given width: one bucket per pixel column, empty buckets left out.

    ``start``/``end`` int64 ms of the first and last sample in the bucket, ``count`` how many there are.
    """

    start: IntArray
    end: IntArray
    count: IntArray
    minimum: FloatArray
    maximum: FloatArray
    mean: FloatArray


class SampleSource(Protocol):
    """What diagnosis and exports read from. Ids are the store's series ids; windows include both ends."""

    def span(self) -> TimeRange | None:
        """First to last sample of all sources, None when there is none."""

    def sources(self) -> Sequence[Source]:
        """All sources, in the order in which they were added."""

    def entities(self) -> dict[EntityRef, Entity]:
        """All entities by ref."""

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """All series, or those of the given counter keys, ordered by id."""

    def facts(self) -> Sequence[Fact]:
        """All facts, ordered by start."""

    def events(self) -> Sequence[Event]:
        """All events, ordered by time."""

    def gaps(self) -> Sequence[Gap]:
        """All gaps, ordered by start."""

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Statistics of each series over the window; chunk statistics where they suffice."""

    def times(self, source: int, window: TimeRange | None = None) -> IntArray:
        """Sampling instants of a source."""

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Samples: one frame for each source that has any of the series, in the order of ``sources``."""
