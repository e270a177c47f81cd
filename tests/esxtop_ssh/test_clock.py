"""The host's own clock and zone: esxtop's stamps name none, its ``date -u`` tells."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from collectors.axis import Axis
from tests.esxtop_ssh.conftest import Recording
from tests.esxtop_ssh.fake_hosts import FakeHost
from tests.vsphere.feeds import MemoryFeed

pytestmark = pytest.mark.usefixtures("no_thread_left")
Start = Callable[..., Recording]
FEW_S = 20
"""How far a stored time may be from now on a busy machine."""


def recorded(host: FakeHost, recording: Start, capture: Path, zone_s: int) -> Recording:
    host.plan(capture, every_s=2, stamps="now", then="repeat", zone_s=zone_s)
    run = recording(host)
    run.until_ticks(1)
    run.end()
    return run


@pytest.mark.parametrize("zone_h", [0, 2, -7, 5.75])
def test_stamps_in_local_time_are_stored_as_utc(
    host: FakeHost, recording: Start, capture: Path, zone_h: float
) -> None:
    run = recorded(host, recording, capture, round(zone_h * 3600))
    assert abs(run.ticks()[0] / 1000 - time.time()) < FEW_S
    assert abs(run.feed.sources[1].clock_offset_ms) < FEW_S * 1000


def test_a_clock_that_is_wrong_is_kept_and_its_offset_told(
    host: FakeHost, recording: Start, capture: Path
) -> None:
    host.set_clock(-4000)
    run = recorded(host, recording, capture, 3600)
    assert abs(run.ticks()[0] / 1000 - (time.time() - 4000)) < FEW_S
    assert abs(run.feed.sources[1].clock_offset_ms / 1000 + 4000) < FEW_S
    assert run.feed.health[1].behind_s < FEW_S


def test_a_host_without_date(host: FakeHost, recording: Start, capture: Path) -> None:
    host.program("date", "exit 127\n")
    run = recorded(host, recording, capture, 0)
    assert abs(run.ticks()[0] / 1000 - time.time()) < FEW_S
    assert run.feed.sources[1].clock_offset_ms == 0


def test_a_wrong_clock_is_put_on_the_axis_of_the_recording(
    host: FakeHost, recording: Start, capture: Path
) -> None:
    host.set_clock(-4000)
    host.plan(capture, every_s=2, stamps="now", then="repeat", zone_s=3600)
    feed = MemoryFeed()
    feed.axis = Axis()
    run = recording(host, feed=feed)
    run.until_ticks(1)
    run.end()
    assert abs(run.ticks()[0] / 1000 - time.time()) < FEW_S
    told = dict(feed.sources[1].attributes)["its clock"]
    assert told.startswith(("1 h 6 min", "1 h 7 min")), told
    assert "behind this computer's" in told
    assert abs(feed.sources[1].clock_offset_ms) < FEW_S * 1000


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [600, -600])
def test_a_clock_that_is_set_is_an_event_on_the_axis(
    host: FakeHost, recording: Start, capture: Path, seconds: int
) -> None:
    host.plan(capture, every_s=2, stamps="now", then="repeat")
    feed = MemoryFeed()
    feed.axis = Axis()
    run = recording(host, feed=feed)
    run.until_ticks(2)
    host.set_clock(seconds)
    before = len(run.ticks())
    feed.until(lambda: any(event.kind == "clock" for event in feed.events))
    run.until_ticks(before + 3)
    run.end()
    (event,) = feed.events
    way = "forward" if seconds > 0 else "back"
    assert f" was set {way} by " in event.text
    times = run.ticks()
    assert abs(times[-1] / 1000 - time.time()) < FEW_S
    assert max(later - one for one, later in itertools.pairwise(times)) < 100_000
    assert not [gap for gap in feed.gaps if gap.reason != "no sample was taken"]
    assert feed.twice == []


@pytest.mark.slow
def test_a_clock_that_is_set_forward_is_no_lack_of_samples(
    host: FakeHost, recording: Start, capture: Path
) -> None:
    host.plan(capture, every_s=2, stamps="now", then="repeat")
    run = recording(host)
    run.until_ticks(2)
    host.set_clock(600)
    before = run.ticks()
    run.feed.until(lambda: bool(run.feed.gaps))
    run.end()
    (gap,) = run.feed.gaps
    assert gap.reason == "the host's clock was set forward"
    assert gap.start >= before[-1] + 2000
    assert 590 <= (gap.end - gap.start) / 1000 <= 610
    assert run.feed.twice == []


@pytest.mark.slow
def test_a_clock_that_is_set_back_is_said_and_nothing_comes_twice(
    host: FakeHost, recording: Start, capture: Path
) -> None:
    host.plan(capture, every_s=2, stamps="now", then="repeat")
    run = recording(host)
    run.until_ticks(2)
    host.set_clock(-6)
    run.feed.until(lambda: "clock was set back" in run.message())
    before = run.ticks()
    run.until_ticks(len(before) + 2)
    run.end()
    assert run.feed.twice == []
    assert run.feed.gaps == []
