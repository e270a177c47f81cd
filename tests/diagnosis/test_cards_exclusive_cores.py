"""High ready beside a VM that owns cores: what tells it from a VM that only has much reserved."""

from __future__ import annotations

import pytest

from sessions.findings import Finding
from tests.diagnosis.cpu_sites import vm
from tests.diagnosis.recordings import Recording, cause, findings, verdicts


def waiting(*, sensitivity: str = "high", rest: float = 34.0, reserved: float = 20_800.0) -> list[Finding]:
    """VMs that wait on a host of 16 cores: a VM of 8 vCPUs uses 15 % of its own, six of 4 want ``rest`` %."""
    recording = Recording(source="vcenter", interval=20.0)
    busy = 8 * 0.15 + 24 * rest / 100
    host = recording.on_host({"cpu.pcpu_util": 100 * busy / 32})
    for name, value in (("cpu.cores", 16.0), ("cpu.threads", 32.0)):
        recording.fact(host, name, value)
    owner = vm(recording, "trading01", vcpus=8, run=15.0, ready=0.01, alloc_min=reserved)
    if sensitivity:
        recording.fact(owner, "latency_sensitivity", sensitivity)
    for number in range(6):
        vm(recording, f"app{number}", vcpus=4, run=rest, ready=9.0, alloc_min=0.0)
    return findings(recording, problem="cpu.ready_high")


@pytest.mark.parametrize(
    ("sensitivity", "reserved", "verdict"),
    [
        ("high", 20_800.0, "likely"),
        ("normal", 20_800.0, "ruled out"),  # a reservation alone leaves idle cores to others
        ("", 20_800.0, "unknown"),  # esxtop tells reservations, not whose cores are its own
        ("", 0.0, "ruled out"),
    ],
)
def test_high_sensitivity_takes_cores_away(sensitivity: str, reserved: float, verdict: str) -> None:
    found = waiting(sensitivity=sensitivity, reserved=reserved)
    assert len(found) == 6
    assert {verdicts(one)["exclusive_cores"] for one in found} == {verdict}


def test_it_says_whose_cores_and_what_the_rest_carries() -> None:
    found = waiting()[0]
    assert found.causes[0].cause == "exclusive_cores"
    assert "trading01 has high latency sensitivity: 8 of the 16 cores of esx01" in found.causes[0].because
    assert "102 % used" in found.causes[0].because  # 24 vCPUs at 34 % on eight cores
    assert any("trading01" in step for step in found.remedies)


def test_where_the_other_cores_have_room_it_is_something_else() -> None:
    found = waiting(rest=12.0)[0]
    assert cause(found, "exclusive_cores").verdict == "ruled out"
    assert "36 % used" in cause(found, "exclusive_cores").because
