"""Eight hosts' esxtop services at their least interval, recorded by the whole program: cost, loss, size.

    python -m benchmarks.eight_hosts [--minutes 10]

Each host answers what a genuine one of 56 LCPUs did, and works; a test vCenter serves them all. What is
measured of the recorder is its processor time, so that a busy machine does not change it; whether it keeps up
is seen by what is missing in the session.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil

from benchmarks.esxtop_replies import grown
from benchmarks.measure import Row, as_installed
from collectors.esxtop_service.counter_info import read_counter_info
from sessions.store import SessionReader
from tests.esxtop_service.genuine import FOLDER
from tests.vcenter.binaries import MissingProgramError
from tests.vcenter.running import PASSWORD, TestVCenter

_HOSTS, _EVERY_S, _VALUES = 8, 2, 20_000
_QUICK_S, _WHOLE_S = 20.0, 600.0
_BEFORE_S = 120.0
"""Seconds of replies for what precedes the measured time, on a busy machine."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one recording cost and stored.

    ``values`` are those of one sample of one host, ``each_us`` is the recorder's processor time for one.
    ``expected`` and ``received`` count values of all hosts, ``gaps`` the instants that were missed, for the
    reasons ``why``; ``long`` the samples that stand for more than one interval: asked for late, they lose
    nothing, since their rates are those of the whole time.
    """

    seconds: float
    values: int
    each_us: float
    expected: int
    received: int
    gaps: int
    why: str
    long: int
    bytes_a_sample: float
    peak_mb: float


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure with the genuine reply; nothing where this machine does not have it, or no test vCenter."""
    if not FOLDER.is_dir():
        return []
    try:
        return rows(recorded(cache, _QUICK_S if quick else _WHOLE_S))
    except MissingProgramError:
        return []


def rows(found: Recorded) -> list[Row]:
    """Return the lines of RESULTS.md."""
    own, asked = (_HOSTS * count * found.each_us / 1e6 / _EVERY_S for count in (found.values, _VALUES))
    long = f"{found.seconds / 60:.0f} min" if found.seconds >= 60 else f"{found.seconds:.0f} s"
    lost = (
        f"{found.expected - found.received:,} lost, {found.gaps} instants missed, "
        f"{found.long} samples of more than one interval"
    )
    what = f"{_HOSTS} hosts with {found.values:,} values each, every {_EVERY_S} s, by esxtop:// for {long}"
    here = f"{100 * own:.0f} % of a core, {found.peak_mb:.0f} MB"
    return [
        Row(
            what,
            f"{here}; {100 * asked:.0f} % with {_VALUES:,} values",
            "–", "–", "≤ 100 %", asked <= 1,
        ),
        Row(
            f"the same: values that should have come, {found.expected:,}",
            f"{lost}: {found.why}" if found.why else lost,
            "–", "–", "0", found.expected == found.received and not found.gaps,
        ),
        Row(
            "the same: session", f"{found.bytes_a_sample:.2f} bytes a sample", "–", "–", "≤ 1.5",
            found.bytes_a_sample <= 1.5,
        ),
    ]  # fmt: skip


def recorded(cache: Path, seconds: float) -> Recorded:
    """Record so long; the replies are in a folder of ``cache`` meanwhile. Raises MissingProgramError."""
    with tempfile.TemporaryDirectory(prefix="hosts-", dir=cache) as folder:
        replies = _replies(Path(folder), round((seconds + _BEFORE_S) / _EVERY_S))
        with TestVCenter(hosts=_HOSTS, vms=_HOSTS, esxtop=replies, esxtop_interval=_EVERY_S) as server:
            session = Path(folder) / "S.hscope"
            with _recorder(server, session, Path(folder)) as recorder:
                cost = _cost(recorder, seconds)
            return _told(session, cost)


def _replies(folder: Path, count: int) -> Path:
    """Write the replies of all hosts: files of the first, and the same under the names of the others."""
    replies = folder / "replies"
    info = (FOLDER / "counterinfo.dsv").read_text(encoding="utf-8")
    hosts = [replies / f"esx{number:04d}.lab" for number in range(1, _HOSTS + 1)]
    for host in hosts:
        host.mkdir(parents=True)
    (replies / "counterinfo.dsv").write_text(info, encoding="utf-8")
    text = (FOLDER / "fetchstats.dsv").read_bytes()
    for number, reply in enumerate(grown(text, read_counter_info(info), count)):
        name = f"{number:05d}.dsv.gz"
        (hosts[0] / name).write_bytes(gzip.compress(reply, 1))
        for host in hosts[1:]:
            os.link(hosts[0] / name, host / name)
    return replies


@contextmanager
def _recorder(server: TestVCenter, session: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    address = server.address.replace("vcenter://", "esxtop://")
    words = [
        sys.executable, "-m", "app", "record", f"{address}/*", "-o", str(session), "--json",
        "--interval", f"{_EVERY_S}s", "--thumbprint", server.thumbprint, "--password-stdin",
        "--keep-free", "0",
    ]  # fmt: skip
    environment = {**as_installed(), "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as recorder:
        assert recorder.stdin is not None
        recorder.stdin.write(f"{PASSWORD}\n")
        recorder.stdin.flush()
        yield recorder
        recorder.terminate()
        recorder.communicate()


class _Cost(NamedTuple):
    """What was measured for so many seconds: processor time for a value, and the recorder's largest size."""

    seconds: float
    each_us: float
    peak_mb: float


def _cost(recorder: subprocess.Popen[str], seconds: float) -> _Cost:
    """Measure the recorder once all hosts are recorded."""
    assert recorder.stdout is not None
    process, peak = psutil.Process(recorder.pid), 0
    statuses = (one for one in map(json.loads, recorder.stdout) if one["event"] == "status")
    for status in statuses:
        if sum(bool(one["received"]) for one in status["sources"]) == _HOSTS:
            break
    begun, spent, before = time.monotonic(), _spent(process), _received(status)
    now = before
    for one in statuses:
        now = _received(one)
        peak = max(peak, process.memory_info().rss)
        if time.monotonic() >= begun + seconds:
            break
    took = time.monotonic() - begun
    if took < seconds:
        raise RuntimeError("the recorder ended by itself")
    each_us = (_spent(process) - spent) * 1e6 / max(1, now - before)
    return _Cost(took, each_us, peak / 1e6)


def _received(status: dict[str, Any]) -> int:
    return sum(one["received"] for one in status["sources"])


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _told(session: Path, cost: _Cost) -> Recorded:
    with SessionReader.open(session) as reader:
        sources = [one for one in reader.sources() if one.spec.kind == "esxtop"]
        counted = [one.spec.counted or (0, 0) for one in sources]
        times = [reader.times(one.id) for one in sources]
        whole = [gap for gap in reader.gaps() if gap.entity is None]
    gaps, why = sum(gap.ticks or 1 for gap in whole), "; ".join(sorted({gap.reason for gap in whole}))
    received = sum(one[1] for one in counted)
    if len(sources) != _HOSTS or not received:
        raise RuntimeError(f"only {len(sources)} hosts were recorded")
    size = session.stat().st_size / received
    long = sum(int((np.diff(one) > 1500 * _EVERY_S).sum()) for one in times) - gaps
    values, expected = received // sum(map(len, times)), sum(one[0] for one in counted)
    return Recorded(
        cost.seconds, values, cost.each_us, expected, received, gaps, why, max(0, long), size, cost.peak_mb,
    )  # fmt: skip


def main() -> int:
    """Run it from the command line; returns 1 if anything does not hold."""
    parser = argparse.ArgumentParser(prog="eight_hosts", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory(prefix="hyperscope-") as cache:
        found = rows(recorded(Path(cache), 60 * minutes))
    for row in found:
        print(f"{row.what}: {row.here} (goal {row.goal}) {'holds' if row.holds else 'DOES NOT HOLD'}")
    return 0 if all(row.holds for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
