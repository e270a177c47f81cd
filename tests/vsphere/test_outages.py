"""What was expected and did not come by the end of a recording: a gap with its reason, and in the counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.vsphere.options import VSphereOptions
from sessions.model import Gap
from tests.vcenter.running import TestVCenter
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.recording import Recording, differences, hasty, stored

Start = Callable[..., TestVCenter]


pytestmark = pytest.mark.slow


@pytest.fixture
def server(start_vcenter: Start) -> TestVCenter:
    return start_vcenter(hosts=2, vms=4, interval=1, history=60, rollup=3, rollup_days=0)


@pytest.fixture
def options(tmp_path: Path) -> VSphereOptions:
    return VSphereOptions(extra_dirs=hasty(tmp_path))


def whole_gaps(feed: MemoryFeed, source: int = 1) -> list[Gap]:
    """The gaps of a whole source, in order."""
    found = (gap for gap in feed.gaps if gap.entity is None and gap.source == source)
    return sorted(found, key=lambda gap: gap.start)


def newest(feed: MemoryFeed, source: int = 1) -> int:
    return max(max(there) for there in stored(feed, source).values() if there)


@pytest.mark.parametrize("outage", ["the server is gone", "counters are refused"])
def test_an_outage_until_the_end_is_a_gap(server: TestVCenter, options: VSphereOptions, outage: str) -> None:
    with Recording(server, options) as recording:
        recording.rounds(2)
        feed = recording.feed
        before = feed.health[1]
        if outage == "the server is gone":
            server.stop()
        else:
            server.fault("disconnect", method="QueryPerf")
        recording.until(lambda: feed.health[1].state == "reconnecting")
        recording.stop.wait(4)  # what is due meanwhile never comes
    (gap,) = whole_gaps(feed)
    assert gap.start == newest(feed) + 1000
    assert gap.ticks is not None
    assert gap.ticks >= 4
    assert gap.end == gap.start + 1000 * (gap.ticks - 1)
    assert server.place.host in gap.reason
    health = feed.health[1]
    assert health.state == "ended"
    assert health.gaps == before.gaps + 1
    assert health.expected - health.received == gap.ticks * len(stored(feed))


def test_what_comes_at_the_last_moment_is_no_gap(server: TestVCenter, options: VSphereOptions) -> None:
    """The server answers again, and the recording ends before anybody has asked again."""
    with Recording(server, options) as recording:
        recording.rounds(1)
        feed = recording.feed
        start = recording.last()
        server.fault("disconnect", method="QueryPerf")
        recording.until(lambda: feed.health[1].state == "reconnecting")
        recording.stop.wait(3)
        server.clear()
    end = newest(feed)
    assert end >= start + 3000
    assert differences(feed, server, start, end) == []
    assert whole_gaps(feed) == []
    health = feed.health[1]
    assert health.expected == health.received


def test_rollups_that_never_came_are_a_gap(server: TestVCenter, options: VSphereOptions) -> None:
    with Recording(server, options) as recording:
        recording.until(lambda: 2 in recording.feed.sources and recording.last(2) > 0)
        recording.rounds(1, source=2)
        feed = recording.feed
        server.stop()
        recording.until(lambda: feed.health[2].state == "reconnecting")
        recording.stop.wait(7)
    gaps = whole_gaps(feed, 2)
    assert gaps[0].start == newest(feed, 2) + 3000
    ticks = sum(gap.ticks or 0 for gap in gaps)
    assert ticks >= 2
    health = feed.health[2]
    assert health.expected - health.received == ticks * len(stored(feed, 2))
