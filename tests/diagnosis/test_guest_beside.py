"""What a VM's guest counts stands beside what its host counts, and its zero is never an all-clear."""

from __future__ import annotations

import pytest

from sessions.findings import Finding
from sessions.model import Entity, EntityRef
from sessions.verdicts import samples_after
from tests.diagnosis.cpu_sites import host, vm
from tests.diagnosis.recordings import Level, Recording, diagnosed, findings, only, session

UUID = "564d1234-5678-9abc-def0-112233445566"


class Guest(Recording):
    """A guest that is recorded over ssh, every five seconds."""

    def __init__(self, steal: Level, uuid: str = UUID) -> None:
        super().__init__("app01.lab", source="guest", interval=5.0)
        self.ref = EntityRef("guest", "app01")
        self._entities[:] = [Entity(self.ref, "app01")]
        self.has(self.ref, {"guest.cpu_steal": 0.0, "guest.cpu_used": 60.0})
        self.has(self.ref, {"guest.cpu_steal": steal}, "cpu0")
        self.has(self.ref, {"guest.cpu_steal": 0.0}, "cpu1")
        self.fact(self.ref, "smbios_uuid", uuid)


def waiting(*, uuid: str = UUID, ready: float = 38.0) -> Recording:
    recording = host()
    recording.fact(vm(recording, "web01", ready=ready), "bios_uuid", uuid)
    return recording


def steal_of(found: Finding) -> list[tuple[str, float]]:
    return [(item.what, item.value) for item in found.evidence if item.counter == "guest.cpu_steal"]


def test_both_numbers_side_by_side() -> None:
    found = only(waiting(), Guest(40.0), problem="cpu.ready_high")
    assert steal_of(found) == [("CPU stolen, by the guest's own count", 40.0)]
    assert found.notes[-1] == (
        "Its guest says that 40 % of its CPU time was stolen (its worst CPU), the host says it was ready and "
        "not run for 38 % of it (its worst vCPU)."
    )


def test_the_guests_zero_is_no_all_clear() -> None:
    found = only(waiting(), Guest(0.0), problem="cpu.ready_high")
    assert found.severity == "critical"
    assert steal_of(found) == [("CPU stolen, by the guest's own count", 0.0)]
    assert "its 0 is no all-clear, the host's count holds" in found.notes[-1]


def test_its_samples_are_not_waiting_to_be_judged() -> None:
    recordings = waiting(), Guest(40.0)
    assert samples_after(diagnosed(*recordings).verdict, session(*recordings)) == 0


def test_a_guest_alone_is_not_judged() -> None:
    assert findings(Guest(40.0)) == []


@pytest.mark.parametrize("guest", [None, Guest(40.0, "564daaaa-0000-0000-0000-000000000001")])
def test_without_its_own_guest_nothing_is_said(guest: Guest | None) -> None:
    recordings: list[Recording] = [waiting(), *([guest] if guest else [])]
    found = only(*recordings, problem="cpu.ready_high")
    assert steal_of(found) == []
    assert not any("stolen" in note for note in found.notes)


def test_on_a_full_host_the_guest_that_says_most_is_named() -> None:
    recording = host(util=95.0, used=70.0)
    recording.fact(vm(recording, "web01", ready=12.0), "bios_uuid", UUID)
    found = only(recording, Guest(11.0), problem="cpu.host_saturated")
    assert steal_of(found) == [("CPU stolen, by a guest's own count", 11.0)]
    assert found.notes[-1].startswith("A guest on esx01 says that 11 % of its CPU time was stolen")
