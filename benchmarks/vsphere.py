"""Counters from vCenter: decoding QueryPerf replies, beside pyVmomi and govc on the same counters."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pyVmomi import SoapAdapter, VmomiSupport

from benchmarks.largest_vcenter import StoreFeed
from benchmarks.measure import Row
from benchmarks.perf_replies import (
    COUNTERS,
    INTERVAL_S,
    NAMES,
    T0_MS,
    entity_xml,
    managed_object,
    reply_envelope,
    sample_info,
    series_xml,
)
from collectors.feed import Layout, Tick
from collectors.vsphere.counters.metrics import MetricSet, choose_realtime
from collectors.vsphere.counters.reply import decode
from collectors.vsphere.counters.request import QuerySpec, metric_list, query_perf
from collectors.vsphere.counters.sample_book import SampleBook
from collectors.vsphere.counters.series_index import SeriesIndex
from collectors.vsphere.counters.server import PerfServer
from collectors.vsphere.counters.watermarks import Slots, Watermarks
from collectors.vsphere.inventory.objects import VM
from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from resources.catalogue import load_catalogue
from resources.vcenter_presets import Preset
from sessions.model import Entity, SeriesSpec
from tests.vcenter.running import PASSWORD, PlainVcsim

CATALOGUE = load_catalogue()
EVERYTHING = Preset("", "", ("*",), everything=True)


def measure(cache: Path, *, quick: bool) -> list[Row]:  # noqa: ARG001
    """Compare the decoding of QueryPerf replies with the peers."""
    return [*_against_pyvmomi(quick=quick), *_against_govc(quick=quick)]


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
    info = sample_info([T0_MS + number * INTERVAL_S * 1000 for number in range(samples)])
    body = []
    for entity in range(entities):
        rows = [
            series_xml(
                number, "" if number < 20 else str(4000 + number % 2), ",".join(_numbers(chance, samples))
            )
            for number in range(2, 2 + COUNTERS)
        ]
        body.append(entity_xml(f"vm-{entity}", VM, info, "".join(rows)))
    return reply_envelope(body)


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
        arguments = [
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
        printed = subprocess.run(
            arguments, env=environment, capture_output=True, text=True, check=True
        ).stdout
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
        chosen = choose_realtime("vm", wanted, CATALOGUE, EVERYTHING, None)
        now_ms = round(vsphere.server_time()[0].timestamp() * 1000)
        specs = [QuerySpec(moid, VM, metrics, now_ms - 1, now_ms) for moid in vms]
        subjects = {moid: managed_object(moid, VM, None) for moid in vms}
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
    columns.set_metric_sets([chosen])
    return SampleBook(_Nowhere(), 1, columns, Watermarks(), Slots(INTERVAL_S * 1000)), columns


def _tool(name: str) -> str:
    program = Path(".cache/go-bin") / name
    if program.exists():
        return str(program.resolve())
    raise RuntimeError(f"there is no {name}: run `python run.py test` once, which brings it")


class _Nowhere(StoreFeed):
    """Takes everything and keeps nothing: what decoding costs, without the store."""

    def __init__(self) -> None:
        self.layouts, self.axis = [], None

    def add_entities(self, entities: Sequence[Entity]) -> None:
        pass

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:  # noqa: ARG002
        return Layout(0, np.zeros(len(specs), np.int64))

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        pass


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for row in measure(Path(folder), quick="--quick" in sys.argv):
            print(row)
