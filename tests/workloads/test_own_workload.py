"""Your own workload: from a host's histograms to a job of fio, and what fio then really does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from collectors.vscsistats.histograms import CommandHistogram, DiskHistograms
from collectors.vscsistats.reading import parse_vscsistats
from resources.failures import BadInputError
from resources.fio_jobs import load_fio_jobs
from resources.study_numbers import load_studies
from tests.vscsistats.conftest import DISTANCES, OUTSTANDING, SIZES, block, database
from workloads.job_file import Disk, job_file
from workloads.own_comparison import Commands, differences, distance, histograms_of
from workloads.own_workload import WorkloadShape, hot_zone, job_of, shape_of, sizes_of, summary

LIMITS = load_studies().workload


def production() -> DiskHistograms:
    (disk,) = parse_vscsistats(database(), "db.csv")
    return disk


def counted(
    limits: tuple[int, ...], counts: dict[int, int], above: int = 0, most: float = 0.0
) -> CommandHistogram:
    numbers = np.array([counts.get(limit, 0) for limit in limits], np.int64)
    return CommandHistogram(np.array(limits, np.int64), numbers, above, 0.0, most, 0.0)


def test_the_shape_of_a_database() -> None:
    shape = shape_of(production(), LIMITS)
    assert shape.reads == 70
    assert shape.sizes == {"reads": {8192: 80, 65536: 20}, "writes": {8192: 100}}
    assert shape.random == {"reads": 90, "writes": 60}
    # 4,000 commands met 7 or 8 outstanding, 6,000 met 13 to 16: 0.4 · 7.5 + 0.6 · 14.5 = 11.7
    assert shape.outstanding == 12
    assert shape.near == 12  # 1,000 of the 8,100 that were not in order
    assert summary(shape).startswith("70 % reads, 12 outstanding, reads mostly of 8 KB (80 %)")


def test_the_job_of_a_database() -> None:
    job = job_of(shape_of(production(), LIMITS))
    text = job_file(load_fio_jobs(), job, {"runtime": 60}, [Disk("disk1", "/dev/sdb")], "linux")
    for line in (
        "rw=randrw",
        "bssplit=8192/80:65536/20,8192/100",
        "rwmixread=70",
        "percentage_random=90,60",
        "iodepth=12",
        "blockalign=4096",
        "runtime=60",
        "randseed=1",
    ):
        assert line in text.splitlines()
    assert job.writes == "working set"
    assert "random_distribution" not in text


def test_a_reader_gets_a_job_that_writes_nothing() -> None:
    text = block("IO lengths of commands", SIZES, {4096: 2000}) + block(
        "IO lengths of Read commands", SIZES, {4096: 2000}
    )
    (disk,) = parse_vscsistats(text, "r.csv")
    job = job_of(shape_of(disk, LIMITS))
    assert job.writes == "nothing"
    assert job.options["rw"] == "randread"
    assert "refill_buffers" not in job.options
    assert job.options["bssplit"] == "4096/100"


def test_odd_sizes_rare_sizes_and_sizes_above_the_last_limit() -> None:
    # 4,095 counts 2,049 to 4,095: their middle, in whole blocks, is 3,072. 3 of 1,000 are too rare.
    sizes = sizes_of(counted(SIZES, {4095: 400, 4096: 297, 512: 3}, above=300, most=1048576.0), LIMITS)
    assert sizes == {3072: 40, 4096: 30, 1048576: 30}
    assert sum(sizes_of(counted(SIZES, dict.fromkeys(SIZES, 1)), LIMITS).values()) == 100


def test_too_few_commands_are_no_workload() -> None:
    (disk,) = parse_vscsistats(block("IO lengths of commands", SIZES, {4096: 12}), "x.csv")
    with pytest.raises(BadInputError, match="had 12 commands only"):
        shape_of(disk, LIMITS)


def test_the_hot_zone_gets_the_root_of_the_near_share() -> None:
    shape = WorkloadShape(70, {"reads": {8192: 100}}, {"reads": 100}, 4, 49, 8 << 20, 5000)
    assert hot_zone(shape, 1 << 30) == f"zoned_abs:70/{8 << 20}:30/{(1 << 30) - (9 << 20)}"
    assert hot_zone(shape, 0) == ""
    assert hot_zone(shape, 8 << 20) == ""


def test_the_distance_of_histograms_by_hand() -> None:
    one = counted((1, 2, 4), {1: 50, 2: 50})
    assert distance(one, one) == 0.0
    assert distance(one, counted((1, 2, 4), {1: 25, 2: 50, 4: 25})) == pytest.approx(0.25)
    assert distance(one, counted((1, 2, 4), {}, above=10)) == 1.0
    # Other limits: only 1 and 4 are shared, and there both have half of them.
    assert distance(one, counted((1, 3, 4), {1: 5, 3: 5})) == 0.0


def test_commands_are_counted_as_a_host_counts_them() -> None:
    # Blocks of 8 sectors: 0-7, then 8-15 right behind, then back to 0.
    commands = Commands(
        np.array([True, True, False]), np.full(3, 4096), np.array([0, 4096, 0]), np.full(3, 250_000)
    )
    found = histograms_of(commands, "x")
    distances = found.of("distance")
    assert distances is not None
    counts = dict(zip(distances.limits.tolist(), distances.counts.tolist(), strict=True))
    assert counts[1] == 1  # right behind
    assert counts[-8] == 1  # from sector 15 to 0: −15, which lies above −16 and up to −8
    assert distances.limits.tolist() == list(DISTANCES)
    assert found.count("reads") == 2
    assert OUTSTANDING[0] == 1


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_fio_does_what_the_production_disk_did(tmp_path: Path) -> None:
    """The job on a file of 256 MB, one command at a time; fio's log of each is counted as a host does."""
    original = production()
    shape = shape_of(original, LIMITS)
    job = job_of(shape, 256 << 20)
    path = tmp_path / "disk.img"
    path.touch()
    with path.open("r+b") as file:
        file.truncate(256 << 20)
    values = {"runtime": 3, "warm_up": 0}
    text = job_file(load_fio_jobs(), job, values, [Disk("disk1", str(path))], "linux")
    text = text.replace("iodepth=12", "iodepth=1\nwrite_lat_log=own\nlog_offset=1").replace(
        "direct=1", "direct=0"
    )
    (tmp_path / "job.fio").write_text(text, encoding="utf-8")
    subprocess.run(["fio", "--output=out.json", "--output-format=json", "job.fio"], cwd=tmp_path, check=True)
    rows = np.loadtxt(tmp_path / "own_lat.1.log", delimiter=",", dtype=np.int64, usecols=(1, 2, 3, 4))
    assert rows.shape[0] > 1000
    done = histograms_of(Commands(rows[:, 1] == 0, rows[:, 2], rows[:, 3], rows[:, 0]), "fio")
    assert done.count("reads") / done.count() == pytest.approx(0.70, abs=0.03)
    again = shape_of(done, LIMITS)
    for side, share in shape.random.items():
        assert again.random[side] == pytest.approx(share, abs=5)
    by_size = [one for one in differences(original, done, LIMITS) if one.quantity == "size"]
    assert len(by_size) == 3
    assert all(one.nearness == "the same" and one.distance < 0.05 for one in by_size)
    # The production disk's long seeks do not fit into 256 MB: the comparison must say so.
    assert any(
        one.quantity == "distance" and one.nearness == "different"
        for one in differences(original, done, LIMITS)
    )
