"""The lab at other intervals: what esxtop shows with another delay, what a vCenter keeps as rollups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.program import run
from lab import Lab, load_scenarios, vcenter_document
from lab.fields import FieldSet
from resources.catalogue import load_catalogue
from resources.failures import UsageError
from sessions.model import FloatArray, IntArray
from tests.lab.in_memory import lab_session

SCENARIOS = load_scenarios()


def a_lab(
    interval_s: float, scenario: str = "storage-latency-own-load", fields: FieldSet = "diagnosis"
) -> Lab:
    return Lab(SCENARIOS[scenario], seed=8, fields=fields, interval_s=interval_s)


def rows(lab: Lab, seconds: float) -> tuple[IntArray, FloatArray]:
    """Times in seconds since the start, and what is printed of the first host."""
    ticks = [tick for _ in range(round(seconds / lab.interval_s) + 1) if (tick := lab.tick())]
    return (
        np.array([(tick.t_ms - lab.start_ms) // 1000 for tick in ticks]),
        np.stack([tick.rows[0] for tick in ticks]),
    )


def column(lab: Lab, cls: str, counter: str) -> list[int]:
    return [at for at, path in enumerate(lab.columns()[0]) if (path.cls, path.counter) == (cls, counter)]


def test_a_minute_s_sample_is_of_its_twelve_ticks() -> None:
    fine, coarse = a_lab(5), a_lab(60)
    (_, ticks), (times, samples) = rows(fine, 300), rows(coarse, 300)
    assert times.tolist() == [0, 60, 120, 180, 240, 300]
    of_third = slice(120 // 5 + 1, 180 // 5 + 1)  # the ticks after 2 min, up to 3 min
    ready = column(fine, "Vcpu", "% Ready")
    assert np.allclose(samples[3, ready], ticks[of_third, ready].mean(axis=0), atol=0.01)
    used = column(fine, "Group Memory", "Memory Consumed Size MBytes")
    assert np.array_equal(samples[3, used], ticks[180 // 5, used])
    queued = column(fine, "Physical Disk SCSI Device", "Active Commands")
    assert np.array_equal(samples[3, queued], ticks[180 // 5, queued])


def test_latency_over_an_interval_is_that_of_its_commands() -> None:
    """A device that is slow while nobody uses it has no slow minute."""
    fine, coarse = a_lab(5), a_lab(60)
    (_, ticks), (_, samples) = rows(fine, 180), rows(coarse, 180)
    device = "Physical Disk SCSI Device"
    commands, latency = (
        column(fine, device, name) for name in ("Commands/sec", "Average Guest MilliSec/Command")
    )
    last = slice(25, 37)
    moved = ticks[last, commands].sum(axis=0)
    slow = (ticks[last, commands] * ticks[last, latency]).sum(axis=0) / np.maximum(moved, 1e-9)
    busy = moved > 120
    assert busy.any()
    assert np.allclose(samples[3, latency][busy], slow[busy], rtol=0.02, atol=0.02)
    assert np.allclose(samples[3, commands], ticks[last, commands].mean(axis=0), atol=0.02)


def test_latency_of_one_direction_is_that_of_its_commands_though_nobody_reads_their_rate() -> None:
    """What cards read leaves out reads and writes a second, which their latencies are weighted by."""
    device = "Physical Disk SCSI Device"
    few, all_of_them = a_lab(60), a_lab(60, fields="all")
    (_, samples), (_, every) = rows(few, 180), rows(all_of_them, 180)
    assert not column(few, device, "Reads/sec")
    for name in ("Average Driver MilliSec/Read", "Average Driver MilliSec/Write"):
        shown = samples[3, column(few, device, name)]
        assert (shown > 0).any()
        assert np.array_equal(shown, every[3, column(all_of_them, device, name)])


def test_two_seconds_show_the_same_cluster_and_the_same_problem() -> None:
    often, usual = a_lab(2, "cpu-limit-vm"), a_lab(5, "cpu-limit-vm")
    assert often.truth() == usual.truth()
    assert often.columns() == usual.columns()
    session = lab_session(often, 60, catalogue=load_catalogue())
    assert set(np.diff(session.times(1)).tolist()) == {2000}
    assert session.sources()[0].spec.interval_s == 2


@pytest.mark.parametrize("interval_s", [7.0, 0.0, -5.0, 61.0])
def test_an_interval_that_ticks_do_not_fill_is_refused(interval_s: float) -> None:
    with pytest.raises(UsageError, match="takes no sample every"):
        a_lab(interval_s)


def test_a_missed_sample_stays_missed_however_coarse() -> None:
    coarse = a_lab(20, "data-gaps")
    session = lab_session(coarse, catalogue=load_catalogue())
    pauses = [gap for gap in session.gaps() if gap.entity is None and gap.source == 1]
    times = session.times(1)
    assert sum(gap.ticks or 0 for gap in pauses) == (times[-1] - times[0]) // 20_000 + 1 - len(times)


def test_a_plain_capture_lacks_what_only_all_fields_print() -> None:
    plain, whole = a_lab(5, fields="plain-diagnosis"), a_lab(5)
    names = {(path.cls, path.counter) for path in plain.columns()[0]}
    more = {(path.cls, path.counter) for path in whole.columns()[0]} - names
    assert ("Group Memory", "Memctl MBytes") in more
    assert ("Physical Disk SCSI Device", "Aborts/sec") in more
    assert names <= {(path.cls, path.counter) for path in a_lab(5, fields="default").columns()[0]}


def series_of(document: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document["series"]
    return found


def shown(document: Any) -> dict[str, set[bool]]:
    """The counters of a document, and whether each has values of its own and of instances."""
    found: dict[str, set[bool]] = {}
    for one in series_of(document):
        found.setdefault(one["counter"], set()).add(bool(one["instance"]))
    return found


def test_rollups_of_level_1_have_few_counters_and_no_instances() -> None:
    document = vcenter_document(a_lab(5, "cpu-limit-vm"), duration_s=900, interval_s=300, level=1)
    assert (document["interval_s"], document["ticks"]) == (300, 3)
    counters = shown(document)
    assert {"cpu.ready.summation", "mem.vmmemctl.average", "mem.consumed.average"} <= set(counters)
    assert not {"cpu.costop.summation", "disk.kernelLatency.average", "net.droppedRx.summation"} & set(
        counters
    )
    assert all(of == {False} for name, of in counters.items() if name.startswith("cpu."))


def test_a_rollup_sums_what_is_summed_and_means_the_rest() -> None:
    fine, coarse = (
        vcenter_document(a_lab(5, "cpu-limit-vm"), duration_s=300, interval_s=every) for every in (20, 300)
    )
    for counter, joined in (("cpu.ready.summation", np.sum), ("mem.consumed.average", np.mean)):
        some = next(one for one in series_of(fine) if one["counter"] == counter)
        same = next(
            one
            for one in series_of(coarse)
            if (one["object"], one["counter"], one["instance"]) == (some["object"], counter, some["instance"])
        )
        assert same["values"][0] == pytest.approx(joined(some["values"]), abs=10)


def test_a_capture_of_another_interval_is_exported(tmp_path: Path) -> None:
    capture = tmp_path / "minutes.csv"
    words = ["lab", "export", "healthy-normal", "--interval", "60", "--duration", "180", "-o", str(capture)]
    assert run(words) == 0
    stamps = [line.split('"')[1] for line in capture.read_text().splitlines()[1:]]
    assert len(stamps) == 3
    assert len({stamp.rpartition(":")[2] for stamp in stamps}) == 1  # whole minutes apart
    assert run(["lab", "export", "demo", "--interval", "7", "-o", str(tmp_path / "no.csv")]) != 0
    assert not (tmp_path / "no.csv").exists()
