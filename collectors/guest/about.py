"""Reads what a guest tells of itself: its kernel, its hardware, and by what its VM knows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from collectors.guest.rates import Machine
from resources.foreign_text import shown

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_NO_MACS = {"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff"}
_LOCAL = 0x02
_VMWARE = ("00:50:56", "00:0c:29", "00:05:69", "00:1c:14")
_DMI = "/sys/class/dmi/id/"
_OF_NET = re.compile(r"/sys/class/net/(?P<name>[^/:]{1,32})/(?P<what>address|speed)")
_OF_DISK = re.compile(
    r"/sys/block/(?P<name>(?!loop|ram|zram|sr|fd)[^/:]{1,64})/(device/)?(?P<what>wwid|serial|size)"
)
_SERIAL = re.compile(r"VMware-(?P<bytes>([0-9a-f]{2}[ -]){15}[0-9a-f]{2})", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LONGEST = 120


@dataclass(slots=True)
class About:
    """What a guest tells of itself; empty for what it does not.

    ``uuid`` is the firmware's UUID as its VM's settings write it, where the serial number tells it in plain
    order; ``smbios`` is it as the kernel prints it, in either order. ``macs``, ``speeds`` (Mbit/s), ``disks``
    (their serial numbers) and ``sizes`` (MB) are by interface and by disk.
    """

    kernel: str = ""
    system: str = ""
    name: str = ""
    vendor: str = ""
    product: str = ""
    uuid: str = ""
    smbios: str = ""
    machine: Machine = field(default_factory=Machine)
    macs: dict[str, str] = field(default_factory=dict)
    speeds: dict[str, float] = field(default_factory=dict)
    disks: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)


def read_about(lines: Sequence[str]) -> About:
    """Read what the loop prints of the guest."""
    about = About()
    processor, page = "", 0
    for name, text in _pairs(lines):
        if name in ("kernel", "name"):
            setattr(about, name, text)
        elif name == "machine":
            processor = text
        elif name == "page":
            page = int(text) if text.isdigit() and len(text) < 9 else 0
        elif name.startswith("PRETTY_NAME="):
            about.system = shown(name.removeprefix("PRETTY_NAME=").strip("\"'"), _LONGEST)
        elif name.startswith(_DMI):
            _note_hardware(about, name.removeprefix(_DMI), text)
        elif match := _OF_NET.fullmatch(name):
            _note_interface(about, match["name"], match["what"], text)
        elif match := _OF_DISK.fullmatch(name):
            _note_disk(about, match["name"], match["what"], text)
    about.machine = Machine(processor, page)
    return about


def _pairs(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if line.startswith("PRETTY_NAME="):
            yield line[:_LONGEST], ""
            continue
        name, _, text = line.partition(":")
        yield name, shown(text, _LONGEST)


def _note_hardware(about: About, what: str, text: str) -> None:
    if what == "product_uuid" and _UUID.fullmatch(text.lower()):
        about.smbios = text.lower()
    elif what == "product_serial" and (match := _SERIAL.fullmatch(text)):
        digits = re.sub("[ -]", "", match["bytes"]).lower()
        about.uuid = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    elif what == "sys_vendor":
        about.vendor = text
    elif what == "product_name":
        about.product = text


def _note_interface(about: About, name: str, what: str, text: str) -> None:
    if what == "address" and _MAC.fullmatch(text.lower()) and text.lower() not in _NO_MACS:
        about.macs[name] = text.lower()
    elif what == "speed" and text.isdigit() and 0 < len(text) < 8:
        about.speeds[name] = float(text)


def _note_disk(about: About, name: str, what: str, text: str) -> None:
    if what == "size" and text.isdigit() and len(text) < 16:
        about.sizes[name] = int(text) / 2048
    elif what in ("wwid", "serial") and text:
        about.disks.setdefault(name, text)
