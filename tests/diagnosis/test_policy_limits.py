"""An IOPS limit of a storage policy is judged as one of the disk's own settings is; the lower one holds."""

from __future__ import annotations

import pytest

from sessions.model import EntityRef
from tests.diagnosis.recordings import Level, Recording, findings, only

PROBLEM = "storage.iops_limit"
DISK: dict[str, Level] = {
    "vdisk.reads": 20.0, "vdisk.writes": 0.0, "vdisk.latency_read": 1.0, "vdisk.latency_write": 1.0,
}  # fmt: skip


def site(*, own: float | None = None, policy: float | None = None) -> Recording:
    """Two disks; the second one does 500 I/Os a second."""
    recording = Recording(source="vcenter", interval=20.0)
    recording.on_host({"cpu.pcpu_used": 30.0})
    vm = recording.vm("sql01", {"cpu.ready": 0.5})
    recording.add("vdisk", "scsi0:0", DISK, parent=vm)
    recording.add("vdisk", "scsi0:1", DISK | {"vdisk.reads": 500.0, "vdisk.latency_read": 60.0}, parent=vm)
    for name, limit in (("limit_iops", own), ("policy_limit_iops", policy)):
        if limit is not None:
            recording.fact(vm, f"vdisk.scsi0:1.{name}", limit)
    return recording


def test_a_limit_of_the_policy_is_found() -> None:
    found = only(site(policy=500.0), problem=PROBLEM)
    assert found.conclusion.startswith("scsi0:1 of sql01 did 500 I/Os a second, and its limit was 500")
    assert found.causes[0].cause == "iops_limit"
    assert "raise or remove it in the disk's storage policy" in found.remedies[0]


def test_the_policy_is_named_and_who_else_has_it_is_to_be_seen() -> None:
    """Only the policy that limits: the VM's other disk has one without a limit."""
    recording = site(policy=500.0)
    for disk, name in (("scsi0:0", "Gold"), ("scsi0:1", "Bronze")):
        recording.fact(EntityRef("vm", "esx01/vm/sql01"), f"vdisk.{disk}.policy", name)
    found = only(recording, problem=PROBLEM)
    assert found.conclusion.endswith("; storage policy with a limit: Bronze.")
    assert "VM Compliance): Bronze" in found.remedies[1]
    assert "storage policy with" not in only(site(own=500.0), problem=PROBLEM).conclusion


@pytest.mark.parametrize(("own", "policy"), [(500.0, 5000.0), (5000.0, 500.0)])
def test_of_two_limits_the_lower_one_holds(own: float, policy: float) -> None:
    found = only(site(own=own, policy=policy), problem=PROBLEM)
    assert found.conclusion.startswith("scsi0:1 of sql01 did 500 I/Os a second, and its limit was 500")


def test_limits_far_above_hold_nothing_back() -> None:
    assert findings(site(own=5000.0, policy=2000.0), problem=PROBLEM) == []


def test_a_limit_that_was_raised_is_told_as_it_was_and_the_note_says_what_it_is_now() -> None:
    recording = site()
    vm = EntityRef("vm", "esx01/vm/sql01")
    recording.fact(vm, "vdisk.scsi0:1.limit_iops", 500.0, 0.0, 900.0)
    recording.fact(vm, "vdisk.scsi0:1.limit_iops", 4000.0, 900.0)
    found = only(recording, problem=PROBLEM)
    assert found.conclusion.startswith("scsi0:1 of sql01 did 500 I/Os a second, and its limit was 500")
    (note,) = [one for one in found.notes if one.startswith("At the end")]
    assert "its disks may do up to 4,000 I/Os a second: look whether a limit still holds one back" in note
    (limit,) = [one for one in found.evidence if one.what == "IOPS limit of the disk"]
    assert (limit.value, limit.unit, limit.statistic) == (500.0, "/s", "usual")


def test_a_limit_that_stays_has_no_note() -> None:
    assert not [one for one in only(site(own=500.0), problem=PROBLEM).notes if "end of the recording" in one]
