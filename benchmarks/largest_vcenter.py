"""Recording the largest vCenter that VMware supports, from replies that are made in this process."""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from benchmarks.measure import Row, size_of
from benchmarks.perf_replies import (
    COUNTERS,
    DEFINITIONS,
    HOST_EACH,
    HOST_OWN,
    IDS,
    INTERVAL_S,
    T0_MS,
    VM_EACH,
    VM_OWN,
    entity_xml,
    managed_object,
    reply_envelope,
    sample_info,
    series_xml,
)
from collectors.axis import Axis
from collectors.feed import Health, Layout, Tick
from collectors.vsphere.counters.counter_selection import CounterSelection
from collectors.vsphere.counters.realtime import Realtime
from collectors.vsphere.counters.server import PerfServer
from collectors.vsphere.inventory.objects import HOST, VM, Managed
from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from lab import Lab, load_scenarios, vcenter_document
from resources.catalogue import load_catalogue
from resources.vcenter_limits import load_limits
from resources.vcenter_presets import Preset
from sessions.model import Entity, EntityRef, Gap, IntArray, Kind, SeriesSpec, SourceSpec
from sessions.store import SessionWriter

HOSTS, VMS = 2_000, 35_000
CATALOGUE = load_catalogue()


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Record a vCenter with the largest supported inventory from prepared replies."""
    return _largest(cache, scale=20 if quick else 1, rounds=8 if quick else 32)


def _largest(cache: Path, *, scale: int, rounds: int) -> list[Row]:
    path = cache / "largest.hscope"
    for old in cache.glob("largest.hscope*"):
        old.unlink()
    replay = Replay(HOSTS // scale, VMS // scale)
    begin = time.process_time()
    with SessionWriter.create(path, durable=False) as writer:
        feed = StoreFeed(writer)
        source = feed.add_source(SourceSpec("vcenter", "largest", float(INTERVAL_S)))
        feed.add_entities([Entity(one.ref, one.name) for one in replay.objects.values()])
        realtime = replay.realtime(feed, source)
        first = 0.0
        for number in range(rounds):
            replay.now_ms = T0_MS + number * INTERVAL_S * 1000 + 10_000
            while realtime.round():
                pass
            if number == 0:
                first = time.process_time() - begin - replay.cpu_s
        realtime.end()
        steady = time.process_time() - begin - replay.cpu_s - first
    total = time.process_time() - begin - replay.cpu_s
    health = feed.health
    assert health is not None
    series, samples = health.series, health.received
    each = (total - first) / (rounds - 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"   first round {first:.1f} s, then {steady / (rounds - 1):.2f} s a round, {each:.2f} with the last "
        f"compaction; {replay.cpu_s:.0f} s went into writing replies; {memory:.2f} GB",
        file=sys.stderr,
    )
    lost = health.expected - health.received
    size = size_of(path) / samples
    return [
        Row(
            f"{HOSTS // scale:,} hosts, {VMS // scale:,} VMs, {series:,} series, {rounds} instants",
            f"{each:.2f} s of CPU for {INTERVAL_S} s",
            "one core",
            f"{each / INTERVAL_S:.2f}×",
            "≤ 1",
            each <= INTERVAL_S / scale,
        ),
        Row("… samples lost", f"{lost:,} of {health.expected:,}", "–", "–", "0", lost == 0),
        Row("… on disk", f"{size:.3f} bytes a sample", "–", "–", "≤ 1.5", size <= 1.5),
    ]


class Replay:
    """A vCenter in this process: its VMs are those of the lab's demo,
    repeated many times, each shifted in time.
    """

    def __init__(self, hosts: int, vms: int) -> None:
        self.now_ms = T0_MS
        self.cpu_s = 0.0
        self.clock_offset_ms = 0
        self.address = parse_address("vcenter://bench@replay")
        self._patterns = _patterns()
        self.objects: Mapping[str, Managed] = {
            **{f"host-{n}": managed_object(f"host-{n}", HOST, None) for n in range(hosts)},
            **{f"vm-{n}": managed_object(f"vm-{n}", VM, f"host-{n % hosts}") for n in range(vms)},
        }
        chance = random.Random(7)
        self._like = {
            moid: (chance.choice(self._patterns[one.type]), chance.randrange(1 << 20))
            for moid, one in self.objects.items()
        }

    def realtime(self, feed: StoreFeed, source: int) -> _Driven:
        """Make the realtime loop that records from this vCenter into ``feed``."""
        server = SimpleNamespace(vsphere=self, sampled=self._sampled)
        selection = CounterSelection(
            cast("PerfServer", server),
            CATALOGUE,
            Preset("", "", ("*",)),
            load_limits(),
            INTERVAL_S,
            DEFINITIONS,
            "PerfMgr",
        )
        return _Driven(
            cast("VSphere", self),
            feed,
            source,
            lambda: self.objects,
            selection,
            load_limits(),
            backfill=False,
        )

    def _sampled(self, objects: Sequence[tuple[str, str]], _interval_s: int) -> set[tuple[int, bool]]:
        own, each = (VM_OWN, VM_EACH) if objects[0][0] == VM else (HOST_OWN, HOST_EACH)
        return {(IDS[name], False) for name in own} | {(IDS[name], True) for name in each}

    def server_time(self) -> tuple[datetime, float]:
        """Return the simulated server's time, and the monotonic time (s) at which that was asked."""
        return datetime.fromtimestamp(self.now_ms / 1000, UTC), 0.0

    def post(self, envelope: bytes) -> bytes:
        """Return the reply to a SOAP envelope; the CPU time of composing the reply is not counted."""
        begin = time.thread_time()
        body = []
        for part in envelope.split(b"<querySpec>")[1:]:
            moid = part[part.index(b'">') + 2 : part.index(b"</entity>")].decode()
            start, end = (
                round(datetime.fromisoformat(part.split(tag)[1].split(b"<")[0].decode()).timestamp())
                for tag in (b"<startTime>", b"<endTime>")
            )
            slots = range(start // INTERVAL_S + 1, end // INTERVAL_S + 1)
            patterns, shift = self._like[moid]
            rows = "".join(
                head + ",".join([texts[(slot + shift) % len(texts)] for slot in slots]) + "</value></value>"
                for head, texts in patterns
            )
            info = sample_info([slot * INTERVAL_S * 1000 for slot in slots])
            body.append(entity_xml(moid, self.objects[moid].type, info, rows))
        raw = reply_envelope(body)
        self.cpu_s += time.thread_time() - begin
        return raw


class _Driven(Realtime):
    """The loop, one round at a time."""

    def end(self) -> None:
        self.finish()
        self.close()


Pattern = list[tuple[str, list[str]]]


def _patterns() -> dict[str, list[Pattern]]:
    """Series of the lab's hosts and VMs: what stands before the values, and the values as text."""
    lab = Lab(load_scenarios()["demo"], seed=1)
    series = cast("list[dict[str, Any]]", vcenter_document(lab, catalogue=CATALOGUE)["series"])
    found: dict[str, dict[str, Pattern]] = {HOST: {}, VM: {}}
    taken: set[tuple[str, str]] = set()
    for one in series:
        kind = VM if one["object"].startswith("vm:") else HOST
        own, each = (VM_OWN, VM_EACH) if kind == VM else (HOST_OWN, HOST_EACH)
        if (
            one["counter"] in (each if one["instance"] else own)
            and (one["object"], one["counter"]) not in taken
        ):
            taken.add((one["object"], one["counter"]))  # one instance each
            head = series_xml(IDS[one["counter"]], one["instance"], "").removesuffix("</value></value>")
            found[kind].setdefault(one["object"], []).append((head, [str(value) for value in one["values"]]))
    full = {
        kind: [rows for rows in objects.values() if len(rows) == COUNTERS] for kind, objects in found.items()
    }
    assert full[VM], {name: len(rows) for name, rows in found[VM].items()}
    assert full[HOST], {name: len(rows) for name, rows in found[HOST].items()}
    return full


@dataclass
class StoreFeed:
    """A feed that writes to a session in the calling thread."""

    writer: SessionWriter
    health: Health | None = None
    layouts: list[tuple[int, int]] = field(default_factory=list)
    axis: Axis | None = None

    def add_source(self, spec: SourceSpec) -> int:
        """Add a source to the session and return its number."""
        return self.writer.add_source(spec)

    def update_source(self, source: int, **changes: Any) -> None:
        """Change fields of a source."""
        self.writer.update_source(source, **changes)

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:  # noqa: ARG002 - nobody is renamed
        """Return the reference of the entity with this kind and name."""
        return EntityRef(kind, name)

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities to the session."""
        self.writer.add_entities(entities)

    def add_facts(self, facts: Sequence[object]) -> None:  # noqa: ARG002
        """Raise AssertionError: the benchmark has no inventory."""
        raise AssertionError("no inventory here")

    def add_events(self, events: Sequence[object]) -> None:  # noqa: ARG002
        """Raise AssertionError: the benchmark has no inventory."""
        raise AssertionError("no inventory here")

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        """Add gaps to the session."""
        self.writer.add_gaps(gaps)

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Add series as a layout of the source."""
        ids: IntArray = self.writer.add_series(source, specs)
        return Layout(self.writer.add_layout(source, ids), np.zeros(ids.size, np.int64))

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Write ticks to the session."""
        self.writer.append_ticks([(tick.layout, tick.t_ms, tick.stored) for tick in ticks])

    def add_journal(self, entries: Sequence[object]) -> None:  # noqa: ARG002
        """Raise AssertionError: the benchmark runs no test."""
        raise AssertionError("no test here")

    def add_test_runs(self, runs: Sequence[object]) -> None:  # noqa: ARG002
        """Raise AssertionError: the benchmark runs no test."""
        raise AssertionError("no test here")

    def flush(self) -> None:
        """Do nothing: every call writes before it returns."""

    def report(self, source: int, health: Health) -> None:  # noqa: ARG002
        """Keep the latest health of the source."""
        self.health = health


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for row in measure(Path(folder), quick="--quick" in sys.argv):
            print(row)
