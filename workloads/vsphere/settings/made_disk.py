"""Disks that a test run makes on a VM, and their removal.

A made disk has two advanced settings of the VM, written in the same reconfiguration that makes it:
``vpw.disk.NAME`` is the setting's value as the plan asked for it, with the run's id; ``vpw.disk.NAME.is``
says which disk that is. Only such a disk is ever removed, and only while it is provably the same: the same
UUID, or (if the run died before it could be read) the same file. One that can't be told apart is detached,
and its file stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import msgspec
from pyVmomi import vim

from connections.vsphere.properties import read_one
from resources.failures import AlreadyExistsError, UsageError
from resources.foreign_text import shown
from resources.typed_data import ready
from sessions.journal import ChangedObject, Setting
from workloads.disk_uuid import plain_uuid
from workloads.made_disk import NAME, MadeDisk, parse_made_disk
from workloads.vsphere.settings.devices import VmDevices, read_devices, reconfigure
from workloads.vsphere.settings.free_slot import FreeSlot, free_slot
from workloads.vsphere.settings.values import Server, as_text

TAG = "vpw.disk."
_IS = ".is"
_NEW_DISK = -201


@dataclass(frozen=True, slots=True)
class Mark:
    """Which disk a made one is. ``file`` and ``uuid`` are empty until they are known.

    ``made_controller``: a test made its controller, too.
    """

    slot: str
    made_controller: bool
    file: str = ""
    uuid: str = ""

    def text(self) -> str:
        """Return the mark as the text of an advanced setting."""
        return msgspec.json.encode(asdict(self)).decode()


def read(server: Server, of: ChangedObject, name: str) -> Setting:
    """Return the disk as it was asked for, None if it is not there."""
    devices = read_devices(server, of)
    return devices.extra.get(TAG + name) if marked(devices, _checked(name)) is not None else None


def write(server: Server, of: ChangedObject, name: str, value: Setting) -> None:
    """Make the disk, or remove it (None)."""
    _checked(name)
    if value is None:
        _remove(server, of, name)
    else:
        _make(server, of, name, as_text(f"disk:{name}", value))


def made_disks(server: Server, of: ChangedObject) -> Mapping[str, tuple[str, str]]:
    """Return run and name of each disk of a VM that a run made, by its plain UUID."""
    devices = read_devices(server, of)
    found: dict[str, tuple[str, str]] = {}
    for key, text in devices.extra.items():
        name = key.removeprefix(TAG)
        disk = marked(devices, name) if key.startswith(TAG) and NAME.fullmatch(name) else None
        uuid = "" if disk is None else plain_uuid(str(disk.backing.uuid or ""))
        if uuid:
            with suppress(UsageError):  # somebody else wrote that setting
                found[uuid] = parse_made_disk(text).run, name
    return found


def _make(server: Server, of: ChangedObject, name: str, text: str) -> None:
    wanted = parse_made_disk(text)

    def spec(devices: VmDevices) -> Any:
        present = devices.extra.get(TAG + name)
        if present and marked(devices, name) is not None:
            raise AlreadyExistsError(
                f"{of.name} already has a disk {name} that a test made: {shown(present, 120)}",
                advice="Put back what that run changed: hyperscope restore.",
            )
        slot = free_slot(devices, of)
        backing = _backing(server, of, devices, wanted, name)
        mark = Mark(slot.name, _is_of_a_test(devices, slot), _own_file(backing.fileName))
        disk = vim.vm.device.VirtualDisk(
            key=_NEW_DISK,
            controllerKey=slot.controller_key,
            unitNumber=slot.unit,
            capacityInKB=wanted.size_bytes // 1024,
            capacityInBytes=wanted.size_bytes,
            backing=backing,
        )
        return vim.vm.ConfigSpec(
            changeVersion=devices.version or None,
            deviceChange=_added(slot, disk),
            extraConfig=_extra(name, text, mark.text()),
        )

    what = f"making the disk {name} of {of.name}"
    reconfigure(server, of, what, spec, lambda: read(server, of, name) == text)
    _note_identity(server, of, name)


def _is_of_a_test(devices: VmDevices, slot: FreeSlot) -> bool:
    """Whether the controller of a slot is made now, or was made for another test's disk."""
    bus = slot.name.partition(":")[0]
    names = [key.removeprefix(TAG) for key in devices.extra if key.startswith(TAG) and not key.endswith(_IS)]
    marks = [mark for name in names if (mark := _mark(devices, name)) is not None]
    return slot.new_controller is not None or any(
        mark.made_controller and mark.slot.startswith(f"{bus}:") for mark in marks
    )


def _added(slot: FreeSlot, disk: Any) -> list[Any]:
    changes = []
    if slot.new_controller is not None:
        changes.append(vim.vm.device.VirtualDeviceSpec(operation="add", device=slot.new_controller))
    changes.append(vim.vm.device.VirtualDeviceSpec(operation="add", fileOperation="create", device=disk))
    return changes


def _note_identity(server: Server, of: ChangedObject, name: str) -> None:
    """Add to the mark the UUID and the file that the server gave the new disk."""

    def spec(devices: VmDevices) -> Any:
        mark, disk = _mark(devices, name), marked(devices, name)
        if mark is None or disk is None:
            raise UsageError(f"The disk {name} of {of.name} was removed while it was made.")
        known = Mark(
            mark.slot, mark.made_controller, str(disk.backing.fileName or ""), str(disk.backing.uuid or "")
        )
        return vim.vm.ConfigSpec(
            changeVersion=devices.version or None,
            extraConfig=[vim.option.OptionValue(key=TAG + name + _IS, value=known.text())],
        )

    def holds() -> bool:
        mark = _mark(read_devices(server, of), name)
        return mark is not None and bool(mark.uuid or mark.file)

    reconfigure(server, of, f"noting the disk {name} of {of.name}", spec, holds)


def _remove(server: Server, of: ChangedObject, name: str) -> None:
    if TAG + name not in read_devices(server, of).extra:
        return

    def spec(devices: VmDevices) -> Any:
        mark, disk = _mark(devices, name), marked(devices, name)
        changes = [] if mark is None or disk is None else _removed(devices, mark, disk, of)
        return vim.vm.ConfigSpec(
            changeVersion=devices.version or None, deviceChange=changes, extraConfig=_extra(name, "", "")
        )

    what = f"removing the disk {name} of {of.name}"
    reconfigure(server, of, what, spec, lambda: TAG + name not in read_devices(server, of).extra)


def _removed(devices: VmDevices, mark: Mark, disk: Any, of: ChangedObject) -> list[Any]:
    if getattr(disk.backing, "parent", None) is not None:
        raise UsageError(
            f"The disk {mark.slot} of {of.name} can't be removed: a snapshot holds it.",
            meaning="Somebody took a snapshot while the test ran, a backup perhaps.",
            advice="Remove the snapshot, then run hyperscope restore.",
        )
    is_surely_ours = bool(mark.uuid or mark.file)
    with_file = {"fileOperation": "destroy"} if is_surely_ours else {}
    changes = [vim.vm.device.VirtualDeviceSpec(operation="remove", device=disk, **with_file)]
    if mark.made_controller:
        others = [one for one in devices.devices if one.controllerKey == disk.controllerKey]
        controller = next((one for one in devices.devices if one.key == disk.controllerKey), None)
        if controller is not None and others == [disk]:
            changes.append(vim.vm.device.VirtualDeviceSpec(operation="remove", device=controller))
    return changes


def _mark(devices: VmDevices, name: str) -> Mark | None:
    """The mark of a made disk; None if there is none or it makes no sense."""
    text = devices.extra.get(TAG + name + _IS)
    if not text or not devices.extra.get(TAG + name):
        return None
    try:
        return msgspec.json.decode(text, type=ready(Mark))
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def marked(devices: VmDevices, name: str) -> Any:
    """Return the disk that was made by that name; None if it is not there."""
    mark = _mark(devices, name)
    if mark is None:
        return None
    for slot, disk in devices.disks:
        if mark.uuid and str(disk.backing.uuid or "") == mark.uuid:
            return disk
        if not mark.uuid and slot == mark.slot and mark.file in ("", str(disk.backing.fileName or "")):
            return disk
    return None


def _backing(server: Server, of: ChangedObject, devices: VmDevices, wanted: MadeDisk, name: str) -> Any:
    store, folder = _home(devices)
    path = f"[{store}] {folder}/{_file_name(wanted, name)}" if folder else ""
    backing = vim.vm.device.VirtualDisk.FlatVer2BackingInfo(
        diskMode="persistent",
        thinProvisioned=wanted.provisioning == "thin",
        eagerlyScrub=wanted.provisioning == "eager",
    )
    if wanted.datastore:
        chosen = ChangedObject(of.source, "Datastore", wanted.datastore, f"The datastore {wanted.datastore}")
        chosen_name = str(
            read_one(server.vsphere, "its datastores", chosen, ["summary.name"])["summary.name"]
        )
        backing.datastore = vim.Datastore(wanted.datastore)
        if chosen_name != store:
            path = f"[{chosen_name}]"  # the server makes a folder for the VM there, and a name
    if not path:
        raise UsageError(
            f"Where {of.name} keeps its files can't be read.", advice="Name the datastore of the disk."
        )
    backing.fileName = path
    return backing


def _home(devices: VmDevices) -> tuple[str, str]:
    """The datastore's name and the folder of the VM's own file: ``[store] folder/name.vmx``."""
    store, _, path = devices.home.removeprefix("[").partition("] ")
    return store, path.rpartition("/")[0]


def _file_name(wanted: MadeDisk, name: str) -> str:
    return f"vpw-{wanted.run}-{name}.vmdk"


def _own_file(path: str) -> str:
    """The file's path, if it was us who chose it."""
    return path if path.endswith(".vmdk") else ""


def _extra(name: str, text: str, mark: str) -> list[Any]:
    """Two advanced settings; an empty value removes one."""
    return [
        vim.option.OptionValue(key=TAG + name, value=text),
        vim.option.OptionValue(key=TAG + name + _IS, value=mark),
    ]


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise UsageError(
            f"A disk can't be called {shown(name, 60)}.",
            advice="Use small letters, digits and hyphens, at most 40.",
        )
    return name
