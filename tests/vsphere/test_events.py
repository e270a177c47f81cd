"""Events: the server's, those that only the inventory noticed, and which of them mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyVmomi import vim

from collectors.vsphere.inventory.events import (
    Pairing,
    RawEvent,
    ReportedEvent,
    instant,
    noticed_event,
    read_events,
    reported_event,
)
from resources.failures import KnowledgeError
from resources.vcenter_events import EVENTS_FILE, Meaning, load_events
from resources.vcenter_inventory import INVENTORY_FILE, load_inventory_knowledge
from sessions.model import EntityRef, Event
from tests.vsphere.inventories import EVENTS, envelope

VM = EntityRef("vm", "uuid-1")
HOST = EntityRef("host", "esx01")
_REFS = {"vm-1": VM, "host-1": HOST}


def raw(type_: str, *, at: int = 1000, user: str = "root", text: str = "text", task: str = "") -> RawEvent:
    return RawEvent("1", at, type_, user, text, ("vm-1", "host-1"), task)


def heard(type_: str, **more: object) -> ReportedEvent:
    found = reported_event(raw(type_, **more), EVENTS, _REFS.get)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_events_as_the_server_sends_them() -> None:
    body = """<returnval xsi:type="VmMigratedEvent"><key>7</key><chainId>7</chainId>
      <createdTime>2026-01-02T03:04:05.678901Z</createdTime><userName>LAB\\admin</userName>
      <computeResource><name>c</name>
        <computeResource type="ClusterComputeResource">domain-c1</computeResource></computeResource>
      <host><name>esx02</name><host type="HostSystem">host-2</host></host>
      <vm><name>db01</name><vm type="VirtualMachine">vm-1</vm></vm>
      <fullFormattedMessage>db01 moved</fullFormattedMessage></returnval>
      <returnval xsi:type="TaskEvent"><key>8</key><createdTime>2026-01-02T03:04:06+01:00</createdTime>
        <userName/>
      <info><descriptionId>VirtualMachine.createSnapshot</descriptionId></info></returnval>
      <returnval xsi:type="EventEx"><key>9</key><createdTime>2026-01-02T03:04:07</createdTime>
      <eventTypeId>com.vmware.vc.ha.VmRestartedByHAEvent</eventTypeId><message>restarted</message>
      <objectId>vm-1</objectId></returnval>
      <returnval xsi:type="VmPoweredOnEvent"><key>10</key><createdTime>yesterday</createdTime></returnval>"""
    moved, task, restarted = read_events(envelope("ReadNextEvents", body))
    assert moved == RawEvent(
        "7", 1767323045679, "VmMigratedEvent", "LAB\\admin", "db01 moved", ("vm-1", "host-2", "domain-c1"),
        chain="7",
    )  # fmt: skip
    assert (task.type, task.task, task.at) == ("TaskEvent", "VirtualMachine.createSnapshot", 1767319446000)
    assert (restarted.type, restarted.text, restarted.moids) == (
        "com.vmware.vc.ha.VmRestartedByHAEvent",
        "restarted",
        ("vm-1",),
    )


def test_times_of_all_spellings() -> None:
    assert instant("1970-01-01T00:00:01Z") == 1000
    assert instant("1970-01-01T01:00:01.5+01:00") == 1500
    assert instant("1970-01-01T00:00:01.123456789Z") == 1123
    assert instant("1970-01-01T00:00:01") == 1000
    assert instant("") is None


@pytest.mark.parametrize(
    ("type_", "kind", "tells"),
    [
        ("VmMigratedEvent", "vmotion", "host"),
        ("com.vmware.vc.vm.SrcVmMigratedEvent", "vmotion", "host"),
        ("com.vmware.vc.vm.DstVmMigratedEvent", "vmotion", "host"),
        ("DrsVmMigratedEvent", "drs", "host"),
        ("VmRelocatedEvent", "storage_vmotion", "host"),
        ("VmPoweredOnEvent", "power", "power_state"),
        ("VmRestartedOnAlternateHostEvent", "ha", "host"),
        ("VmReconfiguredEvent", "reconfigure", "*"),
        ("HostRemovedEvent", "inventory", "entity"),
        ("EnteredMaintenanceModeEvent", "host", "maintenance"),
        ("esx.problem.hardware.fpin.fc.peercongestion.creditstall", "storage", ""),
        ("esx.problem.vmfs.nfs.volume.io.latency.exceed.threshold.period", "storage", ""),
        ("esx.problem.vm.kill.unexpected.vmtrack", "memory", ""),
    ],
)
def test_kinds(type_: str, kind: str, tells: str) -> None:
    assert EVENTS.events[type_] == Meaning(kind, tells)
    assert heard(type_).event == Event(1000, kind, "text", VM, None, "event/1/1000", "root")


def test_what_is_not_recorded() -> None:
    assert reported_event(raw("UserLoginSessionEvent"), EVENTS, _REFS.get) is None
    assert reported_event(raw("TaskEvent", task="SessionManager.login"), EVENTS, _REFS.get) is None
    assert reported_event(raw("TaskEvent"), EVENTS, _REFS.get) is None


@pytest.mark.parametrize(
    ("user", "kind"),
    [
        ("LAB\\svc-veeam", "backup"),
        ("VSPHERE.LOCAL\\backup01", "backup"),
        ("LAB\\alice", "snapshot"),
        ("", "snapshot"),
    ],
)
def test_who_asks_for_a_snapshot_tells_backups(user: str, kind: str) -> None:
    assert heard("TaskEvent", user=user, task="VirtualMachine.createSnapshot").event.kind == kind


@pytest.mark.parametrize(
    ("name", "is_backup"),
    [
        ("VEEAM BACKUP TEMPORARY SNAPSHOT", True),
        ("NBU_SNAPSHOT srv01 1700000000", True),
        ("__GX_BACKUP__", True),
        ("nightly-backup", True),
        ("before patch", False),
        ("backupserver move", False),
    ],
)
def test_names_of_snapshots_tell_backups(name: str, is_backup: bool) -> None:
    assert EVENTS.is_backup(snapshot=name) is is_backup


def test_foreign_text_is_plain_and_short() -> None:
    text = heard("VmPoweredOnEvent", text="<b>on</b>\n\x00\u202e" + "x" * 5000).event.text
    assert text.startswith("<b>on</b> x")
    assert len(text) == EVENTS.text.clip
    assert heard("VmPoweredOnEvent", text="").event.text == "VmPoweredOnEvent"


def test_what_the_inventory_noticed_has_words() -> None:
    event = noticed_event("maintenance", 5, HOST, EVENTS, name="esx01", before=False, after=True)
    assert event == Event(5, "host", "Maintenance mode of esx01: on, before off", HOST)
    assert noticed_event("vcpus", 5, VM, EVENTS, name="x", before=1, after=2) is None


def moved(at: int) -> Event:
    return Event(at, "vmotion", "db01 moved", VM)


def test_the_servers_word_counts() -> None:
    pairing = Pairing(EVENTS)
    pairing.notice("host", moved(2000), 2000)
    pairing.take_events([heard("VmMigratedEvent")])
    assert pairing.due(10_000_000) == []
    pairing = Pairing(EVENTS)
    pairing.take_events([heard("DrsVmMigratedEvent")])
    pairing.notice("host", moved(2000), 2000)
    assert pairing.due(10_000_000) == []


def test_a_change_without_an_event_speaks_for_itself_in_time() -> None:
    pairing = Pairing(EVENTS)
    pairing.notice("host", moved(2000), 2000)
    pairing.take_events([heard("VmPoweredOnEvent"), heard("VmMigratedEvent", at=2000 + 91_000)])
    assert pairing.due(2000 + 29_999) == []
    assert pairing.due(2000 + 30_000) == [moved(2000)]
    assert pairing.due(10_000_000) == []
    pairing.notice("host", moved(10_000_000), 10_000_000)
    assert pairing.due(10_000_001, at_once=True) == [moved(10_000_000)]


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ('kind = "guest"', "kind = 7", "str"),
        ('types = ["VmGuestOSCrashedEvent"]', 'types = ["VmMigratedEvent"]', "twice"),
        ("'.*VEEAM", "'(.*VEEAM", "regular expression"),
        ('source = "Veeam KB 1790"', 'source = ""', "source"),
        ("{name} is gone", "{nobody} is gone", "nobody"),
        ("clip = 300", "clop = 300", "clop"),
    ],
)
def test_wrong_knowledge_is_refused(tmp_path: Path, before: str, after: str, problem: str) -> None:
    text = EVENTS_FILE.read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "events.toml"
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(KnowledgeError, match=problem):
        load_events(path)


@pytest.mark.parametrize(
    ("before", "after"), [("wait_s = 10 ", "wait_s = 0 "), ("= 0.01", "= 1.5"), ("page =", "pages =")]
)
def test_wrong_inventory_knowledge_is_refused(tmp_path: Path, before: str, after: str) -> None:
    text = INVENTORY_FILE.read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "inventory.toml"
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(KnowledgeError):
        load_inventory_knowledge(path)


def test_event_types_are_the_apis() -> None:
    for name in EVENTS.events:
        if not name.startswith(("com.vmware.", "esx.")):
            assert issubclass(getattr(vim.event, name), vim.event.Event)
