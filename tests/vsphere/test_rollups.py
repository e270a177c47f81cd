"""Rollups from the archive: clusters and datastores while recording, days of everything on request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.vsphere.counters.rollups import Span, spans
from collectors.vsphere.counters.server import HistoricalInterval
from collectors.vsphere.options import VSphereOptions
from connections.vsphere.session import VSphere
from resources.failures import DisconnectedError
from sessions.model import Gap
from tests.vcenter.running import TestVCenter
from tests.vsphere.feeds import MemoryFeed
from tests.vsphere.recording import Recording, hasty, stored

Start = Callable[..., TestVCenter]
KEPT = [
    HistoricalInterval(300, 86_400),
    HistoricalInterval(1800, 7 * 86_400),
    HistoricalInterval(7200, 30 * 86_400),
]


def test_the_finest_interval_that_is_kept() -> None:
    day = 86_400_000
    now = 100 * day
    assert spans(KEPT, 0.5, now) == [Span(300, now - day // 2, now)]
    assert spans(KEPT, 2, now) == [Span(300, now - day, now), Span(1800, now - 2 * day, now - day)]
    assert spans(KEPT, 0, now) == []


@given(st.floats(0, 400), st.integers(10**12, 2 * 10**12))
def test_spans_follow_each_other(days: float, now: int) -> None:
    found = spans(KEPT, days, now)
    assert all(later.start_ms == earlier.end_ms for later, earlier in pairwise(found))
    assert all(span.start_ms < span.end_ms <= now for span in found)


def test_clusters_and_datastores_while_recording(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=3, rollup_days=0, max_query_metrics=4
    )
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path))) as recording:
        recording.until(lambda: 2 in recording.feed.sources and recording.last(2) > 0)
        recording.rounds(2, source=2)
        end = recording.last(2)
    feed = recording.feed
    assert feed.sources[2].name.endswith(" rollups")
    assert feed.sources[2].interval_s == 3
    mine = stored(feed, 2)
    assert {key[0] for key in mine} == {"cluster", "datastore"}
    there = rolled(server, end - 6_000, end, 3)
    for key, samples in mine.items():
        assert {t: v for t, v in samples.items() if end - 6_000 < t <= end} == there[key], key
    health = feed.health[2]
    assert health.expected == health.received
    assert feed.gaps == []


def test_what_failed_in_the_last_round_is_asked_for_at_the_end(
    start_vcenter: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, post = threading.Event(), VSphere.post

    def breaks_clusters(vsphere: VSphere, envelope: Any, *rest: Any, **words: Any) -> bytes:
        if broken.is_set() and isinstance(envelope, bytes) and b"ClusterComputeResource" in envelope:
            raise DisconnectedError("The answer broke off.")
        return post(vsphere, envelope, *rest, **words)

    monkeypatch.setattr(VSphere, "post", breaks_clusters)
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, max_query_metrics=4
    )
    with Recording(server, VSphereOptions(extra_dirs=hasty(tmp_path))) as recording:
        recording.until(lambda: 2 in recording.feed.sources and recording.last(2) > 0)
        broken.set()
        recording.until(lambda: recording.feed.health[2].message == "The answer broke off.")
        broken.clear()
    health = recording.feed.health[2]
    assert lost(recording.feed) == []
    assert health.expected == health.received


def test_days_of_history(start_vcenter: Start, tmp_path: Path) -> None:
    server = start_vcenter(hosts=2, vms=2, interval=1, history=5, rollup=300, rollup_days=2)
    options = VSphereOptions(backfill=False, history_days=0.1, rollups=False, extra_dirs=hasty(tmp_path))
    with Recording(server, options) as recording:
        recording.until(lambda: len(stored(recording.feed, 2)) > 0)
        recording.rounds(1)
    mine = stored(recording.feed, 2)
    assert {key[0] for key in mine} == {"cluster", "datastore", "host", "vm"}
    longest = max(len(samples) for samples in mine.values())
    assert longest >= 0.1 * 86_400 / 300 - 2


def test_history_goes_on_past_what_fails(start_vcenter: Start, tmp_path: Path) -> None:
    """What passes is asked again; what does not is a gap of those who were asked, and the rest is read."""
    server = start_vcenter(hosts=2, vms=6, history=5, rollup_days=2, max_query_metrics=64)
    options = VSphereOptions(backfill=False, history_days=1.9, rollups=False, extra_dirs=hasty(tmp_path))
    feed = MemoryFeed()
    server.fault("status", method="QueryAvailablePerfMetric", count=1)
    server.fault("status", method="QueryPerf", count=1)
    server.fault("slow", method="QueryPerf", seconds=0.2)
    with Recording(server, options, feed) as recording:
        recording.until(lambda: stored(feed, 2))
        server.clear()
        server.fault("fault", method="QueryPerf", count=12, type="NoPermission", text="Permission denied")
        recording.until(lambda: recording.last(2) / 1000 > server.now() - 700)
    assert lost(feed)
    assert all("may not have counters" in gap.reason for gap in lost(feed))
    mine = stored(feed, 2)
    assert {kind for kind, *_ in mine} == {"cluster", "datastore", "host", "vm"}
    end = max(max(samples) for samples in mine.values())
    for gap in lost(feed):
        assert gap.entity is not None
        assert gap.end < end - 3_600_000, "the rest was not read"
    for key, samples in mine.items():
        newest = [t for t in samples if t > end - 3_600_000]
        assert len(newest) >= 11, key


def lost(feed: MemoryFeed) -> list[Gap]:
    """The gaps in the rollups."""
    return [gap for gap in feed.gaps if gap.source == 2]


def rolled(
    server: TestVCenter, start_ms: int, end_ms: int, period: int
) -> dict[tuple[str, ...], dict[int, float]]:
    answer = server.samples(
        start_ms / 1000, end_ms / 1000, values=True, period=period, kinds=["cluster", "datastore"]
    )
    return {
        (row["kind"], row["entity"], row["counter"], row["instance"]): {
            t * 1000: float(v) for t, v in zip(row["t"], row["v"], strict=True) if v >= 0
        }
        for row in answer["listed"]
    }
