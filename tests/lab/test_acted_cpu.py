"""DRS and vMotion in the lab, held to the study's seven placements (tests.md W3) and its capacity model."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from lab.acted import ActedLab, LabJob
from tests.lab.acted_runs import acted

PLACEMENTS = {
    1: (4, 4, 0, 0), 2: (4, 3, 1, 0), 3: (4, 2, 2, 0), 4: (4, 2, 1, 1),
    5: (3, 3, 2, 0), 6: (3, 3, 1, 1), 7: (3, 2, 2, 1), 0: (2, 2, 2, 2),
}  # fmt: skip
"""Heavy VMs on each host; the others of its four are light. 0 is the balanced control."""
CORES = 8.0
HEAVY, LIGHT = 0.7 * 4, 0.1 * 4


def model_gain(case: int) -> float:
    """The arithmetic of tests.md W3: a host serves min(1, 8 / demand) of what its VMs ask for."""
    served = sum(
        heavy * min(1.0, CORES / (heavy * HEAVY + (4 - heavy) * LIGHT)) for heavy in PLACEMENTS[case]
    )
    return 8.0 / served - 1.0


def placed(case: int, seed: int = 1) -> ActedLab:
    lab = acted("imbalanced", seed)
    heavy = sorted(lab.heavy)
    light = [vm for vm in lab.workers if vm not in lab.heavy]
    for host, count in enumerate(PLACEMENTS[case]):
        for vm in [heavy.pop() for _ in range(count)] + [light.pop() for _ in range(4 - count)]:
            lab.place(vm, host)
    for vm in lab.workers:
        cpu, rate = (0.7, 1000.0) if vm in lab.heavy else (0.1, 143.0)
        lab.begin(vm, LabJob(lab.now_ms, (), 60.0, 86_400.0, cpu=cpu, cpu_rate=rate))
    tick(lab, 12)
    return lab


def tick(lab: ActedLab, count: int) -> None:
    for _ in range(count):
        lab.tick()


def throughput(lab: ActedLab, ticks: int = 60) -> tuple[float, float]:
    """Work done a second by all heavy and by all light VMs."""
    tick(lab, ticks)
    done = {vm: np.mean([one.reads for one in lab.jobs[vm].results[-ticks:]]) for vm in lab.workers}
    heavy = sum(float(done[vm]) for vm in lab.heavy)
    return heavy, sum(float(one) for one in done.values()) - heavy


@cache
def balanced_by_drs(case: int, seed: int = 1) -> tuple[float, float, int, tuple[int, ...]]:
    """Gain of heavy and of light VMs, migrations, and heavy VMs on each host at the end."""
    lab = placed(case, seed)
    before = throughput(lab)
    lab.drs.behaviour, lab.drs.rate = "fullyAutomated", 1
    tick(lab, 12 * 12)
    after = throughput(lab)
    where = tuple(sum(int(lab.index.vm_host[vm]) == host for vm in lab.heavy) for host in range(4))
    moves = sum(one.kind == "vMotion" for one in lab.happenings)
    return after[0] / before[0] - 1.0, after[1] / before[1] - 1.0, moves, where


@pytest.mark.parametrize("case", range(1, 8))
def test_gains_are_those_of_the_capacity_model_and_a_little_more(case: int) -> None:
    """tests.md W3: the study found up to 47 % where arithmetic says 40 %, since contention itself costs."""
    heavy, light, moves, where = balanced_by_drs(case)
    assert model_gain(case) - 0.01 <= heavy <= model_gain(case) + 0.10
    assert abs(light) < 0.01
    assert moves >= 2
    assert where == (2, 2, 2, 2)


def test_gains_rise_with_the_imbalance() -> None:
    """The order of tests.md W3: 1 > 2 > 3 ≈ 4 > 5 ≈ 6 > 7."""
    gain = {case: balanced_by_drs(case)[0] for case in range(1, 8)}
    assert gain[1] > gain[2] > max(gain[3], gain[4])
    assert min(gain[3], gain[4]) > max(gain[5], gain[6])
    assert min(gain[5], gain[6]) > gain[7] > 0.005
    assert gain[3] == pytest.approx(gain[4], abs=0.03)
    assert gain[5] == pytest.approx(gain[6], abs=0.03)
    assert gain[1] > 0.15  # the study's band begins with 15 %


@pytest.mark.parametrize("seed", [1, 2])
def test_a_balanced_cluster_gains_nothing_and_nobody_moves(seed: int) -> None:
    heavy, light, moves, _ = balanced_by_drs(0, seed)
    assert abs(heavy) < 0.01
    assert abs(light) < 0.01
    assert moves == 0


@pytest.mark.parametrize("behaviour", ["manual", "partiallyAutomated"])
def test_what_is_not_automated_is_only_recommended(behaviour: str) -> None:
    lab = placed(1)
    lab.drs.behaviour = behaviour  # type: ignore[assignment]  # a parameter of the test
    lab.drs.rate = 1
    where = lab.index.vm_host.copy()
    tick(lab, 36)
    assert len(lab.recommendations) >= 4
    assert {move.vm for move in lab.recommendations} & lab.heavy
    assert (lab.index.vm_host == where).all()
    assert not lab.happenings


def test_a_conservative_threshold_leaves_more_imbalance() -> None:
    left = []
    for rate in (1, 3, 5):
        lab = placed(3)
        lab.drs.behaviour, lab.drs.rate = "fullyAutomated", rate
        tick(lab, 12 * 12)
        left.append(lab.imbalance())
    assert left[0] < 0.05
    assert left[0] < left[1] < left[2]


def test_balancing_raises_the_score() -> None:
    lab = placed(1)
    tick(lab, 12)
    before = lab.drs_score()
    lab.drs.behaviour, lab.drs.rate = "fullyAutomated", 1
    tick(lab, 12 * 12)
    assert lab.drs_score() > before + 10.0


def test_a_vmotion_takes_time_costs_cpu_and_is_told() -> None:
    lab = acted("balanced")
    vm, source, target = lab.workers[0], 0, 3
    tick(lab, 12)
    quiet = float(lab.physics.cpu.busy[target])
    migration = lab.migrate(vm, target, "an admin")
    assert migration is not None
    lab.tick()
    assert int(lab.index.vm_host[vm]) == source
    lab.tick()
    assert float(lab.physics.cpu.busy[target]) > quiet + 0.03
    tick(lab, 12)
    assert int(lab.index.vm_host[vm]) == target
    (told,) = lab.happenings
    assert told.kind == "vMotion"
    assert "esx01.lab.local to esx04.lab.local by an admin" in told.text
    assert 5_000 <= told.end - told.at <= 60_000
    assert lab.migrate(vm, target, "an admin") is None


def test_a_moved_vm_takes_its_load_along() -> None:
    lab = placed(0)
    tick(lab, 6)
    vm = next(vm for vm in lab.heavy if int(lab.index.vm_host[vm]) == 0)
    before = lab.physics.cpu.busy.copy()
    lab.place(vm, 3)
    tick(lab, 12)
    after = lab.physics.cpu.busy
    assert before[0] - after[0] == pytest.approx(HEAVY / CORES, abs=0.06)
    assert after[3] > 0.97
    assert lab.physics.memory.free[0] > 0
