"""Importing logs whose names, clocks and ends are odd: nothing is lost, nobody else's host is taken."""

from __future__ import annotations

import gzip
import os
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from collectors.logs.importing import LogOptions, LogReport, import_logs
from collectors.logs.recognising import is_log
from resources.failures import BadInputError, UsageError
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, check_session
from tests.logs.writing_logs import LINK_DOWN, LINK_UP, START_MS, vmkernel


def imported(folder: Path, text: str | bytes, name: str = "vmkernel.log", host: str = "esx01") -> LogReport:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    report = import_logs([folder / name], folder / "s.hscope", LogOptions(host=host))
    assert check_session(folder / "s.hscope", thorough=True) == []
    return report


@pytest.mark.parametrize("packed", [False, True])
def test_an_archive_with_a_damaged_first_header_is_not_read_as_one_log(tmp_path: Path, packed: bool) -> None:
    """It was, as the log of one host, without a word."""
    inside = BytesIO()
    with tarfile.open(fileobj=inside, mode="w") as archive:
        for host in ("esx01", "esx02"):
            text = vmkernel(0, LINK_DOWN).encode()
            member = tarfile.TarInfo(f"{host}/vmkernel.log")
            member.size = len(text)
            archive.addfile(member, BytesIO(text))
    damaged = bytearray(inside.getvalue())
    damaged[148:154] = b"000001"
    path = tmp_path / "logs.tgz"
    path.write_bytes(gzip.compress(damaged) if packed else damaged)
    assert is_log(path)
    with pytest.raises(BadInputError, match="is damaged: one of its files has no valid header"):
        import_logs([path], tmp_path / "s.hscope", LogOptions(host="esx01"))
    assert not (tmp_path / "s.hscope").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes only there")
def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    imported(tmp_path, vmkernel(0, LINK_DOWN), os.fsdecode(b"vmkernel-\xff.log"))
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        assert [one.log for one in reader.events()] == ["vmkernel-\ufffd.log"]


def test_a_host_that_is_no_text(tmp_path: Path) -> None:
    imported(tmp_path, vmkernel(0, LINK_DOWN), host="esx\udcff ")
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        assert EntityRef("host", "esx\ufffd") in reader.entities()


def test_the_last_year_of_all_calendars_is_no_time_of_a_log(tmp_path: Path) -> None:
    line = "9999-12-31T23:59:59.999Z cpu4:2758489)" + LINK_DOWN + "\n"
    with pytest.raises(BadInputError, match="no line that begins with a time"):
        imported(tmp_path, line)
    assert not (tmp_path / "s.hscope").exists()
    report = imported(tmp_path, line + vmkernel(0, LINK_UP))
    assert (report.events, report.end) == (1, START_MS)
    (tmp_path / "s.hscope").unlink()
    assert imported(tmp_path, line.replace("9999", "9998")).events == 1


def test_a_last_line_without_an_end_is_counted(tmp_path: Path) -> None:
    report = imported(tmp_path, (vmkernel(0, LINK_DOWN) + vmkernel(9, LINK_UP)).rstrip("\n"))
    assert (report.lines, report.known) == (2, 2)


def test_a_line_that_is_too_long_is_counted(tmp_path: Path) -> None:
    text = vmkernel(0, LINK_DOWN) + vmkernel(1, "x" * (3 << 20)) + vmkernel(9, LINK_UP)
    assert imported(tmp_path, text).lines == 3


def test_a_byte_order_mark_hides_no_line(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + vmkernel(0, LINK_DOWN).encode()
    assert imported(tmp_path, text).known == 1
    (tmp_path / "messages").write_bytes(text)
    assert is_log(tmp_path / "messages")


def session_of_addresses(folder: Path) -> Path:
    """A session of two hosts that are called by their addresses."""
    path = folder / "addresses.hscope"
    hosts = [EntityRef("host", name) for name in ("10.0.0.5", "192.168.1.5")]
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in hosts])
        source = writer.add_source(SourceSpec("esxtop", "10.0.0.5", 20.0))
        layout = writer.add_layout(
            source, writer.add_series(source, [SeriesSpec(hosts[0], "cpu.pcpu_used", "%")])
        )
        writer.append_ticks([(layout, START_MS + 20_000 * tick, np.ones(1)) for tick in range(31)])
        writer.update_source(source, state="complete")
    return path


def test_another_host_of_the_same_network_is_another_host(tmp_path: Path) -> None:
    session = session_of_addresses(tmp_path)
    (tmp_path / "vmkernel.log").write_text(vmkernel(0, LINK_DOWN), encoding="utf-8")
    import_logs([tmp_path / "vmkernel.log"], session, LogOptions(into=True, host="10.0.0.7"))
    with SessionReader.open(session) as reader:
        [event] = reader.events()
        assert event.entity == EntityRef("nic", "10.0.0.7/vmnic0")


def test_a_number_in_a_name_is_no_host(tmp_path: Path) -> None:
    session = session_of_addresses(tmp_path)
    (tmp_path / "vmkernel.10.log").write_text(vmkernel(0, LINK_DOWN), encoding="utf-8")
    with pytest.raises(UsageError, match="does not say which host wrote it"):
        import_logs([tmp_path / "vmkernel.10.log"], session, LogOptions(into=True))
