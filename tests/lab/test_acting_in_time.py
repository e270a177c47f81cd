"""What an admin does in a lab comes before its next tick, though a lab that is late never rests."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from collectors.feed import Act, Tick
from lab.live import LAB_ADMIN, LabAddress, LabCollector
from tests.vsphere.feeds import MemoryFeed, Stop

ASKED_AT = 5
PATIENCE_S = 300.0


class AskingFeed(MemoryFeed):
    """While the lab is at its fifth tick, somebody asks it to act; then it goes on, as fast as it can."""

    def __init__(self) -> None:
        super().__init__()
        self.lab = LabCollector(LabAddress("cpu-limit-vm", fields="diagnosis"), speed=0)
        self.stop = Stop()
        self.acts: list[Act] = []
        self.known_at_next: int | None = None
        self._asking = threading.Thread(target=self._ask)
        self._came = 0

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        self._came += 1
        if self._came == ASKED_AT:
            self._asking.start()
            while not self.lab._turn.locked():
                self.stop.wait(0.001)
        elif self._came == ASKED_AT + 1:
            self.known_at_next = sum(one.by == LAB_ADMIN for one in self.events)
            self.stop.set()

    def run(self) -> None:
        self.lab.run(self, self.stop)
        self._asking.join(PATIENCE_S)

    def _ask(self) -> None:
        name = next(one.name for ref, one in self.entities.items() if ref.kind == "vm")
        self.acts.append(self.lab.act("vm.cpu_limit", "vm", name))


def test_what_is_asked_during_a_tick_is_done_before_the_next_one() -> None:
    feed = AskingFeed()
    feed.run()
    assert feed.known_at_next == 1
    assert [one.text.partition(": ")[2] for one in feed.acts] == ["CPU limit set to Unlimited"]
