"""Which VM of the inventory a scheduler group is: by its worlds, else by a name, which is called a guess."""

from __future__ import annotations

from collectors.esxtop_service.vm_identities import GroupOfVm, recognise
from collectors.lasting_vms import BY_NAME, BY_WORLD
from connections.vsphere.host_vms import HostVm, VmProcess, plain_uuid

A, B = "42" + "0a" * 15, "42" + "0b" * 15
"""UUIDs of BIOSes."""


def vm(moid: str, name: str, bios: str = A) -> HostVm:
    return HostVm(moid, name, f"instance-of-{moid}", bios)


def group(number: int, name: str, *worlds: int) -> GroupOfVm:
    return GroupOfVm(number, name, frozenset(worlds))


def told(groups: list[GroupOfVm], vms: list[HostVm], running: list[VmProcess]) -> dict[int, tuple[str, str]]:
    return {number: (one.vm.moid, one.how) for number, one in recognise(groups, vms, running).items()}


def test_a_world_tells_whatever_the_name() -> None:
    """The VM was renamed since it runs: its group still has the old name."""
    running = [VmProcess(2101, 2100, A, "sql01")]
    assert told([group(7, "sql01", 2100, 2108)], [vm("vm-1", "sql01-old")], running) == {
        7: ("vm-1", BY_WORLD)
    }


def test_two_vms_of_one_name_are_told_apart_by_their_worlds() -> None:
    groups = [group(7, "web", 2100), group(8, "web", 2200)]
    vms = [vm("vm-1", "web", A), vm("vm-2", "web", B)]
    running = [VmProcess(2201, 2200, A, "web"), VmProcess(2101, 2100, B, "web")]
    assert told(groups, vms, running) == {7: ("vm-2", BY_WORLD), 8: ("vm-1", BY_WORLD)}


def test_two_vms_of_one_name_are_never_joined_by_it() -> None:
    groups = [group(7, "web", 2100), group(8, "web", 2200)]
    assert told(groups, [vm("vm-1", "web", A), vm("vm-2", "web", B)], []) == {}
    assert told(groups, [vm("vm-1", "web", A)], []) == {}, "which of the groups is it?"
    assert told([groups[0]], [vm("vm-1", "web", A), vm("vm-2", "web", B)], []) == {}, (
        "which of the VMs is it?"
    )


def test_a_name_that_one_vm_has_is_a_guess() -> None:
    assert told([group(7, "dc01", 2100)], [vm("vm-1", "dc01")], []) == {7: ("vm-1", BY_NAME)}


def test_a_vm_that_its_worlds_told_is_no_other_group_s_by_name() -> None:
    groups = [group(7, "old", 2100), group(8, "web", 2200)]
    running = [VmProcess(2101, 2100, A, "old")]
    assert told(groups, [vm("vm-1", "web", A)], running) == {7: ("vm-1", BY_WORLD)}


def test_copies_that_share_the_uuid_of_their_bios_are_told_apart_by_name_or_not_at_all() -> None:
    running = [VmProcess(2101, 2100, A, "copy")]
    both = [vm("vm-1", "first"), vm("vm-2", "copy")]
    assert told([group(7, "copy", 2100)], both, running) == {7: ("vm-2", BY_WORLD)}
    twins = [vm("vm-1", "copy"), vm("vm-2", "copy")]
    assert told([group(7, "copy", 2100)], twins, running) == {}


def test_a_group_whose_worlds_are_two_vms_is_nobody_s() -> None:
    running = [VmProcess(1, 2100, A, "x"), VmProcess(2, 2101, B, "y")]
    assert told([group(7, "z", 2100, 2101)], [vm("vm-1", "x", A), vm("vm-2", "y", B)], running) == {}


def test_a_vm_without_an_instance_uuid_keeps_its_group() -> None:
    """An old VM that no vCenter has seen: nothing of it lasts."""
    nameless = HostVm("vm-1", "dc01", "", A)
    assert recognise([group(7, "dc01", 2100)], [nameless], []) == {}


def test_esxcli_writes_a_uuid_in_pairs() -> None:
    assert plain_uuid("42 0A 0a 0a 0a 0a 0a 0a-0a 0a 0a 0a 0a 0a 0a 0a") == A
    assert plain_uuid("no uuid") == plain_uuid("") == ""
