"""Counters from vCenter: decoding replies beside pyVmomi and govc, and
recording the largest supported vCenter.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, cast

import numpy as np
from pyVmomi import SoapAdapter, VmomiSupport

from benchmarks.measure import Row, size_of
from collectors.feed import Health, Layout, Tick
from collectors.vsphere.counters.counter_selection import CounterSelection
from collectors.vsphere.counters.metrics import Definition, MetricSet, choose
from collectors.vsphere.counters.realtime import Realtime
from collectors.vsphere.counters.reply import decode
from collectors.vsphere.counters.request import QuerySpec, metric_list, query_perf
from collectors.vsphere.counters.sample_book import SampleBook
from collectors.vsphere.counters.series_index import SeriesIndex
from collectors.vsphere.counters.server import PerfServer
from collectors.vsphere.counters.watermarks import Slots, Watermarks
from collectors.vsphere.inventory.objects import HOST, VM, Managed
from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from lab import Lab, load_scenarios, vcenter_document
from resources.catalogue import load_catalogue
from resources.vcenter_limits import load_limits
from resources.vcenter_presets import Preset
from sessions.model import Entity, EntityRef, Gap, IntArray, Kind, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.vcenter.running import PASSWORD, PlainVcsim

INTERVAL_S = 20
T0_MS = 1_795_267_200_000
HOSTS, VMS, COUNTERS = 2_000, 35_000, 30
CATALOGUE = load_catalogue()
EVERYTHING = Preset("", "", ("*",), everything=True)

_VM_OWN = (
    "cpu.usage.average", "cpu.run.summation", "cpu.ready.summation", "cpu.costop.summation",
    "cpu.maxlimited.summation", "cpu.swapwait.summation", "cpu.system.summation", "cpu.latency.average",
    "mem.latency.average", "mem.swapinRate.average", "mem.swapoutRate.average", "mem.vmmemctl.average",
    "mem.vmmemctltarget.average", "mem.granted.average", "mem.consumed.average", "mem.active.average",
    "mem.swapped.average", "mem.compressionRate.average",
)  # fmt: skip
_VM_EACH = (
    "virtualDisk.numberReadAveraged.average", "virtualDisk.numberWriteAveraged.average",
    "virtualDisk.read.average", "virtualDisk.write.average", "virtualDisk.totalReadLatency.average",
    "virtualDisk.totalWriteLatency.average", "net.packetsTx.summation", "net.packetsRx.summation",
    "net.transmitted.average", "net.received.average", "net.droppedTx.summation", "net.droppedRx.summation",
)  # fmt: skip
_HOST_OWN = (
    "cpu.usage.average", "cpu.utilization.average", "cpu.coreUtilization.average", "mem.sysUsage.average",
    "mem.state.latest", "mem.swapused.average", "mem.swapinRate.average", "mem.swapoutRate.average",
    "mem.vmmemctl.average", "power.power.average",
)  # fmt: skip
_HOST_EACH = (
    "disk.commandsAveraged.average", "disk.deviceLatency.average", "disk.kernelLatency.average",
    "disk.queueLatency.average", "disk.read.average", "disk.write.average", "disk.commandsAborted.summation",
    "disk.busResets.summation", "net.packetsTx.summation", "net.packetsRx.summation",
    "net.transmitted.average", "net.received.average", "net.droppedTx.summation", "net.droppedRx.summation",
    "storageAdapter.commandsAveraged.average", "storageAdapter.queueDepth.average",
    "storageAdapter.read.average", "storageAdapter.write.average", "storageAdapter.queueLatency.average",
    "storageAdapter.outstandingIOs.average",
)  # fmt: skip
NAMES = tuple(dict.fromkeys((*_VM_OWN, *_VM_EACH, *_HOST_OWN, *_HOST_EACH)))
DEFINITIONS = [Definition(number, name, "number") for number, name in enumerate(NAMES, 2)]
IDS = {definition.name: definition.id for definition in DEFINITIONS}


def measure(cache: Path, *, quick: bool) -> list[Row]:  # noqa: ARG001
    """Compare the decoding of QueryPerf replies with the peers."""
    return [*_against_pyvmomi(quick=quick), *_against_govc(quick=quick)]


def measure_largest(cache: Path, *, quick: bool) -> list[Row]:
    """Record a vCenter with the largest supported inventory from prepared replies."""
    return _largest(cache, scale=20 if quick else 1, rounds=8 if quick else 32)


# decode


def _against_pyvmomi(*, quick: bool) -> list[Row]:
    rows = []
    for samples in (1, 3, 15):
        raw = _plain_reply(100 if quick else 500, samples)
        series = decode(raw).series
        ours, theirs = _best(partial(decode, raw)), _best(partial(_pyvmomi, raw))
        rows.append(
            Row(
                f"one reply, csv, {series:,} series of {samples} samples",
                f"{ours / series * 1e6:.2f} µs a series",
                f"pyVmomi {theirs / series * 1e6:.2f}",
                f"{theirs / ours:.1f}×",
                "≥ 10×",
                theirs / ours >= 10,
            )
        )
    return rows


def pyvmomi_seconds_a_sample(samples: int) -> float:
    """Return the CPU seconds pyVmomi needs a sample when each series has ``samples`` of them."""
    raw = _plain_reply(100, samples)
    return _best(partial(_pyvmomi, raw), 3) / decode(raw).series / samples


def _pyvmomi(raw: bytes) -> object:
    kind = VmomiSupport.GetVmodlType("vim.PerformanceManager.EntityMetricBase[]")
    return SoapAdapter.SoapResponseDeserializer(None).Deserialize(raw, kind)


def _best(work: Callable[[], object], times: int = 7) -> float:
    taken = []
    for _ in range(times):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def _plain_reply(entities: int, samples: int) -> bytes:
    chance = random.Random(1)
    info = _info([T0_MS + number * INTERVAL_S * 1000 for number in range(samples)])
    body = []
    for entity in range(entities):
        rows = [
            _series(
                number, "" if number < 20 else str(4000 + number % 2), ",".join(_numbers(chance, samples))
            )
            for number in range(2, 2 + COUNTERS)
        ]
        body.append(_entity(f"vm-{entity}", VM, info, "".join(rows)))
    return _envelope(body)


def _numbers(chance: random.Random, count: int) -> Iterable[str]:
    return (str(chance.randrange(1 << chance.randrange(20))) for _ in range(count))


def _against_govc(*, quick: bool) -> list[Row]:
    """The same counters of the same VMs of the same vcsim, the whole way from question to numbers."""
    vms = 100 if quick else 400
    names = [name for name in NAMES if name.startswith(("cpu.", "mem."))][:COUNTERS]
    with PlainVcsim(cluster=1, host=4, vm=vms, standalone_host=0) as server:
        theirs, series = _govc(server, vms, names)
        ours, count = _ours(server, names)
    assert count == series, f"{count} series here, {series} there"
    return [
        Row(
            f"from vcsim, {series:,} series of {vms} VMs, question to numbers",
            f"{ours / series * 1e6:.2f} µs a series",
            f"govc metric.sample {theirs / series * 1e6:.2f}",
            f"{ours / theirs:.2f}×",
            "≤ 1/2",
            ours / theirs <= 0.5,
        )
    ]


def _govc(server: PlainVcsim, vms: int, names: Sequence[str]) -> tuple[float, int]:
    """CPU seconds of govc for all counters less that for one, of the same VMs, and how many series that is.

    What it needs to find the VMs by name is left out in this way.
    """
    program = _tool("govc")
    environment = {**os.environ, "GOVC_URL": server.url, "GOVC_INSECURE": "1", "GOVC_USERNAME": "user"}
    environment["GOVC_PASSWORD"] = PASSWORD
    paths = subprocess.run(
        [program, "find", "-type", "m"], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert len(paths) == vms

    def sample(some: Sequence[str], counters: Sequence[str]) -> tuple[float, int]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = [
            program,
            "metric.sample",
            "-i",
            str(INTERVAL_S),
            "-n",
            "1",
            "-instance",
            "-",
            *some,
            *counters,
        ]
        printed = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return cpu, len(printed.splitlines())

    one = [sample(paths, names[:1]) for _ in range(3)]
    many = [sample(paths, names) for _ in range(3)]
    taken = min(cpu for cpu, _ in many) - min(cpu for cpu, _ in one)
    return taken * many[0][1] / (many[0][1] - one[0][1]), many[0][1]


def _ours(server: PlainVcsim, names: Sequence[str]) -> tuple[float, int]:
    """CPU seconds here for the same question: envelope, connection, decoding, columns, watermarks."""
    address = parse_address(server.address)
    with VSphere(address, lambda: PASSWORD, thumbprint=server.thumbprint) as vsphere:
        perf = PerfServer(vsphere)
        wanted = [definition for definition in perf.definitions() if definition.name in names]
        vms = vsphere.ask("VMs", _vm_ids)
        metrics = metric_list((definition.id, "") for definition in wanted)
        chosen = choose("vm", wanted, CATALOGUE, EVERYTHING, None)
        now_ms = round(vsphere.server_time()[0].timestamp() * 1000)
        specs = [QuerySpec(moid, VM, metrics, now_ms - 1, now_ms) for moid in vms]
        subjects = {moid: _managed(moid, VM, None) for moid in vms}
        manager = perf.manager()
        best, count = 1e9, 0
        for _ in range(3):
            book, columns = _book(chosen)
            begin = time.process_time()
            book.take(decode(vsphere.post(query_perf(manager, specs, INTERVAL_S))), subjects.get)
            book.store()
            best, count = min(best, time.process_time() - begin), len(columns)
    return best, count


def _vm_ids(connection: Any) -> list[str]:
    view = connection.content.viewManager.CreateContainerView(
        connection.content.rootFolder, [VmomiSupport.GetVmodlType("vim.VirtualMachine")], True
    )
    return [vm._moId for vm in view.view]


def _book(chosen: MetricSet) -> tuple[SampleBook, SeriesIndex]:
    columns = SeriesIndex(INTERVAL_S)
    columns.mean([chosen])
    return SampleBook(_Nowhere(), 1, columns, Watermarks(), Slots(INTERVAL_S * 1000)), columns


def _tool(name: str) -> str:
    program = Path(".cache/go-bin") / name
    if program.exists():
        return str(program.resolve())
    raise RuntimeError(f"there is no {name}: run `python run.py test` once, which brings it")


# the largest vCenter


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
            **{f"host-{n}": _managed(f"host-{n}", HOST, None) for n in range(hosts)},
            **{f"vm-{n}": _managed(f"vm-{n}", VM, f"host-{n % hosts}") for n in range(vms)},
        }
        chance = random.Random(7)
        self._like = {
            moid: (chance.choice(self._patterns[one.type]), chance.randrange(1 << 20))
            for moid, one in self.objects.items()
        }

    def realtime(self, feed: StoreFeed, source: int) -> _Driven:
        """Make the realtime loop that records from this vCenter into ``feed``."""
        server = SimpleNamespace(vsphere=self, sampled=self._sampled)
        asked = CounterSelection(
            cast("PerfServer", server),
            CATALOGUE,
            Preset("", "", ("*",)),
            load_limits(),
            INTERVAL_S,
            DEFINITIONS,
            "PerfMgr",
        )
        return _Driven(
            cast("VSphere", self), feed, source, lambda: self.objects, asked, load_limits(), backfill=False
        )

    def _sampled(self, objects: Sequence[tuple[str, str]], _interval_s: int) -> set[tuple[int, bool]]:
        own, each = (_VM_OWN, _VM_EACH) if objects[0][0] == VM else (_HOST_OWN, _HOST_EACH)
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
            info = _info([slot * INTERVAL_S * 1000 for slot in slots])
            body.append(_entity(moid, self.objects[moid].type, info, rows))
        raw = _envelope(body)
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
        own, each = (_VM_OWN, _VM_EACH) if kind == VM else (_HOST_OWN, _HOST_EACH)
        if (
            one["counter"] in (each if one["instance"] else own)
            and (one["object"], one["counter"]) not in taken
        ):
            taken.add((one["object"], one["counter"]))  # one instance each
            head = _series(IDS[one["counter"]], one["instance"], "").removesuffix("</value></value>")
            found[kind].setdefault(one["object"], []).append((head, [str(value) for value in one["values"]]))
    full = {
        kind: [rows for rows in objects.values() if len(rows) == COUNTERS] for kind, objects in found.items()
    }
    assert full[VM], {name: len(rows) for name, rows in found[VM].items()}
    assert full[HOST], {name: len(rows) for name, rows in found[HOST].items()}
    return full


def _info(times: Iterable[int]) -> str:
    stamps = (datetime.fromtimestamp(t // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for t in times)
    return ",".join(f"{INTERVAL_S},{stamp}" for stamp in stamps)


def _series(counter: int, instance: str, values: str) -> str:
    return (
        f'<value xsi:type="PerfMetricSeriesCSV"><id><counterId>{counter}</counterId>'
        f"<instance>{instance}</instance></id><value>{values}</value></value>"
    )


def _entity(moid: str, kind: str, info: str, rows: str) -> str:
    return (
        f'<returnval xsi:type="PerfEntityMetricCSV"><entity type="{kind}">{moid}</entity>'
        f"<sampleInfoCSV>{info}</sampleInfoCSV>{rows}</returnval>"
    )


def _envelope(body: Iterable[str]) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope'
        ' xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
        f'<QueryPerfResponse xmlns="urn:vim25">{"".join(body)}</QueryPerfResponse>'
        "</soapenv:Body></soapenv:Envelope>"
    ).encode()


def _managed(moid: str, kind: str, host: str | None) -> Managed:
    ref = EntityRef("vm" if kind == VM else "host", moid)
    return Managed(moid, kind, ref, moid, host, 4, True, True, None, MappingProxyType({}))


@dataclass
class StoreFeed:
    """A feed that writes to a session in the calling thread."""

    writer: SessionWriter
    health: Health | None = None
    layouts: list[tuple[int, int]] = field(default_factory=list)

    def add_source(self, spec: SourceSpec) -> int:
        """Add a source to the session and return its number."""
        return self.writer.add_source(spec)

    def update_source(self, source: int, **said: Any) -> None:
        """Change fields of a source."""
        self.writer.update_source(source, **said)

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


class _Nowhere(StoreFeed):
    """Takes everything and keeps nothing: what decoding costs, without the store."""

    def __init__(self) -> None:
        self.layouts = []

    def add_entities(self, entities: Sequence[Entity]) -> None:
        pass

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:  # noqa: ARG002
        return Layout(0, np.zeros(len(specs), np.int64))

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        pass


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        quick = "--quick" in sys.argv
        for row in (*measure(Path(folder), quick=quick), *measure_largest(Path(folder), quick=quick)):
            print(row)
