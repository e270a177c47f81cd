"""A launcher's folder on this machine, and the fio that it starts: what tests of the launcher need."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from resources.guest_scripts import guest_script

JOB = """\
[global]
ioengine=psync
thread=1
rw=randrw
bs=4k
size=1m
rate_iops=200,200
time_based=1
runtime={runtime}
exec_prerun=sh {folder}/barrier.sh
[disk1]
filename={folder}/work
"""

SHELLS = ["dash", "bash", "busybox"]


def shell(name: str) -> list[str]:
    """The words that run a script in a shell of this name. Skips where there is none."""
    if shutil.which(name) is None:
        pytest.skip(f"no {name} here")
    return [name, "sh"] if name == "busybox" else [name]


def needs_fio() -> None:
    if shutil.which("fio") is None:
        pytest.skip("no fio here")


def make_folder(folder: Path, *, runtime: int = 2, delay_s: float = 0.0, **settings: int) -> Path:
    """A folder as a worker makes it, with a job of one small file."""
    folder.mkdir()
    (folder / "hyperscope").touch()
    for name in ("run.sh", "barrier.sh", "disks.sh"):
        (folder / name).write_text(guest_script(name))
    (folder / "job.fio").write_text(JOB.format(runtime=runtime, folder=folder))
    (folder / "disks").write_text(f"file|{folder}/work||\n")
    told = {"start_ms": int((time.time() + delay_s) * 1000), "interval_s": 1, "silence_s": 30, **settings}
    (folder / "settings").write_text("".join(f"{name} {value}\n" for name, value in told.items()))
    return folder


def launch(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    with (folder / "launch").open("wb") as said:
        return subprocess.Popen(
            [*words, "./run.sh"], cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )


def ending(folder: Path) -> str:
    return (folder / "rc").read_text().strip() if (folder / "rc").exists() else ""


def wait_until(true: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait for something that other processes do: there is no event of theirs to wait for."""
    until = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def fios(folder: str | Path) -> list[psutil.Process]:
    """The processes that run a job of this folder (the shells that wait in it included)."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(word.startswith(f"{folder}/") for word in words):
            found.append(process)
    return found
