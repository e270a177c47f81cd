"""Tables of Get-Stat become the session that a recording of the same vCenter gives, whoever exported them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from collectors.vsphere.get_stat.importing import StatOptions, StatReport, import_get_stat
from collectors.vsphere.get_stat.stamps import Order, StampRows, parse_stamp, possible_orders
from diagnosis import Diagnosis, diagnose_session
from lab import Lab, load_scenarios, vcenter_document
from resources.catalogue import load_catalogue
from resources.failures import CancelledError, HyperscopeError, UsageError
from resources.get_stat_forms import load_get_stat_forms
from resources.problem_cards import load_problems
from sessions.clock import UTC_CLOCK, clock_named
from sessions.model import SampleSource, Series
from sessions.store import SessionReader
from tests.get_stat import exports
from tests.get_stat.exports import US, Form
from tests.vcenter_lab.vcenter_session import vcenter_session

CATALOGUE = load_catalogue()
GENUINE = (
    '"Lun","Value","Timestamp","MetricId","Unit","Description","Entity","EntityId","IntervalSecs","Instance"\r\n'
    '"Data-Lun11","283","18-09-2015 10:44:20","disk.numberwrite.summation","number","Number of disk writes '
    'during the collection interval","drupal-mediamosa","VirtualMachine-vm-90","20",'
    '"naa.600601600f213300defe98a3a052e311"\r\n'
)
"""The header and first row of a published export, its description from the same place."""


@cache
def document(scenario: str, interval_s: int = 20, level: int | None = None) -> Mapping[str, Any]:
    lab = Lab(load_scenarios()[scenario], seed=2)
    return vcenter_document(lab, catalogue=CATALOGUE, interval_s=interval_s, level=level)


def found(session: SampleSource) -> list[tuple[str, ...]]:
    """Problem, entity, first cause and its verdict of each finding."""
    diagnosis: Diagnosis = diagnose_session(session, load_problems(), CATALOGUE)
    return sorted(
        (one.problem, one.entity_name, *(f"{cause.cause} {cause.verdict}" for cause in one.causes[:1]))
        for one in diagnosis.findings
    )


def write(folder: Path, files: Mapping[str, bytes | str]) -> list[Path]:
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [folder / name for name in files]


def read(
    folder: Path, files: Mapping[str, bytes | str], times: str = "utc", dates: Order | None = None
) -> tuple[StatReport, Path]:
    out = folder / "out.hscope"
    out.unlink(missing_ok=True)
    return import_get_stat(write(folder, files), out, StatOptions(clock_named(times), dates)), out


def printed(out: Path) -> list[str]:
    """Every sample of a session, as ``vm db1 cpu.ready[0] 2026-11-21T13:37:40Z 12.5 %``."""
    with SessionReader.open(out) as reader:
        names = {ref: f"{ref.kind} {one.name}" for ref, one in reader.entities().items()}
        series = {one.id: one for one in reader.series()}
        lines = []
        for frame in reader.read(np.array(list(series), np.int64)):
            for tick, column in np.argwhere(~np.isnan(frame.values)).tolist():
                one = series[int(frame.ids[column])]
                at, value = UTC_CLOCK.iso(int(frame.times[tick])), frame.values[tick, column]
                lines.append(f"{_of(one, names)} {at} {value:g} {one.spec.unit}".strip())
    return sorted(lines)


def _of(series: Series, names: Mapping[Any, str]) -> str:
    instance = f"[{series.spec.instance}]" if series.spec.instance else ""
    return f"{names[series.entity]} {series.counter}{instance}"


def table(
    *rows: str, header: str = "MetricId,Timestamp,Value,Unit,Entity,EntityId,IntervalSecs,Instance"
) -> str:
    return "\r\n".join([header, *rows, ""])


def test_the_published_row_is_read(tmp_path: Path) -> None:
    report, out = read(tmp_path, {"stats.csv": GENUINE})
    series = (
        "vm drupal-mediamosa raw/vcenter/disk.numberWrite.summation[naa.600601600f213300defe98a3a052e311]"
    )
    assert printed(out) == [f"{series} 2015-09-18T10:44:20Z 283 number"]
    assert report.notes == ()


def two_days(form: Form, zone: str = "UTC") -> bytes:
    """One VM's use and ready before and after a midnight, with a half percent for the decimal sign."""
    times = [datetime(2026, 3, 4, 23, 59, second, tzinfo=UTC) for second in (20, 40)]
    times += [datetime(2026, 3, 5, 0, 0, second, tzinfo=UTC) for second in (0, 20)]
    rows = [
        {
            "Value": form.number(value + number), "Timestamp": form.stamp(at.astimezone(ZoneInfo(zone))),
            "MetricId": name, "Unit": unit, "Description": "Text; with, a \"quote\"", "Entity": "Büro 1",
            "EntityId": "VirtualMachine-vm-7", "IntervalSecs": "20", "Instance": instance,
        }
        for name, unit, instance, value in (
            ("cpu.usage.average", "%", "", 20.25), ("cpu.ready.summation", "millisecond", "0", 500),
        )
        for number, at in reversed(list(enumerate(times)))
    ]  # fmt: skip
    return form.write(rows)


TWO_DAYS = [
    "vcpu vCPU 0 cpu.ready 2026-03-04T23:59:20Z 2.5 %",
    "vcpu vCPU 0 cpu.ready 2026-03-04T23:59:40Z 2.505 %",
    "vcpu vCPU 0 cpu.ready 2026-03-05T00:00:00Z 2.51 %",
    "vcpu vCPU 0 cpu.ready 2026-03-05T00:00:20Z 2.515 %",
    "vm Büro 1 cpu.used 2026-03-04T23:59:20Z 20.25 %",
    "vm Büro 1 cpu.used 2026-03-04T23:59:40Z 21.25 %",
    "vm Büro 1 cpu.used 2026-03-05T00:00:00Z 22.25 %",
    "vm Büro 1 cpu.used 2026-03-05T00:00:20Z 23.25 %",
]


@pytest.mark.parametrize("culture", exports.DATES)
def test_every_culture_gives_the_same_session(culture: str, tmp_path: Path) -> None:
    _, out = read(tmp_path, {"stats.csv": two_days(Form(culture))})
    assert printed(out) == TWO_DAYS


@pytest.mark.parametrize(
    "form",
    [
        Form(encoding="utf-8-sig"), Form(encoding="utf-16", is_typed=True), Form("de-DE", ";", "utf-8-sig"),
        Form("de-DE", encoding="cp1252", is_typed=True), Form("fr-FR", "\t", "utf-16"), Form(quotes=False),
        Form("de-DE", ";", quotes=False, line_end="\n"), Form(columns=tuple(reversed(exports.COLUMNS))),
    ],
    ids=lambda form: f"{form.culture} {form.separator!r} {form.encoding}",
)  # fmt: skip
def test_every_way_to_export_gives_the_same_session(form: Form, tmp_path: Path) -> None:
    _, out = read(tmp_path, {"stats.csv": two_days(form)})
    assert printed(out) == TWO_DAYS


def test_it_may_be_compressed_and_appended_to(tmp_path: Path) -> None:
    form = Form(is_typed=True)
    twice = two_days(form) + b"\r\n" + two_days(form)
    report, out = read(tmp_path, {"stats.csv.gz": gzip.compress(twice)})
    assert printed(out) == TWO_DAYS
    assert report.notes == ()


def test_times_are_of_the_zone_that_is_told(tmp_path: Path) -> None:
    _, out = read(tmp_path, {"stats.csv": two_days(Form("de-DE"), "Asia/Kolkata")}, times="Asia/Kolkata")
    assert printed(out) == TWO_DAYS


def test_an_hour_that_comes_twice_is_told_apart_by_the_order_of_the_file(tmp_path: Path) -> None:
    clocks = "03:00:00", "02:30:00", "02:00:00", "02:30:00", "02:00:00", "01:30:00"
    rows = (
        f"mem.consumed.average,25.10.2026 {at},{mb * 1024},KB,db1,VirtualMachine-vm-7,1800,"
        for mb, at in zip(range(6, 0, -1), clocks, strict=True)
    )
    _, out = read(tmp_path, {"stats.csv": table(*rows)}, times="Europe/Berlin")
    assert [" ".join(line.split()[3:]) for line in printed(out)] == [
        "2026-10-24T23:30:00Z 1 MB", "2026-10-25T00:00:00Z 2 MB", "2026-10-25T00:30:00Z 3 MB",
        "2026-10-25T01:00:00Z 4 MB", "2026-10-25T01:30:00Z 5 MB", "2026-10-25T02:00:00Z 6 MB",
    ]  # fmt: skip


def one_day() -> str:
    rows = (
        f"mem.consumed.average,4/3/2026 14:{minute}:00,1024,KB,db1,VirtualMachine-vm-7,300,"
        for minute in ("10", "05", "00")
    )
    return table(*rows)


def test_dates_that_nothing_decides_are_refused_with_the_option_that_does(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, {"stats.csv": one_day()})
    assert str(refused.value) == (
        "stats.csv: nothing in it tells which number of 4/3/2026 14:10:00 is the day. "
        "Say it with --dates dmy (day first) or --dates mdy (month first)."
    )
    assert not (tmp_path / "out.hscope").exists()


@pytest.mark.parametrize(("dates", "day"), [("dmy", "2026-03-04"), ("mdy", "2026-04-03")])
def test_the_option_decides(dates: Order, day: str, tmp_path: Path) -> None:
    _, out = read(tmp_path, {"stats.csv": one_day()}, dates=dates)
    assert [line.split()[3][:10] for line in printed(out)] == [day] * 3


def test_a_file_that_was_written_on_the_day_of_its_last_sample_decides(tmp_path: Path) -> None:
    (path,) = write(tmp_path, {"stats.csv": one_day()})
    written = datetime(2026, 4, 3, 14, 20, tzinfo=UTC).timestamp()
    os.utime(path, (written, written))
    report = import_get_stat([path], tmp_path / "out.hscope", StatOptions(UTC_CLOCK))
    assert [line.split()[3][:10] for line in printed(tmp_path / "out.hscope")] == ["2026-04-03"] * 3
    (note,) = report.notes
    assert note == (
        "stats.csv: dates such as 4/3/2026 14:10:00 were read month first, because the file was written on "
        "that day. --dates tells another order."
    )


def test_a_file_knows_better_than_the_option(tmp_path: Path) -> None:
    rows = table("mem.consumed.average,13/3/2026 14:00:00,1024,KB,db1,VirtualMachine-vm-7,300,")
    _, out = read(tmp_path, {"stats.csv": rows}, dates="mdy")
    assert [line.split()[3][:10] for line in printed(out)] == ["2026-03-13"]


def test_dates_that_do_not_exist_are_counted(tmp_path: Path) -> None:
    rows = table(
        "mem.consumed.average,13/3/2026 14:00:00,1024,KB,db1,VirtualMachine-vm-7,300,",
        "mem.consumed.average,3/14/2026 14:00:00,1024,KB,db1,VirtualMachine-vm-7,300,",
    )
    report, out = read(tmp_path, {"stats.csv": rows}, dates="dmy")
    assert [line.split()[3][:10] for line in printed(out)] == ["2026-03-13"]
    assert report.notes == ("stats.csv: dates that do not exist, read day first, were left out, in rows: 1.",)


def test_another_file_decides(tmp_path: Path) -> None:
    sure = table("mem.consumed.average,13/3/2026 14:00:00,1024,KB,db1,VirtualMachine-vm-7,300,")
    _, out = read(tmp_path, {"unsure.csv": one_day(), "sure.csv": sure})
    assert [line.split()[3][:10] for line in printed(out)] == ["2026-03-04"] * 3 + ["2026-03-13"]


@pytest.mark.parametrize(
    ("today", "orders"),
    [((2026, 11, 23), ["mdy"]), ((2026, 12, 2), ["dmy", "mdy"]), ((2025, 1, 1), ["dmy", "mdy"])],
)
def test_no_sample_is_of_the_future(today: tuple[int, int, int], orders: list[Order]) -> None:
    """1/12/2026 is in January as long as it has not been December; if both are to come, a clock is wrong."""
    stamp = parse_stamp("1/12/2026 14:00:00", load_get_stat_forms())
    rows = StampRows(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1))
    now_ms = round(datetime(*today, tzinfo=UTC).timestamp() * 1000)
    assert possible_orders([stamp], rows, now_ms) == orders


def test_daily_rollups_tell_the_order_by_their_steps(tmp_path: Path) -> None:
    rows = (
        f"mem.consumed.average,3/{day}/2026 12:00:00 AM,1024,KB,db1,VirtualMachine-vm-7,86400,"
        for day in (5, 4, 3)
    )
    _, out = read(tmp_path, {"stats.csv": table(*rows)})
    assert [line.split()[3] for line in printed(out)] == [f"2026-03-0{day}T00:00:00Z" for day in (3, 4, 5)]


def test_each_interval_is_a_source_and_ready_is_percent_of_it(tmp_path: Path) -> None:
    lengths = 20, 300, 1800, 7200, 86400
    rows = (
        f"cpu.ready.summation,2026-03-04 12:00:00,{one * 100},millisecond,db1,VirtualMachine-vm-7,{one},0"
        for one in lengths
    )
    _, out = read(tmp_path, {"stats.csv": table(*rows)})
    assert printed(out) == ["vcpu vCPU 0 cpu.ready 2026-03-04T12:00:00Z 10 %"] * 5
    with SessionReader.open(out) as reader:
        assert [(one.spec.kind, one.spec.name, one.spec.interval_s) for one in reader.sources()] == [
            ("vcenter", "Get-Stat", 20.0), ("vcenter", "Get-Stat rollups", 300.0),
            ("vcenter", "Get-Stat rollups 1800 s", 1800.0), ("vcenter", "Get-Stat rollups 7200 s", 7200.0),
            ("vcenter", "Get-Stat rollups 86400 s", 86400.0),
        ]  # fmt: skip


def test_what_the_columns_lack_is_found_out(tmp_path: Path) -> None:
    """``Select-Object Entity, MetricId, Timestamp, Value, Instance``: no interval, unit or id."""
    series = (
        "db1,Cpu.Ready.Summation,400,0",
        "esx1,cpu.coreUtilization.average,37.5,0",
        "esx1,mem.state.latest,0,",
    )
    rows = (f"{one},2026-03-04 12:00:{second}" for one in series for second in ("40", "20", "00"))
    report, out = read(tmp_path, {"s.csv": table(*rows, header="Entity,MetricId,Value,Instance,Timestamp")})
    assert [line for line in printed(out) if "12:00:20" in line] == [
        "host esx1 cpu.core_util[0] 2026-03-04T12:00:20Z 37.5 %",
        "host esx1 mem.state 2026-03-04T12:00:20Z 0 state",
        "vcpu vCPU 0 cpu.ready 2026-03-04T12:00:20Z 2 %",
    ]
    assert sorted(report.notes) == [
        "db1 was taken for a vm, by its counters: the files have no EntityId.",
        "esx1 was taken for a host, by its counters: the files have no EntityId.",
    ]


def test_a_file_without_names_has_the_name_of_its_vm(tmp_path: Path) -> None:
    rows = table("mem.consumed.average,2026-03-04 12:00:00,1024", header="MetricId,Timestamp,Value")
    _, out = read(tmp_path, {"SQL01.csv": rows})
    assert printed(out) == ["vm SQL01 mem.consumed 2026-03-04T12:00:00Z 1 MB"]


def test_a_vm_s_own_ready_needs_its_vcpus(tmp_path: Path) -> None:
    rows = table("cpu.ready.summation,2026-03-04 12:00:00,8000,millisecond,db1,VirtualMachine-vm-7,20,")
    report, out = read(tmp_path, {"stats.csv": rows})
    assert printed(out) == ["vm db1 raw/vcenter/cpu.ready.summation 2026-03-04T12:00:00Z 8000 millisecond"]
    (note,) = report.notes
    assert note == (
        "cpu.ready.summation of db1 is kept in ms and not judged: no file tells how many vCPUs they have. "
        "Import `Get-VM | Export-Csv vms.csv` with it."
    )
    vms = "Name,NumCpu,VMHost,Id\r\ndb1,4,esx1,VirtualMachine-vm-7\r\n"
    report, out = read(tmp_path, {"stats.csv": rows, "vms.csv": vms})
    assert printed(out) == ["vm db1 cpu.ready 2026-03-04T12:00:00Z 10 %"]
    assert report.notes == ()


def test_each_object_has_the_best_counter_that_there_is_of_it(tmp_path: Path) -> None:
    rows = table(
        "cpu.readiness.average,2026-03-04 12:00:00,12,%,db1,VirtualMachine-vm-7,300,",
        "cpu.readiness.average,2026-03-04 12:00:00,9,%,db1,VirtualMachine-vm-7,20,",
        "cpu.ready.summation,2026-03-04 12:00:00,2000,millisecond,db1,VirtualMachine-vm-7,20,",
        "cpu.ready.summation,2026-03-04 12:00:00,2000,millisecond,db1,VirtualMachine-vm-7,20,0",
    )
    _, out = read(tmp_path, {"stats.csv": rows})
    assert printed(out) == [
        "vcpu vCPU 0 cpu.ready 2026-03-04T12:00:00Z 10 %",
        "vm db1 cpu.ready 2026-03-04T12:00:00Z 10 %",
        "vm db1 cpu.ready 2026-03-04T12:00:00Z 12 %",
        "vm db1 raw/vcenter/cpu.readiness.average 2026-03-04T12:00:00Z 9 percent",
    ]


def test_states_are_matched_by_their_words(tmp_path: Path) -> None:
    header = "MetricId,Timestamp,Value,Description,Entity,EntityId,IntervalSecs"
    words = "Memory state: high or soft or hard or low"
    rows = table(f"mem.state.latest,2026-03-04 12:00:00,2,{words},esx1,HostSystem-host-9,20", header=header)
    _, out = read(tmp_path, {"stats.csv": rows})
    assert printed(out) == [
        "host esx1 mem.state 2026-03-04T12:00:00Z 3 state"
    ]  # 0 high, 1 clear, 2 soft, 3 hard


def test_clusters_datastores_and_pools_are_kept_and_folders_are_counted(tmp_path: Path) -> None:
    rows = table(
        "cpu.usage.average,2026-03-04 12:00:00,70.1,%,Prod,ClusterComputeResource-domain-c8,300,*",
        "disk.used.latest,2026-03-04 12:00:00,1024,KB,ds1,Datastore-datastore-5,300,",
        "cpu.usagemhz.average,2026-03-04 12:00:00,512,MHz,Gold,ResourcePool-resgroup-3,300,",
        "vmop.numPoweron.latest,2026-03-04 12:00:00,1,number,Berlin,Datacenter-datacenter-2,300,",
    )
    report, out = read(tmp_path, {"stats.csv": rows})
    assert printed(out) == [
        "cluster Prod raw/vcenter/cpu.usage.average 2026-03-04T12:00:00Z 70.1 percent",
        "datastore ds1 raw/vcenter/disk.used.latest 2026-03-04T12:00:00Z 1024 kiloBytes",
        "pool Gold raw/vcenter/cpu.usagemhz.average 2026-03-04T12:00:00Z 512 megaHertz",
    ]
    assert report.notes == ("1 series of Datacenter left out: no session has those.",)


def test_no_value_is_no_sample_and_a_hole_is_a_gap(tmp_path: Path) -> None:
    cells = "12:30:00,3072", "12:25:00,-1", "12:20:00,", "12:05:00,2048", "12:00:00,?"
    rows = (f"mem.consumed.average,2026-03-04 {one},KB,db1,VirtualMachine-vm-7,300," for one in cells)
    report, out = read(tmp_path, {"stats.csv": table(*rows)})
    assert [" ".join(line.split()[3:]) for line in printed(out)] == [
        "2026-03-04T12:05:00Z 2 MB", "2026-03-04T12:30:00Z 3 MB",
    ]  # fmt: skip
    assert report.notes == ("stats.csv: 1 row with a value that is no number left out.",)
    with SessionReader.open(out) as reader:
        (gap,) = reader.gaps()
    assert [UTC_CLOCK.iso(gap.start), UTC_CLOCK.iso(gap.end), gap.ticks, gap.reason] == [
        "2026-03-04T12:10:00Z", "2026-03-04T12:25:00Z", 4, "the files have no samples",
    ]  # fmt: skip


def test_several_files_join_and_what_two_of_them_have_is_stored_once(tmp_path: Path) -> None:
    first, second = two_days(Form("de-DE", ";")), two_days(Form("en-US"))
    report, out = read(tmp_path, {"a.csv": first, "b.csv": second})
    assert printed(out) == TWO_DAYS
    assert (report.samples, report.notes) == (8, ())


def test_objects_of_one_name_are_told_apart_by_their_id(tmp_path: Path) -> None:
    rows = table(
        "mem.consumed.average,2026-03-04 12:00:00,1024,KB,db1,VirtualMachine-vm-7,20,",
        "mem.consumed.average,2026-03-04 12:00:00,2048,KB,db1,VirtualMachine-vm-8,20,",
    )
    _, out = read(tmp_path, {"stats.csv": rows})
    assert [line.split()[4] for line in printed(out)] == ["1", "2"]
    header = "MetricId,Timestamp,Value,Entity,IntervalSecs"
    rows = table(
        *(f"mem.consumed.average,2026-03-04 12:00:00,{kb},db1,20" for kb in (1024, 2048)), header=header
    )
    report, out = read(tmp_path, {"stats.csv": rows})
    assert [line.split()[4] for line in printed(out)] == ["2"]
    assert any(note.startswith("1 samples are there twice with different values") for note in report.notes)


BAD = {
    exports.TYPE + "\r\nMetricId,Value\r\ncpu.usage.average,1\r\n": (
        "stats.csv lacks the column Timestamp. "
        "Export again: Select-Object must keep MetricId, Timestamp and Value."
    ),
    table(): "stats.csv has no sample below its header.",
    table("cpu.usage.average,yesterday,1,%,db1,VirtualMachine-vm-7,20,"): (
        "stats.csv: 'yesterday' is no date with a time. Export the samples as Get-Stat returns them."
    ),
    table(
        'cpu.usage.average,2026-03-04 12:00:00,"1,234",%,db1,VirtualMachine-vm-7,20,',
        "cpu.usage.average,2026-03-04 12:00:20,1.5,%,db1,VirtualMachine-vm-7,20,",
    ): (
        "Values with a decimal point and values with a comma stand in one file. Nobody can tell whether "
        "1,234 is more than a thousand or about one. Export it again, or import the parts by themselves."
    ),
    table("cpu.usage.average,2026-03-04 12:00,1,%,db1,VirtualMachine-vm-7,20,"): (
        "The times in stats.csv have no seconds, but there are several samples a minute. A spreadsheet that "
        "saved it left them out: samples can't be told apart. Import the file as Export-Csv wrote it."
    ),
    table("cpu.usage.average,2026-03-04 12:00:00,1,%,Berlin,Datacenter-datacenter-2,300,"): (
        "stats.csv has no sample that can be stored. Export counters of VMs, hosts, clusters or datastores."
    ),
    "Name,NumCpu,VMHost\r\ndb1,4,esx1\r\n": (
        "stats.csv has no samples, only the inventory. Import what Get-Stat returned with it."
    ),
}


@pytest.mark.parametrize(("content", "says"), BAD.items(), ids=[one[:40] for one in BAD.values()])
def test_a_bad_file_is_refused_with_one_sentence(content: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(HyperscopeError) as refused:
        read(tmp_path, {"stats.csv": content})
    assert str(refused.value) == says
    assert [path.name for path in tmp_path.iterdir()] == ["stats.csv"]


def test_a_stopped_import_leaves_nothing(tmp_path: Path) -> None:
    class Stop:
        def is_set(self) -> bool:
            return True

    (path,) = write(tmp_path, {"stats.csv": two_days(US)})
    with pytest.raises(CancelledError):
        import_get_stat([path], tmp_path / "out.hscope", StatOptions(UTC_CLOCK), cancel=Stop())
    assert [one.name for one in tmp_path.iterdir()] == ["stats.csv"]


SWEDISH = Form("sv-SE")
"""Dates as 2026-11-21: those of a few minutes decide nothing else."""


SCENARIOS = (
    "cpu-costop-oversized",
    "mem-balloon-vm-limit",
    "storage-aborts-array-overloaded",
    "net-rx-drops-guest-busy",
    "healthy-high",
)
"""One of each kind of resource; none in which VMware Tools decide, of which no table of PowerCLI tells."""


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_diagnosis_is_that_of_the_recorded_session(scenario: str, tmp_path: Path) -> None:
    told = document(scenario)
    _, out = read(tmp_path, {
        "stats.csv": SWEDISH.write(exports.samples(told, CATALOGUE, SWEDISH)),
        "vms.csv": exports.virtual_machines(told), "hosts.csv": exports.hosts(told),
        "limits.csv": exports.limits(told),
    })  # fmt: skip
    with SessionReader.open(out) as reader:
        assert found(reader) == found(vcenter_session(told, CATALOGUE))


def test_the_diagnosis_of_rollups_is_that_of_the_recorded_ones(tmp_path: Path) -> None:
    told = document("cpu-costop-oversized", 300, 3)
    german = Form("de-DE", ";", "utf-16")
    _, out = read(tmp_path, {
        "stats.csv": german.write(exports.samples(told, CATALOGUE, german)),
        "vms.csv": exports.virtual_machines(told, german), "hosts.csv": exports.hosts(told, german),
        "limits.csv": exports.limits(told, german),
    })  # fmt: skip
    with SessionReader.open(out) as reader:
        assert found(reader) == found(vcenter_session(told, CATALOGUE))
