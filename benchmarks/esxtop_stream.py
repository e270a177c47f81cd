"""esxtop over ssh: what one host costs the recorder, with the widest rows every two seconds.

    python -m benchmarks.esxtop_stream [--minutes 10] [--pace 10]

That is how a recorder's memory is watched for long: the same rows at so many times esxtop's own pace.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.captures import unrepeating_capture
from benchmarks.measure import Row, as_installed
from tests.connections.ssh_servers import Sshd, keygen_fingerprint
from tests.esxtop_ssh.fake_hosts import FakeHost

_COLUMNS, _ROWS, _EVERY_S = 20_000, 60, 2
_EARLY_MIN = 2.0
_FLAT_MB = 10.0
"""A recorder that holds ever more grows by far more in thousands of rows of 160 kB."""


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure with a real sshd and a fake esxtop; nothing where this machine has no sshd."""
    if shutil.which("sshd", path=f"/usr/sbin:/usr/local/sbin:{os.environ.get('PATH', '')}") is None:
        return []
    capture = unrepeating_capture(cache, _COLUMNS, _ROWS, "drift")
    row = capture.read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
    seconds = 10 if quick else 90
    with tempfile.TemporaryDirectory(prefix="hyperscope-stream-") as folder, _host(Path(folder)) as host:
        host.plan(capture, stamps="now", then="repeat")
        here, grown_mb = _recorded(host, Path(folder), seconds)
        peer = _copied(host, seconds)
    return [
        Row(
            f"a host's esxtop over ssh: a row of {_COLUMNS:,} values ({len(row) / 1e3:.0f} kB), "
            f"all of them moving, every {_EVERY_S} s",
            f"{100 * here:.1f} % of a core, decoded and stored; its memory grew by {grown_mb:.0f} MB",
            f"ssh … esxtop > file: {100 * peer:.1f} %",
            "–",
            "≤ 10 % of a core",
            here <= 0.10,
        )
    ]


@contextmanager
def _host(folder: Path) -> Iterator[FakeHost]:
    (folder / "sshd").mkdir()
    server = Sshd(folder / "sshd")
    host = FakeHost(folder, server)
    server.start()
    try:
        yield host
    finally:
        server.stop()
        host.all_ended()


def _recorded(host: FakeHost, folder: Path, seconds: float) -> tuple[float, float]:
    """The part of a core that a whole recorder takes, once it has read the header and stored some rows, and
    by how much it grew meanwhile (MB).
    """
    with _recorder(host, folder) as (recorder, counts):
        before = next(count for count in counts if count >= 5 * _COLUMNS)
        begun, spent = time.monotonic(), _spent(recorder.pid)
        size = psutil.Process(recorder.pid).memory_info().rss
        after = next(count for count in counts if time.monotonic() >= begun + seconds)
        busy = (_spent(recorder.pid) - spent) / (time.monotonic() - begun)
        grown_mb = (psutil.Process(recorder.pid).memory_info().rss - size) / 1e6
        if after - before < (seconds / _EVERY_S - 2) * _COLUMNS:
            raise RuntimeError(f"only {after - before:,} samples came in {seconds:g} s")
    return busy, grown_mb


@contextmanager
def _recorder(host: FakeHost, folder: Path) -> Iterator[tuple[subprocess.Popen[str], Iterator[int]]]:
    """A recorder of the host, and how many samples it has stored, as it tells now and then."""
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True)
    shutil.copy(host.server.user_key, home / ".ssh" / "id_ed25519")
    words = [
        sys.executable, "-m", "app", "record", str(host.server.address), "-o", str(folder / "S.hscope"),
        "--interval", f"{_EVERY_S}s", "--thumbprint", keygen_fingerprint(host.server.host_keys[0]), "--json",
        "--keep-free", "0",
    ]  # fmt: skip
    environment = {**as_installed(), "HOME": str(home), "XDG_DATA_HOME": str(home)}
    environment.pop("SSH_AUTH_SOCK", None)
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as recorder:
        assert recorder.stdout is not None
        yield (
            recorder,
            (one["samples"] for one in map(json.loads, recorder.stdout) if one["event"] == "status"),
        )
        recorder.terminate()
        recorder.communicate()


def watched(cache: Path, minutes: float, pace: float) -> Row:
    """Record so long at ``pace`` times esxtop's own; compare what the recorder holds early and at the end."""
    capture = unrepeating_capture(cache, _COLUMNS, _ROWS, "drift")
    sizes: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="hyperscope-stream-") as folder, _host(Path(folder)) as host:
        host.plan(capture, every_s=_EVERY_S / pace, stamps="on", then="repeat")
        with _recorder(host, Path(folder)) as (recorder, counts):
            process, begun, first = psutil.Process(recorder.pid), 0.0, 0
            for count in counts:
                begun, first = (begun, first) if begun or not count else (time.monotonic(), count)
                if begun:
                    after_min = (time.monotonic() - begun) / 60
                    sizes.append((after_min, process.memory_info().rss / 1e6))
                    if after_min >= minutes:
                        break
            rows = (count - first) // _COLUMNS
            threads = process.num_threads()
        starts = host.starts()
    early_min = min(_EARLY_MIN, minutes / 2)
    early = next(size for after_min, size in sizes if after_min >= early_min)
    late = sizes[-1][1]
    highest = max(size for after_min, size in sizes if after_min >= early_min)
    return Row(
        f"the same, {rows:,} rows in {minutes:g} min ({rows * _EVERY_S / 3600:.1f} h of esxtop's own pace)",
        f"{early:.0f} MB after {early_min:g} min, {late:.0f} MB after {minutes:g}, {highest:.0f} MB at most "
        f"between; {threads} threads, esxtop started {starts} time{'s' if starts > 1 else ''}",
        "–", "–", f"≤ {_FLAT_MB:.0f} MB more", late - early <= _FLAT_MB,
    )  # fmt: skip


def _copied(host: FakeHost, seconds: float) -> float:
    """The part of a core that OpenSSH's client takes to write the same into a file."""
    words = [
        "ssh", "-p", str(host.server.port), "-i", str(host.server.user_key), "-o", "IdentitiesOnly=yes",
        "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
        f"{host.server.address.user}@{host.server.host}", f"esxtop -b -a -d {_EVERY_S}",
    ]  # fmt: skip
    with (
        tempfile.TemporaryFile() as out,
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out) as client,
    ):
        time.sleep(3 * _EVERY_S)
        begun, spent = time.monotonic(), _spent(client.pid)
        time.sleep(seconds)
        busy = (_spent(client.pid) - spent) / (time.monotonic() - begun)
        client.terminate()
    return busy


def _spent(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def main() -> int:
    """Watch the memory for long, from the command line; returns 1 if it grows."""
    parser = argparse.ArgumentParser(prog="esxtop_stream", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--pace", type=float, default=10.0, help="how many times as fast as esxtop")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hyperscope-") as cache:
        row = watched(Path(cache), options.minutes, options.pace)
    print(f"{row.what}: {row.here} (goal {row.goal}) {'holds' if row.holds else 'DOES NOT HOLD'}")
    return 0 if row.holds else 1


if __name__ == "__main__":
    sys.exit(main())
