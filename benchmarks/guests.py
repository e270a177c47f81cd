"""Load in guests: how exactly many workers begin, what following costs, beside fio's client and servers.

The guests are sshds on addresses of this machine, the peers fio servers on the same addresses. All run the
same job, whose I/Os are few and logged one by one: so this machine is busy with starting and following.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from benchmarks.measure import Row
from collectors.fio.documents import Document, read_documents
from collectors.fio.histogram import Histogram, bucket_of, merged
from collectors.fio.logs import read_log
from connections.known_hosts import KnownHosts
from resources.fio_jobs import FioJob, FioJobs, load_fio_jobs
from tests.workloads.guests.machines import image, machines, opened
from workloads.environment import Work
from workloads.guests.jobs import launched_job
from workloads.guests.worker import GuestOptions, GuestWorker
from workloads.job_file import Disk
from workloads.together import on_all

_EVERY_S = 0.5
_LEAD_MS = 800
"""What this machine, which is all the guests at once, needs for each of them until its fio waits."""
_PERCENTS = (50, 95, 99, 99.9)

_SLOW = FioJob(
    id="slow",
    title="Few I/Os",
    purpose="60 random I/Os a second, so that this machine can carry a hundred of them.",
    writes="all",
    source="DESIGN",
    inputs=("runtime",),
    options={
        "rw": "randrw",
        "bs": "4k",
        "iodepth": 1,
        "norandommap": 1,
        "rate_iops": "40,20",
        "time_based": 1,
        "runtime": "{runtime}",
    },
)


def _jobs() -> FioJobs:
    known = load_fio_jobs()
    return FioJobs({**known.jobs, _SLOW.id: _SLOW}, known.inputs)


@dataclass(frozen=True)
class Outcome:
    """What one way of running gave: the first I/O of each worker (ms since 1970), percentiles, CPU.

    ``bins_off`` is how far a percentile of the merged result is from that of all single I/Os, in bins.
    """

    first: np.ndarray[tuple[int], np.dtype[np.int64]]
    bins_off: int
    controller_share: float
    threads: int

    @property
    def skew_ms(self) -> float:
        """p99 of how much later than the first one a worker began."""
        return float(np.percentile(self.first - self.first.min(), 99))


def measure(cache: Path, *, quick: bool) -> list[Row]:  # noqa: ARG001 - nothing is kept
    """Run 8 guests by us and by fio's own client, then 100 by us; return the rows."""
    if shutil.which("fio") is None or shutil.which("sshd", path="/usr/sbin:/usr/bin") is None:
        return []
    seconds = 8 if quick else 30
    many = 20 if quick else 100
    ours = _ours(8, seconds)
    theirs = _client_and_servers(8, seconds)
    hundred = _ours(many, seconds)
    return [
        Row(
            "8 guests: start skew p99",
            f"{ours.skew_ms:.0f} ms",
            f"fio --client: {theirs.skew_ms:.0f} ms",
            f"{theirs.skew_ms / max(ours.skew_ms, 1):.1f}×",
            "≤ 100 ms",
            ours.skew_ms <= 100,
        ),
        Row(
            "8 guests: merged p50–p99.9 against all single I/Os",
            f"{ours.bins_off} bins off",
            f"fio --client: {theirs.bins_off} bins off",
            "–",
            "≤ 1 bin",
            ours.bins_off <= 1,
        ),
        Row(
            "8 guests: controller's CPU while they run",
            f"{ours.controller_share:.1%} of a core",
            f"fio --client: {theirs.controller_share:.1%}",
            "–",
            "≤ 10 %",
            ours.controller_share <= 0.1,
        ),
        Row(
            f"{many} guests over ssh: start skew p99",
            f"{hundred.skew_ms:.0f} ms",
            "–",
            "–",
            "≤ 100 ms",
            hundred.skew_ms <= 100,
        ),
        Row(
            f"{many} guests over ssh: merged p50–p99.9 against all single I/Os",
            f"{hundred.bins_off} bins off",
            "–",
            "–",
            "≤ 1 bin",
            hundred.bins_off <= 1,
        ),
        Row(
            f"{many} guests over ssh: controller's CPU while they run",
            f"{hundred.controller_share:.1%} of a core, {hundred.threads} threads",
            "–",
            "–",
            "≤ 10 %",
            hundred.controller_share <= 0.1,
        ),
    ]


def _work(disk: Disk, seconds: int) -> Work:
    image(Path(disk.path), 1 << 20)
    return Work(_SLOW.id, {"runtime": seconds}, (disk,), seconds=float(seconds))


def _ours(count: int, seconds: int) -> Outcome:
    with tempfile.TemporaryDirectory() as name, machines(Path(name), count) as guests:
        known = KnownHosts(Path(name) / "known_hosts")
        environment = opened(guests, known, GuestOptions(raw_logs=True), _jobs())
        workers = environment.workers()
        works = {worker: _work(one.file(), seconds) for worker, one in zip(workers, guests, strict=True)}
        _raise(on_all(workers, lambda one: one.prepare("bench", works[one])))
        at = environment.now_ms() + 5000 + count * _LEAD_MS
        started: list[GuestWorker] = []

        def start(worker: GuestWorker) -> None:
            worker.start(at)
            started.append(worker)

        starting = threading.Thread(target=lambda: _raise(on_all(workers, start)))
        starting.start()  # who was started first must hear from us before the last one is
        while time.time() * 1000 < at + 1000 or starting.is_alive():
            for worker in started[:]:
                worker.poll()
            time.sleep(_EVERY_S)
        begin, cpu = time.monotonic(), time.process_time()
        threads = threading.active_count()
        running = set(workers)
        until = begin + seconds - 3
        while time.monotonic() < until:
            for worker in workers:
                worker.poll()
            time.sleep(_EVERY_S)
        share = (time.process_time() - cpu) / (time.monotonic() - begin)
        while running:
            states = {one: one.poll() for one in running}
            failed = [progress.why for progress in states.values() if progress.state == "failed"]
            if failed:
                raise RuntimeError(failed[0])
            running = {one for one, progress in states.items() if progress.state != "ended"}
            time.sleep(0.1)
        documents = [one.fetch() for one in workers]
        folders = [Path(one.place("bench").id) for one in workers]
        outcome = _outcome(folders, documents, share, threads)
        _raise(on_all(workers, GuestWorker.clean_up))
        environment.close()
    return outcome


def _raise(results: Sequence[object]) -> None:
    for one in results:
        if isinstance(one, Exception):
            raise one


def _outcome(
    folders: Sequence[Path], documents: Sequence[Sequence[Document]], share: float, threads: int
) -> Outcome:
    logs = [
        [read_log(log.read_text(), log.name) for log in sorted(folder.glob("*_clat.*log*"))]
        for folder in folders
    ]
    raw = Histogram.of_latencies(
        np.concatenate([log.values.astype(np.int64) for each in logs for log in each])
    )
    jobs = [job for each in documents for job in each[-1].workers]
    together = merged(way.clat_ns.histogram for job in jobs for way in (job.read, job.write))
    off = max(
        abs(int(np.subtract(*bucket_of(np.array([int(one.percentile(percent)) for one in (together, raw)])))))
        for percent in _PERCENTS
    )
    first = np.array([min(int(log.times.min()) for log in each if log.times.size) for each in logs])
    return Outcome(first, off, share, threads)


@contextlib.contextmanager
def _servers(folder: Path, count: int) -> Iterator[list[tuple[str, Path]]]:
    """fio servers on the guests' addresses, each in a folder of its own."""
    started: list[subprocess.Popen[bytes]] = []
    made = []
    try:
        for number in range(count):
            place = folder / f"server{number}"
            place.mkdir()
            host = f"127.0.0.{2 + number}"
            words = ["fio", f"--server=ip:{host},8765"]
            started.append(
                subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            )
            made.append((host, place))
        time.sleep(2)
        yield made
    finally:
        for process in started:
            with contextlib.suppress(psutil.NoSuchProcess):
                for child in psutil.Process(process.pid).children(recursive=True):
                    child.kill()
            process.kill()
            process.wait()


def _client_and_servers(count: int, seconds: int) -> Outcome:
    with tempfile.TemporaryDirectory() as name, _servers(Path(name), count) as servers:
        words = ["fio", "--output-format=json+", f"--output={name}/out.json"]
        for host, place in servers:
            work = _work(Disk("disk", str(place / "disk.img")), seconds)
            text = launched_job(_jobs(), work, str(place), "linux", raw_logs=True)
            lines = [line for line in text.splitlines() if not line.startswith("exec_prerun")]
            (place / "job.fio").write_text("\n".join(lines) + "\n")
            words += [f"--client=ip:{host},8765", str(place / "job.fio")]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=name)
        begin = time.monotonic()
        time.sleep(2)
        watched = psutil.Process(process.pid)
        before = sum(watched.cpu_times()[:2])
        since = time.monotonic()
        time.sleep(max(1.0, seconds - 3))
        share = (sum(watched.cpu_times()[:2]) - before) / (time.monotonic() - since)
        threads = watched.num_threads()
        process.wait(seconds + 60 - (time.monotonic() - begin) + 60)
        text = (Path(name) / "out.json").read_text()
        documents = read_documents(text, "client")
        return _outcome([place for _, place in servers], [documents], share, threads)


if __name__ == "__main__":
    print(*measure(Path(), quick="--quick" in sys.argv), sep="\n")
