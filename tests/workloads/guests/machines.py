"""Guests for tests: sshds on several addresses of this machine, each with disk images of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from connections.ssh.login import SshLogin
from resources.fio_jobs import FioJobs
from tests.connections.ssh_servers import Sshd
from workloads.environment import Work
from workloads.guests.environment import GuestsEnvironment
from workloads.guests.opening import open_guests
from workloads.guests.worker import GuestOptions
from workloads.job_file import Disk

HASTY = GuestOptions(silence_s=6, lost_after_s=4)


@dataclass
class Machine:
    """One guest: its sshd, and a folder for what its jobs write."""

    server: Sshd
    folder: Path

    def file(self, name: str = "disk") -> Disk:
        return Disk(name, str(self.folder / f"{name}.img"))

    def kill_network(self) -> None:
        """End the sshd with all its children that hold connections, but none of the jobs."""
        parent = psutil.Process(self.server.pid)
        children = [child for child in parent.children() if child.name().startswith("sshd")]
        for process in [parent, *children]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.server.stop()


@contextmanager
def machines(folder: Path, count: int, *options: str) -> Iterator[list[Machine]]:
    """Guests on 127.0.0.2 and up, as far as this machine has such addresses."""
    with contextlib.ExitStack() as stack:
        made = []
        for number in range(count):
            place = folder / f"guest{number}"
            place.mkdir()
            server = Sshd(place)
            server.host, server.port = free_place(number)
            server.options += ["MaxStartups 1000", "MaxSessions 100", *options]
            server.start()
            stack.callback(server.stop)
            made.append(Machine(server, place))
        yield made


def free_place(number: int) -> tuple[str, int]:
    """An address and a port that nobody listens on; another address for each number."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    for host in (f"127.0.{worker}.{2 + number}", "127.0.0.1"):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((host, 0))
            return host, int(probe.getsockname()[1])
    raise AssertionError("no address of this machine is free")


def opened(
    guests: Sequence[Machine],
    known: KnownHosts,
    options: GuestOptions = HASTY,
    jobs: FioJobs | None = None,
) -> GuestsEnvironment:
    """Guests as an environment, whose keys are accepted at the first sight."""
    key = {machine.server.address: machine.server.user_key for machine in guests}
    return open_guests(
        list(key),
        lambda address: SshLogin(key_file=key[address]),
        known=known.for_proof(HOST_KEY),
        ask=lambda _: True,
        jobs=jobs,
        options=options,
    )


def mixed(disk: Disk, *, runtime: int = 2, warm_up: int = 0, **inputs: int) -> Work:
    """Random reads and writes of a work file, which must be there for fio to know its size."""
    image(Path(disk.path), 4 << 20)
    told = {"depth": 4, "warm_up": warm_up, "runtime": runtime, **inputs}
    return Work("random-mixed", told, (disk,), seconds=float(warm_up + runtime))


def image(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


@contextmanager
def loop_device(path: Path) -> Iterator[str]:
    """A block device whose content is a file. Skips where this user may not make one."""
    made = subprocess.run(
        ["losetup", "--find", "--show", str(path)], check=False, capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"no loop device can be made here: {made.stderr.strip()}")
    device = made.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=False)


def settable_clock(folder: Path) -> tuple[str, Callable[[int], None]]:
    """Return an option of sshd with which each fio has a clock of its own, and what sets that of the next
    one (s off the right time). Skips where there is no faketime.

    It is set between a guest's own clock and its fio, as if it were set while a test runs.
    """
    library = next(iter(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
    fio = shutil.which("fio")
    if library is None or fio is None:
        pytest.skip("no faketime here")
    programs = folder / "programs"
    programs.mkdir()

    def set_clock(shift_s: int) -> None:
        words = f"env LD_PRELOAD={library} FAKETIME={shift_s:+d}s " if shift_s else ""
        (programs / "new").write_text(f'#!/bin/sh\nexec {words}{fio} "$@"\n')
        (programs / "new").chmod(0o755)
        (programs / "new").replace(programs / "fio")

    set_clock(0)
    return f"SetEnv PATH={programs}:{os.environ['PATH']}", set_clock
