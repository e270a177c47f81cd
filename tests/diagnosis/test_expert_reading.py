"""What an expert signs of captures that no card was made for, sentence by sentence."""

from __future__ import annotations

import re

import numpy as np
import pytest

from diagnosis import diagnose_session
from diagnosis.plain_text import report_text
from sessions.findings import Finding
from sessions.model import EntityRef, Event, SourceSpec
from tests.diagnosis.recordings import (
    START,
    Level,
    Recording,
    catalogue,
    cause,
    diagnosed,
    during,
    findings,
    only,
    problems,
    session,
    verdicts,
)
from tests.diagnosis.test_cards_storage import BUSY, LUN, OTHER, host, lun
from tests.diagnosis.test_cards_vcenter import DISK, check, vcenter

ALL_PATHS_DOWN = f"{LUN}: all paths to it are down"


def dead_lun() -> Recording:
    """After 400 s nothing comes back any more from a LUN that served 300 I/Os a second."""
    recording = host()
    served = {"commands": 300.0, "reads": 200.0, "writes": 100.0, "read_mb": 2.0, "write_mb": 1.0}
    took = {"device_latency": 1.5, "device_latency_read": 1.5, "device_latency_write": 1.5}
    device = lun(recording, OTHER)
    levels: dict[str, Level] = {f"disk.{name}": during(0, 400, one) for name, one in (served | took).items()}
    waiting: dict[str, Level] = {
        "disk.active": during(0, 400, 2.0, 28.0),
        "disk.queued": during(0, 400, 0.0, 6.0),
    }
    recording.shared(LUN, {**BUSY, **levels, **waiting})
    assert device.key == OTHER, "another LUN of the array answers"
    return recording


def of(found: list[Finding], problem: str) -> Finding:
    [one] = [one for one in found if one.problem == problem]
    return one


class TestDeadLun:
    PROBLEM = "storage.device_latency"

    def test_no_load_is_blamed_for_a_device_that_does_not_answer(self) -> None:
        found = only(dead_lun(), problem=self.PROBLEM)
        assert found.severity == "critical"
        assert (found.causes[0].cause, found.causes[0].verdict) == ("no_answer", "likely")
        assert verdicts(found)["own_load"] == "ruled out"

    def test_commands_that_never_came_back_took_no_0_ms(self) -> None:
        found = only(dead_lun(), problem=self.PROBLEM)
        said = " ".join([found.conclusion, *(one.because for one in found.causes)])
        assert not re.search(r"(?<![\d.])0 ms", said)

    def test_a_log_that_tells_of_it_makes_no_second_trouble_of_it(self) -> None:
        made = session(dead_lun())
        at = START + 401_000
        event = Event(
            at, "storage", ALL_PATHS_DOWN, EntityRef("device", LUN), at + 140_000, "log:1", log="vobd.log"
        )
        made.add_source(
            SourceSpec("log", "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)), events=[event]
        )
        found = list(diagnose_session(made, problems(), catalogue()).findings)
        hangs, paths = of(found, self.PROBLEM), of(found, "storage.path")
        assert hangs.consequence_of is None
        assert f"{ALL_PATHS_DOWN} [vobd.log]" in hangs.conclusion
        assert paths.consequence_of is not None
        assert paths.consequence_of[0] == self.PROBLEM
        assert "answered in" not in paths.conclusion


def test_a_neighbour_whose_vm_nobody_recorded_is_not_called_none_of_them() -> None:
    victim, noisy = host("esx01"), host("esx02")
    lun(victim, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 400.0, 150.0))
    lun(noisy, device_latency=during(300, 900, 30.0, 2.0), commands=during(300, 900, 6_000.0, 50.0))
    for found in findings(victim, noisy):
        said = " ".join([found.conclusion, *found.remedies, *(one.because for one in found.causes)])
        assert "none of them" not in said
    [asked, *_] = only(victim, noisy, problem="storage.device_latency").remedies
    assert asked.startswith("See what the busiest VM on it does; move its disk")


@pytest.mark.parametrize("problem", [card.id for card in problems().cards])
def test_no_step_speaks_of_somebody_unknown(problem: str) -> None:
    """Names of several, of whom none may be known, stand in brackets, which are then left out."""
    for one in problems().card(problem).causes:
        for step in one.remedies:
            plain = re.sub(r"\([^()]*\{top\([^()]*\)[^()]*\)|\[[^\[\]]*\]", "", step)
            assert "{top(" not in plain, step


class TestFirstWrite:
    PROBLEM = "storage.first_write"

    def disk(self, slow: Level) -> Recording:
        recording = vcenter()
        vm = recording.vm("ingest01", {"cpu.ready": 0.5})
        levels: dict[str, Level] = {**DISK, "vdisk.latency_write": slow, "vdisk.reads": 2.0}
        recording.add("vdisk", "scsi0:0", levels, parent=vm)
        return recording

    def test_counters_alone_make_it_possible_and_say_what_would_decide(self) -> None:
        found = only(self.disk(during(0, 420, 25.0, 1.0)), problem=self.PROBLEM)
        told = cause(found, "first_write")
        assert told.verdict == "possible"
        assert "Whether its disk is thin or lazily zeroed would decide" in told.because
        assert "–" not in told.because
        assert "device" not in found.conclusion, "none was recorded"

    def test_writes_that_were_fast_before_are_no_first_writes(self) -> None:
        assert findings(self.disk(during(700, 900, 25.0, 1.0)), problem=self.PROBLEM) == []


class TestAdapterType:
    def busy(self) -> Recording:
        recording = vcenter()
        vm = recording.vm("app07", {"cpu.ready": 0.5, "cpu.run": 60.0, "cpu.system": 22.0})
        port: dict[str, Level] = {
            "net.packets_rx": 60_000.0, "net.packets_tx": 40_000.0, "net.mbits_rx": 600.0,
            "net.mbits_tx": 200.0, "net.drops_rx": 0.6, "net.drops_tx": 0.0,
        }  # fmt: skip
        recording.add("port", "4000", port, parent=vm)
        recording.fact(vm, "nic.4000.type", "e1000")
        return recording

    def test_what_it_costs_follows_from_it(self) -> None:
        for problem in ("net.rx_drops", "cpu.system_time"):
            found = only(self.busy(), problem=problem)
            assert found.consequence_of is not None, problem
            assert found.consequence_of[0] == "net.adapter_type"

    def test_the_adapter_is_not_ruled_out_by_the_packets_that_go_over_it(self) -> None:
        found = only(self.busy(), problem="cpu.system_time")
        assert (found.causes[0].cause, found.causes[0].verdict) == ("emulated_device", "likely")
        assert "type e1000" in found.causes[0].because


def test_a_memory_limit_is_told_in_percent() -> None:
    recording = Recording()
    levels: dict[str, Level] = {
        "mem.size": 8_192.0, "mem.alloc_max": 8_000.0, "mem.consumed": 6_000.0, "mem.balloon": 0.0,
        "mem.balloon_target": 0.0, "mem.compress_rate": 0.0, "mem.swap_write": 0.0, "mem.swap_read": 0.0,
    }  # fmt: skip
    recording.vm("db01", levels)
    number = check(diagnosed(recording), "mem.limit").number
    assert number is not None
    assert (number.unit, number.value, number.limit) == ("%", 75.0, 90.0)


class TestFaultTolerance:
    def lagging(self, part: float | None) -> Finding:
        recording = vcenter()
        vm = recording.vm("ft01", {"cpu.ready": 0.5})
        recording.fact(vm, "ft.latency_status", "yellow")
        recording.fact(vm, "ft.secondary_latency_ms", 4_200.0)
        if part is not None:
            recording.add("nic", "vmnic1", {"net.mbits_ft": 10_000.0 * part, "net.link_speed": 10_000.0})
        return only(recording, problem="ft.slow")

    def test_a_secondary_that_nothing_speaks_against_gives_no_orders(self) -> None:
        found = self.lagging(None)
        assert verdicts(found)["secondary_starved"] == "unknown"
        assert found.remedies == ()

    def test_with_room_on_the_logging_network_it_is_the_secondary(self) -> None:
        assert verdicts(self.lagging(0.1))["secondary_starved"] == "possible"
        assert verdicts(self.lagging(0.9))["secondary_starved"] == "ruled out"


def test_why_a_check_was_not_done_is_said_as_it_is() -> None:
    """Snapshots are no matter of more samples: esxtop does not know them."""
    recording = host()
    vm = recording.vm("db01", {"cpu.ready": 0.5})
    recording.add("vdisk", "scsi0:0", DISK, parent=vm)
    text = re.sub(r"\s+", " ", report_text(diagnosed(recording)))
    assert "storage.snapshots: no source tells of snapshots; vCenter does" in text
