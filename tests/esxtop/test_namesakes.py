"""Captures of hosts that nobody named: two machines are two, one machine is one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from collectors.esxtop_names import ColumnPath
from sessions.store import SessionReader
from tests.esxtop.captures import START, START_MS, Session, Written, group_columns, imported, vm_columns

NOBODY = "localhost.localdomain"
OTHER = f"{NOBODY} (2)"


def of_machine(
    folder: Path, file: str, *, pcpus: int, hostd: int, busy: int, host: str = NOBODY, later_s: int = 0,
    vms: Sequence[tuple[int, str]] = (),
) -> Path:  # fmt: skip
    """A capture whose host has so many PCPUs, ``busy`` percent used, and hostd under that world's id."""
    columns = [ColumnPath(host, "Physical Cpu", str(n), "% Util Time") for n in range(pcpus)]
    columns += [ColumnPath(host, "Physical Cpu", "_Total", "% Util Time")]
    columns += group_columns(host, 1, "system", vm=False)
    columns += group_columns(host, hostd - 60000, f"hostd.{hostd}", vm=False)
    for group, name in vms:
        columns += vm_columns(host, group, name)
    written = Written(columns, [[f"{busy}.00"] * len(columns) for _ in range(6)])
    written.start = START + timedelta(seconds=later_s)
    return written.save(folder / file)


def numbers(session: Session, host: str) -> list[float]:
    """What the host's PCPUs were used, at every instant that the session has of it."""
    values = session.values[host, "cpu.pcpu_util", ""]
    return [float(value) for value in values[~np.isnan(values)]]


@pytest.mark.parametrize(("pcpus", "hostd"), [(8, 66694), (4, 70001), (8, 70001)])
def test_two_machines_of_one_name_are_two_hosts(pcpus: int, hostd: int, tmp_path: Path) -> None:
    """They were captured at the same time: one's values must not stand among the other's."""
    first = of_machine(tmp_path, "a.csv", pcpus=4, hostd=66694, busy=20, vms=[(1000, "web")])
    second = of_machine(tmp_path, "b.csv", pcpus=pcpus, hostd=hostd, busy=90, later_s=2, vms=[(7000, "db")])
    report, session = imported(first, second)
    assert report.hosts == (NOBODY, OTHER)
    assert numbers(session, NOBODY) == [20.0] * 6
    assert numbers(session, OTHER) == [90.0] * 6
    assert (report.interval_s, report.gaps) == (5.0, 0)
    assert f"Several hosts are called {NOBODY}" in " ".join(report.notes)


def test_several_captures_of_each_are_put_together(tmp_path: Path) -> None:
    """hostd was restarted meanwhile, or another VM came: what captures share says that it is one host."""
    files = [
        of_machine(tmp_path, "a.csv", pcpus=4, hostd=66694, busy=20, vms=[(1000, "web")]),
        of_machine(tmp_path, "b.csv", pcpus=4, hostd=70001, busy=90),
        of_machine(tmp_path, "c.csv", pcpus=4, hostd=66699, busy=21, later_s=30, vms=[(1000, "web")]),
        of_machine(tmp_path, "d.csv", pcpus=4, hostd=70001, busy=91, later_s=30, vms=[(7000, "db")]),
        of_machine(tmp_path, "e.csv", pcpus=4, hostd=66699, busy=22, later_s=60),
    ]
    report, session = imported(*files)
    assert report.hosts == (NOBODY, OTHER)
    assert numbers(session, NOBODY) == [20.0] * 6 + [21.0] * 6 + [22.0] * 6
    assert numbers(session, OTHER) == [90.0] * 6 + [91.0] * 6


def test_a_capture_behind_another_in_one_file_may_be_another_hosts(tmp_path: Path) -> None:
    first = of_machine(tmp_path, "a.csv", pcpus=4, hostd=66694, busy=20)
    second = of_machine(tmp_path, "b.csv", pcpus=8, hostd=70001, busy=90, later_s=3600)
    both = tmp_path / "both.csv"
    both.write_bytes(first.read_bytes() + second.read_bytes())
    report, session = imported(both)
    assert report.hosts == (NOBODY, OTHER)
    assert numbers(session, OTHER) == [90.0] * 6


def test_a_host_with_a_name_of_its_own_is_that_host(tmp_path: Path) -> None:
    """It was booted in between, with Hyper-Threading."""
    first = of_machine(tmp_path, "a.csv", pcpus=4, hostd=66694, busy=20, host="esx01")
    second = of_machine(tmp_path, "b.csv", pcpus=8, hostd=70001, busy=90, host="esx01", later_s=30)
    report, session = imported(first, second)
    assert report.hosts == ("esx01",)
    assert numbers(session, "esx01") == [20.0] * 6 + [90.0] * 6


def test_few_columns_that_tell_nothing_are_one_host(tmp_path: Path) -> None:
    columns = [ColumnPath(NOBODY, "Memory", "", "Free MBytes")]
    first, second = (Written(columns, [["1"]] * 3) for _ in range(2))
    second.start = START + timedelta(minutes=1)
    report, _ = imported(first.save(tmp_path / "a.csv"), second.save(tmp_path / "b.csv"))
    assert report.hosts == (NOBODY,)
    assert not report.notes


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_vm_that_was_renamed_has_each_name_in_its_time(order: tuple[int, int], tmp_path: Path) -> None:
    """One group of worlds under two names; the name of the newer capture is the current one."""
    files = [
        of_machine(tmp_path, "a.csv", pcpus=4, hostd=66694, busy=20, vms=[(1000, "web")]),
        of_machine(tmp_path, "b.csv", pcpus=4, hostd=66694, busy=21, vms=[(1000, "web-old")], later_s=60),
    ]
    report, _ = imported(*(files[at] for at in order))
    with SessionReader.open(report.out) as reader:
        names = [(fact.value, fact.start, fact.end) for fact in reader.facts() if fact.name == "name"]
    renamed = START_MS + 60_000
    assert names == [("web", START_MS, renamed), ("web-old", renamed, None)]


def test_a_vm_of_one_name_needs_no_fact_for_it(tmp_path: Path) -> None:
    report, _ = imported(of_machine(tmp_path, "a.csv", pcpus=4, hostd=1, busy=20, vms=[(1000, "web")]))
    with SessionReader.open(report.out) as reader:
        assert not [fact for fact in reader.facts() if fact.name == "name"]
