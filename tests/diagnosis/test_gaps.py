"""Gaps of entities: the windows of "too little data", looked at once however many VMs there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from diagnosis import diagnose_session
from sessions.model import EntityRef, Gap
from sessions.times import TimeRange
from tests.diagnosis.expert.scenarios import diagnosed as scenario_diagnosed
from tests.diagnosis.expert.scenarios import scenarios
from tests.diagnosis.recordings import START, Recording, catalogue, diagnosed, problems
from tests.sessions.memory_session import MemorySession


class CountedGaps(list[Gap]):
    """Gaps that count how often one of them is looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[Gap]:
        for gap in super().__iter__():
            self.looked_at += 1
            yield gap


class CountedSession(MemorySession):
    """A session whose gaps are counted as they are read."""

    def __init__(self) -> None:
        super().__init__()
        self.counted = CountedGaps()

    def gaps(self) -> Sequence[Gap]:
        self.counted.extend(super().gaps() if not self.counted else ())
        return self.counted


def gaps_looked_at(vms: int, gaps: int) -> int:
    recording = Recording(source="vcenter", seconds=600, interval=20)
    recording.on_host({"cpu.pcpu_util": 40.0})
    refs = [recording.vm(f"vm{number}", {"cpu.ready": 1.0}) for number in range(vms)]
    for number in range(gaps):
        first = number // vms * 20
        recording.gap(first, first + 15, refs[number % vms])
    session = CountedSession()
    recording.into(session)
    diagnose_session(session, problems(), catalogue())
    return session.counted.looked_at


def test_more_vms_do_not_look_at_more_gaps() -> None:
    assert gaps_looked_at(vms=10, gaps=120) == gaps_looked_at(vms=120, gaps=120) <= 5 * 120


def a_vm_with_few_samples() -> tuple[Recording, EntityRef, EntityRef]:
    recording = Recording(source="vcenter", seconds=600, interval=20)
    recording.on_host({"cpu.pcpu_util": 40.0})
    few = recording.vm("few", {"cpu.ready": [1.0] * 6 + [float("nan")] * 24})
    return recording, few, recording.vm("all", {"cpu.ready": 1.0})


def windows_of_few(recording: Recording, window: TimeRange | None = None) -> list[TimeRange]:
    session = recording.into(MemorySession())
    found = diagnose_session(session, problems(), catalogue(), window).findings
    [short] = [one for one in found if one.problem == "data.insufficient"]
    assert short.entity_name == "few"
    return list(short.windows)


def at(first_s: int, last_s: int) -> TimeRange:
    return TimeRange(START + first_s * 1000, START + last_s * 1000)


def test_too_little_data_names_the_gaps_of_the_vm_alone() -> None:
    recording, few, other = a_vm_with_few_samples()
    recording.gap(120, 300, few)
    recording.gap(320, 580, few)
    recording.gap(0, 20, other)
    recording.gap(40, 60)
    assert windows_of_few(recording) == [at(120, 300), at(320, 580)]
    assert windows_of_few(recording, at(200, 400)) == [at(200, 300), at(320, 400)]
    assert windows_of_few(recording, at(440, 580)) == [at(440, 580)]


def test_too_little_data_without_a_known_gap_is_of_the_time_after_it_left() -> None:
    recording, _, _ = a_vm_with_few_samples()
    assert windows_of_few(recording) == [at(120, 580)]


def test_too_little_data_that_comes_now_and_then_is_of_the_whole_window() -> None:
    recording = Recording(source="vcenter", seconds=600, interval=20)
    recording.on_host({"cpu.pcpu_util": 40.0})
    recording.vm("few", {"cpu.ready": [1.0, float("nan"), float("nan")] * 10})
    assert windows_of_few(recording) == [at(0, 580)]


def test_a_vm_that_was_switched_off_is_told_as_such_without_a_gap() -> None:
    recording, _, _ = a_vm_with_few_samples()
    [short] = [one for one in diagnosed(recording).findings if one.problem == "data.insufficient"]
    assert [one.cause for one in short.causes if one.verdict == "likely"] == ["left"]
    assert short.causes[0].because.startswith("Its samples end 2 min after the recording begins")


def test_a_host_that_stopped_answering_is_told_once_with_all_that_ended_with_it() -> None:
    """It failed: its NICs, its view of a LUN and its VMs end with it. One VM was switched off long before."""
    recording = Recording(source="vcenter", seconds=600, interval=20)
    recording.on_host({"cpu.pcpu_util": 40.0})
    recording.vm("safe", {"cpu.ready": 1.0})

    def until(samples: int) -> list[float]:
        return [1.0] * samples + [float("nan")] * (30 - samples)

    lost = recording.another_host("esx02", {"cpu.pcpu_util": until(12)})
    for name, samples in (("one", 12), ("two", 11), ("before", 5)):
        recording.stays(recording.vm(name, {"cpu.ready": until(samples)}), (0, lost))
    device = recording.shared("naa.1", {})
    recording.has(device, {"disk.device_latency": 1.0}, "esx01")
    recording.has(device, {"disk.device_latency": until(12)}, "esx02")
    found = [one for one in diagnosed(recording).findings if one.problem == "data.insufficient"]
    assert {one.entity_name for one in found} == {"esx02", "before"}
    host = next(one for one in found if one.entity_name == "esx02")
    assert host.windows == (at(240, 580),)
    assert host.causes[0].because == (
        "Its samples end 4 min after the recording begins: it failed, was shut down or restarted, or lost "
        "its connection to vCenter then. VMs whose samples end with it: 2."
    )
    assert "a busy collector" not in " ".join(host.remedies)


def test_a_vm_that_left_is_told_when_and_what_says_where_to() -> None:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": 40.0})
    gone = recording.vm("gone", {"cpu.ready": [1.0] * 60 + [float("nan")] * 60})
    recording.gap(300, 595, gone)
    came = recording.vm("came", {"cpu.ready": [float("nan")] * 60 + [1.0] * 60})
    recording.gap(0, 295, came)
    patchy = recording.vm("patchy", {"cpu.ready": ([1.0] * 10 + [float("nan")] * 10) * 6})
    for first in range(50, 600, 100):
        recording.gap(first, first + 45, patchy)
    session = recording.into(MemorySession())
    found = diagnose_session(session, problems(), catalogue()).findings
    short = {one.entity_name: one for one in found if one.problem == "data.insufficient"}
    told = {
        name: [each.cause for each in one.causes if each.verdict == "likely"] for name, one in short.items()
    }
    assert told == {"gone": ["left"], "came": ["came"], "patchy": ["gaps"]}
    assert "5 min" in short["gone"].causes[0].because
    assert "do not tell where to" in short["gone"].causes[0].because
    assert "all hosts of the cluster" in " ".join(short["gone"].remedies)


def test_too_little_data_of_a_shared_device_names_the_host_that_saw_little() -> None:
    recording = Recording(source="vcenter", seconds=600, interval=20)
    recording.on_host({"cpu.pcpu_util": 40.0})
    recording.another_host("esx02", {"cpu.pcpu_util": 40.0})
    device = recording.shared("naa.1", {})
    counter = "disk.device_latency"
    recording.has(device, {counter: 1.0}, "esx01")
    recording.has(device, {counter: [1.0] * 6 + [float("nan")] * 24}, "esx02")
    session = recording.into(MemorySession())
    found = diagnose_session(session, problems(), catalogue()).findings
    [short] = [one for one in found if one.problem == "data.insufficient"]
    assert (short.entity, short.entity_name) == (device, "naa.1")
    assert short.conclusion.startswith("naa.1, as esx02 sees it, has 6 of 30 expected samples")


def test_a_whole_recording_is_not_asked_where_it_was_and_only_a_number_below_its_limit_has_one() -> None:
    recording = Recording("esx01", seconds=45, interval=5)
    recording.on_host({"cpu.pcpu_util": 40.0})
    [short] = [one for one in diagnosed(recording).findings if one.problem == "data.insufficient"]
    assert short.conclusion.startswith(
        "The recording of esx01 is too short to judge by: its samples, 9 in all, reach over 45 s."
    )
    assert [(one.cause, one.verdict) for one in short.causes] == [
        ("few_samples", "likely"),
        ("gaps", "ruled out"),
    ]
    assert [(one.what, one.value, one.threshold) for one in short.evidence] == [
        ("Samples", 9.0, None),
        ("Time that they cover", 45.0, 60.0),
        ("Of the samples that were expected", 100.0, None),
    ]


def test_a_host_that_lacks_one_sample_hides_nothing_that_lacks_many() -> None:
    recording = Recording(source="vcenter", seconds=600, interval=20)
    recording.on_host({"cpu.pcpu_util": [1.0] * 10 + [float("nan")] + [1.0] * 19})
    recording.vm("few", {"cpu.ready": [1.0, float("nan"), float("nan")] * 9 + [1.0] * 3})
    recording.vm("safe", {"cpu.ready": 1.0})
    found = [one for one in diagnosed(recording).findings if one.problem == "data.insufficient"]
    assert [one.entity_name for one in found] == ["few"]


def test_what_follows_from_the_settings_of_a_host_that_failed_is_no_sample_of_it() -> None:
    failed = scenarios()["ninth-ha-restarts-on-both-others"]
    found = [
        one for one in scenario_diagnosed(failed, "vcenter", 1).findings if one.problem == "data.insufficient"
    ]
    assert [one.entity_name for one in found] == ["esx03"]
