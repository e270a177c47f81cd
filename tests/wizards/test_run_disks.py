"""Which disk of a guest a planned one is: given ones by their UUID, made ones by what made them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from resources.failures import UsageError
from resources.guided_tests import load_guided_tests
from tests.wizards.memory_environment import MemoryEnvironment
from wizards.flows.plan import PlannedDisk, PlannedWorker
from wizards.flows.planning import Choice, make_plan
from wizards.flows.run_disks import identities, identity_problem, look_for_disks
from wizards.flows.surroundings import Surroundings, WorkerSeen, look
from workloads.environment import DiskIdentity, TestObject, WorkerFacts

SIZE = 1 << 30
AS_VCENTER = "6000C293-4e0f-1b7a-22d1-0a5fd1e3b0c4"
AS_KERNEL = "naa.6000c2934e0f1b7a22d10a5fd1e3b0c4"


def facts(*disks: DiskIdentity) -> WorkerFacts:
    return WorkerFacts("linux", "3.36", ("libaio",), 4, 0.0, 1.0, disks, 10 << 30)


def made(name: str, run: str = "run-1", size: int = SIZE, in_use: Sequence[str] = ()) -> DiskIdentity:
    return DiskIdentity(f"/dev/{name}", f"naa.6000c29{name}", size, run, tuple(in_use), name)


AB = PlannedWorker(
    "w01", (PlannedDisk("test-a", SIZE, datastore="d1"), PlannedDisk("test-b", SIZE, datastore="d2"))
)


def test_two_made_disks_are_never_exchanged() -> None:
    for order in ((made("test-a"), made("test-b")), (made("test-b"), made("test-a"))):
        assert [one.path for one in identities(AB, facts(*order), "run-1")] == ["/dev/test-a", "/dev/test-b"]


@pytest.mark.parametrize(
    "other",
    [
        made("test-b", run="run-2"),
        made("test-b", size=SIZE // 2),
        made("test-b", in_use=["It is mounted."]),
        DiskIdentity("/dev/sdc", "naa.6000c29f", SIZE),
    ],
)
def test_a_disk_that_nobody_knows_to_be_the_made_one_is_not_written(other: DiskIdentity) -> None:
    with pytest.raises(UsageError, match="w01 does not see the disk that was made for it"):
        identities(AB, facts(made("test-a"), other), "run-1")


def test_the_guests_kernel_writes_a_uuid_in_another_way_than_vcenter() -> None:
    seen = DiskIdentity("/dev/sdb", AS_KERNEL, SIZE)
    assert identity_problem(PlannedDisk("scsi0:1", SIZE, "/dev/sdb", AS_VCENTER), [seen]) == ""
    another = AS_VCENTER.replace("c4", "c5")
    assert "not 6000C293" in identity_problem(PlannedDisk("scsi0:1", SIZE, "/dev/sdb", another), [seen])


def test_a_given_disk_of_a_vm_is_planned_with_the_name_that_its_settings_have() -> None:
    listed = json.dumps(
        [{"name": "scsi0:1", "uuid": AS_VCENTER, "size_bytes": SIZE, "datastore": "datastore-7"}]
    )
    around = look(MemoryEnvironment(count=1))
    [worker] = around.workers
    assert worker.vm is not None
    vm = TestObject(
        worker.vm.object, worker.vm.entity, worker.vm.parent, {**worker.vm.facts, "disks": listed}
    )
    seen = WorkerSeen(worker.name, vm, facts(DiskIdentity("/dev/sdb", AS_KERNEL, SIZE)))
    there = Surroundings(around.address, around.kind, around.objects, (seen,), around.now_ms)
    plan = make_plan(load_guided_tests().require("io-sweep"), there, Choice("io-sweep"))
    assert [disk.name for disk in plan.workers[0].disks] == ["scsi0:1"]
    assert not plan.workers[0].disks[0].is_made


def test_a_guest_may_take_a_moment_to_find_a_disk() -> None:
    answers = {
        "w01": [facts(), facts(made("test-a")), facts(made("test-a"), made("test-b"))],
        "w02": [facts()],
    }
    asked: list[str] = []
    pauses: list[int] = []

    def inspect(one: PlannedWorker) -> WorkerFacts:
        asked.append(one.name)
        return answers[one.name].pop(0)

    given = PlannedWorker("w02", (PlannedDisk("scsi0:1", SIZE, "/dev/sdb", AS_VCENTER),))
    found = look_for_disks([AB, given], inspect, "run-1", lambda: pauses.append(len(asked)))
    assert [one.made_as for one in found["w01"].disks] == ["test-a", "test-b"]
    assert sorted(asked) == ["w01", "w01", "w01", "w02"]
    assert pauses == [2, 3]


def test_a_guest_that_never_finds_it_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizards.flows.run_disks.SEEN_WITHIN_S", 0.05)
    assert look_for_disks([AB], lambda _one: facts(), "run-1", lambda: None)["w01"].disks == ()
