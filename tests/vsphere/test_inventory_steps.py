"""Whatever happens in whatever order: what is known in the end is what one reading at the end would tell."""

from __future__ import annotations

from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from collectors.vsphere.inventory.inventory_state import InventoryState
from collectors.vsphere.inventory.replies import Update
from collectors.vsphere.inventory.values import Allocation, Ref
from sessions.identities import Identities
from tests.vsphere.inventories import EVENTS, KNOWN, VCENTER, KeptFeed, loaded, update
from tests.vsphere.small_world import CLUSTER, GOLD, HOST, PORTGROUP, ROOT_POOL, STORE, WORLD, host, vm

_FIXED = (CLUSTER, ROOT_POOL, GOLD, STORE, PORTGROUP)
_VMS = {f"vm-{n}": f"uuid-{n}" for n in range(1, 4)}
_HOSTS = {"host-1": "esx01", "host-2": "esx02"}

_Steps = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.sampled_from(list(_VMS)), st.sampled_from(list(_HOSTS))),
        st.tuples(
            st.just("power"), st.sampled_from(list(_VMS)), st.sampled_from(["poweredOn", "poweredOff"])
        ),
        st.tuples(st.just("limit"), st.sampled_from(list(_VMS)), st.sampled_from(["100", "200", ""])),
        st.tuples(st.just("gone"), st.sampled_from([*_VMS, "host-2"]), st.just("")),
        st.tuples(st.just("settle"), st.just(""), st.just("")),
    ),
    max_size=25,
)


@given(_Steps)
def test_changes_come_to_the_same_as_a_new_reading(steps: list[tuple[str, str, str]]) -> None:
    world = {
        **{moid: vm(moid, moid, uuid) for moid, uuid in _VMS.items()},
        **{moid: host(moid, name) for moid, name in _HOSTS.items()},
    }
    kept, feed = loaded(*_FIXED, *world.values())
    at = 2000
    for what, moid, value in steps:
        at += 1000
        if what == "settle":
            feed.settle(kept, at)
        elif what == "gone":
            for one in _on(moid, world):  # a vCenter lets a host go only when its VMs are elsewhere
                _apply(_change("move", one, "host-1"), kept, world)
            kept.take([Update("leave", "VirtualMachine" if moid in _VMS else "HostSystem", moid)])
            world.pop(moid, None)
        elif what != "move" or value in world:
            _apply(_change(what, moid, value), kept, world)
    feed.settle(kept, at + 1000)
    again, anew = loaded(*_FIXED, *world.values())
    assert feed.facts() == anew.facts()
    assert kept.objects == again.objects


def _apply(change: Update, kept: InventoryState, world: dict[str, Update]) -> None:
    kept.take([change])
    if change.moid in world:
        values = {**dict(world[change.moid].values), **dict(change.values)}
        world[change.moid] = replace(world[change.moid], values=tuple(values.items()))


def _on(moid: str, world: dict[str, Update]) -> list[str]:
    """The VMs whose host is this one."""
    return [
        one for one in _VMS if one in world and Ref("HostSystem", moid) in dict(world[one].values).values()
    ]


def _change(what: str, moid: str, value: str) -> Update:
    if what == "move":
        return update("VirtualMachine", moid, "modify", runtime__host=Ref("HostSystem", value))
    if what == "power":
        return update("VirtualMachine", moid, "modify", runtime__powerState=value)
    limit = Allocation(float(value) if value else None, 0.0, 2000.0)
    return update("VirtualMachine", moid, "modify", config__cpuAllocation=limit)


def test_too_many_paths_are_left_out_and_said() -> None:
    known = msgspec.structs.replace(KNOWN, reading=msgspec.structs.replace(KNOWN.reading, max_paths=1))
    kept, feed = InventoryState("vc", Identities().identify, VCENTER, known, EVENTS), KeptFeed()
    kept.begin()
    kept.take(WORLD)
    feed.settle(kept, 1000, complete=True)
    assert not [ref for ref in feed.entities if ref.kind == "path"]
    assert kept.notes == [("inventory.paths", "2 storage paths are too many to be listed.")]


def test_churn_leaves_nothing_behind() -> None:
    kept, feed = loaded(*WORLD)
    sizes = []
    for round_ in range(3):
        for n in range(200):
            kept.take([vm(f"vm-x{round_}-{n}", "clone", f"uuid-x{round_}-{n}")])
        feed.settle(kept, 5000 + round_ * 10)
        for n in range(200):
            kept.take([Update("leave", "VirtualMachine", f"vm-x{round_}-{n}")])
        feed.settle(kept, 5005 + round_ * 10)
        told, look = kept._reported, kept._index
        sizes.append((len(told._entities), len(told._facts), len(look.objects), len(look._refs)))
    assert sizes[0] == sizes[1] == sizes[2]
    assert kept.ref_even_if_gone("vm-x0-7") is not None
    assert feed.facts(HOST)
