"""A few recordings of ``benchmarks.fault_soak``, and that it finds what it looks for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.fault_plans import STAGES, plan
from benchmarks.fault_soak import Result, Soak, known, play, summary, wanted_keys
from benchmarks.fault_truth import findings
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import TestVCenter

__all__ = ["start_vcenter"]


pytestmark = pytest.mark.usefixtures("start_vcenter")  # skips where the test vCenter is not built


@pytest.mark.slow
@pytest.mark.thorough
def test_faults_of_all_stages_in_twos_and_threes() -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda number: play(20, number), range(4)))
    assert [result.findings for result in results] == [()] * 4
    assert "4 recordings" in summary(results)


def test_plans_are_of_all_stages_and_repeat() -> None:
    plans = [plan(random.Random(f"1/{number}")) for number in range(200)]
    assert plans == [plan(random.Random(f"1/{number}")) for number in range(200)]
    assert {fault.stage for faults in plans for fault in faults} == set(STAGES)
    assert {len(faults) for faults in plans} == {2, 3}


def test_what_it_finds(start_vcenter: Callable[..., TestVCenter], tmp_path: Path) -> None:
    """Samples that are not in the session and in no gap, and samples that never were."""
    server = start_vcenter(hosts=2, vms=3, interval=1, history=40, rollup=5, rollup_days=0)
    began_ms = round(server.now() * 1000)
    assert list(Soak(server, tmp_path).run([], random.Random(0), wanted_keys())) == []
    session, end_ms = tmp_path / "soak.hscope", round(time.time() * 1000)
    while server.now() * 1000 < end_ms + 3000:
        time.sleep(0.1)  # for samples that nobody recorded
    lost = list(findings(session, server, wanted_keys(), end_ms - 4000, end_ms + 3000))
    assert any("that are in no gap" in finding for finding in lost)
    assert "samples are missing; expected" in lost[-1]
    server.fault("missing", entity="vm-00001", **{"from": began_ms / 1000 - 10, "to": began_ms / 1000 - 5})
    more = list(findings(session, server, wanted_keys(), began_ms - 20_000, began_ms))
    assert more
    assert all("has samples that never were" in finding and "vm-00001" in finding for finding in more)


def test_a_soak_goes_on_where_it_was(tmp_path: Path) -> None:
    log = tmp_path / "soak.jsonl"
    log.write_text('{"seed":1,"number":3,"faults":["live: lost"]}\n{"seed":2,"number":4,"faults":[]}\n')
    assert known(log, 1) == {3: Result(1, 3, ("live: lost",))}
    assert known(None, 1) == {}
