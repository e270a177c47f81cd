"""Sessions to test with: a host, its VMs and their counters, with every kind of column that esxtop has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sessions.model import Entity, EntityRef, Fact, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block
from tests.sessions.memory_session import MemorySession

T0 = 1_700_000_000_000
HOST = EntityRef("host", "esx01")


@dataclass(frozen=True)
class Capture:
    """Ticks of one source, before anything has stored them."""

    source: SourceSpec
    entities: tuple[Entity, ...]
    specs: tuple[SeriesSpec, ...]
    times: IntArray
    stored: FloatArray
    facts: tuple[Fact, ...] = ()

    @property
    def canonical(self) -> FloatArray:
        """What a reader should get."""
        canonical: FloatArray = self.stored * np.array([spec.scale for spec in self.specs])
        return canonical

    def declare(self, writer: SessionWriter) -> tuple[int, IntArray, int]:
        """Add everything but the ticks: source, ids, layout."""
        writer.add_entities(self.entities)
        source = writer.add_source(self.source)
        writer.add_facts(self.facts)
        ids = writer.add_series(source, self.specs)
        return source, ids, writer.add_layout(source, ids)

    def write(self, path: Path, *, blocks: int = 300) -> IntArray:
        """Store it: the first ticks as blocks of 128, the rest tick by tick."""
        with SessionWriter.create(path, title="a test", durable=False) as writer:
            _, ids, layout = self.declare(writer)
            for begin in range(0, min(blocks, self.times.size), 128):
                end = min(begin + 128, blocks, self.times.size)
                writer.add_block(layout, encode_block(self.times[begin:end], self.stored[begin:end]))
            for at, row in zip(self.times[blocks:].tolist(), self.stored[blocks:], strict=True):
                writer.append_ticks([(layout, at, row)])
        return ids

    def in_memory(self) -> tuple[MemorySession, IntArray]:
        """The same without a file."""
        session = MemorySession()
        ids = session.add_source(
            self.source, self.times, self.specs, self.stored, entities=self.entities, facts=self.facts
        )
        return session, ids


def columns(rng: np.random.Generator, ticks: int, vms: int) -> FloatArray:
    """Per VM: constant, absent, noisy, sparse, a count, arbitrary floats, one with gaps."""
    noisy = np.round(np.abs(rng.normal(30, 8, (ticks, vms))), 2)
    sparse = np.where(rng.random((ticks, vms)) < 0.05, np.round(rng.exponential(9, (ticks, vms)), 1), 0.0)
    gappy = np.where(rng.random((ticks, vms)) < 0.2, np.nan, np.round(rng.random((ticks, vms)) * 7, 3))
    parts = (
        np.full((ticks, vms), 4096.0),
        np.full((ticks, vms), np.nan),
        noisy,
        sparse,
        np.cumsum(rng.integers(0, 3, (ticks, vms)), axis=0) + 1e6,
        rng.normal(size=(ticks, vms)),
        gappy,
    )
    return np.stack(parts, axis=2).reshape(ticks, -1)


COUNTERS = (
    "mem.size",
    "mem.balloon",
    "cpu.ready",
    "disk.aborts",
    "cpu.switches",
    "power.usage",
    "net.drops_rx",
)


def capture(ticks: int = 400, vms: int = 6, *, host: str = "esx01", seed: int = 1, t0: int = T0) -> Capture:
    rng = np.random.default_rng(seed)
    host_ref = EntityRef("host", host)
    refs = [EntityRef("vm", f"{host}/vm/{i}") for i in range(vms)]
    entities = tuple(Entity(ref, f"vm {i} (Ünïcode)", host_ref) for i, ref in enumerate(refs))
    specs = tuple(
        SeriesSpec(
            ref,
            counter,
            "%",
            scale=0.25 if counter == "cpu.ready" else 1.0,
            label=f"\\\\{host}\\C({i})\\{counter}",
        )
        for i, ref in enumerate(refs)
        for counter in COUNTERS
    )
    return Capture(
        SourceSpec("lab", host, 5.0, 12, (("file", "capture.csv"),)),
        (*entities, Entity(host_ref, host)),  # parents may come later in the same call
        specs,
        t0 + 5000 * np.arange(ticks, dtype=np.int64),
        columns(rng, ticks, vms),
        (Fact(refs[0], "vcpus", 4.0, t0),),
    )
