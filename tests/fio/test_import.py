"""Importing fio's output: the numbers that fio printed, at their times, under the right worker."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collectors.fio.importing import import_fio
from collectors.fio.recognising import are_fio, is_fio, log_name
from resources.failures import BadInputError, CancelledError, NotFoundError, UsageError
from sessions.model import Series
from sessions.store import SessionReader


def values(reader: SessionReader, worker: str, counter: str) -> tuple[Any, Any]:
    names = {ref: entity.name for ref, entity in reader.entities().items()}
    found = [one for one in reader.series() if names[one.entity] == worker and one.counter == counter]
    assert len(found) == 1, (worker, counter, [(names[one.entity], one.counter) for one in reader.series()])
    (frame,) = reader.read(np.array([found[0].id]))
    return frame.times, frame.values[:, 0]


def test_a_run_with_logs(fio_output: Path, last_document: dict[str, Any], tmp_path: Path) -> None:
    files = [fio_output / "out.json", *sorted(fio_output.glob("db_*.log"))]
    report = import_fio(files, tmp_path / "s.hscope")
    assert (report.workers, report.notes) == (2, ())
    end = last_document["timestamp_ms"]
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        # The logs say the same as the documents, more often: they take their place.
        times, reads = values(reader, "db", "work.reads")
        assert times.size >= 6
        assert abs(times[-1] - end) < 1_000
        assert 100 < np.nanmean(reads) < 300
        times, reads = values(reader, "web", "work.reads")
        job = last_document["jobs"][1]
        spent = np.diff(np.concatenate([[times[0] - 1000], times])) / 1000
        assert times[-1] == end
        assert 0.5 < (reads * spent).sum() / job["read"]["total_ios"] < 1.5
        _, together = values(reader, "all workers of out", "work.write_p99")
        assert np.isfinite(together).any()
        events = [event for event in reader.events() if event.kind == "fio job"]
        assert {event.text.split(":")[0] for event in events} == {"db", "web"}  # in the order they began
        assert all(event.until == end and 1_500 < event.until - event.at < 60_000 for event in events)


def test_one_document_gives_the_figures_that_fio_printed(
    last_document: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "one.json").write_text(json.dumps(last_document), encoding="utf-8")
    import_fio([tmp_path / "one.json"], tmp_path / "s.hscope")
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        for job in last_document["jobs"]:
            read = job["read"]
            for counter, expected in (
                ("work.reads", read["iops"]),
                ("work.read_mb", read["bw_bytes"] / (1 << 20)),
                ("work.read_latency", read["lat_ns"]["mean"] / 1e6),
                ("work.read_p99", read["clat_ns"]["percentile"]["99.000000"] / 1e6),
            ):
                times, found = values(reader, job["jobname"], counter)
                assert times.tolist() == [last_document["timestamp_ms"]]
                assert found[0] == pytest.approx(expected, rel=1e-3), counter


def test_logs_alone_begin_with_1970_and_say_so(fio_output: Path, tmp_path: Path) -> None:
    report = import_fio([fio_output / "db_iops.1.log"], tmp_path / "s.hscope")
    assert report.end is not None
    assert 1_500 < report.end < 60_000
    assert "1970" in report.notes[0]


def test_json_without_histograms_says_how_to_get_them(last_document: dict[str, Any], tmp_path: Path) -> None:
    for job in last_document["jobs"]:
        for way in ("read", "write"):
            job[way]["clat_ns"].pop("bins", None)
    (tmp_path / "plain.json").write_text(json.dumps(last_document), encoding="utf-8")
    report = import_fio([tmp_path / "plain.json"], tmp_path / "s.hscope")
    assert "json+" in report.notes[0]
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        assert not any("_p99" in one.counter for one in reader.series())


def test_jobs_of_one_name_and_an_error(tmp_path: Path) -> None:
    read = {"total_ios": 10, "io_bytes": 40960, "runtime": 1000, "iops": 10, "lat_ns": {"mean": 1e6, "N": 10}}
    jobs = [{"jobname": "x", "read": read}, {"jobname": "x", "read": read, "error": 5}]
    document = {"fio version": "fio-3.36", "timestamp": 1_795_000_000, "jobs": jobs}
    (tmp_path / "r.json").write_text(json.dumps(document), encoding="utf-8")
    report = import_fio([tmp_path / "r.json"], tmp_path / "s.hscope")
    assert any("error 5" in note for note in report.notes)
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        assert {entity.name for entity in reader.entities().values()} == {"all workers of r", "x", "x (2)"}
        assert values(reader, "all workers of r", "work.reads")[1].tolist() == [20.0]
        assert [one.interval_s for one in (source.spec for source in reader.sources())] == [None]
        _: list[Series] = list(reader.series())


def test_a_failed_import_leaves_nothing(fio_output: Path, tmp_path: Path) -> None:
    class Stopped:
        def is_set(self) -> bool:
            return True

    (tmp_path / "x_iops.1.log").write_text("no, line, of, it\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="no line of one"):
        import_fio([fio_output / "out.json", tmp_path / "x_iops.1.log"], tmp_path / "s.hscope")
    with pytest.raises(NotFoundError):
        import_fio([tmp_path / "gone_lat.1.log"], tmp_path / "s.hscope")
    with pytest.raises(CancelledError):
        import_fio([fio_output / "out.json"], tmp_path / "s.hscope", cancel=Stopped())
    assert not list(tmp_path.glob("s.hscope*"))


def test_which_files_are_of_fio(fio_output: Path, tmp_path: Path) -> None:
    capture = tmp_path / "esx.csv"
    capture.write_text('"(PDH-CSV 4.0) (UTC)(0)"\n', encoding="utf-8")
    assert is_fio(fio_output / "out.json")
    assert not is_fio(capture)
    assert not is_fio(tmp_path / "gone.json")
    assert are_fio([fio_output / "out.json", fio_output / "db_lat.1.log"])
    assert not are_fio([capture])
    with pytest.raises(UsageError, match=r"esx\.csv is not of fio"):
        are_fio([fio_output / "out.json", capture])
    found = log_name("nightly_run_clat.12.log")
    assert found is not None
    assert (found.prefix, found.quantity, found.job) == ("nightly_run", "clat", 12)
    assert log_name("vmkernel.log") is None
    shutil.copy(capture, tmp_path / "b_bw.log")
    assert log_name("b_bw.log") is not None


def test_a_log_of_very_many_lines(tmp_path: Path) -> None:
    """One of single I/Os is long: it could not be stored, and took 30 times its size of memory."""
    lines = b"".join(b"%d, %d, 0, 4096, 0\n" % (at, 1000 + at % 7) for at in range(200_000))
    (tmp_path / "db_lat.1.log").write_bytes(lines)
    assert import_fio([tmp_path / "db_lat.1.log"], tmp_path / "s.hscope").samples == 200_000
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        times, latencies = values(reader, "job 1", "work.read_latency")
    assert np.array_equal(times, np.arange(200_000))
    assert np.allclose(latencies, (1000 + times % 7) / 1e6)


def test_lines_beyond_the_calendar_are_not_stored(last_document: dict[str, Any], tmp_path: Path) -> None:
    last_document["jobs"][0]["job options"]["write_iops_log"] = "far"
    (tmp_path / "one.json").write_text(json.dumps(last_document), encoding="utf-8")
    (tmp_path / "far_iops.1.log").write_text("1000, 5, 0, 4096\n253402300000000, 5, 0, 4096\n", "utf-8")
    report = import_fio([tmp_path / "one.json", tmp_path / "far_iops.1.log"], tmp_path / "s.hscope")
    assert "far_iops.1.log: 1 lines could not be read." in report.notes


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_output_that_powershell_wrote(encoding: str, last_document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(last_document), encoding=encoding)
    assert is_fio(path)
    assert import_fio([path], tmp_path / "s.hscope").samples > 0


def test_a_name_with_half_a_character(last_document: dict[str, Any], tmp_path: Path) -> None:
    last_document["jobs"][0]["jobname"] = last_document["fio version"] = "a\ud800b"
    (tmp_path / "one.json").write_text(json.dumps(last_document), encoding="utf-8")
    import_fio([tmp_path / "one.json"], tmp_path / "s.hscope")
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        assert "a?b" in [entity.name for entity in reader.entities().values()]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("pipe.json", "x_iops.1.log"):
        os.mkfifo(tmp_path / name)
    assert not is_fio(tmp_path / "pipe.json")
    with pytest.raises(BadInputError, match="not a regular file"):
        import_fio([tmp_path / "x_iops.1.log"], tmp_path / "s.hscope")
