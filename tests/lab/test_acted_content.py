"""Deduplication and caches in the lab: expectations from tests.md W1 and W8, not from the lab itself."""

from __future__ import annotations

import numpy as np
import pytest

from lab.acted import ActedLab, DiskLoad, LabJob
from lab.acted.simulation import VSAN_LUN
from tests.lab.acted_runs import acted, run

GB = 1 << 30


def prepare(lab: ActedLab, seeds: list[int], dedupe: float, compress: float, size: int = GB) -> None:
    """Write one new disk on vSAN for each seed, each on a worker of its own, and wait until destaged."""
    for place, seed in enumerate(seeds):
        vm = lab.workers[place]
        disk = lab.disks.add(vm, "test", size, VSAN_LUN, "run-1")
        content = (seed, dedupe, compress)
        load = DiskLoad(disk.slot, 32, 4.0, 0.0, to_write=float(size), sequential=True, content=content)
        lab.begin(vm, LabJob(lab.now_ms, (load,)))
    while any(running.ended_ms is None for running in lab.jobs.values()):
        lab.tick()
    for _ in range(60):
        lab.tick()


@pytest.mark.parametrize("count", [2, 3, 5])
def test_equal_seeds_read_as_duplicates_of_each_other(count: int) -> None:
    """tests.md W1: N disks of one seed give 1 − 1/N for 0 % asked; five give the famous 80 %."""
    lab = acted("default")
    prepare(lab, [7] * count, 0.0, 0.0)
    assert lab.space[VSAN_LUN].duplicates == pytest.approx(1.0 - 1.0 / count, abs=0.001)


@pytest.mark.parametrize("asked", [0.0, 0.5, 0.8])
def test_distinct_seeds_give_what_was_asked(asked: float) -> None:
    lab = acted("default")
    prepare(lab, [1, 2, 3, 4], asked, 0.0)
    assert lab.space[VSAN_LUN].duplicates == pytest.approx(asked, abs=0.001)
    assert lab.space[VSAN_LUN].logical == pytest.approx(4 * GB, rel=0.001)


@pytest.mark.parametrize(("compress", "kept"), [(0.0, 1.0), (0.5, 1.0), (0.6, 0.5), (0.9, 0.5)])
def test_a_block_is_kept_compressed_only_if_half_of_it_is_saved(compress: float, kept: float) -> None:
    """tests.md W1: 50 % compress to 0.52 of the size, which vSAN does not keep; 55 to 60 % do."""
    lab = acted("default")
    prepare(lab, [1, 2], 0.0, compress)
    assert lab.space[VSAN_LUN].ratio == pytest.approx(1.0 / kept, rel=0.01)


def test_deduplication_shows_only_after_destaging() -> None:
    lab = acted("default")
    vm = lab.workers[0]
    disk = lab.disks.add(vm, "test", GB, VSAN_LUN, "run-1")
    load = DiskLoad(disk.slot, 32, 4.0, 0.0, to_write=float(GB), sequential=True, content=(1, 0.5, 0.0))
    running = lab.begin(vm, LabJob(lab.now_ms, (load,)))
    while running.ended_ms is None:
        lab.tick()
    early = lab.space[VSAN_LUN].duplicates
    for _ in range(60):
        lab.tick()
    assert early < 0.4
    assert lab.space[VSAN_LUN].duplicates == pytest.approx(0.5, abs=0.001)
    assert lab.space[VSAN_LUN].destaged == pytest.approx(1.0, abs=0.001)


def test_removing_disks_gives_the_space_back() -> None:
    lab = acted("default")
    prepare(lab, [1, 1], 0.0, 0.0)
    for place in range(2):
        lab.disks.remove(lab.workers[place], "test")
    for _ in range(60):
        lab.tick()
    assert lab.space[VSAN_LUN].logical == 0.0
    assert lab.space[VSAN_LUN].ratio == 1.0


def test_overwriting_with_another_content_changes_the_ratio() -> None:
    """tests.md W1: random overwrites with other content let the ratio of a prepared disk decay."""
    lab = acted("default")
    prepare(lab, [1], 0.8, 0.0)
    disk = lab.disks.named(lab.workers[0], "test")
    assert disk is not None
    load = DiskLoad(disk.slot, 32, 4.0, 0.3, rate=1000.0, content=(9, 0.0, 0.0))
    lab.begin(lab.workers[0], LabJob(lab.now_ms, (load,), 0.0, 60.0))
    for _ in range(80):
        lab.tick()
    overwritten = 1000.0 * 0.7 * 4096 * 60.0 / GB
    assert lab.space[VSAN_LUN].duplicates == pytest.approx(0.8 * np.exp(-overwritten), abs=0.02)


def cached(*, on: bool) -> tuple[float, float, float, float]:
    """W8's measuring job on two VMs: IOPS, read ms, write ms and weighted ms, the cache warm if it is on."""
    lab = acted("imbalanced")
    if on:
        lab.cached.add(0)
    loads = [DiskLoad("scsi0:1", 64, 4.0, 0.7, working_bytes=float(GB))] * 2
    outcome = run(lab, (0, 1), loads, minutes=15)
    results = [lab.jobs[lab.workers[place]].results[-60:] for place in (0, 1)]
    read = float(np.mean([[one.read_ms for one in mine] for mine in results]))
    write = float(np.mean([[one.write_ms for one in mine] for mine in results]))
    iops = float(outcome.iops[:, -60:].mean(axis=1).sum())
    return iops, read, write, 0.7 * read + 0.3 * write


def test_a_write_through_cache_speeds_reads_up_and_writes_wait_longer() -> None:
    """tests.md W8: IOPS × 2.4, weighted latency ÷ 2.9, reads far faster, writes slower: they are all that the
    disks do, and more of them come.
    """
    base, accelerated = cached(on=False), cached(on=True)
    assert 1.5 < accelerated[0] / base[0] < 4.0
    assert 1.5 < base[3] / accelerated[3] < 4.0
    assert base[1] / accelerated[1] > 10.0
    assert accelerated[2] > base[2]


def test_a_cache_has_to_get_warm_and_forgets_when_it_is_switched_off() -> None:
    lab = acted("imbalanced")
    lab.cached.add(0)
    load = DiskLoad("scsi0:1", 64, 4.0, 0.7, working_bytes=float(GB))
    lab.begin(lab.workers[0], LabJob(lab.now_ms, (load,), 0.0, 3600.0))
    hits = []
    cell = lab.disks.number(lab.workers[0], "scsi0:1")
    for _ in range(240):
        lab.tick()
        hits.append(float(lab.storage.hits[cell]))
    assert hits == sorted(hits)
    assert hits[6] < 0.5 < hits[-1]
    lab.cached.clear()
    lab.tick()
    assert float(lab.storage.hits[cell]) == 0.0
