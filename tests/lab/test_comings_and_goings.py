"""VMs that come and go in a run, and hosts that fail: what each source shows of them, and what it can't."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lab import Lab, vcenter_document
from resources.catalogue import load_catalogue
from tests.lab.in_memory import lab_session
from tests.lab.runs import SCENARIOS, Run
from tests.vcenter_lab.vcenter_session import vcenter_session

Json = dict[str, Any]


@cache
def shown(scenario: str) -> Json:
    return vcenter_document(Lab(SCENARIOS[scenario], seed=2), catalogue=load_catalogue())


def series(found: Json, what: str, counter: str) -> list[int]:
    (values,) = [
        one["values"] for one in found["series"]
        if (one["object"], one["counter"], one["instance"]) == (what, counter, "")
    ]  # fmt: skip
    return list(values)


def name_of(run: Run, role: str) -> str:
    cluster = run.lab.cluster
    return cluster.vms[cluster.cast[role].members[0]].shown_name


def test_esxtop_never_shows_a_vm_that_came_after_its_start() -> None:
    run = Run("event-power-on-mid-recording", seed=2)
    late = name_of(run, "late")
    instances = {path.instance for columns in run.lab.columns() for path in columns}
    assert not [instance for instance in instances if late in instance]


def test_a_device_has_the_load_of_a_vm_that_esxtop_does_not_show() -> None:
    run = Run("event-power-on-mid-recording", seed=2)
    lun = run.lab.cluster.luns[run.lab.cluster.cast["lun"].members[0]].name
    stage = run.lab.cluster.cast["stage"].members[0]
    rate = run.one("Physical Disk SCSI Device", "Commands/sec", stage, lun)
    on_s = run.lab.changes[0].envelope.end
    before, after = rate[run.seconds < on_s - 5], rate[run.seconds > on_s + 15]
    assert after.mean() > 5 * before[1:].mean()


def test_the_columns_of_a_vm_that_leaves_are_zero_from_then_on() -> None:
    """As esxtop prints a group whose worlds have gone: zeros, and no members."""
    run = Run("event-vmotion-out-of-full-host", seed=2, fields="all")
    left = run.seconds > run.lab.changes[2].envelope.start
    members = run.group("Group Cpu", "Members", name_of(run, "leaver"))
    assert (members[left] == 0).all()
    assert (members[~left] > 0).all()
    assert (run.vcpus("% Run", name_of(run, "leaver"))[:, left] == 0).all()


def test_a_vm_takes_its_load_along_to_its_new_host() -> None:
    run = Run("event-vmotion-out-of-full-host", seed=2)
    at_s = run.lab.changes[2].envelope.start
    old, new = (run.lab.cluster.cast[role].members[0] for role in ("stage", "second"))
    busy = [run.one("Physical Cpu", "% Util Time", host, "_Total") for host in (old, new)]
    before, after = (run.seconds > 100) & (run.seconds < at_s), run.seconds > at_s + 15
    assert busy[0][before].min() > 90
    assert busy[0][after].max() < 50
    assert busy[1][before].max() < 25
    assert 50 < busy[1][after].mean() < 75


def test_to_a_vcenter_it_is_one_vm_that_says_when_and_where_to() -> None:
    found = shown("event-vmotion-out-of-full-host")
    lab = Lab(SCENARIOS["event-vmotion-out-of-full-host"], seed=2)
    leaver = lab.cluster.vms[lab.cluster.cast["leaver"].members[0]]
    assert [vm["host"] for vm in found["vms"] if vm["name"] == leaver.name] == [
        lab.cluster.hosts[leaver.host].name
    ]
    assert not [vm for vm in found["vms"] if "(moved)" in vm["name"]]
    assert not [one for one in found["series"] if "(moved)" in one["object"]]
    to = lab.cluster.hosts[lab.cluster.cast["second"].members[0]].name
    (moved,) = [
        fact for fact in found["facts"] if fact["object"] == f"vm:{leaver.name}" and fact["name"] == "host"
    ]
    assert moved["value"] == to
    (told,) = [event for event in found["happened"] if event["object"] == f"vm:{leaver.name}"]
    assert told["text"].endswith(f"to {to}")
    assert abs(told["at_s"] + told["lasted_s"] - moved["from_s"]) < 15
    usage = series(found, f"vm:{leaver.name}", "cpu.usage.average")
    assert usage.count(-1) <= 1
    assert min(value for value in usage if value >= 0) > 3000


def test_a_vcenter_has_numbers_of_a_vm_from_its_power_on_on() -> None:
    found = shown("event-power-on-mid-recording")
    lab = Lab(SCENARIOS["event-power-on-mid-recording"], seed=2)
    late = lab.cluster.vms[lab.cluster.cast["late"].members[0]].name
    on_s = lab.changes[0].envelope.end
    values = series(found, f"vm:{late}", "cpu.usage.average")
    off = int(on_s // found["interval_s"])
    assert set(values[:off]) == {-1}
    assert min(values[off + 1 :]) >= 0
    (power,) = [fact for fact in found["facts"] if fact["name"] == "power_state"]
    assert (power["value"], power["from_s"]) == ("poweredOn", on_s)
    assert [vm["power"] for vm in found["vms"] if vm["name"] == late] == ["off"]


def test_the_numbers_of_a_host_that_fails_end_in_both_sources() -> None:
    scenario = "event-ha-failover"
    lab = Lab(SCENARIOS[scenario], seed=2, fields="diagnosis")
    failed = lab.cluster.hosts[lab.cluster.cast["second"].members[0]].name
    at_s = lab.changes[1].envelope.start
    session = lab_session(lab)
    ends = {
        source.spec.name: (source.end - lab.start_ms) / 1000 for source in session.sources() if source.end
    }
    assert at_s - 10 < ends[failed] < at_s
    assert min(end for name, end in ends.items() if name != failed) > at_s + 300
    values = series(shown(scenario), f"host:{failed}", "cpu.usage.average")
    assert set(values[int(at_s // 20) + 1 :]) == {-1}
    assert min(values[: int(at_s // 20)]) >= 0


def test_memory_of_a_vm_that_left_is_free_again() -> None:
    run = Run("event-vmotion-out-of-full-host", seed=2)
    at_s = run.lab.changes[2].envelope.start
    old = run.lab.cluster.cast["stage"].members[0]
    free = run.one("Memory", "Free MBytes", old)
    gained = free[run.seconds > at_s + 10].mean() - free[run.seconds < at_s].mean()
    touched = sum(
        run.lab.cluster.vms[one].mem_mb * run.lab.cluster.vms[one].touched
        for one in run.lab.cluster.cast["leaver"].members
    )
    assert 0.85 * touched < gained < 1.1 * touched


def test_a_limit_that_is_taken_away_is_a_fact_with_an_end() -> None:
    found = shown("event-limit-set-and-lifted")
    lab = Lab(SCENARIOS["event-limit-set-and-lifted"], seed=2)
    victim = lab.cluster.vms[lab.cluster.cast["victim"].members[0]].name
    assert [vm["cpu_limit_mhz"] for vm in found["vms"] if vm["name"] == victim] == [None]
    (limit,) = [fact for fact in found["facts"] if fact["name"] == "cpu.limit_mhz"]
    envelope = lab.changes[0].envelope
    assert (limit["from_s"], limit["until_s"]) == (envelope.start, envelope.end)
    held = series(found, f"vm:{victim}", "cpu.maxlimited.summation")
    assert np.mean(held[8:16]) > 1000
    assert max(held[20:]) == 0
    session = vcenter_session(found, load_catalogue())
    (kept,) = [fact for fact in session.facts() if fact.name == "cpu.limit_mhz"]
    assert kept.end is not None
    assert abs(kept.end - kept.start - (envelope.end - envelope.start) * 1000) < 2
