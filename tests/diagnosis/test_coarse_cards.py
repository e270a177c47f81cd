"""Samples of minutes are judged by what they can show: what they average away is unknown, and no cause."""

from __future__ import annotations

import pytest

from tests.diagnosis.recordings import Level, Recording, during, findings, only, verdicts
from tests.diagnosis.test_cards_storage import lun


def sender(uplink: float, interval: float, mbits: Level = 80.0) -> Recording:
    """A VM that loses what it sends; its uplink carries so many of 10,000 Mbit/s."""
    recording = Recording(seconds=12 * interval, interval=interval)
    recording.on_host({"cpu.pcpu_util": 40.0})
    recording.add(
        "nic", "esx01/vmnic0", {"net.mbits_tx": uplink, "net.mbits_rx": 1.0, "net.link_speed": 10_000.0}
    )
    web = recording.vm("web01", {"cpu.run": 20.0})
    recording.add(
        "port",
        "web01.eth0",
        {"net.drops_tx": 2.0, "net.packets_tx": 9000.0, "net.mbits_tx": mbits},
        parent=web,
    )
    return recording


@pytest.mark.parametrize(
    ("uplink", "expected"),
    [
        (9000.0, {"uplink_saturated": "likely", "shaping_limit": "ruled out"}),
        (7400.0, {"uplink_saturated": "possible", "shaping_limit": "possible"}),
        (300.0, {"uplink_saturated": "ruled out", "shaping_limit": "likely"}),
    ],
)
def test_a_link_that_is_full_in_part_of_a_sample_is_not_a_shaping_limit(
    uplink: float, expected: dict[str, str]
) -> None:
    told = verdicts(only(sender(uplink, 300.0), problem="net.tx_drops"))
    assert {name: told[name] for name in expected} == expected


@pytest.mark.parametrize(("interval", "verdict"), [(5.0, "ruled out"), (300.0, "unknown")])
def test_samples_of_minutes_do_not_rule_out_bursts(interval: float, verdict: str) -> None:
    recording = Recording(seconds=12 * interval, interval=interval)
    recording.on_host({"cpu.pcpu_util": 60.0, "cpu.pcpu_used": 50.0})
    for name in ("web01", "web02", "web03"):
        levels: dict[str, Level] = {"cpu.ready": 8.0, "cpu.max_limited": 0.0, "cpu.run": 40.0}
        recording.vm(name, levels)
    found = findings(recording, problem="cpu.ready_high")
    assert found
    for one in found:
        cause = next(each for each in one.causes if each.cause == "synchronised_bursts")
        assert cause.verdict == verdict
        assert ("record every 20 s or less" in cause.because) == (verdict == "unknown")


@pytest.mark.parametrize(("queued", "found"), [(0.0, False), (12.0, True)])
def test_a_queue_that_no_sample_finds_anybody_in_is_that_of_bursts(queued: float, *, found: bool) -> None:
    recording = Recording(seconds=3600, interval=300.0)
    recording.on_host({"cpu.pcpu_util": 40.0})
    lun(
        recording,
        commands=1700.0,
        kernel_latency=2.6,
        queue_latency=2.5,
        active=32.0 if queued else 0.0,
        queue_depth=32.0,
        queued=during(300, 3600, queued),
    )
    assert bool(findings(recording, problem="storage.queueing")) == found
