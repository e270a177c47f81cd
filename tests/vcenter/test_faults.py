"""The test vCenter's faults: each does what it says, to the calls it names, as often as it is told."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from xml.parsers.expat import ExpatError

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.peers import Peer
from tests.vcenter.running import PASSWORD, USER, PlainVcsim, TestVCenter

Start = Callable[..., TestVCenter]
Login = Callable[..., Peer]


@pytest.mark.parametrize(
    ("kind", "options", "error"),
    [
        ("disconnect", {}, http.client.RemoteDisconnected),
        ("lost", {}, http.client.RemoteDisconnected),
        ("hang", {"seconds": 0.1}, http.client.RemoteDisconnected),
        ("half", {"bytes": 100}, (ExpatError, http.client.IncompleteRead)),
        ("half", {"bytes": -10}, (ExpatError, http.client.IncompleteRead)),
        ("broken_xml", {}, ExpatError),
        ("empty", {}, ExpatError),
        ("status", {}, http.client.HTTPException),
        ("element_count", {}, vmodl.fault.InvalidRequest),
        ("max_query_metrics", {}, vim.fault.RestrictedByAdministrator),
        ("not_authenticated", {}, vim.fault.NotAuthenticated),
        ("fault", {"type": "SystemError", "text": "out of luck"}, vmodl.fault.SystemError),
    ],
)
def test_a_fault_breaks_so_many_calls(
    vcenter: TestVCenter, login: Login, kind: str, options: dict[str, object], error: type[Exception]
) -> None:
    peer = login(vcenter)
    vcenter.fault(kind, method="CurrentTime", count=2, skip=1, **options)
    peer.instance.CurrentTime()
    for _ in range(2):
        with pytest.raises(error):
            peer.instance.CurrentTime()
    peer.instance.CurrentTime()
    assert vcenter.stats()["requests"]["CurrentTime"] == 4
    assert vcenter.faults() == []


def test_a_page_instead_of_a_reply(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vcenter.fault("html", count=1)
    assert peer.instance.CurrentTime() is None, "pyVmomi takes a page for no result"


def test_slow_replies_and_those_that_hang_until_they_are_let_go(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vcenter.fault("slow", seconds=0.3, count=1)
    began = time.monotonic()
    peer.instance.CurrentTime()
    assert time.monotonic() - began >= 0.3
    vcenter.fault("hang", method="CurrentTime")
    errors: list[Exception] = []

    def ask() -> None:
        try:
            peer.instance.CurrentTime()
        except http.client.HTTPException as error:
            errors.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while not any(one["hits"] for one in vcenter.faults()):
        pass
    assert asking.is_alive()
    vcenter.clear()
    asking.join()
    assert len(errors) == 1


def test_an_expired_session_is_refused_and_what_waits_is_cut_off(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    waiting = login(vcenter)
    collector = waiting.content.propertyCollector
    first = collector.WaitForUpdatesEx("", None)
    errors: list[str] = []

    def wait() -> None:
        try:
            collector.WaitForUpdatesEx(first.version, None)
        except vim.fault.NotAuthenticated as error:
            errors.append(error.msg)

    thread = threading.Thread(target=wait)
    thread.start()
    while vcenter.stats()["requests"].get("WaitForUpdatesEx", 0) < 2:
        pass
    assert vcenter.fault("expire")["sessions"] == 2
    thread.join()
    assert errors == ["The session is not authenticated."]
    with pytest.raises(vim.fault.NotAuthenticated):
        peer.perf.QueryPerfProviderSummary(peer.content.rootFolder)
    assert vcenter.stats()["sessions"] == 0


def test_a_wrong_password_is_refused(vcenter: TestVCenter, login: Login) -> None:
    with pytest.raises(vim.fault.InvalidLogin, match="incorrect user name or password"):
        login(vcenter, USER, f"{PASSWORD}?")
    assert vcenter.stats()["sessions"] == 0


def test_who_may_not_read_is_told_so(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(hosts=1, vms=1, interval=1)
    peer = login(server)
    server.fault("deny", privileges=["System.Read"])
    session = peer.content.sessionManager.currentSession.key
    asked = peer.content.authorizationManager.HasPrivilegeOnEntities(
        [peer.content.rootFolder], session, ["System.Read", "System.View"]
    )
    assert [one.isGranted for one in asked[0].privAvailability] == [False, True]
    with pytest.raises(vim.fault.NoPermission) as caught:
        peer.perf.QueryPerfProviderSummary(peer.content.rootFolder)
    assert caught.value.privilegeId == "System.Read"


def test_changes_are_seen_with_their_events_and_tasks(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    vcenter.fault("vm_moved", vm="vm-00001", host="esx0002.lab", drs=True)
    assert vm.runtime.host.name == "esx0002.lab"
    assert vm in peer.all(vim.HostSystem)["esx0002.lab"].vm
    vcenter.fault("snapshot_created", vm="vm-00001")
    assert vm.snapshot.currentSnapshot is not None
    vcenter.fault("vm_reconfigured", vm="vm-00001", cpu_limit_mhz=500)
    assert vm.config.cpuAllocation.limit == 500
    vcenter.fault("vm_created", name="fresh", host="esx0001.lab")
    vcenter.fault("vm_renamed", vm="fresh", name="stale")
    vcenter.fault("vm_destroyed", vm="stale")
    vcenter.fault("host_connection", host="esx0001.lab", on=False)
    vcenter.fault("host_removed", host="esx0002.lab")
    assert list(peer.all(vim.HostSystem)) == ["esx0001.lab"]
    assert not set(peer.all(vim.VirtualMachine)) & {"vm-00002", "stale"}
    vcenter.fault("host_added", host="esx0002.lab")
    assert "vm-00002" in peer.all(vim.VirtualMachine)
    told = [
        type(one).__name__.split(".")[-1]
        for one in peer.content.eventManager.QueryEvents(vim.event.EventFilterSpec())
    ]
    assert [name for name in reversed(told) if "Session" not in name and "Datacenter" not in name] == [
        "TaskEvent", "DrsVmMigratedEvent", "TaskEvent", "TaskEvent", "VmReconfiguredEvent", "VmCreatedEvent",
        "TaskEvent", "VmRenamedEvent", "VmRemovedEvent", "HostConnectionLostEvent", "HostRemovedEvent",
        "HostAddedEvent",
    ]  # fmt: skip
    recent = [one.info.descriptionId for one in peer.content.taskManager.recentTask]
    assert recent[:2] == ["VirtualMachine.relocate", "VirtualMachine.createSnapshot"]


def test_a_wish_that_makes_no_sense_is_refused(vcenter: TestVCenter) -> None:
    for kind, options in (
        ("nonsense", {}),
        ("vm_moved", {"vm": "no one", "host": "esx0001.lab"}),
        ("slow", {"seconts": 1}),
    ):
        with pytest.raises(AssertionError, match="error"):
            vcenter.fault(kind, **options)


def test_a_standalone_host(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(esxi=True, hosts=2, vms=4, interval=1, history=60)
    peer = login(server)
    assert peer.content.about.apiType == "HostAgent"
    hosts, vms = peer.all(vim.HostSystem), peer.all(vim.VirtualMachine)
    assert (sorted(hosts), sorted(vms)) == (["esx0001.lab"], ["vm-00001", "vm-00003"])
    assert len(peer.query(vms["vm-00001"], [("cpu.ready.summation", "*")], 1, maxSample=5)) == 2


def test_plain_vcsim_runs_beside_it(vcsim: PlainVcsim, login: Login) -> None:
    peer = login(vcsim, "user", "pass")
    assert len(peer.all(vim.VirtualMachine)) == 4
    assert len(vcsim.thumbprint.split(":")) == 32


def test_a_vm_moves_and_is_restarted_between_clusters_while_somebody_watches(
    start_vcenter: Start, login: Login
) -> None:
    server = start_vcenter(clusters=2, hosts=4, vms=4, interval=1, history=60, rollup=10, rollup_days=0)
    peer, watcher = login(server), login(server)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    seen = watcher.hosts_of(watcher.all(vim.VirtualMachine)["vm-00001"])
    assert next(seen) == "esx0001.lab"
    for change, host in (
        ("vm_moved", "esx0002.lab"),
        ("ha_restart", "esx0003.lab"),
        ("vm_moved", "esx0004.lab"),
        ("ha_restart", "esx0001.lab"),
    ):
        server.fault(change, vm="vm-00001", host=host)
        assert next(seen) == host
        assert vm.runtime.host.name == host
        assert vm in peer.all(vim.HostSystem)[host].vm
    told = peer.content.eventManager.QueryEvents(vim.event.EventFilterSpec())
    ha = [one for one in told if isinstance(one, vim.event.EventEx)]
    assert {one.eventTypeId for one in ha} == {"com.vmware.vc.ha.VmRestartedByHAEvent"}
    assert len(ha) == 2
    assert {one.objectId for one in ha} == {vm._GetMoId()}


def test_an_event_that_no_type_has_is_about_what_it_names(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vcenter.fault("event", type="com.example.odd", host="esx0001.lab", text="odd")
    vcenter.fault("event", type="com.example.odd", text="odder")
    told = peer.content.eventManager.QueryEvents(vim.event.EventFilterSpec())
    odd = {one.message: one.objectId for one in told if isinstance(one, vim.event.EventEx)}
    host, [datacenter] = peer.all(vim.HostSystem)["esx0001.lab"], peer.all(vim.Datacenter).values()
    assert odd == {"odd": host._GetMoId(), "odder": datacenter._GetMoId()}
