"""Tasks are followed to their end: slow ones, failing ones, and those whose reply got lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from connections.vsphere.faults import SoapFault
from resources.failures import CancelledError, DisconnectedError, SourceError, TimedOutError
from resources.vcenter_acting import load_acting
from tests.vcenter.running import TestVCenter
from tests.workloads.vsphere.conftest import Open
from workloads.vsphere.faults import OutcomeUnknownError
from workloads.vsphere.settings.devices import read_devices
from workloads.vsphere.settings.values import Server

Start = Callable[..., TestVCenter]
SHARES = "disk.shares:scsi0:0"


@pytest.fixture
def server(start_vcenter: Start) -> TestVCenter:
    """A small vCenter of its own for each test."""
    return start_vcenter(hosts=2, vms=2, interval=1, history=5, rollup_days=0)


@pytest.mark.parametrize("method", ["RelocateVM_Task", "ReconfigureComputeResource_Task"])
def test_a_change_whose_reply_got_lost_is_made_once(server: TestVCenter, site: Open, method: str) -> None:
    here = site(server)
    vm, cluster = here.first("VirtualMachine"), here.first("ClusterComputeResource")
    other = next(one for one in here.all("HostSystem") if one.id != here.settings.read(vm, "host"))
    server.fault("lost", method=method, count=1)
    here.settings.write(vm, "host", other.id)
    here.settings.write(cluster, "drs.behaviour", "manual")
    assert here.settings.read(vm, "host") == other.id
    assert here.settings.read(cluster, "drs.behaviour") == "manual"
    asked = server.stats()["requests"]
    assert asked["RelocateVM_Task"] == 1
    assert asked["ReconfigureComputeResource_Task"] == 1


def test_a_lock_whose_reply_got_lost_is_set_once(server: TestVCenter, site: Open) -> None:
    here = site(server)
    vm = here.first("VirtualMachine")
    server.fault("lost", method="SetField", count=1)
    server.fault("lost", method="AddCustomFieldDef", count=1)
    here.settings.write(vm, "attribute:vpw.lock", "run-1")
    assert here.settings.read(vm, "attribute:vpw.lock") == "run-1"
    assert server.stats()["requests"]["SetField"] == 1


def test_a_change_that_never_arrived_is_in_doubt_and_not_repeated(server: TestVCenter, site: Open) -> None:
    here = site(server, in_doubt_s=1.0, max_poll_s=0.5)
    cluster = here.first("ClusterComputeResource")
    server.fault("disconnect", method="ReconfigureComputeResource_Task", count=1)
    with pytest.raises(OutcomeUnknownError, match=r"setting DRS of .* to manual is not known"):
        here.settings.write(cluster, "drs.behaviour", "manual")
    assert here.settings.read(cluster, "drs.behaviour") == "fullyAutomated"


def test_replies_lost_while_a_task_is_followed_do_no_harm(server: TestVCenter, site: Open) -> None:
    here = site(server)
    vm = here.first("VirtualMachine")
    other = next(one for one in here.all("HostSystem") if one.id != here.settings.read(vm, "host"))
    # where it is, the hosts' clusters (two), the host's name, the recent tasks; what follows is the task
    server.fault("disconnect", method="RetrievePropertiesEx", skip=5, count=5)
    here.settings.write(vm, "host", other.id)
    assert here.settings.read(vm, "host") == other.id
    assert server.stats()["requests"]["RelocateVM_Task"] == 1


def test_an_ended_session_is_renewed_before_the_change(server: TestVCenter, site: Open) -> None:
    here = site(server)
    cluster = here.first("ClusterComputeResource")
    server.fault("expire")
    here.settings.write(cluster, "drs.behaviour", "manual")
    assert here.settings.read(cluster, "drs.behaviour") == "manual"


def test_a_slow_task_is_followed_with_its_progress(server: TestVCenter, site: Open) -> None:
    here = site(server, max_poll_s=0.5)
    vm = here.first("VirtualMachine")
    server.fault("task_slow", method="ReconfigVM_Task", seconds=3, count=1)
    began = time.monotonic()
    here.settings.write(vm, SHARES, 2000)
    assert time.monotonic() - began >= 2.5
    shares = [share for _, share in here.told if share is not None]
    assert shares[-1] == 1.0
    assert any(0 < share < 1 for share in shares)
    assert shares == sorted(shares)


@pytest.mark.parametrize("lost", [False, True])
def test_a_task_that_fails_is_a_sentence_with_advice(server: TestVCenter, site: Open, lost: bool) -> None:
    here = site(server)
    vm = here.first("VirtualMachine")
    server.fault("task_fails", method="ReconfigVM_Task", type="TaskInProgress", text="busy", count=1)
    if lost:  # the reply that would have named the task: it is found among the recent ones
        server.fault("lost", method="ReconfigVM_Task", count=1)
    with pytest.raises(SoapFault, match=r"the shares of .* to 2000.*Another task works on the same"):
        here.settings.write(vm, SHARES, 2000)
    assert here.settings.read(vm, SHARES) == 1000


def test_a_slow_task_whose_reply_got_lost_is_found_and_followed(server: TestVCenter, site: Open) -> None:
    here = site(server)
    vm = here.first("VirtualMachine")
    server.fault("task_slow", method="ReconfigVM_Task", seconds=2, count=1)
    server.fault("lost", method="ReconfigVM_Task", count=1)
    here.settings.write(vm, SHARES, 2000)
    assert here.settings.read(vm, SHARES) == 2000
    assert server.stats()["requests"]["ReconfigVM_Task"] == 1


def test_a_task_that_takes_too_long_is_cancelled(server: TestVCenter, site: Open) -> None:
    here = site(server, reconfigure_s=1.0)
    vm = here.first("VirtualMachine")
    server.fault("task_slow", method="ReconfigVM_Task", seconds=60, count=1)
    with pytest.raises(TimedOutError, match="has not finished setting the shares"):
        here.settings.write(vm, SHARES, 2000)
    assert server.stats()["requests"]["CancelTask"] == 1
    assert here.settings.read(vm, SHARES) == 1000


def test_a_change_can_be_cancelled_while_it_is_made(server: TestVCenter, site: Open) -> None:
    here = site(server, cancel_s=5.0)
    vm = here.first("VirtualMachine")
    server.fault("task_slow", method="ReconfigVM_Task", seconds=60, count=1)
    threading.Timer(1.0, here.tasks.cancel).start()
    began = time.monotonic()
    with pytest.raises(CancelledError, match="setting the shares"):
        here.settings.write(vm, SHARES, 2000)
    assert time.monotonic() - began < 20
    here.tasks.allow()
    assert here.settings.read(vm, SHARES) == 1000


def test_a_change_of_somebody_else_meanwhile_is_not_overwritten(server: TestVCenter, site: Open) -> None:
    here = site(server)
    vm = here.first("VirtualMachine")
    server.fault("fault", method="ReconfigVM_Task", type="ConcurrentAccess", text="changed", count=2)
    here.settings.write(vm, SHARES, 2000)  # read again, and tried again
    assert here.settings.read(vm, SHARES) == 2000
    server.fault("fault", method="ReconfigVM_Task", type="ConcurrentAccess", text="changed")
    with pytest.raises(SoapFault, match="Somebody else changed the same object"):
        here.settings.write(vm, SHARES, 500)


def test_a_stale_configuration_is_refused_by_the_server(server: TestVCenter, site: Open) -> None:
    here = site(server)
    vm = here.first("VirtualMachine")
    stale = read_devices(Server(here.vsphere, here.tasks, load_acting()), vm).version
    here.settings.write(vm, SHARES, 2000)
    fresh = read_devices(Server(here.vsphere, here.tasks, load_acting()), vm).version
    assert stale != fresh


def test_a_server_that_stays_away_is_an_error_in_time(server: TestVCenter, site: Open) -> None:
    here = site(server, in_doubt_s=1.0)
    cluster = here.first("ClusterComputeResource")
    server.stop()
    began = time.monotonic()
    with pytest.raises(SourceError):
        here.settings.write(cluster, "drs.behaviour", "manual")
    assert time.monotonic() - began < 15


def test_a_fault_of_the_api_is_a_sentence_with_advice(server: TestVCenter, site: Open) -> None:
    here = site(server)
    vm = here.first("VirtualMachine")
    other = next(one for one in here.all("HostSystem") if one.id != here.settings.read(vm, "host"))
    server.fault("fault", method="RelocateVM_Task", type="InvalidState", text="in maintenance", count=1)
    with pytest.raises(SoapFault, match=r"refused moving .*in maintenance.*try again") as caught:
        here.settings.write(vm, "host", other.id)
    assert caught.value.type_name == "InvalidState"
    assert caught.value.__cause__ is not None


def test_after_a_cancel_nothing_is_begun_until_it_is_allowed(server: TestVCenter, site: Open) -> None:
    here = site(server)
    cluster = here.first("ClusterComputeResource")
    here.tasks.cancel()
    with pytest.raises(CancelledError, match="setting DRS of"):
        here.settings.write(cluster, "drs.behaviour", "manual")
    assert "ReconfigureComputeResource_Task" not in server.stats()["requests"]
    here.tasks.allow()
    here.settings.write(cluster, "drs.behaviour", "manual")


def test_a_close_ends_a_change_that_waits(server: TestVCenter, site: Open) -> None:
    here = site(server)
    cluster = here.first("ClusterComputeResource")
    server.fault("hang", method="ReconfigureComputeResource_Task")
    failures: list[BaseException] = []

    def work() -> None:
        try:
            here.settings.write(cluster, "drs.behaviour", "manual")
        except DisconnectedError as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    deadline = time.monotonic() + 10
    while not any(one["hits"] for one in server.faults()) and time.monotonic() < deadline:
        time.sleep(0.02)
    here.vsphere.close()
    thread.join(10)
    assert not thread.is_alive()
    assert len(failures) == 1
