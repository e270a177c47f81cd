"""The instance grammar of each object class: ids are taken from the known ends, names from what is left.

VM names may hold parentheses, spaces, dots and colons, so no instance is ever split at every colon.
Each reader returns None when the text does not fit its grammar; the column is then kept on the host, raw.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_GROUP = re.compile(r"(\d+):(.*)", re.DOTALL)
_WORLD = re.compile(r"(\d+):(.*?):(\d+):(.*)", re.DOTALL)
_WORLD_TAIL = re.compile(r"(\d+):(.*)", re.DOTALL)
_VCPU = re.compile(r"vmx-vcpu-(\d+)(?::.*)?", re.DOTALL)
_CARTEL = re.compile(r"(?:NetWorld-VM-|vmast\.|PVSCSI-)(\d+)(?::\d+)?")
_PATH = re.compile(r"([^:]+):C\d+:T\d+:L\d+")
_NUMBERED = re.compile(r"(.+)-(\d+)", re.DOTALL)
_VIRTUAL_DISK = re.compile(r"(.+):([a-z]{2,8}\d+:\d+)", re.DOTALL)
_PORT = re.compile(r"(.+?):(\d+):(?:(\d+):)?(.*)", re.DOTALL)
_ADAPTER_OF_CLIENT = re.compile(r"(?<=.)\.eth\d+\Z")
_NIC = re.compile(r"vmnic\d+")
_USER_WORLD = re.compile(r".+\.\d+")
_SYSTEM_GROUPS = frozenset({"system", "helper", "drivers", "ft", "vmotion", "init", "user", "host", "idle"})


@dataclass(frozen=True, slots=True)
class Group:
    """``1303688:hermes``: a scheduler group; a VM's name is its display name."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class World:
    """``1303688:hermes:444922:vmx-vcpu-0:hermes``: a world of a group."""

    group: str
    group_name: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Port:
    """``vSwitch0:33554449:444768:styx``: a virtual switch port; ``world`` is empty unless a VM owns it."""

    portset: str
    id: str
    world: str
    client: str


def read_group(text: str) -> Group | None:
    """Parse a ``Group Cpu`` or ``Group Memory`` instance; None if it is not one."""
    match = _GROUP.fullmatch(text)
    return Group(match[1], match[2]) if match else None


def read_world(text: str, group_names: Mapping[str, str]) -> World | None:
    """Parse a ``Vcpu`` instance; ``group_names`` (id → name) tells where a name with colons ends."""
    group, _, rest = text.partition(":")
    name = group_names.get(group)
    if name is not None and rest.startswith(name + ":"):
        tail = _WORLD_TAIL.fullmatch(rest, len(name) + 1)
        if tail:
            return World(group, name, tail[1], tail[2])
    match = _WORLD.fullmatch(text)
    return World(match[1], match[2], match[3], match[4]) if match else None


def vcpu_number(world_name: str) -> str | None:
    """Return ``0`` for ``vmx-vcpu-0:hermes``; None for a world that is no virtual CPU."""
    match = _VCPU.fullmatch(world_name)
    return match[1] if match else None


def cartel_id(world_name: str) -> str | None:
    """Return the VM's world id by which ports and disks name it: ``444916`` of ``NetWorld-VM-444916``."""
    match = _CARTEL.fullmatch(world_name)
    return match[1] if match else None


def looks_like_vm(group_name: str) -> bool:
    """Return True if a group's name may be a VM's (names of user worlds end in a world id)."""
    return group_name not in _SYSTEM_GROUPS and not _USER_WORLD.fullmatch(group_name)


def adapter_of_path(text: str) -> str | None:
    """Return ``vmhba0`` for the path ``vmhba0:C0:T2:L0``; None if it is no path."""
    match = _PATH.fullmatch(text)
    return match[1] if match else None


def read_numbered(text: str) -> tuple[str, str] | None:
    """Parse ``<device>-<world id>`` or ``<device>-<partition>`` into device and number."""
    match = _NUMBERED.fullmatch(text)
    return (match[1], match[2]) if match else None


def read_virtual_disk(text: str, vm_names: Collection[str]) -> tuple[str, str]:
    """Parse a ``Virtual Disk`` instance into VM name and disk (``scsi0:0``; empty for the VM's total)."""
    if text in vm_names:
        return text, ""
    match = _VIRTUAL_DISK.fullmatch(text)
    return (match[1], match[2]) if match else (text, "")


def read_port(text: str) -> Port | None:
    """Parse a ``Network Port`` instance; None if it is not one."""
    match = _PORT.fullmatch(text)
    return Port(match[1], match[2], match[3] or "", match[4]) if match else None


def vm_of_client(client: str) -> str:
    """The VM's name in a port's client: ``hermes`` of ``hermes.eth0``, as ESXi 6.7 and later print it."""
    return _ADAPTER_OF_CLIENT.sub("", client)


def is_uplink(client: str) -> bool:
    """Return True if a port's client is a physical NIC."""
    return _NIC.fullmatch(client) is not None
