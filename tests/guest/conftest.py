"""Guests to record: real sshds of this machine, whose kernel is the guest's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from collectors.guest.live import GuestCollector
from collectors.guest.options import GuestOptions
from connections.address import Address
from tests.connections.conftest import known, server
from tests.connections.ssh_servers import HASTY, USER, Sshd, by_key, yes
from tests.left_threads import no_thread_left
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.running_collector import RunningCollector

__all__ = ["known", "no_thread_left", "server"]


def address_of(server: Sshd) -> Address:
    return Address("guest", USER, server.host, server.port, usual_port=22)


class Recording(RunningCollector):
    """A collector at work in a thread; ``feed`` has what it got, ``failure`` what it raised."""

    def __init__(
        self, server: Sshd, interval_s: float = 1, feed: MemoryFeed | None = None, port: int | None = None
    ) -> None:
        """``port``: that of a network between us and the server."""
        own = address_of(server)
        address = own if port is None else replace(own, host="127.0.0.1", port=port)
        options = GuestOptions(interval_s)
        super().__init__(GuestCollector(address, by_key(server), options, ask=yes, time_outs=HASTY), feed)

    def pause(self, *, on: bool) -> None:
        self._stop.paused = on

    def values(self, counter: str, instance: str = "") -> dict[int, float]:
        """The samples of a counter of the guest."""
        found = [times for key, times in self.feed.samples.items() if key[2:] == (counter, instance)]
        return dict(sorted(found[0].items())) if found else {}

    def ticks(self) -> list[int]:
        return list(self.values("guest.cpu_used"))

    def until_ticks(self, count: int) -> None:
        self.feed.until(lambda: len(self.ticks()) >= count or not self._thread.is_alive())
        assert self.failure is None, self.failure

    def until_state(self, state: str) -> None:
        self.feed.until(lambda: any(health.state == state for health in self.feed.health.values()))

    def end(self) -> None:
        self._stop.set()
        self._thread.join()


@pytest.fixture
def recording() -> Iterator[Callable[..., Recording]]:
    """Start recordings: ``recording(server, 1)``; they are ended at last."""
    with ExitStack() as running:

        def start(
            server: Sshd, interval_s: float = 1, feed: MemoryFeed | None = None, port: int | None = None
        ) -> Recording:
            found = Recording(server, interval_s, feed, port)
            running.callback(found.end)
            return found

        yield start


@pytest.fixture
def a_file(tmp_path: Path) -> Path:
    return tmp_path / "file"
