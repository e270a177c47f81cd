"""A host with sshd and a fake esxtop, and collectors that record from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from collectors.esxtop.over_ssh.collector import EsxtopSshCollector, SshPace
from connections.known_hosts import KnownHosts
from connections.ssh.connection import TimeOuts
from lab import Lab, load_scenarios
from lab.esxtop_export import export_lab
from resources.esxtop_streaming import load_esxtop_streaming
from tests.connections.ssh_servers import Sshd, by_key, yes
from tests.esxtop_ssh.fake_hosts import FakeHost
from tests.left_threads import no_thread_left
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.running_collector import RunningCollector

__all__ = ["no_thread_left"]

HASTY = TimeOuts(connect_s=5, handshake_s=5, login_s=10, keepalive_s=0.5, answer_s=2)
QUICK = msgspec.structs.replace(
    load_esxtop_streaming(),
    sign_s=1, silence_s=4, patience_s=3.0, patience_intervals=0.1, first_wait_s=0.2, longest_wait_s=0.5,
    refused_wait_s=0.5, vms_s=1,
)  # fmt: skip
"""As the host and we do it, only sooner."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and sys.platform == "win32":
            item.add_marker(pytest.mark.skip(reason="the tests' sshd is that of POSIX systems"))


@pytest.fixture(scope="session")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four minutes of one host of the lab, as ``esxtop -b -a -d 5`` prints it."""
    path = tmp_path_factory.mktemp("captures") / "esx.csv"
    lab = Lab(load_scenarios()["congested"], seed=3, fields="all")
    export_lab(lab, path, hosts=[lab.hosts[0]], duration_s=240)
    return path


@pytest.fixture
def host(tmp_path: Path) -> Iterator[FakeHost]:
    folder = tmp_path / "sshd"
    folder.mkdir()
    server = Sshd(folder)
    found = FakeHost(tmp_path, server)
    server.start()
    yield found
    server.stop()
    assert found.all_ended(), "a fake esxtop is left"


class Recording(RunningCollector):
    """A collector at work in a thread; ``feed`` has what it got, ``failure`` what it raised."""

    def __init__(
        self, host: FakeHost, known: KnownHosts, port: int | None = None, feed: MemoryFeed | None = None
    ) -> None:
        super().__init__(collector(host, known, port), feed)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def ticks(self) -> list[int]:
        """The instants at which the host's load was stored."""
        there = [
            times
            for (_, ref, counter, _), times in self.feed.samples.items()
            if ref.kind == "host" and counter == "cpu.load_1m"
        ]
        return sorted(there[0]) if there else []

    def until_ticks(self, count: int) -> None:
        self.feed.until(lambda: len(self.ticks()) >= count or not self.is_alive)
        assert self.failure is None, self.failure

    def message(self) -> str:
        return self.feed.health[1].message if self.feed.health else ""

    def pause(self, *, on: bool) -> None:
        self._stop.paused = on

    def end(self) -> None:
        self._stop.set()
        self._thread.join()


def collector(host: FakeHost, known: KnownHosts, port: int | None = None) -> EsxtopSshCollector:
    address = host.server.address
    return EsxtopSshCollector(
        address if port is None else replace(address, host="127.0.0.1", port=port),
        by_key(host.server),
        SshPace(2.0),
        known=known,
        ask=yes,
        time_outs=HASTY,
        streaming=QUICK,
    )


@pytest.fixture
def known(tmp_path: Path) -> KnownHosts:
    return KnownHosts(tmp_path / "known_hosts")


@pytest.fixture
def recording(known: KnownHosts) -> Iterator[Callable[..., Recording]]:
    """Start recordings: ``recording(host)``, or through a port; they are ended at last."""
    with ExitStack() as running:

        def start(host: FakeHost, port: int | None = None, feed: MemoryFeed | None = None) -> Recording:
            found = Recording(host, known, port, feed)
            running.callback(found.end)
            return found

        yield start
