"""Which VM each guest runs in: by its firmware's UUID, MAC addresses or disks; by name only as a guess.

A guest's own counters come over ssh, its VM's from a vCenter; neither knows the other. Both sides' identities
are facts, so that the order in which they were recorded does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sessions.model import Entity, EntityRef, Fact

How = Literal["UUID", "MAC address", "disk", "name"]

_HEX = re.compile(r"[^0-9a-f]")
_UUID_DIGITS = 32
_MAC = re.compile(r"nic\..+\.mac")
_SERIAL = re.compile(r"disk\..+\.serial|vdisk\..+\.uuid")


@dataclass(frozen=True, slots=True)
class GuestVm:
    """The VM of a guest, and how that is known."""

    vm: EntityRef
    how: How

    @property
    def is_guess(self) -> bool:
        """True if only the names are alike."""
        return self.how == "name"

    @property
    def text(self) -> str:
        """How it is known, for people."""
        return "by its name alone: a guess" if self.is_guess else f"by its {self.how}"


@dataclass(slots=True)
class _Known:
    uuids: set[str] = field(default_factory=set)
    macs: set[str] = field(default_factory=set)
    disks: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def vms_of_guests(entities: Mapping[EntityRef, Entity], facts: Iterable[Fact]) -> dict[EntityRef, GuestVm]:
    """Return the VM of each guest of which one VM alone can be told.

    Copies of a VM may share a UUID: then its MAC addresses and disks decide between them. Where what is surer
    tells of several VMs that nothing tells apart, what is less sure is not asked.
    """
    guests = {ref: _Known() for ref in entities if ref.kind == "guest"}
    if not guests:
        return {}
    vms = {ref: _Known() for ref in entities if ref.kind == "vm"}
    for fact in facts:
        known = guests.get(fact.entity) or vms.get(fact.entity)
        if known is not None and isinstance(fact.value, str):
            _note(known, fact.name, fact.value)
    for ref, known in (*guests.items(), *vms.items()):
        known.names.add(entities[ref].name.lower())
    found = {guest: _vm_of(known, vms) for guest, known in guests.items()}
    joined = {guest: one for guest, one in found.items() if one is not None}
    taken = [one.vm for one in joined.values()]
    return {guest: one for guest, one in joined.items() if not one.is_guess or taken.count(one.vm) == 1}


def uuid_orders(uuid: str) -> tuple[str, ...]:
    """Return a UUID's digits as they stand, and with the bytes of its first three fields turned round.

    SMBIOS 2.6 stores these fields with the lowest byte first, and firmware and kernels differ in whether they
    print them so: ``564d1234-…`` of a VM's settings may be ``34124d56-…`` in its guest.
    """
    digits = _HEX.sub("", uuid.lower())
    if len(digits) != _UUID_DIGITS or not digits.strip("0") or not digits.strip("f"):
        return ()
    turned = "".join(_turned(digits[start:end]) for start, end in ((0, 8), (8, 12), (12, 16)))
    return digits, turned + digits[16:]


def _turned(digits: str) -> str:
    return "".join(digits[at : at + 2] for at in range(len(digits) - 2, -2, -2))


def _note(known: _Known, name: str, value: str) -> None:
    if name == "bios_uuid":
        known.uuids.update(uuid_orders(value)[:1])
    elif name == "smbios_uuid":
        known.uuids.update(uuid_orders(value))
    elif _MAC.fullmatch(name):
        known.macs.add(value.lower())
    elif _SERIAL.fullmatch(name):
        digits = _HEX.sub("", value.lower().removeprefix("naa."))
        if len(digits) == _UUID_DIGITS:
            known.disks.add(digits)
    elif name in ("guest.name", "name"):
        known.names.update({value.lower(), value.lower().partition(".")[0]})


def _vm_of(guest: _Known, vms: Mapping[EntityRef, _Known]) -> GuestVm | None:
    candidates = dict(vms)
    surest: How | None = None
    for how, shared in _WAYS:
        alike = {ref: known for ref, known in candidates.items() if shared(guest, known)}
        if not alike:
            continue
        surest = surest or how
        if len(alike) == 1:
            return GuestVm(next(iter(alike)), surest)
        candidates = alike
    if surest is not None:
        return None
    named = [ref for ref, known in vms.items() if guest.names & known.names]
    return GuestVm(named[0], "name") if len(named) == 1 else None


def _shared(field_of: Callable[[_Known], set[str]]) -> Callable[[_Known, _Known], bool]:
    return lambda guest, vm: not field_of(guest).isdisjoint(field_of(vm))


_WAYS: tuple[tuple[How, Callable[[_Known, _Known], bool]], ...] = (
    ("UUID", _shared(lambda known: known.uuids)),
    ("MAC address", _shared(lambda known: known.macs)),
    ("disk", _shared(lambda known: known.disks)),
)


def guests_by_vm(
    entities: Mapping[EntityRef, Entity], facts: Iterable[Fact]
) -> dict[EntityRef, tuple[EntityRef, ...]]:
    """Return the guests of each VM; no guesses."""
    found: dict[EntityRef, tuple[EntityRef, ...]] = {}
    for guest, one in vms_of_guests(entities, facts).items():
        if not one.is_guess:
            found[one.vm] = (*found.get(one.vm, ()), guest)
    return found
