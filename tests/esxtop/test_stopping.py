"""An import that ends before its end: cancelled, failed, killed. No session, process or spool file stays."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from collectors import worker_process
from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import Progress
from resources.failures import CancelledError, DiskFullError
from sessions.store import SessionReader
from tests.esxtop.captures import capture

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return capture(4000).save(tmp_path / "a.csv")


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where rows of compressed captures are kept for workers."""
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


_others: set[psutil.Process] = set()
"""Processes of other tests: servers that a whole run shares."""


@pytest.fixture(autouse=True)
def remember_others() -> None:
    _others.clear()
    _others.update(psutil.Process().children(recursive=True))


def children() -> list[psutil.Process]:
    """Worker processes of this one; multiprocessing's own tracker stays for the next."""
    found = psutil.Process().children(recursive=True)
    return [child for child in found if child not in _others and _is_worker(child)]


def _is_worker(child: psutil.Process) -> bool:
    try:
        return "resource_tracker" not in " ".join(child.cmdline())
    except psutil.NoSuchProcess:  # or a zombie: killed, and its parent has not noticed yet
        return False


def wait_until(true: Callable[[], bool]) -> None:
    for _ in range(1000):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come to pass")


def test_cancelled_before_it_began(file: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(CancelledError):
        import_captures([file], file.with_suffix(".hscope"), cancel=cancel)
    assert [path.name for path in file.parent.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("workers", [0, 2])
def test_cancelled_in_the_middle(file: Path, workers: int, spool: Path) -> None:
    packed = file.with_suffix(".gz")
    packed.write_bytes(gzip.compress(file.read_bytes(), 1))
    cancel = threading.Event()

    def stop(now: Progress) -> None:
        if now.bytes_done:
            cancel.set()

    with pytest.raises(CancelledError):
        import_captures([packed], file.with_suffix(".hscope"), cancel=cancel, progress=stop, workers=workers)
    assert not file.with_suffix(".hscope").exists()
    assert {path.name for path in file.parent.iterdir()} == {"a.csv", "a.gz", "spool"}
    assert not list(spool.iterdir())
    wait_until(lambda: not children())


def test_whatever_a_callback_raises_leaves_nothing(file: Path) -> None:
    def break_down(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_captures([file], file.with_suffix(".hscope"), progress=break_down, workers=1)
    assert [path.name for path in file.parent.iterdir()] == ["a.csv"]
    wait_until(lambda: not children())


def test_progress_runs_to_the_end(file: Path) -> None:
    seen: list[Progress] = []
    import_captures([file], file.with_suffix(".hscope"), progress=seen.append, workers=1)
    done = [one.bytes_done for one in seen]
    assert done == sorted(done)
    assert all(one.bytes_total == file.stat().st_size for one in seen)
    assert seen[-1].bytes_done == seen[-1].bytes_total
    assert seen[-1].rows == 4000
    assert seen[-1].bytes_per_second > 0
    assert seen[-1].seconds_left == 0


@pytest.mark.parametrize(("cores", "workers"), [(1, 0), (2, 1), (4, 3), (64, 3)])
def test_a_worker_for_each_other_core_as_far_as_memory_goes(
    file: Path, monkeypatch: pytest.MonkeyPatch, cores: int, workers: int
) -> None:
    monkeypatch.setattr(worker_process, "SMALL_BYTES", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    seen: set[int] = set()

    def look(_now: Progress) -> None:
        seen.add(len(children()))

    import_captures([file], file.with_suffix(".hscope"), progress=look)
    assert max(seen) == workers
    with SessionReader.open(file.with_suffix(".hscope")) as reader:
        assert next(iter(reader.sources())).ticks == 4000


def test_a_worker_that_is_killed_costs_no_sample(file: Path) -> None:
    """Its pieces are done by the parent."""
    killed: list[int] = []

    def kill(_: Progress) -> None:
        for child in children():
            killed.append(child.pid)
            child.kill()

    report = import_captures([file], file.with_suffix(".hscope"), progress=kill, workers=2)
    alone = import_captures([file], file.with_name("alone.hscope"), workers=0)
    assert killed
    assert (report.rows, report.samples) == (4000, alone.samples)


CHILD = """
import sys, time
from pathlib import Path
from collectors.esxtop.importing import import_captures
from collectors.worker_process import start_ahead

def slowly(now):
    print(now.rows, flush=True)
    time.sleep(0.05)

if __name__ == "__main__":
    started = start_ahead([Path(sys.argv[1])], 2) if sys.argv[3] == "ahead" else []
    import_captures([Path(sys.argv[1])], Path(sys.argv[2]), progress=slowly, workers=2, started=started)
"""


@pytest.mark.parametrize("when", ["ahead", "later"])
def test_workers_do_not_outlive_their_parent(file: Path, tmp_path: Path, when: str) -> None:
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(script), str(file), str(tmp_path / "s.hscope"), when]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        parent = psutil.Process(process.pid)
        wait_until(lambda: len(parent.children()) >= 2 or not parent.is_running())
        workers = parent.children(recursive=True)
        process.kill()
        process.stdout.close()
        process.wait()
    gone, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive
    assert gone
    # What it wrote so far can be read, and says that it is not all.
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        assert [source.state for source in reader.sources()] == ["interrupted"]


def test_a_full_disk_leaves_nothing(file: Path, tiny_disk: Path) -> None:
    (tiny_disk / "ballast").write_bytes(bytes(700_000))
    with pytest.raises(DiskFullError):
        import_captures([file], tiny_disk / "s.hscope", workers=0)
    assert [path.name for path in tiny_disk.iterdir()] == ["ballast"]
