"""The lab as a capture: esxtop's grammar to the byte, and no half-written file."""

from __future__ import annotations

import errno
import io
import re
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from collectors.esxtop.importing import import_captures
from collectors.esxtop_names import format_path, parse_path
from lab import FieldSet, Lab, export_lab, record_lab
from lab.fields import APERF
from resources.failures import (
    AlreadyExistsError,
    CancelledError,
    DiskFullError,
    NotFoundError,
    UsageError,
)
from sessions.store import SessionReader, SessionWriter
from tests.lab.runs import SCENARIOS

FIELDS: tuple[FieldSet, ...] = ("default", "all")


def a_lab(fields: FieldSet = "default") -> Lab:
    return Lab(SCENARIOS["cpu-limit-vm"], seed=6, fields=fields)


def lines(fields: FieldSet, seconds: float = 15, hosts: tuple[str, ...] = ("esx01.lab.local",)) -> list[str]:
    out = io.BytesIO()
    assert export_lab(a_lab(fields), out, hosts=hosts, duration_s=seconds) == ()
    text = out.getvalue().decode()
    assert text.endswith("\n")
    assert "\r" not in text
    return text.removesuffix("\n").split("\n")


def test_a_default_capture_ends_each_line_with_a_comma() -> None:
    header, *rows = lines("default")
    assert header.startswith('"(PDH-CSV 4.0) (UTC)(0)","\\\\esx01.lab.local\\Memory\\Memory Overcommit')
    fields = header.split(",")
    assert fields[-1] == ""
    assert len(rows) == 3
    for row in rows:
        assert re.fullmatch(r'"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d",("-?\d+(\.\d\d)?",)+', row)
        assert len(row.split(",")) == len(fields)


def test_all_fields_hold_the_unquoted_junk_of_aperf() -> None:
    header, *rows = lines("all")
    pcpus = a_lab().cluster.hosts[0].pcpus
    assert header.count("   -") == pcpus
    assert header.endswith('",   -')
    assert '   -"\\\\esx01.lab.local\\PCPU Power State(PCPU 1)\\%C-State C0"' in header
    columns = len(a_lab("all").columns()[0])
    for row in rows:
        assert len(row.split(",")) == len(header.split(",")) == 1 + columns - (pcpus - 1)
        assert re.search(r", {2,}\d+\.\d$", row)
        assert len(re.findall(r' {2,}\d+\.\d"', row)) == pcpus - 1


@pytest.mark.parametrize("fields", ["default", "diagnosis"])
def test_names_in_the_header_are_the_lab_s_columns(fields: FieldSet) -> None:
    header, *rows = lines(fields)
    named = [parse_path(field.strip('"')) for field in re.findall(r'"[^"]*"', header)[1:]]
    assert tuple(named) == a_lab(fields).columns()[0]
    assert all(len(row.split(",")) == len(header.split(",")) for row in rows)
    assert header.split('"')[3] == format_path(a_lab(fields).columns()[0][0])


def test_times_go_on_by_five_seconds() -> None:
    stamps = [row[1:20] for row in lines("default", seconds=25)[1:]]
    seconds = [int(stamp[-2:]) + 60 * int(stamp[-5:-3]) for stamp in stamps]
    assert all((after - before) % 3600 == 5 for before, after in pairwise(seconds))


def test_several_hosts_stand_side_by_side_or_in_a_file_each(tmp_path: Path) -> None:
    hosts = a_lab().hosts
    both = lines("default", hosts=(hosts[2], hosts[0]))[0]
    assert both.index(hosts[2]) < both.index(hosts[0])
    files = export_lab(a_lab(), tmp_path / "night.csv", split=True, duration_s=10)
    assert [file.name for file in files] == [f"night-{host}.csv" for host in hosts]
    for host, file in zip(hosts, files, strict=True):
        head = file.read_text(encoding="utf-8").partition("\n")[0]
        assert set(re.findall(r'"\\\\([^\\]+)', head)) == {host}


def test_paused_lab_seconds_are_rows_that_are_not_there() -> None:
    out = io.BytesIO()
    lab = Lab(SCENARIOS["data-gaps"], seed=1, fields="default")
    export_lab(lab, out, hosts=lab.hosts[:1])
    assert len(out.getvalue().splitlines()) - 1 < 0.75 * lab.duration_s / 5


def test_a_host_that_is_not_there_and_a_split_stream_are_refused() -> None:
    with pytest.raises(UsageError, match=r"esx01\.lab\.local"):
        export_lab(a_lab(), io.BytesIO(), hosts=["esx99"])
    with pytest.raises(UsageError):
        export_lab(a_lab(), io.BytesIO(), split=True)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("precious", encoding="utf-8")
    with pytest.raises(AlreadyExistsError):
        export_lab(a_lab(), file, duration_s=10)
    assert file.read_text(encoding="utf-8") == "precious"
    assert list(tmp_path.iterdir()) == [file]


def test_no_such_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        export_lab(a_lab(), tmp_path / "nowhere" / "a.csv", duration_s=10)


def test_a_folder_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(AlreadyExistsError):
        export_lab(a_lab(), tmp_path, duration_s=10)


def test_cancelling_leaves_no_file(tmp_path: Path) -> None:
    stop = threading.Event()
    with pytest.raises(CancelledError):
        export_lab(
            a_lab(), tmp_path / "a.csv", duration_s=600, cancel=stop,
            progress=lambda progress: stop.set() if progress.seconds >= 20 else None,
        )  # fmt: skip
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = a_lab()
    sound = lab.tick

    ticks = iter(range(3))

    def full_after_three() -> object:
        if next(ticks, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return sound()

    monkeypatch.setattr(lab, "tick", full_after_three)
    with pytest.raises(DiskFullError):
        export_lab(lab, tmp_path / "a.csv", duration_s=60)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fields", FIELDS)
def test_a_capture_holds_what_a_recording_holds(fields: FieldSet, tmp_path: Path) -> None:
    """Printed, read and imported, or recorded straight: the same series, samples, gaps and facts."""
    export_lab(a_lab(fields), tmp_path / "a.csv", duration_s=60)
    import_captures([tmp_path / "a.csv"], tmp_path / "imported.hscope", workers=0)
    with SessionWriter.create(tmp_path / "direct.hscope", durable=False) as writer:
        record_lab(a_lab(fields), writer, duration_s=60)
    with (
        SessionReader.open(tmp_path / "imported.hscope") as imported,
        SessionReader.open(tmp_path / "direct.hscope") as direct,
    ):
        ids = [
            {
                (one.source, one.entity, one.counter, one.spec.instance, one.spec.scale): one.id
                for one in reader.series()
            }
            for reader in (imported, direct)
        ]
        assert ids[0].keys() == ids[1].keys()
        same = sorted(ids[0], key=str)
        frames = [
            reader.read(np.array([of[key] for key in same]))
            for reader, of in zip((imported, direct), ids, strict=True)
        ]
        for one, other in zip(*frames, strict=True):
            assert (one.times == other.times).all()
            np.testing.assert_array_equal(one.values, other.values)
        assert set(imported.facts()) == set(direct.facts())
        assert list(imported.gaps()) == list(direct.gaps())
        assert imported.entities() == direct.entities()


def test_aperf_is_the_last_column_of_each_pcpu() -> None:
    columns = a_lab("all").columns()[0]
    places = [number for number, path in enumerate(columns) if path.counter == APERF]
    assert places[-1] == len(columns) - 1
    assert all(columns[place - 1].counter == "%T-State T7" for place in places)
