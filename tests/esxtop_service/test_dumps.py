"""Dumps that others saved: the reply in a cell, no CounterInfo; a known layout fits, or all is refused."""

from __future__ import annotations

import csv
import gzip
import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from app.commands.import_start import Asked, run_at_terminal
from collectors.esxtop_service.fitting import fitting_layout
from collectors.esxtop_service.importing import DumpReport, import_dumps
from collectors.esxtop_service.recognising import is_dump
from lab import Lab, load_scenarios
from lab.esxtop_service import HostService
from resources.failures import BadInputError, CancelledError, UsageError
from sessions.store import SessionReader
from tests.esxtop_service.genuine import needs_genuine, reply_bytes


@cache
def replies(count: int = 4, host: int = 0) -> tuple[str, ...]:
    lab = Lab(load_scenarios()["default"], seed=2, fields="all")
    service = HostService(lab, host)
    found = []
    for _ in range(count):
        lab.tick()
        service.step()
        found.append(service.reply())
    return tuple(found)


def dump(*cells: str, separator: str = ",", first: str = "") -> str:
    """As PowerShell's Export-Csv writes it."""
    out = io.StringIO()
    out.write(first)
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, delimiter=separator, lineterminator="\r\n")
    writer.writerow(["Timestamp", "SampleNumber", "RawData"])
    for number, cell in enumerate(cells, start=1):
        writer.writerow([f"3/12/2026 10:15:{5 * number:02d} AM", number, cell.replace("\n", "\r\n")])
    return out.getvalue()


def saved(folder: Path, text: str, name: str = "esx07.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_text(text, encoding=encoding, newline="")
    return path


def imported(tmp_path: Path, *files: Path, host: str = "") -> DumpReport:
    return import_dumps(files, tmp_path / "S.hscope", host=host)


def test_a_dump_is_imported_with_a_captures_counters(tmp_path: Path) -> None:
    report = imported(tmp_path, saved(tmp_path, dump(*replies())))
    assert (report.hosts, report.replies) == (("esx07",), 4)
    assert report.notes == ("esx07.csv: without CounterInfo; its records have the fields of ESXi 6.5.",)
    assert report.samples > 3 * 7_000
    with SessionReader.open(tmp_path / "S.hscope") as session:
        source = next(iter(session.sources()))
        assert (source.spec.kind, source.spec.name, source.spec.interval_s) == ("esxtop", "esx07", 5.0)
        assert dict(source.spec.attributes)["layout"] == "ESXi 6.5"


def test_the_command_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_at_terminal([saved(tmp_path, dump(*replies()))], tmp_path / "S.hscope", asked=Asked("esx01"))
    said = capsys.readouterr().out
    assert said.startswith("4 replies of the esxtop service of esx01, ")
    assert "  note: esx07.csv: without CounterInfo; its records have the fields of ESXi 6.5." in said


@pytest.mark.parametrize(
    "text",
    [
        dump(*replies(3)),
        dump(*replies(3), separator=";"),
        dump(*replies(3), first="#TYPE Selected.System.Management.Automation.PSCustomObject\r\n"),
        dump(*replies(3)).replace('"Timestamp","SampleNumber","RawData"', "timestamp,samplenumber,rawdata"),
    ],
    ids=["comma", "semicolon", "with a type", "bare heading"],
)
def test_the_forms_of_export_csv(tmp_path: Path, text: str) -> None:
    assert imported(tmp_path, saved(tmp_path, text)).replies == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encodings_of_powershell(tmp_path: Path, encoding: str) -> None:
    assert imported(tmp_path, saved(tmp_path, dump(*replies(3)), encoding=encoding)).replies == 3


def test_a_compressed_dump(tmp_path: Path) -> None:
    path = tmp_path / "esx07.csv.gz"
    path.write_bytes(gzip.compress(dump(*replies(3)).encode()))
    assert is_dump(path)
    assert imported(tmp_path, path).hosts == ("esx07",)


def test_files_of_one_host_are_told_by_its_boot(tmp_path: Path) -> None:
    first, second = replies(8)[:4], replies(8)[4:]
    files = [saved(tmp_path, dump(*second), "b.csv"), saved(tmp_path, dump(*first), "a.csv")]
    report = imported(tmp_path, *files)
    assert report.hosts == ("b",)
    assert (report.end or 0) - (report.start or 0) == 30_000


def test_a_row_that_is_cut_off_costs_only_itself(tmp_path: Path) -> None:
    first, second, third = replies(3)
    report = imported(tmp_path, saved(tmp_path, dump(first[: len(first) // 2], first, second, third)))
    assert report.replies == 3
    assert report.notes[0] == "esx07.csv, row 1: no known layout fits; left out."
    report = import_dumps(
        [saved(tmp_path, dump(first, second[:-3000], third), "other.csv")], tmp_path / "T.hscope"
    )
    assert report.replies == 2
    assert "other.csv, row 2: The esxtop service’s reply " in report.notes[1]


def test_a_record_with_other_fields_is_left_out_and_said(tmp_path: Path) -> None:
    """A newer release with a field more in one type of record."""
    newer = [
        one.replace("|Vsan|0|", "|Vsan|0|1|").replace("|LCPUPower|", "|LCPUPower|7|") for one in replies(3)
    ]
    report = imported(tmp_path, saved(tmp_path, dump(*newer)))
    assert "esx07.csv: Vsan has 2 fields, in ESXi 6.5 1; left out." in report.notes
    assert "esx07.csv: LCPUPower has 7 fields, in ESXi 6.5 6; left out." in report.notes
    assert report.samples > 10_000


def test_where_the_identities_do_not_hold_no_layout_fits(tmp_path: Path) -> None:
    """As many fields, but in another order: the worlds' times no longer add up."""

    def turned(line: str) -> str:
        parts = line.split("|")
        if line.startswith("|VCPU|"):
            parts[15], parts[16] = parts[16], parts[15]
        return "|".join(parts)

    text = dump(*("\n".join(turned(line) for line in one.split("\n")) for one in replies(3)))
    with pytest.raises(BadInputError) as caught:
        imported(tmp_path, saved(tmp_path, text))
    assert caught.value.happened == "No known layout of the esxtop service’s records fits this reply."
    assert (
        "A world is always running, ready, co-stopped or waiting: does not hold for" in caught.value.meaning
    )
    assert not (tmp_path / "S.hscope").exists()


def test_a_server_record_with_other_fields_fits_nothing() -> None:
    with pytest.raises(BadInputError, match="No known layout"):
        fitting_layout(replies(1)[0].replace("|Server|2000000|", "|Server|2000000|9|"))


def test_counter_info_in_a_row_before_is_used(tmp_path: Path) -> None:
    info = "|Server|MinFetchIntervalInUsec,U64|TimeStampInUsec,U64|Time,S64|\n|PMem|FreeMemInKB,U32|\n"
    cells = [
        f"==COUNTER-VALUE==\n|Server|2000000|{n}000000|{1_770_000_000 + n}|\n|PMem|{1024 * n}|\n"
        for n in (5, 10)
    ]
    report = imported(tmp_path, saved(tmp_path, dump(info, *cells)))
    assert (report.replies, report.series, report.notes) == (2, 1, ())


def test_a_file_that_is_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    report = imported(tmp_path, saved(tmp_path, dump(*replies(4))[:-3000]))
    assert report.replies == 3
    assert "esx07.csv can't be read after row 3" in report.notes[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"Timestamp","SampleNumber","RawData"\r\n', "no reply of the esxtop service could be read"),
        (dump("OK", "OK"), "no reply of the esxtop service could be read"),
        ("==NUM-OF-OBJ==\r\n|Server|\r\n", "no reply of the esxtop service could be read"),
        (dump(*replies(2))[:-3000], "can't be read after row 1"),
    ],
    ids=["no row", "no reply", "no values", "cut off"],
)
def test_what_gives_no_sample_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        imported(tmp_path, saved(tmp_path, text))
    assert not (tmp_path / "S.hscope").exists()


def test_stopping_leaves_no_session(tmp_path: Path) -> None:
    class Asked:
        def is_set(self) -> bool:
            return True

    with pytest.raises(CancelledError):
        import_dumps([saved(tmp_path, dump(*replies()))], tmp_path / "S.hscope", cancel=Asked())
    assert not (tmp_path / "S.hscope").exists()


def test_dumps_and_captures_are_not_mixed(tmp_path: Path) -> None:
    other = saved(tmp_path, '"(PDH-CSV 4.0) (UTC)(0)"\n', "capture.csv")
    with pytest.raises(UsageError, match=r"capture\.csv is no dump of the esxtop service"):
        run_at_terminal([saved(tmp_path, dump(*replies())), other], tmp_path / "S.hscope")


def test_a_capture_is_no_dump(tmp_path: Path) -> None:
    assert not is_dump(saved(tmp_path, '"(PDH-CSV 4.0) (UTC)(0)","\\\\esx\\Memory\\Free MBytes"\n'))
    assert not is_dump(tmp_path)
    assert not is_dump(tmp_path / "none.csv")


@needs_genuine
def test_the_genuine_reply_fits_its_layout() -> None:
    found = fitting_layout(reply_bytes().decode())
    assert (found.name, found.left_out) == ("ESXi 6.5", ())
    assert len(found.info.types) == 36


def test_a_reply_alone_gives_its_levels(tmp_path: Path) -> None:
    """Memory is known at one instant; how much there was of anything in a time is not, and is said."""
    report = imported(tmp_path, saved(tmp_path, replies(1)[0], "esx07.txt"))
    assert (report.hosts, report.replies) == (("esx07",), 1)
    assert any("one reply alone tells levels" in note for note in report.notes)
    with SessionReader.open(tmp_path / "S.hscope") as session:
        [source] = session.sources()
        assert source.spec.interval_s is None
        series = session.series()
        counts = session.stats(np.array([one.id for one in series])).count
        stored = {one.spec.counter for one, count in zip(series, counts, strict=True) if count}
    assert {"mem.free", "mem.host_state", "storage.queue_depth_active"} & stored
    assert not {"cpu.ready", "cpu.used", "storage.commands", "net.rx_packets"} & stored


def test_replies_that_were_saved_as_they_came_are_a_recording(tmp_path: Path) -> None:
    """One after another in a file, or a file for each: the same samples as in a dump."""
    four = replies()
    whole = imported(tmp_path, saved(tmp_path, dump(*four)))
    (tmp_path / "S.hscope").unlink()
    together = imported(tmp_path, saved(tmp_path, "".join(four), "esx07.dsv"))
    (tmp_path / "S.hscope").unlink()
    files = [saved(tmp_path, one, f"esx07.{number}.dsv") for number, one in enumerate(four)]
    apart = imported(tmp_path, *files)
    counts = {(one.hosts, one.replies, one.series, one.samples) for one in (whole, together, apart)}
    assert counts == {(("esx07",), 4, whole.series, whole.samples)}
