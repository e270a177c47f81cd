"""Which VM a guest runs in: identities first, in either byte order; a name alone is a guess and says so."""

from __future__ import annotations

import pytest

from sessions.guest_vms import guests_by_vm, uuid_orders, vms_of_guests
from sessions.model import Entity, EntityRef, Fact

GUEST = EntityRef("guest", "app01")
BIOS = "564d1234-5678-9abc-def0-112233445566"
TURNED = "34124d56-7856-bc9a-def0-112233445566"
COPY = "564daaaa-0000-0000-0000-000000000001"


def vm(name: str) -> EntityRef:
    return EntityRef("vm", name)


def joined(*facts: tuple[EntityRef, str, str], guest: str = "app01") -> str:
    """The VM of the one guest among the VMs that the facts name: ``db01 by its UUID``."""
    entities = {GUEST: Entity(GUEST, guest)}
    for ref, _, _ in facts:
        entities.setdefault(ref, Entity(ref, ref.key))
    found = vms_of_guests(entities, [Fact(ref, name, value, 0) for ref, name, value in facts])
    return f"{found[GUEST].vm.key} {found[GUEST].text}" if GUEST in found else "none"


def test_both_orders_of_a_uuid() -> None:
    assert uuid_orders(BIOS) == (BIOS.replace("-", ""), TURNED.replace("-", ""))
    assert uuid_orders("56 4d 12 34 56 78 9a bc-de f0 11 22 33 44 55 66")[0] == BIOS.replace("-", "")
    assert uuid_orders("00000000-0000-0000-0000-000000000000") == ()
    assert uuid_orders("no uuid") == ()


@pytest.mark.parametrize("told", [BIOS, TURNED, BIOS.upper()])
def test_by_the_uuid_in_whichever_order_the_kernel_prints_it(told: str) -> None:
    of_vms = (vm("db01"), "bios_uuid", BIOS), (vm("web01"), "bios_uuid", COPY)
    assert joined((GUEST, "smbios_uuid", told), *of_vms) == "db01 by its UUID"


def test_by_the_serial_number_of_its_firmware() -> None:
    assert joined((GUEST, "bios_uuid", BIOS), (vm("db01"), "bios_uuid", BIOS)) == "db01 by its UUID"
    assert (
        joined((GUEST, "bios_uuid", TURNED), (vm("db01"), "bios_uuid", BIOS)) == "none"
    )  # its order is known


def test_copies_of_a_vm_are_told_apart_by_their_mac_addresses() -> None:
    copies = (vm("db01"), "bios_uuid", BIOS), (vm("db02"), "bios_uuid", BIOS)
    macs = (
        (vm("db01"), "nic.4000.mac", "00:50:56:00:00:01"),
        (vm("db02"), "nic.4000.mac", "00:50:56:00:00:02"),
    )
    told = (GUEST, "smbios_uuid", TURNED)
    assert joined(told, *copies) == "none"
    mine = (GUEST, "nic.ens192.mac", "00:50:56:00:00:02")
    assert joined(told, mine, *copies, *macs) == "db02 by its UUID"
    assert joined(mine, *copies, *macs) == "db02 by its MAC address"


def test_by_a_disk_where_the_vm_shows_its_uuid() -> None:
    of_guest = GUEST, "disk.sda.serial", "naa.6000c29f1234567890abcdef01234567"
    of_vm = vm("db01"), "vdisk.scsi0:0.uuid", "6000c29f-1234-5678-90ab-cdef01234567"
    assert joined(of_guest, of_vm) == "db01 by its disk"


def test_a_name_is_a_guess_and_no_more() -> None:
    facts = (vm("APP01"), "bios_uuid", COPY), (vm("web01"), "bios_uuid", BIOS)
    assert joined(*facts) == "APP01 by its name alone: a guess"
    entities = {ref: Entity(ref, ref.key) for ref in (GUEST, vm("APP01"))}
    assert guests_by_vm(entities, []) == {}


def test_what_contradicts_a_name_is_not_overruled_by_it() -> None:
    """Two VMs share the UUID that the guest tells: neither is taken because a third has its name."""
    facts = (vm("a"), "bios_uuid", BIOS), (vm("b"), "bios_uuid", BIOS), (vm("app01"), "bios_uuid", COPY)
    assert joined((GUEST, "smbios_uuid", BIOS), *facts) == "none"
