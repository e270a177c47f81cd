"""Your own workload: the histograms of a virtual disk's commands as a job for fio.

What carries over: the sizes of reads and of writes, the share of reads, how much of each is in order,
how near random commands are to each other, and how many are outstanding. What does not: bursts and
pauses (the job runs as fast as the storage lets it), and content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from collectors.vscsistats.histograms import CommandHistogram, DiskHistograms, Side
from resources.failures import BadInputError
from resources.fio_jobs import FioJob, Writes
from resources.foreign_text import shown
from resources.study_numbers import OwnWorkload
from resources.units import format_bytes, format_count, format_value

SECTOR = 512
_PAGE = 4096
_MAX_DEPTH = 1024
_SPARE = 1 << 20
"""Left out at the end of the disk: fio 3.33 does nothing if its zones fill a disk to the last byte
(measured).
"""


@dataclass(frozen=True, slots=True)
class WorkloadShape:
    """What a job needs of a workload: percents are whole, sizes in bytes with their percent.

    ``near`` is the percent of random commands that lie near the one before them, ``near_bytes`` how wide
    such a place is.
    """

    reads: int
    sizes: Mapping[Side, Mapping[int, int]]
    random: Mapping[Side, int]
    outstanding: int
    near: int
    near_bytes: int
    commands: int


def shape_of(disk: DiskHistograms, limits: OwnWorkload) -> WorkloadShape:
    """Return the shape of a disk's workload. Raises BadInputError if there were too few commands."""
    least, count = limits.commands_least.value, disk.count()
    if count < least:
        raise BadInputError(
            f"Disk {shown(disk.name or disk.handle)} had {format_count(count)} commands only.",
            meaning=f"Fewer than {format_count(least)} describe no workload.",
            advice="Let vscsiStats collect for some minutes while the VM works: vscsiStats -s -w GROUP.",
        )
    reads, writes = disk.count("reads"), disk.count("writes")
    sides: tuple[Side, ...] = ("reads", "writes")
    sizes = {
        side: sizes_of(found, limits) for side in sides if (found := disk.of("size", side)) and found.total
    }
    random = {
        side: _random_percent(found, limits)
        for side in sides
        if (found := disk.of("distance", side)) and found.total
    }
    near, width = _nearness(disk, limits)
    return WorkloadShape(
        round(100 * reads / (reads + writes)) if reads + writes else 100,
        sizes or {"reads": sizes_of(_needed(disk), limits)},
        random,
        _outstanding(disk),
        near,
        width,
        count,
    )


def job_of(shape: WorkloadShape, disk_bytes: int = 0) -> FioJob:
    """Return the job that does such a workload; its seed, working set and times are inputs as of every job.

    With the size of the disk, random commands are as near to each other as they were.
    """
    options: dict[str, str | int] = {"rw": _kind(shape), "bssplit": _split(shape)}
    if 0 < shape.reads < 100:
        options["rwmixread"] = shape.reads
    options["percentage_random"] = ",".join(str(shape.random.get(side, 100)) for side in _sides(shape))
    if zones := hot_zone(shape, disk_bytes):
        options["random_distribution"] = zones
    options["blockalign"] = _alignment(shape)
    options["iodepth"] = shape.outstanding
    options["norandommap"] = 1
    options["size"] = "{working_set}"
    options["randseed"] = "{seed}"
    if shape.reads < 100:
        options["refill_buffers"] = 1
    options |= {"time_based": 1, "ramp_time": "{warm_up}", "runtime": "{runtime}"}
    writes: Writes = "working set" if shape.reads < 100 else "nothing"
    return FioJob(
        "own",
        "Your own workload",
        summary(shape),
        writes,
        f"vscsiStats of {format_count(shape.commands)} commands",
        options,
        ("working_set", "seed", "warm_up", "runtime"),
    )


def summary(shape: WorkloadShape) -> str:
    """Return a shape in one sentence."""
    parts = [f"{format_value(shape.reads, '%')} reads", f"{format_count(shape.outstanding)} outstanding"]
    for side, sizes in shape.sizes.items():
        main = max(sizes, key=lambda size: sizes[size])
        parts.append(f"{side} mostly of {format_bytes(main)} ({format_value(sizes[main], '%')})")
    parts += [f"{format_value(share, '%')} of {side} random" for side, share in shape.random.items()]
    return f"{', '.join(parts)}."


def sizes_of(histogram: CommandHistogram, limits: OwnWorkload) -> dict[int, int]:
    """Return the sizes of commands with their whole percents, together 100; rare ones are left out.

    Commands up to a limit that is a whole number of blocks have just that size (4,096); the buckets
    before such a limit (4,095) hold odd sizes, for which their middle stands.
    """
    counts: dict[int, float] = {}
    lower = 0
    for limit, count in zip(histogram.limits.tolist(), histogram.counts.tolist(), strict=True):
        size = limit if limit % SECTOR == 0 else _whole_blocks((lower + limit) / 2)
        counts[size] = counts.get(size, 0.0) + count
        lower = limit
    if histogram.above:
        largest = _whole_blocks(max(histogram.most, lower)) if histogram.most == histogram.most else lower
        counts[largest] = counts.get(largest, 0.0) + histogram.above
    total = sum(counts.values())
    kept = {size: one for size, one in counts.items() if 100 * one / total >= limits.split_percent.value}
    return _whole_percents(kept or {max(counts, key=lambda size: counts[size]): 1.0})


def _needed(disk: DiskHistograms) -> CommandHistogram:
    found = disk.of("size")
    if found is None:
        raise BadInputError("The file has no sizes of commands.", advice="Print all: vscsiStats -p all -c.")
    return found


def _whole_blocks(size: float) -> int:
    return max(SECTOR, round(size / SECTOR) * SECTOR)


def _whole_percents(parts: Mapping[int, float]) -> dict[int, int]:
    """Whole percents that add up to 100, by the largest remainders; none is 0."""
    total = sum(parts.values())
    exact = {size: 100 * one / total for size, one in parts.items()}
    whole = {size: max(1, int(one)) for size, one in exact.items()}
    order = sorted(exact, key=lambda size: whole[size] - exact[size])
    for number in range(100 - sum(whole.values())):
        whole[order[number % len(order)]] += 1
    while sum(whole.values()) > 100:
        whole[max(whole, key=lambda size: whole[size])] -= 1
    return dict(sorted(whole.items()))


def _random_percent(distance: CommandHistogram, limits: OwnWorkload) -> int:
    """The commands of one direction that do not begin right behind the one before."""
    in_order = (distance.limits > 0) & (distance.limits <= limits.sequential_blocks.value)
    share = float(distance.counts[in_order].sum()) / distance.total
    return round(100 * (1 - share))


def _nearness(disk: DiskHistograms, limits: OwnWorkload) -> tuple[int, int]:
    """The percent of random commands near the one before, and the width in bytes of a place that does so.

    Commands that are spread evenly over a place of width w are w / 3 apart on average.
    """
    found = disk.of("distance")
    if found is None:
        return 0, 0
    in_order = (found.limits > 0) & (found.limits <= limits.sequential_blocks.value)
    local = (np.abs(found.limits) <= limits.local_blocks.value) & ~in_order
    away = found.total - int(found.counts[in_order].sum())
    if not away or not found.counts[local].sum():
        return 0, 0
    mean = float(np.average(np.abs(found.limits[local]), weights=found.counts[local]))
    return round(100 * float(found.counts[local].sum()) / away), _whole_blocks(3 * mean * SECTOR)


def _outstanding(disk: DiskHistograms) -> int:
    """The mean of the outstanding commands, each bucket by its middle; a new command counts itself."""
    found = disk.of("outstanding")
    if found is None or not found.total:
        return 1
    lower = np.concatenate([[0], found.limits[:-1]])
    middles = np.append((lower + 1 + found.limits) / 2, max(float(found.limits[-1]), found.most))
    return int(np.clip(round(float(np.nansum(middles * found.shares))), 1, _MAX_DEPTH))


def _kind(shape: WorkloadShape) -> str:
    return "randread" if shape.reads == 100 else "randwrite" if shape.reads == 0 else "randrw"


def _sides(shape: WorkloadShape) -> tuple[Side, ...]:
    return ("reads", "writes") if shape.reads < 100 else ("reads",)


def _split(shape: WorkloadShape) -> str:
    parts = []
    for side in _sides(shape):
        sizes = shape.sizes.get(side) or next(iter(shape.sizes.values()))
        parts.append(":".join(f"{size}/{percent}" for size, percent in sizes.items()))
    return ",".join(parts)


def _alignment(shape: WorkloadShape) -> int:
    """A page if most commands are whole pages, else one block."""
    pages = sum(
        percent for sizes in shape.sizes.values() for size, percent in sizes.items() if size % _PAGE == 0
    )
    return _PAGE if pages > 50 * len(shape.sizes) else SECTOR


def hot_zone(shape: WorkloadShape, disk_bytes: int) -> str:
    """Return fio's zones for a disk of that size, so that as many random commands are near each other; ""
    for none.

    Two commands in succession are near each other only if both fall into the hot zone: it gets the root
    of the share.
    """
    if not shape.near or not 0 < shape.near_bytes < disk_bytes // 2:
        return ""
    part = min(99, round(100 * sqrt(shape.near / 100)))
    rest = disk_bytes - shape.near_bytes - _SPARE
    return f"zoned_abs:{part}/{shape.near_bytes}:{100 - part}/{rest}"
