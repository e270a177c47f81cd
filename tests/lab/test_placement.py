"""How the lab's cluster is laid out: usual load fits hosts and LUNs, whatever the seed."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
import pytest

from lab import Lab
from lab.building import build_cluster
from lab.inventory import SHARED_LUNS, Cluster
from lab.lun_work import LUN_SHARE, WRITE_COST, io_cost
from lab.scenario import Role, load_workloads
from sessions.model import FloatArray
from tests.lab.runs import SCENARIOS

SEEDS = range(1, 41)


def cluster(scenario: str, seed: int) -> Cluster:
    return build_cluster(SCENARIOS[scenario], load_workloads(), np.random.default_rng(seed))


def busy_luns(one: Cluster) -> tuple[FloatArray, FloatArray]:
    """What usual load takes of each shared LUN, and of the array behind each."""
    work = np.zeros(SHARED_LUNS)
    arrays = np.array([lun.array for lun in one.luns[:SHARED_LUNS]])
    for vm in one.vms:
        for disk in vm.disks:
            if disk.lun < SHARED_LUNS:
                size, reads = np.array(disk.io_kb), np.array(disk.read_share)
                cost = io_cost(size, reads, WRITE_COST[one.luns[disk.lun].array])
                work[disk.lun] += disk.iops * one.rate * float(cost)
    iops = np.array([one.arrays[array].iops for array in arrays])
    return work / (LUN_SHARE * iops), np.array([work[arrays == array].sum() for array in arrays]) / iops


@pytest.mark.parametrize("seed", SEEDS)
def test_no_lun_or_array_of_a_healthy_cluster_has_too_much_to_do(seed: int) -> None:
    luns, arrays = busy_luns(cluster("healthy-high", seed))
    assert luns.max() <= 0.5
    assert arrays.max() <= 0.6


def test_disks_that_the_scenario_places_stay_there() -> None:
    for seed in SEEDS:
        one = cluster("storage-latency-noisy-neighbour", seed)
        (lun,) = one.cast["lun"].members
        for role in ("noisy", "quiet", "other"):
            (vm,) = one.cast[role].members
            assert {disk.lun for disk in one.vms[vm].disks} == {lun}


@pytest.mark.parametrize("load", ["normal", "high"])
def test_vms_with_a_demand_of_their_own_count_towards_the_load_level(load: Literal["normal", "high"]) -> None:
    role = Role("vm", count=(3, 3), vcpus=(2,), cpu=(0.3, 0.3))
    scenario = msgspec.structs.replace(SCENARIOS["healthy-normal"], load=(load,), cast={"busy": role})
    low, high = load_workloads().load[load].cpu
    for seed in range(1, 7):
        lab = Lab(scenario, seed=seed, fields="diagnosis")
        seen: list[FloatArray] = []
        while lab.tick() is not None and len(seen) < 60:
            seen.append(lab.cpu.busy.copy())
        mean = np.mean(seen, axis=0)
        assert (mean > low - 0.06).all(), (seed, mean)
        assert (mean < high + 0.09).all(), (seed, mean)
