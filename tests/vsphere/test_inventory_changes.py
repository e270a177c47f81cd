"""What changes in an inventory, as facts that end, events, and entities that stay who they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from collectors.vsphere.inventory.inventory_state import InventoryState
from collectors.vsphere.inventory.objects import Inventory
from collectors.vsphere.inventory.replies import Update
from collectors.vsphere.inventory.values import (
    Allocation,
    Devices,
    Ref,
    Snapshots,
    Value,
)
from sessions.model import EntityRef
from tests.vsphere.inventories import kinds, loaded, update
from tests.vsphere.small_world import (
    CLUSTER,
    GOLD,
    HOST,
    PORTGROUP,
    ROOT_POOL,
    STORE,
    VM,
    WORLD,
    host,
    vm,
)


def test_moving_and_switching_off_are_facts_and_events() -> None:
    kept, feed = loaded(*WORLD)
    kept.take([
        update("VirtualMachine", "vm-1", "modify", runtime__host=Ref("HostSystem", "host-2")),
        update("VirtualMachine", "vm-1", "modify", runtime__powerState="poweredOff"),
    ])  # fmt: skip
    feed.settle(kept, 5000)
    assert feed.history(VM, "host") == [("esx01", 1000, 5000), ("esx02", 5000, None)]
    assert feed.history(VM, "power_state") == [("poweredOn", 1000, 5000), ("poweredOff", 5000, None)]
    assert sorted((event.kind, event.text) for event in feed.events) == [
        ("power", "Power state of db01: poweredOff, before poweredOn"),
        ("vmotion", "db01 moved from esx01 to esx02"),
    ]
    assert (kept.objects["vm-1"].host, kept.objects["vm-1"].powered_on) == ("host-2", False)
    assert feed.settle(kept, 6000) == []


def test_a_limit_that_is_lifted_ends() -> None:
    kept, feed = loaded(*WORLD[1:], vm(config__cpuAllocation=Allocation(1000.0, 0.0, 2000.0)))
    kept.take(
        [update("VirtualMachine", "vm-1", "modify", config__cpuAllocation=Allocation(None, 0.0, 2000.0))]
    )
    feed.settle(kept, 4000)
    assert feed.history(VM, "cpu.limit_mhz") == [(1000.0, 1000, 4000)]
    kept.take(
        [update("VirtualMachine", "vm-1", "modify", config__cpuAllocation=Allocation(800.0, 0.0, 2000.0))]
    )
    feed.settle(kept, 7000)
    assert feed.history(VM, "cpu.limit_mhz") == [(1000.0, 1000, 4000), (800.0, 7000, None)]


def test_snapshots_of_backups_are_told_from_others() -> None:
    kept, feed = loaded(*WORLD)
    kept.take(
        [
            update(
                "VirtualMachine",
                "vm-1",
                "modify",
                snapshot=Snapshots(1, "2026-01-01T00:00:00Z", ("before patch",)),
            )
        ]
    )
    feed.settle(kept, 2000)
    both = ("before patch", "VEEAM BACKUP TEMPORARY SNAPSHOT")
    kept.take(
        [update("VirtualMachine", "vm-1", "modify", snapshot=Snapshots(2, "2026-01-01T00:00:00Z", both))]
    )
    feed.settle(kept, 3000)
    kept.take(
        [
            update(
                "VirtualMachine",
                "vm-1",
                "modify",
                snapshot=Snapshots(1, "2026-01-01T00:00:00Z", ("before patch",)),
            )
        ]
    )
    feed.settle(kept, 4000)
    kept.take([update("VirtualMachine", "vm-1", "modify", snapshot=None)])
    feed.settle(kept, 5000)
    assert kinds(feed.events) == ["snapshot", "backup", "backup", "snapshot"]
    assert [value for value, _, _ in feed.history(VM, "snapshots")] == [0.0, 1.0, 2.0, 1.0, 0.0]
    assert "snapshot.oldest" not in feed.facts(VM)


def test_mounts_are_events() -> None:
    kept, feed = loaded(*WORLD)
    new = update("Datastore", "datastore-2", name="slow", summary__url="ds:///vmfs/volumes/b1/")
    kept.take([new, update("HostSystem", "host-1", "modify", datastore=(Ref("Datastore", "datastore-2"),))])
    feed.settle(kept, 2000)
    assert {event.text for event in feed.events} == {
        "slow is there now",
        "esx01 has datastore slow now",
        "esx01 no longer has datastore fast",
    }


def test_what_leaves_ends_its_facts() -> None:
    kept, feed = loaded(*WORLD)
    kept.take([Update("leave", "VirtualMachine", "vm-1")])
    feed.settle(kept, 9000)
    assert feed.facts(VM) == {}
    assert feed.history(VM, "vcpus") == [(2.0, 1000, 9000)]
    assert [event.text for event in feed.events] == ["db01 is gone"]
    assert "vm-1" not in kept.objects
    kept.take([vm()])
    feed.settle(kept, 10000)
    assert feed.history(VM, "vcpus")[-1] == (2.0, 10000, None)


def test_a_shared_device_goes_on_when_one_host_leaves() -> None:
    kept, feed = loaded(*WORLD[:2], host("host-2", "esx02", depth=32.0), *WORLD[3:])
    device = EntityRef("device", "naa.60")
    assert feed.facts(device)["device.queue_depth"] == 64.0
    kept.take([Update("leave", "HostSystem", "host-1")])
    feed.settle(kept, 2000)
    assert feed.facts(EntityRef("nic", "esx01/vmnic0")) == {}
    assert feed.facts(device)["device.queue_depth"] == 32.0


def test_a_new_complete_reading_finds_the_differences() -> None:
    kept, feed = loaded(*WORLD)
    kept.begin()
    kept.take([one for one in WORLD if one.moid not in ("host-2", "vm-1")])
    kept.take([vm(config__hardware__numCPU=4.0), vm("vm-2", "new", "uuid-2")])
    said = feed.settle(kept, 8000, complete=True)
    assert feed.history(VM, "vcpus") == [(2.0, 1000, 8000), (4.0, 8000, None)]
    assert feed.facts(EntityRef("host", "esx02")) == {}
    assert {fact.entity.key.partition("/")[0] for fact in said} == {"uuid-1", "uuid-2", "esx02"}
    assert {event.text for event in feed.events} == {"new is there now", "esx02 is gone"}


def test_a_reading_that_breaks_off_ends_nothing() -> None:
    kept, feed = loaded(*WORLD)
    kept.begin()
    kept.take(WORLD[:2])
    kept.begin()
    kept.take(WORLD)
    assert feed.settle(kept, 8000, complete=True) == []
    assert feed.events == []


def test_names_that_come_late_reach_those_who_use_them() -> None:
    kept, feed = loaded(vm(), host("host-1", "esx01"), CLUSTER)
    assert "pool" not in feed.facts(VM)
    assert feed.facts(VM)["nic.4000.network"] == "dvportgroup-7"
    kept.take([ROOT_POOL, GOLD, STORE, PORTGROUP])
    feed.settle(kept, 2000)
    facts = feed.facts(VM)
    assert (facts["pool"], facts["nic.4000.network"]) == ("vc/resgroup-2", "dv-prod")
    assert "5c3f-aa" in kept.objects["vm-1"].instances


def test_a_renamed_vm_stays_the_same_entity() -> None:
    kept, feed = loaded(*WORLD)
    kept.take([update("VirtualMachine", "vm-1", "modify", name="db01-old")])
    feed.settle(kept, 2000)
    assert feed.facts(VM)["name"] == "db01-old"
    assert kept.objects["vm-1"].name == "db01-old"
    assert feed.entities[VM].name == "db01"


def test_a_renamed_host_keeps_its_key_and_placements() -> None:
    kept, feed = loaded(*WORLD)
    kept.take([update("HostSystem", "host-1", "modify", name="esx01.lab")])
    feed.settle(kept, 2000)
    assert kept.objects["host-1"].ref == HOST
    assert feed.facts(HOST)["name"] == "esx01.lab"
    assert feed.facts(VM)["host"] == "esx01"


def test_what_was_removed_and_added_again_is_the_same_under_its_new_moid() -> None:
    """A host that is taken out of a vCenter and put in again: it, its VMs and its datastores get new ids."""
    kept, feed = loaded(*WORLD)
    old = {"host-1": "host-71", "vm-1": "vm-71", "datastore-1": "datastore-71"}
    before = {moid: kept.objects[moid].ref for moid in old}
    name = feed.entities[before["host-1"]].name
    kept.take([Update("leave", kept.objects[moid].type, moid) for moid in old])
    again = vm("vm-71", runtime__host=Ref("HostSystem", "host-71"))
    kept.take([replace(STORE, moid="datastore-71"), host("host-71", name), again])
    assert kept.ref_even_if_gone("vm-71") == before["vm-1"], "its events come before it is described"
    feed.settle(kept, 2000)
    assert {moid: kept.objects[new].ref for moid, new in old.items()} == before
    assert feed.facts(before["vm-1"])["host"] == name
    kept.take([vm()])  # the old one, still there after all: two objects are not one entity
    feed.settle(kept, 3000)
    assert kept.objects["vm-1"].ref == EntityRef("vm", "vc/vm-1")
    assert kept.objects["vm-71"].ref == before["vm-1"]


def test_copied_vms_stay_apart() -> None:
    kept, _ = loaded(*WORLD, vm("vm-9", "copy", "uuid-1"))
    assert kept.objects["vm-1"].ref == VM
    assert kept.objects["vm-9"].ref == EntityRef("vm", "vc/vm-9")


def test_templates_and_vms_in_the_making_are_left_out() -> None:
    kept, feed = loaded(
        *WORLD[1:],
        vm(config__template=True),
        vm("vm-2", uuid=""),
        update("VirtualMachine", "vm-3", name="half", runtime__connectionState="orphaned"),
    )
    assert EntityRef("vm", "uuid-1") not in feed.entities
    assert kept.objects["vm-2"].ref == EntityRef("vm", "vc/vm-2")
    assert "vm-3" not in kept.objects
    kept.take([update("VirtualMachine", "vm-1", "modify", config__template=False)])
    feed.settle(kept, 2000)
    assert kept.objects["vm-1"].ref == VM
    kept.take([update("VirtualMachine", "vm-1", "modify", config__template=True)])
    feed.settle(kept, 3000)
    assert "vm-1" not in kept.objects
    assert feed.facts(VM) == {}


def test_drifting_free_space_is_no_news() -> None:
    kept, feed = loaded(*WORLD)
    store = EntityRef("datastore", "ds:///vmfs/volumes/5c3f-aa/")
    for step in (511, 510, 508):
        kept.take([update("Datastore", "datastore-1", "modify", summary__freeSpace=step * 1024.0**3)])
        feed.settle(kept, 1000 + step)
    assert [value for value, _, _ in feed.history(store, "datastore.free_mb")] == [524288.0]
    kept.take([update("Datastore", "datastore-1", "modify", summary__freeSpace=500 * 1024.0**3)])
    feed.settle(kept, 3000)
    assert [value for value, _, _ in feed.history(store, "datastore.free_mb")] == [524288.0, 512000.0]


def test_what_may_not_be_read_is_a_note_not_a_crash() -> None:
    kept, feed = loaded(
        Update(
            "enter", "VirtualMachine", "vm-1", vm().values[:6], (("config.hardware.device", "NoPermission"),)
        ),
        Update("enter", "HostSystem", "host-9", (), (("name", "NoPermission"),)),
    )
    assert feed.facts(VM)["power_state"] == "poweredOn"
    ((name, text),) = kept.notes
    assert name == "inventory.refused"
    assert text == (
        "Not readable: HostSystem.name of 1 object (NoPermission); "
        "VirtualMachine.config.hardware.device of 1 object (NoPermission)"
    )
    again = Update("modify", "VirtualMachine", "vm-1", (), (("config.hardware.device", "NoPermission"),))
    kept.take([again, Update("leave", "HostSystem", "host-9")])
    feed.settle(kept, 2000)
    device = "VirtualMachine.config.hardware.device of 1 object (NoPermission)"
    assert kept.notes == [("inventory.refused", f"Not readable: {device}")]
    kept.take([update("VirtualMachine", "vm-1", "modify", config__hardware__device=Devices((), ()))])
    assert kept.notes == []


def test_snapshots_of_the_inventory_stay_as_they_were() -> None:
    kept, feed = loaded(*WORLD)
    first = Inventory(dict(kept.objects), 1)
    kept.take([update("VirtualMachine", "vm-1", "modify", runtime__powerState="poweredOff")])
    kept.take([Update("leave", "HostSystem", "host-2")])
    feed.settle(kept, 2000)
    second = Inventory(dict(kept.objects), 2)
    before, after = first.objects, second.objects
    assert {moid for moid in before if before[moid] != after.get(moid)} == {"vm-1", "host-2"}
    assert set(after) < set(before)
    assert [one.name for one in second.of("HostSystem")] == ["esx01"]


def test_a_host_is_off_when_it_was_switched_off_not_when_it_is_silent() -> None:
    kept, feed = loaded(*WORLD)
    for state, connection, expected in (
        ("poweredOn", "connected", (True, True)),
        ("unknown", "notResponding", (True, False)),
        ("standBy", "notResponding", (False, False)),
        ("poweredOff", "disconnected", (False, False)),
    ):
        paths: dict[str, Value] = {"runtime__powerState": state, "runtime__connectionState": connection}
        kept.take([update("HostSystem", "host-1", "modify", **paths)])
        feed.settle(kept, 2000)
        one = kept.objects["host-1"]
        assert (one.powered_on, one.connected) == expected


def hosts_of(kept: InventoryState) -> dict[str, EntityRef]:
    return {moid: one.ref for moid, one in kept.objects.items() if one.type == "HostSystem"}


def test_hosts_of_the_same_name_are_two() -> None:
    kept, feed = loaded(
        host("host-1", "localhost.localdomain", uuid="A-0001"),
        host("host-2", "localhost.localdomain", uuid="A-0002"),
    )
    found = hosts_of(kept)
    assert [ref.key for ref in found.values()] == ["localhost.localdomain", "localhost.localdomain (0002)"]
    assert {feed.entities[ref].name for ref in found.values()} == {"localhost.localdomain"}
    assert feed.facts(found["host-2"])["uuid"] == "a-0002"


def test_a_host_that_is_renamed_stays_what_it_was() -> None:
    """Also where that takes removing it and adding it again by its new name, which gives it a new id."""
    kept, feed = loaded(host("host-1", "esx01", uuid="A-0001"))
    kept.take([Update("leave", "HostSystem", "host-1"), host("host-9", "esx01.lab", uuid="A-0001")])
    feed.settle(kept, 2000)
    assert hosts_of(kept) == {"host-9": EntityRef("host", "esx01")}
    assert kept.objects["host-9"].name == "esx01.lab"


@pytest.mark.parametrize("uuid", ["", "00000000-0000-0000-0000-000000000000", "A-0001"])
def test_hosts_without_an_identity_of_their_own_have_their_ids(uuid: str) -> None:
    """No UUID, none that says anything, or the one of the host that theirs was cloned from."""
    kept, feed = loaded(host("host-1", "esx01", uuid=uuid), host("host-2", "esx02", uuid=uuid))
    assert hosts_of(kept) == {
        "host-1": EntityRef("host", "esx01"),
        "host-2": EntityRef("host", "esx02"),
    }
    assert feed.facts(EntityRef("host", "esx02"))["moid"] == "vc/host-2"
    assert "uuid" not in feed.facts(EntityRef("host", "esx02"))


def test_what_all_hosts_alone_call_themselves_tells_none_of_them() -> None:
    _, feed = loaded(host("ha-host", "esx01", "", uuid="A-0001"), vcenter=None)
    facts = feed.facts(EntityRef("host", "esx01"))
    assert facts["uuid"] == "a-0001"
    assert "moid" not in facts
