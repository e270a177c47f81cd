"""A VM that moves is judged at each sample with the host that it was on, and counts on that host then."""

from __future__ import annotations

from diagnosis import diagnose_session
from sessions.findings import Finding
from sessions.model import EntityRef, SourceKind
from sessions.times import TimeRange
from tests.diagnosis.recordings import (
    START,
    Level,
    Recording,
    catalogue,
    during,
    only,
    problems,
    verdicts,
)
from tests.sessions.memory_session import MemorySession

FULL: dict[str, Level] = {"cpu.pcpu_util": 97.0, "cpu.pcpu_used": 90.0}
CALM: dict[str, Level] = {"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0}
WAITING: dict[str, Level] = {"cpu.ready": 12.0, "cpu.run": 60.0, "cpu.used": 55.0, "cpu.max_limited": 0.0}
FREE: dict[str, Level] = {"cpu.ready": 0.5, "cpu.run": 20.0, "cpu.used": 18.0, "cpu.max_limited": 0.0}
END = 2400


def a_full_and_a_calm_host() -> tuple[Recording, EntityRef, EntityRef]:
    """esx01 is full and its VMs wait all the time, esx02 has room."""
    recording = Recording("esx01", source="vcenter", seconds=END, interval=20)
    full = recording.on_host(FULL)
    calm = recording.another_host("esx02", CALM)
    for number in range(4):
        recording.stays(recording.vm(f"here{number}", WAITING), (0, full))
        recording.stays(recording.vm(f"there{number}", FREE), (0, calm))
    return recording, full, calm


def seen(recording: Recording, first_s: float = 0, last_s: float = END) -> dict[tuple[str, str], Finding]:
    """Findings of a window, by problem and the entity's name."""
    window = TimeRange(START + round(first_s * 1000), START + round(last_s * 1000))
    session = recording.into(MemorySession())
    found = diagnose_session(session, problems(), catalogue(), window).findings
    return {(one.problem, one.entity_name): one for one in found}


def value(finding: Finding, counter: str) -> float:
    return next(item.value for item in finding.evidence if item.counter == counter)


def at(second: float) -> int:
    return START + round(second * 1000)


def test_a_window_after_the_move_is_judged_with_the_new_host() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    recording.stays(recording.vm("mover", WAITING), (0, full), (1800, calm))
    found = seen(recording, 1860)["cpu.ready_high", "mover"]
    assert "esx02's CPUs were 40 % busy" in found.conclusion
    assert value(found, "cpu.pcpu_util") == 40.0
    assert found.consequence_of is None


def test_a_window_before_the_move_is_judged_with_the_old_host() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    recording.stays(recording.vm("mover", WAITING), (0, full), (600, calm))
    found = seen(recording, 0, 580)
    assert ("cpu.ready_high", "mover") not in found  # its host is full: that is the problem, and is found
    assert ("cpu.host_saturated", "esx01") in found


def test_a_move_within_the_window_is_judged_on_each_host_for_its_time() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    recording.stays(recording.vm("mover", WAITING), (0, full), (1200, calm))
    found = seen(recording)["cpu.ready_high", "mover"]
    [window] = found.windows
    assert window == TimeRange(at(1200), at(END - 20))
    assert "esx02's CPUs were 40 % busy (40 % over the whole recording)" in found.conclusion
    assert value(found, "cpu.pcpu_util") == 40.0


def test_a_problem_that_goes_along_is_one_finding_over_the_move() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    limited: dict[str, Level] = {**FREE, "cpu.max_limited": 20.0, "cpu.ready": 21.0, "cpu.alloc_max": 900.0}
    recording.stays(recording.vm("mover", limited), (0, calm), (1200, full))
    found = seen(recording)["cpu.limit", "mover"]
    assert found.windows == (TimeRange(START, START + 1_000 * (END - 20)),)
    assert "esx02 was 40 % busy" in found.conclusion
    limited_on = {item.instance for item in found.evidence if item.counter == "cpu.max_limited"}
    assert limited_on == {"esx01", "esx02"}


def test_a_vm_counts_on_a_host_only_while_it_is_there() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    heavy: dict[str, Level] = {**WAITING, "cpu.ready": 30.0, "cpu.run": 70.0}
    recording.stays(recording.vm("heavy", heavy, vcpus=8), (0, full), (1000, calm))
    before, after = seen(recording, 0, 900), seen(recording, 1100)
    assert "heavy most" in before["cpu.host_saturated", "esx01"].conclusion
    assert verdicts(before["cpu.host_saturated", "esx01"])["few_heavy_vms"] == "likely"
    assert "heavy" not in after["cpu.host_saturated", "esx01"].conclusion
    both = seen(recording)["cpu.host_saturated", "esx01"]
    assert "heavy (at the end on esx02) most" in both.conclusion
    assert value(both, "cpu.ready") == (50 * 30.0 + 70 * 12.0) / 120  # of the worst VM, sample by sample


def test_what_follows_from_a_host_follows_from_the_one_it_was_on() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    stopped: dict[str, Level] = {
        **WAITING, "cpu.ready": during(0, 1190, 12.0, 0.5), "cpu.costop": during(0, 1190, 12.0),
    }  # fmt: skip
    recording.stays(recording.vm("mover", stopped, vcpus=4), (0, full), (1200, calm))
    found = seen(recording)
    assert found["cpu.costop", "mover"].consequence_of == ("cpu.host_saturated", full)
    assert seen(recording, 0, 1100)["cpu.costop", "mover"].consequence_of == ("cpu.host_saturated", full)


def test_there_and_back_again() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    busy = recording.vm("mover", {**WAITING, "cpu.run": 80.0})
    recording.stays(busy, (0, calm), (800, full), (1600, calm))
    found = seen(recording)["cpu.ready_high", "mover"]
    first, last = found.windows
    assert (first.end, last.start) == (at(780), at(1600))
    assert "esx02's CPUs were 40 % busy" in found.conclusion
    assert "mover" in seen(recording, 800, 1580)["cpu.host_saturated", "esx01"].causes[0].because


def test_a_host_s_use_is_never_averaged_over_two_hosts() -> None:
    """On the full host it waits with all others, until it leaves: that is the host's trouble, not its own."""
    recording = Recording("esx01", source="vcenter", seconds=END, interval=20)
    full, calm = recording.on_host(FULL), recording.another_host("esx02", CALM)
    for name in ("here1", "here2"):
        recording.stays(recording.vm(name, WAITING), (0, full))
    mover = recording.vm("mover", {**WAITING, "cpu.ready": during(0, 1190, 12.0, 0.5)})
    recording.stays(mover, (0, full), (1200, calm))
    found = seen(recording)
    assert ("cpu.host_saturated", "esx01") in found
    assert ("cpu.ready_high", "mover") not in found


def test_vms_of_the_same_host_are_its_neighbours_while_they_are_there() -> None:
    recording, full, calm = a_full_and_a_calm_host()
    poor: dict[str, Level] = {**WAITING, "cpu.alloc_shares": 400.0}
    rich: dict[str, Level] = {**FREE, "cpu.alloc_shares": 8000.0}
    recording.stays(recording.vm("poor", poor), (0, calm))
    recording.stays(recording.vm("rich", rich), (0, full), (1200, calm))
    late = seen(recording, 1300)["cpu.ready_high", "poor"]
    assert verdicts(late)["low_shares"] == "likely"
    early = seen(recording, 0, 1100)["cpu.ready_high", "poor"]
    assert verdicts(early)["low_shares"] == "unknown"  # nobody on its host tells shares


def test_what_ended_it_and_who_left_is_told_with_the_steps() -> None:
    """A limit that is lifted, a VM that is moved away: steps against them come too late."""
    recording = Recording("elsewhere", source="vcenter", interval=20.0, seconds=2400.0)
    full = recording.another_host("esx01", {"cpu.pcpu_used": during(0, 900, 99.0, 40.0)})
    other = recording.another_host("esx02", {"cpu.pcpu_used": 20.0})
    levels: dict[str, Level] = {"cpu.ready": during(0, 900, 22.0, 0.3), "cpu.run": 60.0, "cpu.used": 60.0}
    for number in range(6):
        vm = recording.add("vm", f"db{number}", levels | {"cpu.costop": 0.0}, parent=recording.host)
        recording.fact(vm, "vcpus", 4.0)
        recording.stays(vm, (0.0, full), *([(920.0, other)] if number == 0 else []))
        if number == 0:
            recording.event(vm, "drs", "DRS migrated db0 from esx01 to esx02", 915.0)
    found = only(recording, problem="cpu.host_saturated")
    (note,) = [one for one in found.notes if one.startswith("It ended")]
    assert (
        "24 min 40 s before the last sample, when this was told: DRS migrated db0 from esx01 to esx02."
        in note
    )
    told = " ".join(found.remedies)
    assert "; at the end on esx02)" in told or "db0" not in told


def test_that_steps_come_too_late_is_said_once() -> None:
    """By the limit that is gone, and not again by the event that lifted it."""
    recording = Recording("esx01", source="vcenter", interval=20.0, seconds=2400.0)
    recording.on_host({"cpu.pcpu_used": 20.0})
    vm = recording.vm("web01", {
        "cpu.max_limited": during(0, 900, 20.0), "cpu.ready": during(0, 900, 21.0, 0.5), "cpu.run": 40.0,
        "cpu.alloc_max": during(0, 900, 2000.0, -1.0),
    })  # fmt: skip
    recording.event(vm, "reconfigure", "Reconfigured web01", 910.0)
    gone, ended = only(recording, problem="cpu.limit").notes
    assert "come too late" in gone
    assert ended.endswith("when this was told: Reconfigured web01.")


def test_of_many_moves_that_ended_it_some_are_told_in_full() -> None:
    """DRS moved six VMs in one minute; all of them filled half a page."""
    recording = Recording("elsewhere", source="vcenter", interval=20.0, seconds=2400.0)
    full = recording.another_host("esx01", {"cpu.pcpu_used": during(0, 900, 99.0, 40.0)})
    other = recording.another_host("esx02", {"cpu.pcpu_used": 20.0})
    levels: dict[str, Level] = {"cpu.ready": during(0, 900, 22.0, 0.3), "cpu.run": 60.0, "cpu.used": 60.0}
    for number in range(8):
        vm = recording.vm(f"db{number}", levels | {"cpu.costop": 0.0}, vcpus=4)
        recording.stays(vm, (0.0, full), *([(920.0, other)] if number < 6 else []))
        if number < 6:
            recording.event(vm, "drs", f"DRS migrated db{number} from esx01 to esx02.", 915.0)
    (note,) = [
        one for one in only(recording, problem="cpu.host_saturated").notes if one.startswith("It ended")
    ]
    assert note.count("DRS migrated") == 3
    assert "; and 3 more. Steps against it come too late" in note


def a_capture_whose_heavy_vm_leaves(at_s: float, source: SourceKind = "esxtop") -> Recording:
    """A full host until its heavy VM's columns end; a capture knows no host that it went to."""
    recording = Recording("esx01", seconds=END, interval=20, source=source)
    recording.on_host({
        "cpu.pcpu_util": during(0, at_s, 97.0, 30.0), "cpu.pcpu_used": during(0, at_s, 90.0, 25.0),
        "cpu.core_util": during(0, at_s, 99.0, 40.0),
    })  # fmt: skip
    for number in range(4):
        recording.vm(f"here{number}", {**FREE, "cpu.ready": during(0, at_s, 9.0, 0.5)})
    waiting = {"cpu.ready": 12.0, "cpu.run": 85.0, "cpu.used": 80.0, "cpu.max_limited": 0.0}
    gone = {counter: during(0, at_s, level, float("nan")) for counter, level in waiting.items()}
    recording.vm("heavy", gone, vcpus=16)
    return recording


def test_an_order_says_of_a_vm_whose_columns_end_that_it_is_gone() -> None:
    found = only(a_capture_whose_heavy_vm_leaves(1800), problem="cpu.host_saturated")
    assert verdicts(found)["few_heavy_vms"] == "likely"
    order = next(one for one in found.remedies if one.startswith("Move the heaviest"))
    assert "; gone for the last 9 min 40 s)" in order.partition("heavy (")[2]
    assert "here0 (gone" not in " ".join(found.remedies)


def test_of_a_vcenter_a_vm_that_was_switched_off_is_gone_too() -> None:
    """What follows from its settings goes on; its host's finding tells who switched it off."""
    recording = a_capture_whose_heavy_vm_leaves(1800, "vcenter")
    heavy = EntityRef("vm", f"{recording.host.key}/vm/heavy")
    recording.fact(heavy, "cpu.limit_mhz", -1.0)
    recording.fact(heavy, "cpu.reservation_mhz", 0.0)
    recording.event(heavy, "power", "heavy on esx01 is powered off", 1805.0)
    found = only(recording, problem="cpu.host_saturated")
    assert "; gone for the last 9 min 40 s)" in " ".join(found.remedies)
    (note,) = [one for one in found.notes if one.startswith("It ended")]
    assert "when this was told: heavy on esx01 is powered off." in note


def test_a_vm_is_not_gone_whose_host_has_no_samples_either() -> None:
    recording = a_capture_whose_heavy_vm_leaves(1800, "vcenter")
    recording.another_host("esx02", CALM)
    for column, spec in zip(recording._columns, recording._specs, strict=True):
        if spec.entity.key.startswith("esx01"):
            column[recording.seconds > 1800] = float("nan")
    told = [text for one in seen(recording).values() for text in (*one.remedies, *one.notes)]
    assert told
    assert "gone for" not in " ".join(told)


def test_a_sample_that_is_missing_at_the_end_is_no_move() -> None:
    found = only(a_capture_whose_heavy_vm_leaves(END - 60), problem="cpu.host_saturated")
    assert "gone for" not in " ".join(found.remedies)


def test_a_finding_of_a_vm_whose_columns_end_says_that_it_is_gone() -> None:
    """Of its disks esxtop goes on to print zeros."""
    recording = Recording("esx01", seconds=END, interval=20)
    recording.on_host({"cpu.pcpu_util": 20.0, "cpu.pcpu_used": 18.0, "cpu.core_util": 22.0})
    levels = {"cpu.ready": 12.0, "cpu.run": 60.0, "cpu.used": 55.0, "cpu.max_limited": 0.0}
    gone = {counter: during(0, 1800, level, float("nan")) for counter, level in levels.items()}
    recording.vm("leaves", {**gone, "vdisk.reads": during(0, 1800, 50.0)}, vcpus=4)
    recording.vm("stays", {**FREE, "cpu.ready": during(0, 1800, 12.0, 0.5)}, vcpus=4)
    found = seen(recording)
    said = "It was gone for the last 9 min 40 s of the recording: it left esx01, or was switched off."
    assert [one for one in found["cpu.ready_high", "leaves"].notes if one.startswith(said)]
    assert not [one for one in found["cpu.ready_high", "stays"].notes if "was gone" in one]
