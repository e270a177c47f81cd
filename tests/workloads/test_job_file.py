"""Job files: the real fio takes each of them, and nothing hostile gets into one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.failures import KnowledgeError, UsageError
from resources.fio_jobs import FioJobs, load_fio_jobs
from workloads.job_file import Disk, Guest, checked_inputs, fio_path, input_text, job_file

JOBS = load_fio_jobs()
DISKS = (Disk("a", "/dev/disk/by-id/scsi-36000c29"), Disk("b", "/tmp/b.img"))
MINI = """
[[job]]
id = "x"
title = "X"
purpose = "X."
writes = "nothing"
source = "DESIGN"
{inputs}
[job.options]
rw = "randread"
{options}
"""


@pytest.fixture(scope="module")
def jobs() -> FioJobs:
    return JOBS


@pytest.mark.parametrize("identity", list(JOBS.jobs))
def test_fio_itself_takes_every_job(identity: str, tmp_path: Path) -> None:
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    path = tmp_path / "job.fio"
    disks = [Disk(str(number), str(tmp_path / f"disk{number}")) for number in range(2)]
    path.write_text(job_file(JOBS, JOBS.jobs[identity], {}, disks, "linux"), encoding="utf-8")
    done = subprocess.run(
        ["fio", "--parse-only", str(path)], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Unknown option" not in done.stderr


def test_a_prepared_disk_has_the_ratio_that_was_asked_for(tmp_path: Path) -> None:
    """Two disks of 8 MB, 50 % duplicates: half of the 4 KB blocks are there before, none on both disks."""
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    disks = [Disk(str(number), str(tmp_path / f"disk{number}")) for number in range(2)]
    text = job_file(JOBS, JOBS.jobs["dedup-prepare"], {"dedupe": 50, "depth": 4}, disks, "linux")
    text = text.replace("size=100%", "size=8m").replace("direct=1", "direct=0")  # files, on any file system
    (tmp_path / "job.fio").write_text(text, encoding="utf-8")
    subprocess.run(["fio", "job.fio"], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    blocks = [
        [data[at : at + 4096] for at in range(0, len(data), 4096)]
        for data in ((tmp_path / f"disk{number}").read_bytes() for number in range(2))
    ]
    for own in blocks:
        assert len(own) == 2048
        assert 0.46 < 1 - len(set(own)) / len(own) < 0.54
    assert not set(blocks[0]) & set(blocks[1])


def test_each_disk_has_a_seed_of_its_own(jobs: FioJobs) -> None:
    text = job_file(jobs, jobs.jobs["fill"], {"seed": 4_294_967_295}, DISKS, "linux")
    assert [line for line in text.splitlines() if "randseed" in line] == ["randseed=4294967295", "randseed=0"]
    assert text.splitlines()[1:5] == ["[global]", "ioengine=libaio", "direct=1", "thread=1"]
    assert "ioengine=windowsaio" in job_file(
        jobs, jobs.jobs["one-block"], {}, [Disk("c", "\\\\.\\PhysicalDrive1")], "windows"
    )


def test_values_outside_their_limits_are_refused(jobs: FioJobs) -> None:
    job = jobs.jobs["random-mixed"]
    with pytest.raises(UsageError, match=r"Reads can't be 101.*from 0 % to 100 %"):
        job_file(jobs, job, {"reads": 101}, DISKS, "linux")
    with pytest.raises(UsageError, match="no input dedupe"):
        job_file(jobs, job, {"dedupe": 50}, DISKS, "linux")
    with pytest.raises(UsageError, match="can't be True"):
        checked_inputs(jobs.inputs_of(job), {"depth": True})
    with pytest.raises(UsageError, match="at least one disk"):
        job_file(jobs, job, {}, [], "linux")
    with pytest.raises(UsageError, match="same one"):
        job_file(jobs, job, {}, [DISKS[0], DISKS[0]], "linux")
    assert [input_text(jobs.inputs[name], value) for name, value in (("runtime", 600), ("block", 4096))] == [
        "10 min",
        "4 KB",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "disk", "/dev/sdb\nexec_prerun=reboot", "/dev/$HOME", "/dev/sd b", "/dev/`x`",
        "/tmp/../etc/x",
        "/dev/sdb;rm", "C:\\x", "/dev/sdb\x00", "/dev/sdb#", "/dev/ſdb",
    ],
)  # fmt: skip
def test_a_path_that_is_none_of_a_disk(path: str) -> None:
    with pytest.raises(UsageError, match="no path of a disk"):
        fio_path(path, "linux")


@given(st.text(max_size=60), st.sampled_from(["linux", "windows"]))
def test_no_path_brings_an_option_along(path: str, guest: Guest) -> None:
    try:
        text = fio_path(path, guest)
    except UsageError:
        return
    assert text.isprintable()
    assert not set(text) & set("\n\r$`'\"#; {}[]*?|&<>%")
    assert text.count(":") == text.count("\\:")


def test_a_colon_in_a_path_is_no_end_of_it() -> None:
    assert fio_path("/dev/disk/by-path/pci-0000:03:00.0-scsi-0:0:1:0", "linux").count("\\:") == 5
    assert fio_path("D:\\load\\disk1.dat", "windows") == "D\\:\\load\\disk1.dat"


@pytest.mark.parametrize(
    ("inputs", "options", "why"),
    [
        ("", 'exec_prerun = "reboot"', "no option that a template may set"),
        ("", 'filename = "/dev/sda"', "no option that a template may set"),
        ("", 'bs = "4k\\nexec_prerun=reboot"', "no plain value"),
        ("", 'bs = "{block} x"', "no plain value"),
        ("", 'bs = "{block}"', "differ: block"),
        ('inputs = ["nothing"]', "", "no input is called so"),
        ('inputs = ["depth"]', "", "differ: depth"),
    ],
)
def test_a_template_that_could_do_something_else_is_refused(
    inputs: str, options: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "fio").mkdir()
    (tmp_path / "fio" / "own.toml").write_text(MINI.format(inputs=inputs, options=options), encoding="utf-8")
    with pytest.raises(KnowledgeError, match=why):
        load_fio_jobs([tmp_path])


def test_a_job_that_writes_says_so(tmp_path: Path) -> None:
    (tmp_path / "fio").mkdir()
    text = MINI.format(inputs="", options="").replace("randread", "randwrite")
    (tmp_path / "fio" / "own.toml").write_text(text, encoding="utf-8")
    with pytest.raises(KnowledgeError, match="contradict each other"):
        load_fio_jobs([tmp_path])
