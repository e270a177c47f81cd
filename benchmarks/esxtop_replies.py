"""esxtop's service: decoding a genuine reply, and recording eight hosts of it on one core."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Row
from collectors.esxtop_service.checks import check
from collectors.esxtop_service.counter_info import CounterInfo, read_counter_info
from collectors.esxtop_service.importing import SessionFeed
from collectors.esxtop_service.reply import Reply, decode
from collectors.esxtop_service.sampling import Sampler
from collectors.esxtop_service.series import HostSeries
from resources.catalogue import load_catalogue
from sessions.model import SourceSpec
from sessions.store import SessionWriter
from tests.esxtop_service.genuine import FOLDER, written_again

_TIMES = 40
_HOSTS, _EVERY_S, _VALUES = 8, 2.0, 20_000
_GROWS = re.compile(
    r"NumOf|TimeInUsec|Byte|Latency|Switches|Migrations|Count|Pkts|Aperf|Mperf|TimeStamp",
)
_STANDS = re.compile(
    r"NumOf(?:LCPUs|Cores|Packages|NUMANodes|SchedGroups|CPUClients|HiddenWorlds|VCPUs|Adapters|Devices|Paths"
    r"|Worlds|Partitions|Nfs|Vscsi|Portsets|PNICs|Ports|Interrupt|CPUs|[CPT]States|Active|Queued|Blocks$)",
)


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure with the genuine reply of a host of 56 LCPUs; nothing where this machine does not have it."""
    if not FOLDER.is_dir():
        return []
    info = read_counter_info((FOLDER / "counterinfo.dsv").read_text(encoding="utf-8"))
    text = (FOLDER / "fetchstats.dsv").read_bytes()
    times = 5 if quick else _TIMES
    return [_decoding(text, info, times), *_recording(text, info, cache, 6 if quick else 60)]


def _decoding(text: bytes, info: CounterInfo, times: int) -> Row:
    here = _seconds(lambda: decode(text, info), times)
    split = _seconds(lambda: _split(text), times)
    return Row(
        f"decoding an esxtop reply of {len(text) / 1e3:.0f} kB",
        f"{here * 1e3:.1f} ms, every number and name checked",
        f"line and field split, numbers by int(): {split * 1e3:.1f} ms, nothing checked",
        f"{split / here:.1f}×",
        "≥ 1×",
        here <= split,
    )


def _recording(text: bytes, info: CounterInfo, cache: Path, samples: int) -> list[Row]:
    """Store samples of a host that works: the processor time of each, from the reply to the session."""
    out = cache / "esxtop-service.hscope"
    out.unlink(missing_ok=True)
    replies = list(grown(text, info, samples + 1))
    values, taken = 0, 0.0
    with SessionWriter.create(out, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", _EVERY_S))
        series, sampler = HostSeries(SessionFeed(writer), source, load_catalogue()), Sampler("esx01")
        for number, one in enumerate(replies):
            begun = time.process_time()
            reply = decode(one, info)
            check(reply)
            sample = sampler.add(reply)
            if sample is not None:
                values += series.add(sample, reply)
            if number > 1:  # the first ones make the layout
                taken += time.process_time() - begun
    each = taken / max(1, samples - 1) / series.series * _VALUES
    busy = _HOSTS * each / _EVERY_S
    told = f"{100 * busy:.0f} % of a core, {each * 1e3:.1f} ms a reply"
    size = out.stat().st_size / values
    what = f"{_HOSTS} hosts with {_VALUES:,} values each, every {_EVERY_S:g} s, by the esxtop service"
    return [
        Row(what, told, "–", "–", "≤ 100 %", busy <= 1),
        Row(
            f"session of {series.series:,} values of the esxtop service, all of them working",
            f"{size:.2f} bytes a sample", "–", "–", "≤ 1.5", size <= 1.5,
        ),
    ]  # fmt: skip


def grown(text: bytes, info: CounterInfo, count: int) -> Iterator[bytes]:
    """Yield the reply and those that follow it: counts of what had any grow as they have since the boot."""
    chance = np.random.default_rng(1)
    head, _, _ = text.partition(b"==COUNTER-VALUE==\n")
    reply = decode(text, info)
    for _ in range(count):
        yield head + b"==COUNTER-VALUE==\n" + written_again(reply)
        for records in reply.records.values():
            numbers = [one.name for one in records.type.fields if not one.is_text]
            for column, name in enumerate(numbers):
                is_count = _GROWS.search(name) and not _STANDS.match(name)
                if is_count and records is not reply["Server"]:
                    own = records.raw[:, column]
                    usual = own.astype(float) / 40_445_292.0 * _EVERY_S  # seconds since the boot
                    own += np.floor(usual * chance.gamma(4.0, 0.25, len(own))).astype(np.uint64)
        _pass_time(reply)


def _pass_time(reply: Reply) -> None:
    """One interval later by both clocks of the host: the time of day (s), and that since its boot (µs)."""
    server = reply["Server"]
    fields = [one.name for one in server.type.fields]
    server.raw[0, fields.index("Time")] += np.uint64(_EVERY_S)
    server.raw[0, fields.index("TimeStampInUsec")] += np.uint64(_EVERY_S * 1e6)


def _split(text: bytes) -> list[list[int | str]]:
    """What a script does with a reply: lines, fields, numbers."""
    lines = text.decode().split("\n")
    return [[int(part) if part.isdigit() else part for part in line.split("|")] for line in lines]


def _seconds(work: Callable[[], object], times: int) -> float:
    """The least processor time of many runs: others use this machine too."""
    taken = []
    for _ in range(times):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)
