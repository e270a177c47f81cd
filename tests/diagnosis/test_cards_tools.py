"""VMware Tools: who lacks them, who has old ones, and what a source without an inventory can't tell."""

from __future__ import annotations

import pytest

from tests.diagnosis.recordings import (
    START,
    Level,
    Recording,
    cause,
    diagnosed,
    findings,
    only,
    session,
    verdicts,
)

PROBLEM = "guest.tools_not_running"
QUIET: dict[str, Level] = {"cpu.run": 12.0, "cpu.used": 12.0, "cpu.ready": 0.4}


def recorded(
    running: str, status: str = "", *, run: Level = 12.0, from_s: float = 0.0, seconds: float = 1200
) -> Recording:
    recording = Recording(seconds=seconds, interval=20.0, source="vcenter")
    recording.on_host({"cpu.pcpu_util": 30.0})
    vm = recording.vm("web01", {**QUIET, "cpu.run": run})
    if from_s:
        recording.fact(vm, "tools", "guestToolsNotRunning")
    recording.fact(vm, "tools", running, from_s)
    if status:
        recording.fact(vm, "tools_status", status)
    return recording


def test_tools_that_run_are_no_problem() -> None:
    found = diagnosed(recorded("guestToolsRunning", "guestToolsCurrent"))
    check = next(one for one in found.verdict.checks if one.problem == PROBLEM)
    assert (check.verdict, check.judged) == ("not found", 1)


@pytest.mark.parametrize(
    ("status", "first", "verdict"),
    [
        ("guestToolsNotInstalled", "not_installed", "likely"),
        ("guestToolsCurrent", "service_stopped", "likely"),
        ("guestToolsUnmanaged", "service_stopped", "likely"),
        ("", "service_stopped", "possible"),
    ],
)
def test_tools_that_do_not_run(status: str, first: str, verdict: str) -> None:
    found = only(recorded("guestToolsNotRunning", status), problem=PROBLEM)
    assert (found.entity_name, found.severity) == ("web01", "warning")
    assert (found.causes[0].cause, found.causes[0].verdict) == (first, verdict)


def test_a_guest_that_hangs_is_told_from_a_service_that_was_stopped() -> None:
    found = only(recorded("guestToolsNotRunning", "guestToolsCurrent", run=100.0), problem=PROBLEM)
    assert verdicts(found)["guest_hung"] == "likely"
    assert verdicts(found)["service_stopped"] == "ruled out"


@pytest.mark.parametrize(
    ("status", "is_found"),
    [("guestToolsTooOld", True), ("guestToolsNeedUpgrade", True), ("guestToolsBlacklisted", True),
     ("guestToolsSupportedOld", False), ("guestToolsUnmanaged", False), ("guestToolsTooNew", False)],
)  # fmt: skip
def test_an_old_version(status: str, is_found: bool) -> None:
    found = findings(recorded("guestToolsRunning", status), problem=PROBLEM)
    assert [cause(one, "outdated").verdict for one in found] == (["likely"] if is_found else [])


def test_a_vm_that_was_switched_off_needs_no_tools() -> None:
    recording = recorded("guestToolsNotRunning", "guestToolsCurrent")
    vm = next(ref for ref in session(recording).entities() if ref.kind == "vm")
    recording.fact(vm, "power_state", "poweredOff")
    assert not findings(recording, problem=PROBLEM)


@pytest.mark.parametrize("state", ["poweredOff", "suspended"])
def test_a_vm_that_was_off_or_suspended_at_first_needed_no_tools_then(state: str) -> None:
    recording = recorded("guestToolsRunning", "guestToolsCurrent", from_s=700.0)
    vm = next(ref for ref in session(recording).entities() if ref.kind == "vm")
    recording.fact(vm, "power_state", state)
    recording.fact(vm, "power_state", "poweredOn", from_s=640.0)
    assert not findings(recording, problem=PROBLEM)


def test_a_vm_whose_tools_did_not_come_up_after_it_was_switched_on() -> None:
    recording = recorded("guestToolsNotRunning", "guestToolsCurrent")
    vm = next(ref for ref in session(recording).entities() if ref.kind == "vm")
    recording.fact(vm, "power_state", "poweredOff")
    recording.fact(vm, "power_state", "poweredOn", from_s=300.0)
    (found,) = findings(recording, problem=PROBLEM)
    assert found.windows[0].start >= START + 280_000


def test_a_boot_is_no_problem() -> None:
    assert not findings(recorded("guestToolsRunning", from_s=200.0), problem=PROBLEM)


def test_esxtop_alone_says_which_source_would_tell() -> None:
    recording = Recording()
    recording.vm("web01", {**QUIET, "mem.balloon_driver": 0.0})
    found = diagnosed(recording)
    check = next(one for one in found.verdict.checks if one.problem == PROBLEM)
    assert check.verdict == "insufficient data"
    assert "vCenter" in check.reason


@pytest.mark.parametrize(
    ("interval", "seconds", "verdict"), [(300.0, 600.0, "problem"), (5.0, 120.0, "suspected")]
)
def test_a_fact_needs_time_and_no_number_of_samples(interval: float, seconds: float, verdict: str) -> None:
    """Two samples of five minutes are longer than any boot; two minutes of 5 s are not."""
    recording = Recording(seconds=seconds, interval=interval, source="vcenter")
    recording.on_host({"cpu.pcpu_util": 30.0})
    recording.fact(recording.vm("web01", QUIET), "tools", "guestToolsNotRunning")
    check = next(one for one in diagnosed(recording).verdict.checks if one.problem == PROBLEM)
    assert check.verdict == verdict
