"""A guest's source: reboots, clocks that are set, programs that the kernel ends, what it tells of itself."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

from collectors.axis import Axis
from collectors.guest.frames import Frame
from collectors.guest.watching import GuestWatching, Watched
from resources.guest_counters import load_guest_counters
from tests.vsphere.feeds import MemoryFeed

START_S = 1_790_000_000
WATCHED = Watched("app01.lab", "app01.lab")


class Guest:
    """A guest that tells frames; ``feed`` has what was made of them."""

    def __init__(self, *about: str, axis: Axis | None = None, feed: MemoryFeed | None = None) -> None:
        self.feed = feed or MemoryFeed()
        self.feed.axis = axis
        self.watching = GuestWatching(self.feed, WATCHED, load_guest_counters(), 5)
        self.tells(*about)

    def tells(self, *about: str) -> None:
        self.watching.take(Frame("about", ("name:app01", "machine:x86_64", "page:4096", *about)))

    def counts(
        self,
        uptime: float,
        *lines: str,
        clock: float | None = None,
        boot: str = "one",
        coarse: bool = False,
        late_s: float | None = None,
    ) -> None:
        """A sample ``uptime`` seconds after the boot; its clock has START_S then, and goes on with it.

        ``late_s``: it comes so much later, by a clock of ours that agrees with the guest's at first.
        """
        at = START_S + (uptime if clock is None else clock)
        told = f"clock:{int(at)}" if coarse else f"clock:{round(at * 1000) * 1_000_000 + 1000}"
        always = (f"/proc/uptime:{uptime:.2f} 0", f"/proc/sys/kernel/random/boot_id:{boot}")
        came_ms = None if late_s is None else (START_S + uptime + late_s) * 1000
        frame = Frame("sample", (told, *always, "/proc/loadavg:1.0 1.0 1.0 1/1 1", *lines))
        self.watching.take(frame, came_ms)

    @property
    def ticks(self) -> list[float]:
        """When the load was stored, in seconds after START_S."""
        times = [found for key, found in self.feed.samples.items() if key[2] == "guest.load_1m"]
        return [(one - START_S * 1000) / 1000 for one in sorted(times[0])] if times else []

    @property
    def events(self) -> list[str]:
        return [event.text for event in self.feed.events]

    def facts(self) -> dict[str, Any]:
        return {fact.name: fact.value for fact in self.feed.facts if fact.end is None}


def test_a_reboot_is_an_event_and_no_growth() -> None:
    guest = Guest()
    for uptime in (100, 105, 110):
        guest.counts(uptime)
    guest.counts(20, clock=140, boot="two")
    guest.counts(25, clock=145, boot="two")
    assert guest.ticks == [105, 110, 145]
    assert guest.events == ["app01 was started again: its counts begin anew."]
    (gap,) = guest.feed.gaps
    assert ((gap.start, gap.end), gap.ticks) == (((START_S + 115) * 1000, (START_S + 140) * 1000), 6)


@pytest.mark.parametrize(
    ("clock", "says"),
    [(170.0, "The clock of app01 was set on by 1 min."), (107.0, "The clock of app01 was set back by 3 s.")],
)
def test_a_clock_that_is_set_is_an_event(clock: float, says: str) -> None:
    guest = Guest()
    for uptime in (100, 105):
        guest.counts(uptime)
    guest.counts(110, clock=clock)
    assert guest.events == [says]
    assert {gap.reason for gap in guest.feed.gaps} <= {"the guest's clock was set on: nothing was missed"}


@pytest.mark.parametrize("clock", [170.0, 50.0])
def test_on_an_axis_a_clock_that_is_set_moves_no_sample(clock: float) -> None:
    guest = Guest(axis=Axis())
    for uptime in (100, 105):
        guest.counts(uptime)
    began = time.time()
    for uptime in (110, 115, 120):
        guest.counts(uptime, clock=clock + uptime - 110)
    ticks = guest.ticks
    assert [round(later - one) for one, later in itertools.pairwise(ticks)] == [5, 5, 5]
    assert abs(ticks[0] + START_S - began) < 60, "on our time, not the guest's"
    assert len(guest.events) == 1
    assert guest.feed.gaps == []
    assert guest.feed.twice == []


def test_a_clock_that_was_set_back_stores_nothing_twice() -> None:
    guest = Guest()
    for uptime in (100, 105, 110):
        guest.counts(uptime)
    guest.counts(115, clock=50)
    (health,) = guest.feed.health.values()
    assert health.message.startswith("The guest's clock was set back by 1 min: its samples count again")
    assert guest.ticks == [105, 110]
    assert guest.feed.twice == []


def test_a_clock_of_whole_seconds_goes_on_with_the_time_since_the_boot() -> None:
    guest = Guest()
    for uptime in (100.4, 105.39, 110.41, 115.4):
        guest.counts(uptime, coarse=True)
    assert [
        round(after - before, 2) for before, after in zip(guest.ticks, guest.ticks[1:], strict=False)
    ] == [
        5.02,
        4.99,
    ]
    assert guest.events == []


def test_programs_that_were_ended_for_lack_of_memory_are_an_event() -> None:
    guest = Guest()
    for uptime, killed in ((100, 7), (105, 7), (110, 9), (115, 9)):
        guest.counts(uptime, f"/proc/vmstat:oom_kill {killed}")
    assert guest.events == ["The kernel of app01 had no memory left and ended 2 of its programs."]


def test_a_guest_that_was_late_has_a_gap_and_its_mean() -> None:
    guest = Guest()
    for uptime, switches in ((100, 0), (105, 50), (125, 250)):
        guest.counts(uptime, f"/proc/stat:ctxt {switches}")
    (gap,) = guest.feed.gaps
    assert ((gap.end - gap.start) // 1000, gap.ticks) == (10, 3)
    assert gap.reason == "the guest did not get to it in time"
    rates = [found for key, found in guest.feed.samples.items() if key[2] == "guest.context_switches"]
    assert sorted(rates[0].values()) == [10.0, 10.0]


def test_what_it_tells_of_itself_changes_with_it() -> None:
    guest = Guest("/sys/class/net/ens192/address:00:50:56:00:00:01")
    guest.counts(100)
    guest.tells("/sys/class/net/ens224/address:00:50:56:00:00:02")
    guest.counts(105)
    ended = [fact.name for fact in guest.feed.facts if fact.end is not None]
    assert ended == ["nic.ens192.mac"]
    assert guest.facts()["nic.ens224.mac"] == "00:50:56:00:00:02"


def test_disks_that_come_get_series_and_go_on_when_they_return() -> None:
    line = "/proc/diskstats:   8  16 sdb {0} 0 0 0 0 0 0 0 0 0 0"
    guest = Guest()
    guest.counts(100)
    guest.counts(105, line.format(0))
    guest.counts(110, line.format(50))
    guest.counts(115)
    guest.counts(120, line.format(5))  # another disk, or the same one from 0
    guest.counts(125, line.format(10))
    key = next(key for key in guest.feed.samples if key[2:] == ("guest.disk_reads", "sdb"))
    assert {t_ms // 1000 - START_S: value for t_ms, value in guest.feed.samples[key].items()} == {
        110: 10.0,
        125: 1.0,
    }


def test_a_clock_that_is_set_is_known_also_from_samples_that_come_late() -> None:
    """Through VMware Tools all but the first sample come up to twenty seconds late."""
    offsets: list[int] = []

    class Offsets(MemoryFeed):
        def update_source(self, source: int, *, clock_offset_ms: int | None = None, **others: Any) -> None:
            offsets.extend([clock_offset_ms] if clock_offset_ms is not None else [])
            super().update_source(source, **others)

    guest = Guest(feed=Offsets())
    guest.counts(100, late_s=0)
    guest.counts(105, late_s=12)
    guest.counts(110, clock=170, late_s=7)
    guest.counts(115, clock=175, late_s=2)
    assert offsets == [0, 60_000]
