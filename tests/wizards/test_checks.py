"""What is checked before a test: where all is well, and where one thing after the other is not."""

from __future__ import annotations

import re

import pytest

from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from resources.test_privileges import privileges_of_tests
from sessions.journal import Setting
from tests.wizards.memory_environment import (
    CLUSTER,
    SERVER,
    STORE,
    MemoryEnvironment,
    disk_in_use,
    host_object,
    vm_object,
)
from wizards.flows.check_result import CheckResult, counts_text
from wizards.flows.checks import CHECKS, checks_of
from wizards.flows.locks import LOCK, Lock
from wizards.flows.planning import Choice, make_plan
from wizards.flows.sheets import sheet_of
from wizards.flows.surroundings import look

KNOWN = load_guided_tests()
PRIVILEGE = "Datastore.ConfigIOManagement"


def checked(around: MemoryEnvironment, before: MemoryEnvironment | None = None) -> dict[str, CheckResult]:
    """The checks of a plan of shares; the plan was made in ``before``."""
    plan = make_plan(KNOWN.require("sioc-shares"), look(before or around), Choice("sioc-shares"))
    return {one.id: one for one in checks_of(plan, look(around), around, KNOWN)}


def test_every_check_of_the_tests_has_its_rule() -> None:
    assert set(KNOWN.checks) == set(CHECKS)


def test_a_sound_environment_has_no_block() -> None:
    found = checked(MemoryEnvironment())
    assert list(found) == list(KNOWN.require("sioc-shares").checks)
    assert {one.id for one in found.values() if one.state in ("block", "unknown")} == set()
    assert counts_text(list(found.values())).endswith("ok")


VM, STORE_ID, HOST = vm_object(1).id, STORE.id, host_object(1).id


@pytest.mark.parametrize(
    ("check", "state", "of", "fact", "value", "words"),
    [
        ("C3", "block", VM, "snapshots", 1.0, "perf-w01 has a snapshot"),
        ("C3", "block", VM, "snapshots", 3.0, "perf-w01 has 3 snapshots"),
        ("C3", "block", VM, "consolidation_needed", True, "need consolidation"),
        ("C3", "block", VM, "running_tasks", 1.0, "A task of perf-w01 runs"),
        ("C3", "unknown", VM, "snapshots", None, "could not be read"),
        ("C4", "warn", VM, "cpu_limit_mhz", 2000.0, "a CPU limit of 2,000 MHz"),
        ("C4", "warn", VM, "memory_limit_mb", 4096.0, "a memory limit of 4,096 MB"),
        ("C4", "warn", VM, "has_affinity", True, "are pinned"),
        ("C4", "warn", VM, "pool_is_limited", True, "A resource pool above perf-w01"),
        ("C6", "block", HOST, "connected", False, "esx01.corp is not connected"),
        ("C6", "block", HOST, "in_maintenance", True, "esx01.corp is in maintenance"),
        ("C6b", "warn", HOST, "build", "999", "different builds"),
        ("C6b", "warn", HOST, "cpu_model", "other", "different processors"),
        ("C7", "warn", HOST, "power_policy", "low", "different power policies"),
        ("C8", "warn", STORE_ID, "free_bytes", float(1 << 30), "% full, limit 80 %: thin disks"),
        ("C9", "warn", HOST, "clock_offset_ms", -1800.0, "The clock of esx01.corp is 1.8 s off, limit 1 s"),
        ("C10", "block", HOST, "sample_age_s", 600.0, "600 s old, limit 120 s"),
        ("C10", "unknown", HOST, "sample_age_s", None, "No real-time sample of esx01.corp"),
        ("S1", "block", STORE_ID, "type", "vsan", "perf-lun-02 is vSAN"),
        ("S1", "block", STORE_ID, "type", "NFS41", "perf-lun-02 is NFS 4.1"),
        ("S1", "block", STORE_ID, "iorm_supported", False, "has no Storage I/O Control"),
        ("S1", "block", STORE_ID, "extents", 2.0, "has 2 extents"),
        ("S1", "block", STORE_ID, "rdm_workers", 1.0, "raw devices: 1"),
        ("S2", "warn", SERVER.id, "version", "8.0.3", "deprecated from 8.0 U3; here 8.0.3"),
    ],
)
def test_what_is_wrong_is_found(
    check: str, state: str, of: str, fact: str, value: Setting, words: str
) -> None:
    found = checked(MemoryEnvironment(facts={of: {fact: value}}), MemoryEnvironment())[check]
    assert found.state == state
    assert words in found.found
    assert found.why
    assert found.mend


def test_disks_that_would_fill_the_datastore_block() -> None:
    around = MemoryEnvironment(facts={STORE_ID: {"free_bytes": float(900 << 30)}})
    choice = Choice("sioc-shares", make_disks=100 << 30)
    plan = make_plan(KNOWN.require("sioc-shares"), look(around), choice)
    found = next(one for one in checks_of(plan, look(around), around, KNOWN) if one.id == "C8")
    assert found.state == "block"
    assert "perf-lun-02 would be 85 % full, limit 80 %: 300 GB of disks are made" in found.found


def test_other_load_on_the_datastore_is_a_warning() -> None:
    around = MemoryEnvironment(facts={STORE_ID: {"iops": 1000.0, "other_iops": 200.0}})
    assert checked(around)["C11"].state == "warn"
    assert "Other VMs do 200 IOPS on perf-lun-02" in checked(around)["C11"].found


def test_a_worker_that_is_silent_can_be_left_out() -> None:
    around = MemoryEnvironment()
    around.all_workers[1].alive = False
    found = checked(around, MemoryEnvironment())
    assert found["C2"].state == "block"
    assert found["C2"].leave_out == ("perf-w02",)
    assert found["C13"].state == "unknown"


def test_a_disk_with_something_on_it_is_named() -> None:
    around = MemoryEnvironment()
    disk_in_use(around.all_workers[0], "it has a partition table")
    found = checked(around, MemoryEnvironment())["C13"]
    assert found.state == "block"
    assert "it has a partition table" in found.found
    assert found.leave_out == ("perf-w01",)


def test_a_lock_of_another_run_blocks_and_says_whose() -> None:
    lock = Lock("r17", "io-sweep", "admin-pc", MemoryEnvironment().clock - 3_600_000)
    found = checked(MemoryEnvironment(values={(STORE, LOCK): lock.text()}))["C12"]
    assert found.state == "block"
    assert "test io-sweep (run r17) from admin-pc since 1 h" in found.found


def test_a_privilege_that_lacks_is_named_with_what_it_is_for() -> None:
    found = checked(MemoryEnvironment(lacking={PRIVILEGE: [STORE]}))["C1"]
    assert found.state == "block"
    assert "Configure I/O management (to switch Storage I/O Control)" in found.found
    assert "on perf-lun-02" in found.mend
    assert found.objects == ("perf-lun-02",)
    assert found.lacking[0] == ("Datastore › Configure I/O management", "to switch Storage I/O Control")
    assert re.fullmatch(r"\d+ others held", found.lacking[-1][0])
    first, line, last = found.request.splitlines()
    assert "“Storage I/O Control shares” of Hyperscope needs these privileges on" in first
    assert line == f"- {found.lacking[0][0]} ({PRIVILEGE}), {found.lacking[0][1]}: on perf-lun-02"
    assert last == "Everything that it changes is put back when it ends."


def test_a_privilege_is_said_to_be_for_what_the_plan_changes() -> None:
    around = MemoryEnvironment(lacking={"VirtualMachine.Config.Resource": [vm_object(1)]})
    found = checked(around)["C1"]
    assert found.lacking[0] == ("Virtual machine › Change resource", "to set disk shares")


def test_every_setting_that_a_plan_may_change_has_its_privilege() -> None:
    needed = {one.setting for one in privileges_of_tests()}
    of_the_lab = {"cache.enabled"}  # elsewhere a person switches it
    assert set(KNOWN.settings) <= needed | {"power"} | of_the_lab


def test_the_checks_change_nothing() -> None:
    around = MemoryEnvironment()
    before = around.snapshot()
    checked(around)
    assert around.snapshot() == before
    assert not around.writes


def test_the_sheet_of_a_plan_says_what_is_due_to_whom() -> None:
    around = MemoryEnvironment()
    plan = make_plan(KNOWN.require("sioc-shares"), look(around), Choice("sioc-shares", critical="perf-w02"))
    sheet = sheet_of(plan, KNOWN, load_fio_jobs(), lambda seconds: f"+{seconds:.0f}")
    due = {one.worker: one.due for one in sheet.load}
    assert due == {"perf-w01": 500 / 3000, "perf-w02": 2000 / 3000, "perf-w03": 500 / 3000}
    assert [one.setting for one in sheet.changes][1:4] == [
        "Storage I/O Control", "Congestion threshold", "Disk shares",
    ]  # fmt: skip
    labels = [one.label for one in sheet.phases]
    assert labels[:4] == ["Fill", "P0", "P0", "P0"]
    tones = {one.label: one.tone for one in sheet.phases}
    assert tones == {
        "Fill": "fill", "P0": "first", "P1": "first", "P2": "second", "P3": "third", "P4": "after",
        "P5": "after",
    }  # fmt: skip
    assert sheet.order == "rounds: P1 P2 P3 · P3 P2 P1 · P1 P2 P3"
    assert any("bs=8k" in job.text for job in sheet.jobs)
    assert {one.consequence for one in sheet.guards} >= {"stops", "guests end by themselves"}


def test_a_cluster_that_moves_workers_by_itself_is_a_warning() -> None:
    found = checked(MemoryEnvironment())["C5"]
    assert found.state == "warn"
    assert CLUSTER.name not in found.found
    assert "may move perf-w01, perf-w02 and 1 more" in found.found


def test_a_made_disk_needs_a_guest_that_is_told_uuids() -> None:
    around = MemoryEnvironment(facts={VM: {"uuid_shown_to_guest": False}})
    plan = make_plan(KNOWN.require("io-sweep"), look(around), Choice("io-sweep", make_disks=1 << 30))
    disks = next(one for one in checks_of(plan, look(around), around, KNOWN) if one.id == "C13")
    assert disks.state == "block"
    assert "perf-w01: its guest would not see the UUID of a new disk" in disks.found
    assert "disk.EnableUUID" in disks.mend


def test_vms_that_drs_may_move_though_they_take_no_part_are_named() -> None:
    around = MemoryEnvironment(count=5)
    four = tuple(f"perf-w{n:02}" for n in range(1, 5))
    inputs = {"cases": ("2H|2L",)}
    plan = make_plan(
        KNOWN.require("drs-balance"), look(around), Choice("drs-balance", inputs=inputs, workers=four)
    )

    def d3() -> CheckResult:
        return next(one for one in checks_of(plan, look(around), around, KNOWN) if one.id == "D3")

    assert (d3().state, d3().objects) == ("warn", ("perf-w05",))
    assert d3().found == "1 VM takes no part and may be moved, too: perf-w05"
    around.facts[vm_object(5).id] = {"powered_on": False}
    assert d3().state == "ok"
    around.facts.clear()
    around.facts[CLUSTER.id] = {"drs_behaviour": "fullyAutomated"}
    assert d3().state == "ok"
