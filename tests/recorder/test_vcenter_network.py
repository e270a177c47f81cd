"""A network between the recorder and its vCenter that breaks in every way: what is lost is said exactly."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from sessions.store import SessionReader, check_session
from tests.esxtop_ssh.cut_network import Network, network
from tests.recorder.conftest import Record, record, session_path
from tests.recorder.running import Event, Recorder
from tests.recorder.vcenters import differences, realtime, record_vcenter, rounds, stored
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import TestVCenter

__all__ = ["record", "session_path", "start_vcenter"]

pytestmark = pytest.mark.slow
_KEPT_S = 10


def until(recorder: Recorder, holds: Callable[[Event], bool]) -> Event:
    """Wait for such a status, however long it takes."""
    while True:
        seen = recorder.wait_for(lambda event: event["event"] == "status")
        if holds(seen):
            return seen


def is_behind(seconds: float) -> Callable[[Event], bool]:
    return lambda event: all(one["behind_s"] >= seconds for one in realtime(event))


def outage(recorder: Recorder, between: Network) -> None:
    """A firewall is started anew, and lets nobody in until the vCenter keeps no longer what is missing."""
    between.cut()
    between.reset()
    until(recorder, is_behind(_KEPT_S + 10))
    between.mend()
    rounds(recorder, 4)


def test_what_is_lost_is_a_gap_to_the_sample_and_nothing_comes_twice(
    record: Record, session_path: Path, start_vcenter: Callable[..., TestVCenter]
) -> None:
    server = start_vcenter(hosts=2, vms=4, interval=1, history=60, rollup=10, rollup_days=0, keep=_KEPT_S)
    with network(server.place.host, server.place.port) as between:
        recorder = record_vcenter(record, session_path, server, "--no-backfill", port=between.port)
        began = realtime(rounds(recorder, 2))[0]["last_ms"]
        process = psutil.Process(recorder.process.pid)
        threads = process.num_threads()
        for size in (0, 700, 5_000):
            between.break_after(size)
            rounds(recorder, 3)
        between.cut()
        until(recorder, is_behind(6))
        between.plug_in()
        rounds(recorder, 3)
        between.cut()
        between.reset()
        until(recorder, is_behind(6))
        between.mend()
        rounds(recorder, 3)
        whole = realtime(rounds(recorder, 2))[0]["last_ms"] - 3000
        outage(recorder, between)
        memory = process.memory_info().rss
        outage(recorder, between)
        last = realtime(rounds(recorder, 8))[0]["last_ms"] - 6000
        assert process.num_threads() <= threads + 1
        assert process.memory_info().rss < memory + 20 * (1 << 20)
        recorder.say(do="stop")
        assert recorder.end()["code"] == 0
    assert recorder.stderr() == ""
    assert check_session(session_path, thorough=True) == []
    assert differences(session_path, server, began, whole) == []
    with SessionReader.open(session_path) as reader:
        (source,) = (one for one in reader.sources() if not one.spec.name.endswith(" rollups"))
        times = reader.times(source.id).tolist()
        gaps = [gap for gap in reader.gaps() if gap.source == source.id and gap.entity is None]
        assert source.spec.counted is not None
        expected, received = source.spec.counted
    holes = [
        (before + 1000, after - 1000) for before, after in itertools.pairwise(times) if after - before > 1000
    ]
    assert [(gap.start, gap.end) for gap in gaps] == holes
    assert [gap.ticks for gap in gaps] == [(end - start) // 1000 + 1 for start, end in holes]
    assert len(holes) == 2
    assert source.samples == received == sum(len(samples) for samples in stored(session_path).values())
    assert expected - received == sum(gap.ticks or 0 for gap in gaps) * len(stored(session_path))
    starts, ends = [began, *(end for _, end in holes)], [*(start - 1000 for start, _ in holes), last]
    for start, end in zip(starts, ends, strict=True):
        assert differences(session_path, server, start, end) == []


@pytest.mark.thorough
def test_connections_that_were_forgotten_without_a_word_cost_no_sample(
    record: Record, session_path: Path, start_vcenter: Callable[..., TestVCenter]
) -> None:
    """Nobody answers over them any more, and new ones pass: what waits for a reply waits for two minutes."""
    server = start_vcenter(hosts=2, vms=4, interval=1, history=60, rollup=10, rollup_days=0)
    with network(server.place.host, server.place.port) as between:
        recorder = record_vcenter(record, session_path, server, "--no-backfill", port=between.port)
        began = realtime(rounds(recorder, 2))[0]["last_ms"]
        between.cut()
        between.mend()
        until(recorder, is_behind(10))
        until(recorder, lambda event: all(one["behind_s"] < 10 for one in realtime(event)))
        last = realtime(rounds(recorder, 8))[0]["last_ms"] - 6000
        recorder.say(do="stop")
        assert recorder.end()["code"] == 0
    assert check_session(session_path, thorough=True) == []
    assert differences(session_path, server, began, last) == []
    with SessionReader.open(session_path) as reader:
        assert [gap for gap in reader.gaps() if gap.start <= last] == []
