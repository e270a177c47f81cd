"""The test vCenter's custom attributes behave as the CustomFieldsManager's documents say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.peers import Peer
from tests.vcenter.running import TestVCenter

Login = Callable[..., Peer]


def _values(peer: Peer, entity: Any) -> dict[str, str]:
    names = {one.key: one.name for one in peer.content.customFieldsManager.field}
    assert [one.key for one in entity.customValue] == [one.key for one in entity.value]
    return {names[one.key]: one.value for one in entity.value}


def test_a_value_is_set_changed_and_read_back(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    manager = peer.content.customFieldsManager
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    lock = manager.AddFieldDefinition("vpw.lock", vim.VirtualMachine, None, None)
    other = manager.AddFieldDefinition("owner", None, None, None)
    assert (lock.name, lock.managedObjectType, lock.type) == ("vpw.lock", vim.VirtualMachine, str)
    assert [one.name for one in vm.availableField] == ["vpw.lock", "owner"]
    manager.SetField(vm, lock.key, "run-1")
    manager.SetField(vm, other.key, "me & <you>")
    vm.SetCustomValue("vpw.lock", "run-2")
    assert _values(peer, vm) == {"vpw.lock": "run-2", "owner": "me & <you>"}
    assert not peer.all(vim.VirtualMachine)["vm-00002"].value
    manager.SetField(vm, lock.key, "")
    assert _values(peer, vm)["vpw.lock"] == ""
    manager.RemoveFieldDefinition(lock.key)
    assert _values(peer, vm) == {"owner": "me & <you>"}
    with pytest.raises(vim.fault.NotFound):
        manager.RemoveFieldDefinition(lock.key)


def test_a_name_is_defined_once(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    manager = peer.content.customFieldsManager
    manager.AddFieldDefinition("vpw.lock", vim.VirtualMachine, None, None)
    for kind in (vim.VirtualMachine, None):
        with pytest.raises(vim.fault.DuplicateName) as caught:
            manager.AddFieldDefinition("vpw.lock", kind, None, None)
        assert caught.value.name == "vpw.lock"
    of_stores = manager.AddFieldDefinition("vpw.lock", vim.Datastore, None, None)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    with pytest.raises(vmodl.fault.InvalidArgument) as wrong:
        manager.SetField(vm, of_stores.key, "run-1")
    assert wrong.value.invalidProperty == "key"
    manager.SetField(peer.all(vim.Datastore)["datastore-001-1"], of_stores.key, "run-1")


def test_a_change_of_a_value_is_an_event_with_what_it_was(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    manager = peer.content.customFieldsManager
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    key = manager.AddFieldDefinition("vpw.lock", vim.VirtualMachine, None, None).key
    manager.SetField(vm, key, "mine")
    vcenter.fault("field_changed", vm="vm-00001", name="vpw.lock", value="theirs", user="LAB\\Eve")
    assert _values(peer, vm) == {"vpw.lock": "theirs"}
    told = peer.events(vim.event.CustomFieldValueChangedEvent)
    assert [(one.userName, one.prevState, one.value) for one in told] == [
        ("VSPHERE.LOCAL\\Administrator", None, "mine"),
        ("LAB\\Eve", "mine", "theirs"),
    ]
    assert told[-1].entity.entity == vm


def test_a_watcher_sees_the_value_of_somebody_else(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    seen = peer.watch(vm, "customValue")
    assert not next(seen)
    vcenter.fault("field_changed", vm="vm-00001", name="vpw.lock", value="theirs")
    assert [one.value for one in next(seen)] == ["theirs"]


def test_who_may_not_set_fields_is_told_so(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    manager = peer.content.customFieldsManager
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    key = manager.AddFieldDefinition("vpw.lock", vim.VirtualMachine, None, None).key
    vcenter.fault("deny", privileges=["Global.ManageCustomFields", "Global.SetCustomField"])
    for call, needed in (
        (lambda: manager.AddFieldDefinition("more", None, None, None), "Global.ManageCustomFields"),
        (lambda: manager.SetField(vm, key, "x"), "Global.SetCustomField"),
        (lambda: vm.SetCustomValue("vpw.lock", "x"), "Global.SetCustomField"),
    ):
        with pytest.raises(vim.fault.NoPermission) as caught:
            call()
        assert caught.value.privilegeId == needed
    assert not vm.value
