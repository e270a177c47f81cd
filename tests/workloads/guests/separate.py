"""Guests that share only a kernel and a network: processes, /var/tmp and block devices are each one's own.

They are what the commands of guided tests act on, as a user types them. Linux's namespaces make them, so they
need root; elsewhere the tests skip.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.connections.ssh_servers import Sshd, keygen_fingerprint
from tests.workloads.guests.machines import free_place, image, loop_device

_ALONE = """\
mount --bind "$1" /sys/block && mount -t tmpfs -o size="$2" tmpfs /var/tmp && shift 2 && exec "$@"
"""
_UNSHARE = [
    "unshare",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--propagation",
    "private",
]


class SeparateSshd(Sshd):
    """An sshd that sees the block devices in a folder, and a /var/tmp of ``tmp`` bytes of its own."""

    def __init__(self, folder: Path, tmp: str) -> None:
        super().__init__(folder)
        self.blocks = folder / "block"
        self.blocks.mkdir()
        self.words_before = [*_UNSHARE, "sh", "-c", _ALONE, "sh", str(self.blocks), tmp]

    def stop(self) -> None:
        """End the guest with all that runs in it: unshare does not listen to TERM."""
        if self._process is not None:
            self._process.kill()
        super().stop()


@dataclass
class Guest:
    """One guest: its sshd, the image behind its disk, and the disk as it sees it."""

    server: SeparateSshd
    image: Path
    device: str

    @property
    def address(self) -> str:
        """As the commands take it."""
        return str(self.server.address)

    @property
    def host_key(self) -> str:
        """The fingerprint of its host key."""
        return keygen_fingerprint(self.server.host_keys[0])

    def processes(self) -> list[psutil.Process]:
        """All its processes; the first one is its init, which is its sshd."""
        unshare = psutil.Process(self.server.pid)
        return [one for child in unshare.children() for one in [child, *child.children(recursive=True)]]

    def fios(self) -> list[psutil.Process]:
        """The processes of load, and the shells of the launcher."""
        found = []
        for one in self.processes():
            with contextlib.suppress(psutil.Error):
                if any("hyperscope-" in word for word in one.cmdline()) or one.name() == "fio":
                    found.append(one)
        return found

    def scripts(self) -> list[str]:
        """The names of processes that are no sshd: scripts, and what they have started."""
        found = []
        for one in self.processes():
            with contextlib.suppress(psutil.Error):
                found.append(one.name())
        return [name for name in found if not name.startswith("sshd")]

    def is_loaded(self) -> bool:
        """Return True while fio does the I/O of a job."""
        return any(len(words) > 1 and words[1].startswith("--output") for words in map(_words, self.fios()))

    def die(self) -> None:
        """End it as a VM that loses its power."""
        self.processes()[0].kill()
        psutil.Process(self.server.pid).wait(10)

    def restart(self) -> None:
        """Let it begin again; its /var/tmp is empty then."""
        self.server.stop()
        self.server.start()

    def hang(self) -> None:
        """Stop every process, as a VM that gets no CPU."""
        for one in self.processes():
            with contextlib.suppress(psutil.Error):
                one.suspend()

    def go_on(self) -> None:
        """Let every process go on."""
        for one in self.processes():
            with contextlib.suppress(psutil.Error):
                one.resume()

    def lose_network(self) -> None:
        """End all connections and refuse new ones; what runs in it goes on."""
        for one in self.processes():
            with contextlib.suppress(psutil.Error):
                if one.name().startswith("sshd"):
                    one.suspend() if one.ppid() == self.server.pid else one.kill()

    def fill(self) -> None:
        """Fill its /var/tmp."""
        inside = Path(f"/proc/{self.processes()[0].pid}/root/var/tmp/full")
        with contextlib.suppress(OSError), inside.open("wb") as file:
            while True:
                file.write(bytes(1 << 16))

    def files(self) -> set[str]:
        """What there is in its /var/tmp."""
        inside = Path(f"/proc/{self.processes()[0].pid}/root/var/tmp")
        return {str(path.relative_to(inside)) for path in inside.rglob("*")}


def _words(process: psutil.Process) -> list[str]:
    try:
        return [str(word) for word in process.cmdline()]
    except psutil.Error:
        return []


@contextmanager
def separate_guests(
    folder: Path, count: int, size: int = 16 << 20, tmp: str = "96m", last: Sequence[str] = ()
) -> Iterator[list[Guest]]:
    """Guests on addresses of their own, each with an empty disk of ``size`` bytes; ``last`` are options of
    the last one's sshd.
    """
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root of a Linux makes guests of their own")
    with ExitStack() as stack:
        made: list[Guest] = []
        for number in range(count):
            place = folder / f"guest{number}"
            place.mkdir(parents=True)
            device = stack.enter_context(loop_device(image(place / "disk.img", size)))
            server = SeparateSshd(place, tmp)
            server.user_key = made[0].server.user_key if made else server.user_key
            name = device.removeprefix("/dev/")
            (server.blocks / name).symlink_to(f"/sys/devices/virtual/block/{name}")
            server.host, server.port = free_place(number)
            server.options += ["MaxStartups 1000", "MaxSessions 100", *(last if number == count - 1 else ())]
            server.start()
            guest = Guest(server, place / "disk.img", device)
            stack.callback(_end, guest)
            made.append(guest)
        yield made


def _end(guest: Guest) -> None:
    guest.server.stop()


if __name__ == "__main__":
    with separate_guests(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) << 20) as guests:
        for one in guests:
            print(one.address, one.host_key, one.server.user_key, one.device, one.image, flush=True)
        print("ready", flush=True)
        signal.pause()
