"""Scenarios of the lab in which one thing slows another: what an admin would point at, and who it was.

Nothing is put on top here: the lab's physics makes latency, ready and drops from the loads. Only what a
scenario's own text calls the cause is a culprit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lab import Lab, load_scenarios, record_lab
from lab.inventory import UPLINKS
from sessions.model import EntityRef, SampleSource, Series
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange

_MARGIN_MS = 5_000


@dataclass(frozen=True, slots=True)
class KnownCulprit:
    """What the text of a scenario tells: who makes the load, on what it is felt, and by which counter.

    ``felt_by``: another VM of the LUN ("lun") or of the host ("host"), or the entity of a role itself ("").
    """

    scenario: str
    culprits: tuple[str, ...]
    counter: str
    place: str
    felt_by: str


KNOWN_CULPRITS = (
    KnownCulprit("storage-latency-noisy-neighbour", ("noisy",), "disk.guest_latency", "lun", "lun"),
    KnownCulprit(
        "storage-latency-large-io", ("copy1", "copy2", "copy3", "copy4"), "disk.device_latency", "lun", ""
    ),
    KnownCulprit("storage-queue-lun-depth", ("heavy",), "disk.kernel_latency", "lun", ""),
    KnownCulprit("net-saturated-one-vm", ("vm",), "net.mbits_rx", "nic", ""),
    KnownCulprit("net-tx-drops-uplink-saturated", ("sender",), "net.drops_tx", "nic", "host"),
    KnownCulprit("net-saturated-vmotion", ("vmkernel",), "net.mbits_tx", "nic", ""),
    KnownCulprit("cpu-saturated-few-heavy", ("heavy",), "cpu.ready", "heavy", "host"),
    KnownCulprit("storage-nfs-network-saturated", ("reader",), "nfs.latency", "nfs", ""),
)


@dataclass(frozen=True, slots=True)
class LabCase:
    """One run: as ``culprit_cases.Case``, with a session of its own."""

    kind: str
    seed: int
    session: SampleSource
    window: TimeRange
    reference: int
    culprits: frozenset[EntityRef]


@contextmanager
def lab_case(known: KnownCulprit, seed: int) -> Iterator[LabCase | None]:
    """Play a scenario with a seed; the session is there within the block. None if nothing is slow in it."""
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(load_scenarios()[known.scenario], seed=seed)
        path = Path(folder) / "lab.hscope"
        with SessionWriter.create(path, durable=False) as writer:
            record_lab(lab, writer)
        with SessionReader.open(path) as reader:
            yield _case(known, seed, lab, reader)


def _case(known: KnownCulprit, seed: int, lab: Lab, reader: SessionReader) -> LabCase | None:
    truth = lab.truth().truth[0]
    start = lab.start_ms + round(truth.start_s * 1000) - _MARGIN_MS
    span = reader.span()
    assert span is not None
    window = TimeRange(max(span.start, start), min(span.end, lab.start_ms + round(truth.end_s * 1000)))
    names = {ref: entity.name for ref, entity in reader.entities().items()}
    guilty = {name for role in known.culprits for name in _names(lab, role)}
    culprits = frozenset(ref for ref, name in names.items() if name in guilty and ref.kind in ("vm", "port"))
    reference = _reference(known, lab, reader, window, names, guilty)
    if reference is None or not culprits:
        return None
    return LabCase(known.scenario, seed, reader, window, reference.id, culprits)


def _names(lab: Lab, role: str) -> list[str]:
    """The names of a role's members; of the VMkernel, its port beside the uplink."""
    cluster = lab.cluster
    if role == "vmkernel":
        return [name.replace("vmnic0", "vmk0") for name in _names(lab, "nic")]
    cast = cluster.cast[role]
    kind = cast.role.kind
    if kind == "vm":
        return [cluster.vms[one].name for one in cast.members]
    if kind == "nic":
        return [f"{cluster.hosts[one // UPLINKS].name}/vmnic{one % UPLINKS}" for one in cast.members]
    return [cluster.luns[one].name for one in cast.members]


def _reference(
    known: KnownCulprit,
    lab: Lab,
    reader: SessionReader,
    window: TimeRange,
    names: dict[EntityRef, str],
    guilty: set[str],
) -> Series | None:
    """The series that somebody points at: of those that fit, the one that is worst in the window."""
    entities = reader.entities()
    places = set(_names(lab, known.place))

    def owner(ref: EntityRef) -> str:
        parent = entities[ref].parent
        return names[parent] if parent is not None and parent.kind == "vm" else names[ref]

    hosts = {ref.key.partition("/")[0] for ref, name in names.items() if name in places | guilty}
    found = []
    for one in reader.series([known.counter]):
        fits = {
            "": names[one.entity] in places and not one.spec.instance,
            "lun": one.entity.kind == "vm" and one.spec.instance in places,
            "host": one.entity.kind in ("vm", "port") and one.entity.key.partition("/")[0] in hosts,
        }[known.felt_by]
        if fits and (not known.felt_by or owner(one.entity) not in guilty):
            found.append(one)
    if not found:
        return None
    means = reader.stats(np.array([one.id for one in found], dtype=np.int64), window).mean
    return found[int(np.nanargmax(means))]
