"""What is wrong is found by the vCenter, by the hosts' esxtop services, and by both at once: then once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.both_sources import told_twice
from benchmarks.judging import judge
from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.findings import Finding
from sessions.store import SessionReader
from tests.esxtop_service.one_site import record_three_ways
from tests.vcenter.running import TestVCenter

pytestmark = pytest.mark.slow

SCENARIOS = (
    "cpu-ready-low-shares", "cpu-ready-numa", "cpu-limit-vm", "cpu-costop-oversized",
    "cpu-saturated-too-many", "mem-balloon-overcommit", "mem-swapping-vm-limit",
    "mem-compressing-overcommit", "storage-queue-device-slow", "storage-latency-array-rebuild",
    "storage-nfs-server-slow", "storage-aborts-path-fault", "net-tx-drops-uplink-saturated",
    "net-rx-drops-ring-burst",
)  # fmt: skip
STEP_S = {"vcenter": 20.0, "esxtop": 5.0, "both": 20.0}


def found_in(session: Path) -> list[Finding]:
    with SessionReader.open(session) as reader:
        return list(diagnose_session(reader, load_problems(), load_catalogue()).findings)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_three_ways_give_one_truth(
    scenario: str, tmp_path: Path, start_vcenter: Callable[..., TestVCenter]
) -> None:
    lab, start_ms, sessions = record_three_ways(scenario, tmp_path, start_vcenter)
    for way, session in sessions.items():
        found = found_in(session)
        truth = lab.truth() if way == "both" else lab.truth().seen_in(way)  # type: ignore[arg-type]
        scores = judge(
            truth, found, start_ms, f"{scenario} ({way})", STEP_S[way], lacks_counters=way == "vcenter"
        )
        assert [miss for score in scores.values() for miss in score.misses] == []
        assert told_twice(found) == []
        if way == "both":
            notes = [note for one in found for note in one.notes if note.startswith("Judged from ")]
            assert any(note.startswith("Judged from esxtop at 5 s.") for note in notes), notes
