"""The inventory of simulated vCenters: loaded, followed, and found again after what goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyVmomi import vim

from collectors.vsphere.inventory.objects import DATASTORE, HOST, VM, Managed
from collectors.vsphere.inventory.watcher import InventoryWatcher
from connections.vsphere.address import parse_address
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from resources.failures import SourceError
from sessions.model import EntityRef
from tests.vcenter.running import PASSWORD, PlainVcsim, TestVCenter
from tests.vsphere.inventories import EVENTS, KeptFeed, kinds

_WAIT_S = 5


class Stop:
    """Controls that a test can pull."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.paused = False

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        return self._event.wait(timeout)


@contextmanager
def connected(server: TestVCenter | PlainVcsim, address: str = "") -> Iterator[VSphere]:
    own = parse_address(address or server.address)
    with VSphere(own, lambda: PASSWORD, thumbprint=server.place.thumbprint, read_s=30) as vsphere:
        yield vsphere


@contextmanager
def watching(server: TestVCenter | PlainVcsim) -> Iterator[tuple[InventoryWatcher, KeptFeed, VSphere]]:
    """A watcher that has loaded, with a feed that keeps what it gets."""
    with connected(server) as vsphere:
        feed = KeptFeed()
        watcher = InventoryWatcher(vsphere, feed, 1)
        watcher.load()
        yield watcher, feed, vsphere


def follow(watcher: InventoryWatcher, until: Callable[[], bool]) -> None:
    """Rounds until something holds, however long the server takes."""
    for _ in range(60):
        watcher._next_events = 0.0  # as if the time for events had come
        watcher.follow(1)
        if until():
            return
    raise AssertionError("it never came")


def named(watcher: InventoryWatcher, kind: str) -> dict[str, Managed]:
    return {one.name: one for one in watcher.snapshot().of(kind)}


def test_plain_vcsim_is_loaded_whole(vcsim: PlainVcsim) -> None:
    with watching(vcsim) as (watcher, feed, vsphere):
        found = named(watcher, VM)
        assert set(found) == {"DC0_H0_VM0", "DC0_H0_VM1", "DC0_C0_RP0_VM0", "DC0_C0_RP0_VM1"}
        assert len(named(watcher, HOST)) == 4
        assert watcher.notes == ()
        own = found["DC0_C0_RP0_VM0"]
        assert set(own.instances) >= {"0", "scsi0:0", "4000", "LocalDS_0"}
        facts = feed.facts(own.ref)
        assert facts["power_state"] == "poweredOn"
        assert facts["vcpus"] == 1.0
        assert facts["snapshots"] == 0.0
        assert facts["nic.4000.network"] == "DC0_DVPG0"
        assert (
            feed.entities[own.ref].parent
            == feed.entities[EntityRef("cluster", f"{vsphere.about.instance_uuid}/{own.cluster}")].ref
        )
        assert feed.entities[EntityRef("vcenter", vsphere.about.instance_uuid)].name == vsphere.address.place
        assert {one.name for one in watcher.snapshot().of(DATASTORE)} == {"LocalDS_0"}
        assert feed.events == []


def test_plain_vcsim_is_followed() -> None:
    with PlainVcsim() as server, watching(server) as (watcher, feed, vsphere):
        own = named(watcher, VM)["DC0_H0_VM0"]

        def power_off() -> None:
            vsphere.ask("power", lambda connection: _vm(connection, own.moid).PowerOffVM_Task())

        power_off()
        follow(watcher, lambda: not watcher.snapshot().objects[own.moid].powered_on)
        assert feed.facts(own.ref)["power_state"] == "poweredOff"
        vsphere.ask("destroy", lambda connection: _vm(connection, own.moid).Destroy_Task())
        # v0.46.0 panics over the object that is gone, and the connection breaks
        follow(Patient(watcher), lambda: own.moid not in watcher.snapshot().objects)  # type: ignore[arg-type]
        assert feed.facts(own.ref) == {}
        assert kinds(feed.events, own.ref)[:1] == ["power"]


def test_changes_become_facts_and_events(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, feed, _):
        hosts, vms = named(watcher, HOST), named(watcher, VM)
        own = next(iter(vms.values()))
        there = next(name for name, one in hosts.items() if one.moid != own.host)
        vcenter.fault("vm_moved", vm=own.name, host=there)
        follow(watcher, lambda: watcher.snapshot().objects[own.moid].host == hosts[there].moid)
        vcenter.fault("vm_power", vm=own.name, on=False)
        follow(watcher, lambda: not watcher.snapshot().objects[own.moid].powered_on)
        vcenter.fault("vm_reconfigured", vm=own.name, cpu_limit_mhz=500, vcpus=4)
        follow(watcher, lambda: feed.facts(own.ref).get("cpu.limit_mhz") == 500.0)
        vcenter.fault("snapshot_created", vm=own.name)
        follow(watcher, lambda: feed.facts(own.ref)["snapshots"] == 1.0)
        vcenter.fault("vm_renamed", vm=own.name, name="renamed%2fvm")
        follow(watcher, lambda: "name" in feed.facts(own.ref))
        facts = feed.facts(own.ref)
        assert facts["host"] == there
        assert facts["vcpus"] == 4.0
        assert facts["power_state"] == "poweredOff"
        assert watcher.snapshot().objects[own.moid].vcpus == 4
        assert EntityRef("vcpu", f"{own.ref.key}/vcpu/3") in feed.entities
        placements = feed.history(own.ref, "host")
        assert [value for value, _, _ in placements] == [
            next(name for name, one in hosts.items() if one.moid == own.host),
            there,
        ]
        assert placements[0][2] == placements[1][1]
        watcher._report_due(at_once=True)
        found = kinds(feed.events, own.ref)
        assert {"vmotion", "power", "reconfigure", "snapshot"} <= set(found)
        assert found.count("power") == 1, "the inventory said again what the server had said"


def test_a_host_that_is_removed_takes_its_facts_along(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, feed, _):
        name, gone = next(iter(named(watcher, HOST).items()))
        vcenter.fault("host_removed", host=name)
        follow(watcher, lambda: gone.moid not in watcher.snapshot().objects)
        follow(watcher, lambda: all(one.host != gone.moid for one in watcher.snapshot().of(VM)))
        assert feed.facts(gone.ref) == {}
        assert "inventory" in kinds(feed.events, gone.ref) + kinds(feed.events)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("expire", {}),
        ("disconnect", {"method": "WaitForUpdatesEx", "count": 1}),
        ("lost", {"method": "WaitForUpdatesEx", "count": 1}),
        ("half", {"method": "WaitForUpdatesEx", "count": 1, "bytes": -30}),
        ("broken_xml", {"method": "WaitForUpdatesEx", "count": 1}),
        ("empty", {"method": "WaitForUpdatesEx", "count": 1}),
        ("html", {"method": "WaitForUpdatesEx", "count": 1}),
        ("status", {"method": "WaitForUpdatesEx", "count": 1, "status": 503}),
        ("not_authenticated", {"method": "WaitForUpdatesEx", "count": 1}),
        (
            "fault",
            {"method": "WaitForUpdatesEx", "count": 1, "type": "ManagedObjectNotFound", "text": "gone"},
        ),
        ("fault", {"method": "CreateCollectorForEvents", "count": 1, "type": "SystemError", "text": "no"}),
    ],
)
def test_nothing_is_missed_whatever_goes_wrong(
    vcenter: TestVCenter, kind: str, options: dict[str, object]
) -> None:
    with watching(vcenter) as (watcher, feed, _):
        own = next(iter(named(watcher, VM).values()))
        follow(watcher, lambda: True)
        vcenter.fault(kind, **options)
        vcenter.fault("vm_power", vm=own.name, on=False)
        patient = Patient(watcher)
        follow(patient, lambda: not watcher.snapshot().objects[own.moid].powered_on)  # type: ignore[arg-type]
        assert [value for value, _, _ in feed.history(own.ref, "power_state")] == ["poweredOn", "poweredOff"]
        assert len(feed.history(own.ref, "vcpus")) == 1, "what did not change was said again"
        watcher._report_due(at_once=True)
        assert kinds(feed.events, own.ref).count("power") == 1


class Patient:
    """A watcher whose rounds may fail, as ``run`` lets them."""

    def __init__(self, watcher: InventoryWatcher) -> None:
        self._watcher = watcher
        self._next_events = 0.0

    def follow(self, wait_s: int) -> None:
        self._watcher._next_events = 0.0
        try:
            self._watcher.follow(wait_s)
        except SourceError:
            self._watcher._vsphere.check()


def test_a_restart_is_a_new_beginning_with_the_same_identities(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, feed, _):
        before = watcher.snapshot()
        own = next(iter(named(watcher, VM).values()))
        vcenter.fault("vm_power", vm=own.name, on=False)
        follow(watcher, lambda: not watcher.snapshot().objects[own.moid].powered_on)
        stop = Stop()
        thread = threading.Thread(target=watcher.run, args=(stop,))
        thread.start()
        vcenter.restart()
        for _ in range(300):
            if watcher.snapshot().objects[own.moid].powered_on:
                break
            stop.wait(0.1)
        stop.set()
        watcher.cancel()
        thread.join(300)
        assert not thread.is_alive()
        assert {one.ref for one in watcher.snapshot().objects.values()} == {
            one.ref for one in before.objects.values()
        }
        assert [value for value, _, _ in feed.history(own.ref, "power_state")] == [
            "poweredOn",
            "poweredOff",
            "poweredOn",
        ]


def test_closing_the_connection_ends_a_run_at_once(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, _, vsphere):
        stop = Stop()
        thread = threading.Thread(target=watcher.run, args=(stop,))
        thread.start()
        stop.set()
        vsphere.close()
        thread.join(5)
        assert not thread.is_alive()


def test_what_is_denied_is_noted(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=1, vms=1, history=2, rollup_days=0)
    with connected(server) as vsphere:
        feed = KeptFeed()
        watcher = InventoryWatcher(vsphere, feed, 1)
        server.fault(
            "fault", method="CreateCollectorForEvents", count=1, type="NoPermission", text="Permission denied"
        )
        watcher.load()
        watcher.follow(0)
        assert [name for name, _ in watcher.notes] == ["events"]
        own = next(iter(named(watcher, VM).values()))
        server.fault("vm_power", vm=own.name, on=False)
        follow(watcher, lambda: bool(feed.events))
        assert kinds(feed.events, own.ref) == ["power"]


def test_an_esxi_host_needs_no_vcenter(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(esxi=True, history=2, rollup_days=0)
    with connected(server, server.address.replace("vcenter://", "esxi://")) as vsphere:
        feed = KeptFeed()
        watcher = InventoryWatcher(vsphere, feed, 1)
        watcher.load()
        watcher.follow(0)
        assert len(named(watcher, HOST)) == 1
        assert not {"vcenter", "cluster"} & {ref.kind for ref in feed.entities}


def test_thousands_of_vms(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=10, vms=1500, history=2, rollup_days=0)
    with watching(server) as (watcher, feed, vsphere):
        assert len(named(watcher, VM)) == 1500
        assert sum(ref.kind == "vm" for ref in feed.entities) == 1500
        said = len(feed.written)
        server.fault("expire")
        vsphere.check()
        watcher.follow(0)
        assert len(feed.written) == said, "a new session said again what was known"


def test_events_are_read_once_however_often_one_looks(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, feed, _):
        own = next(iter(named(watcher, VM).values()))
        for _ in range(3):
            vcenter.fault("event", type="VmResettingEvent", vm=own.name, text="reset")
        follow(watcher, lambda: len(feed.events) >= 3)
        for _ in range(3):
            follow(watcher, lambda: True)
        assert kinds(feed.events) == ["power"] * 3
        assert EVENTS.reading.look_back_s > 0


def _vm(connection: Connection, moid: str) -> Any:
    return vim.VirtualMachine(moid, connection.stub)
