"""A test vCenter whose hosts have the service Esxtop, and collectors that record from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from collectors.esxtop_service.live import EsxtopCollector, EsxtopOptions
from connections.address import parse_address
from connections.vsphere.address import ESXTOP
from tests.esxtop_service.service_files import HOSTS, write_replies
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import PASSWORD, TestVCenter
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.running_collector import RunningCollector

__all__ = ["start_vcenter"]

Start = Callable[..., TestVCenter]


@pytest.fixture(scope="session")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The replies of two hosts of the lab, one every two seconds for a minute and a half."""
    folder = tmp_path_factory.mktemp("esxtop")
    write_replies(folder, HOSTS)
    return folder


@pytest.fixture
def server(start_vcenter: Start, replies: Path) -> TestVCenter:
    """A vCenter of two hosts, each with the service; their scenario begins now."""
    return start_vcenter(hosts=2, vms=2, esxtop=replies, esxtop_interval=2)


class Recording(RunningCollector):
    """A collector at work in a thread; ``feed`` has what it got, ``failure`` what it raised."""

    def __init__(
        self, server: TestVCenter, hosts: str, password: str = PASSWORD, feed: MemoryFeed | None = None
    ) -> None:
        super().__init__(collector(server, hosts, password), feed)

    def pause(self, *, on: bool) -> None:
        self._stop.paused = on

    def ticks(self, host: str = HOSTS[0]) -> list[int]:
        """The instants at which the host's load was stored."""
        there = [
            times
            for (_, ref, counter, _), times in self.feed.samples.items()
            if ref.kind == "host" and ref.key == host and counter == "cpu.load_1m"
        ]
        return sorted(there[0]) if there else []

    def until_ticks(self, count: int, host: str = HOSTS[0]) -> None:
        self.feed.until(lambda: len(self.ticks(host)) >= count or not self._thread.is_alive())
        assert self.failure is None, self.failure

    def message(self, host: str = HOSTS[0]) -> str:
        numbers = [number for number, spec in self.feed.sources.items() if spec.name == host]
        return self.feed.health[numbers[0]].message if numbers and numbers[0] in self.feed.health else ""

    def end(self) -> None:
        self._stop.set()
        self._thread.join()


def collector(server: TestVCenter, hosts: str = "*", password: str = PASSWORD) -> EsxtopCollector:
    text = server.address.replace("vcenter://", "esxtop://") + (f"/{hosts}" if hosts else "")
    address = parse_address(text, (ESXTOP,))
    return EsxtopCollector(address, lambda: password, EsxtopOptions(2.0), thumbprint=server.thumbprint)


@pytest.fixture
def recording() -> Iterator[Callable[..., Recording]]:
    """Start recordings: ``recording(server, "esx0001.lab")``; they are ended at last."""
    with ExitStack() as running:

        def start(
            server: TestVCenter, hosts: str = "*", password: str = PASSWORD, feed: MemoryFeed | None = None
        ) -> Recording:
            found = Recording(server, hosts, password, feed)
            running.callback(found.end)
            return found

        yield start
