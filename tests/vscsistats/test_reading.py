"""vscsiStats files: what they say, and what is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.vscsistats.reading import parse_vscsistats, read_vscsistats
from resources.failures import BadInputError, NotFoundError
from tests.vscsistats.conftest import SIZES, block, database

Printed = Callable[..., str]


def test_a_capture_of_one_disk(printed: Printed) -> None:
    (disk,) = parse_vscsistats(printed(), "db.csv")
    assert (disk.world_group, disk.handle, disk.name) == ("2100440", "8195", "scsi0:1")
    assert (disk.count(), disk.count("reads"), disk.count("writes")) == (10_000, 7_000, 3_000)
    sizes = disk.of("size")
    assert sizes is not None
    assert dict(zip(sizes.limits.tolist(), sizes.counts.tolist(), strict=True))[65536] == 1400
    assert len(sizes.limits) == len(SIZES)
    assert sizes.above == 0


def test_what_lies_above_the_last_limit_is_counted_apart(printed: Printed) -> None:
    (disk,) = parse_vscsistats(printed(), "db.csv")
    distance = disk.of("distance")
    assert distance is not None
    assert distance.above == 3500
    assert distance.total == 10_000
    assert distance.shares[-1] == 0.35


def test_interarrival_is_not_taken_for_latency(printed: Printed) -> None:
    (disk,) = parse_vscsistats(printed(), "db.csv")
    latency, interarrival = disk.of("latency"), disk.of("interarrival", "reads")
    assert latency is not None
    assert interarrival is not None
    assert latency.counts.tolist()[3] == 9000
    assert interarrival.total == 7000
    assert disk.of("distance of 16") is not None


def test_windows_line_ends_and_utf_16_are_read(tmp_path: Path, printed: Printed) -> None:
    file = tmp_path / "db.csv"
    file.write_bytes(printed().replace("\n", "\r\n").encode("utf-16"))
    assert read_vscsistats(file)[0].count() == 10_000


def test_several_disks_come_with_the_busiest_first(printed: Printed) -> None:
    text = printed(handle="8194 (scsi0:0)") + printed(factor=3)
    assert [disk.name for disk in parse_vscsistats(text, "db.csv")] == ["scsi0:1", "scsi0:0"]


def test_prints_of_a_host_that_kept_counting_are_not_added(printed: Printed) -> None:
    (disk,) = parse_vscsistats(printed() + printed(factor=2), "db.csv")
    assert disk.count() == 20_000


def test_prints_with_resets_between_are_added(printed: Printed) -> None:
    (disk,) = parse_vscsistats(printed(factor=2) + printed(), "db.csv")
    assert disk.count() == 30_000


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="has no histogram of vscsiStats"):
        parse_vscsistats("Timestamp,x\n1,2\n", "esxtop.csv")
    with pytest.raises(NotFoundError, match="There is no file"):
        read_vscsistats(tmp_path / "gone.csv")


def test_limits_that_do_not_rise_are_refused() -> None:
    text = block("IO lengths of commands", (512, 4096, 1024), {512: 4})
    with pytest.raises(BadInputError, match="limits do not rise"):
        parse_vscsistats(text, "db.csv")


def test_histograms_of_different_hosts_are_refused(printed: Printed) -> None:
    other = block("IO lengths of commands", (512, 4096), {512: 4})
    with pytest.raises(BadInputError, match="different buckets"):
        parse_vscsistats(printed() + other, "db.csv")


@given(cut=st.integers(0, 6000), junk=st.text(max_size=40))
def test_no_cut_or_dirty_file_crashes(cut: int, junk: str) -> None:
    text = database()
    try:
        disks = parse_vscsistats(text[:cut] + junk + text[cut + len(junk) :], "db.csv")
    except BadInputError:
        return
    assert all(disk.count() >= 0 for disk in disks)
