"""What a diagnosis says of its own reach: up to when, of what, and what it could not judge."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.shown import Shown
from diagnosis import Diagnosis, diagnose_session
from lab import load_scenarios
from sessions.model import Entity, EntityRef, Event, SeriesSpec, SourceKind, SourceSpec
from sessions.problem_areas import PROBLEM_AREAS, area_of
from sessions.times import TimeRange, iso
from sessions.verdict_wording import (
    check_because,
    entity_text,
    limits_of,
    reach_text,
    unjudged_areas_text,
    verdict_json,
    verdict_sentence,
    verdict_title,
)
from sessions.verdicts import NOT_JUDGED, CheckReach, SeverityCounts, SourceReach, Verdict, samples_after
from tests.diagnosis.recordings import START, Recording, catalogue, diagnosed, during, problems, session
from tests.sessions.memory_session import MemorySession
from viewmodels.verdict_words import verdict_health


def at(t_ms: int) -> str:
    return iso(t_ms)[11:19]


def quiet(host: str = "esx01", *, seconds: float = 600, interval: float = 5.0) -> Recording:
    recording = Recording(host, seconds=seconds, interval=interval)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    recording.vm("web01", {"cpu.max_limited": 0.0, "cpu.ready": 0.5})
    return recording


WEB01 = EntityRef("vm", "esx01/vm/web01")


def test_it_says_up_to_when_and_what_it_judged() -> None:
    found = diagnosed(quiet())
    end = START + 595_000
    assert (found.verdict.state, found.verdict.judged_to, found.verdict.samples) == ("judged", end, 120)
    assert found.verdict.is_clear
    assert found.reach[WEB01].to == end
    assert 0 < found.reach[WEB01].problems < found.reach[WEB01].of
    assert verdict_title(found.verdict) == "Judged in part: no problem found in CPU"
    assert reach_text(found.verdict, at, end + 25_000) == f"Judged to {at(end)}, 25 s behind"


def test_it_names_the_problems_it_could_not_judge_and_the_counters_they_lack() -> None:
    text = verdict_sentence(diagnosed(quiet()).verdict, at)
    assert re.search(r" Looked for \d+ of \d+ known problems in esx01\. ", text)
    assert "(%CSTP); esxtop -b -a records it" in text
    verdict = diagnosed(quiet()).verdict
    assert {one.problem for one in verdict.unjudged_checks} >= {"cpu.costop", "mem.swapping"}
    assert not {one.problem for one in verdict.unjudged_checks} & {"storage.nfs_latency"}  # there is no NFS


@pytest.mark.parametrize(
    ("seconds", "why"),
    [(5, "a single sample"), (30, "6 samples over 30 s; a problem must last 1 min or more")],
)
def test_too_few_samples_are_no_all_clear(seconds: float, why: str) -> None:
    found = diagnosed(quiet(seconds=seconds))
    assert found.verdict.state == "could not be judged"
    assert not found.verdict.is_clear
    assert found.reach == {}
    assert why in found.verdict.reason
    assert verdict_title(found.verdict) == "Could not be judged"
    assert "No problem" not in verdict_sentence(found.verdict, at)


def test_rows_without_a_single_number_are_said_to_be_that() -> None:
    recording = Recording(seconds=600)
    recording.vm("web", {"cpu.ready": float("nan"), "cpu.used": float("nan")})
    verdict = diagnosed(recording).verdict
    assert (verdict.state, verdict.reason) == (
        "could not be judged", "none of its 120 samples holds a number",
    )  # fmt: skip


def test_a_session_without_rows_was_not_judged() -> None:
    made = MemorySession()
    made.add_source(SourceSpec("esxtop", "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)))
    verdict = diagnose_session(made, problems(), catalogue()).verdict
    assert (verdict.state, verdict.reason) == ("could not be judged", "there is no sample in this session")
    assert verdict.sources[0].reason == "no samples"


def test_a_recording_that_has_only_begun_is_not_judged_yet() -> None:
    made = MemorySession()
    times = np.array([START], np.int64)
    made.add_source(SourceSpec("lab", "esx01", 20.0), times, [], np.zeros((1, 0)), state="recording")
    assert diagnose_session(made, problems(), catalogue()).verdict.state == "not judged yet"


def test_a_source_that_died_early_says_so() -> None:
    dead, alive = quiet("esx01", seconds=300), quiet("esx02")
    verdict = diagnosed(dead, alive).verdict
    assert verdict.judged_to == START + 595_000
    reasons = {one.name: one.reason for one in verdict.sources}
    assert reasons == {"esx01": "its samples stop 5 min before those of other sources", "esx02": ""}
    assert diagnosed(dead, alive).reach[WEB01].to == START + 295_000
    assert "Judged in part: esx01: its samples stop 5 min before" in verdict_sentence(verdict, at)


def test_an_entity_without_a_judged_counter_was_not_judged() -> None:
    recording = quiet()
    bare = recording.vm("bare", {"cpu.used": 20.0})
    hollow = recording.vm("hollow", {"cpu.ready": lambda t: np.full(t.size, np.nan)})
    brief = recording.vm("brief", {"cpu.ready": lambda t: np.where(t < 20, 0.5, np.nan)})
    gone = recording.vm("gone", {"cpu.ready": lambda t: np.where(t < 300, 0.5, np.nan)})
    found = diagnosed(recording)
    assert not {bare, hollow, brief} & found.reach.keys()
    assert found.reach[gone].to == START + 295_000
    assert entity_text(None, found.verdict, at).startswith("Not judged: it has no samples")
    assert entity_text(found.reach[gone], found.verdict, at).startswith(f"Judged to {at(START + 295_000)}")


def test_a_time_range_without_samples_is_not_judged() -> None:
    window = TimeRange(START - 9000, START - 5000)
    verdict = diagnose_session(session(quiet()), problems(), catalogue(), window).verdict
    assert (verdict.state, verdict.reason) == ("could not be judged", "there is no sample in this time range")


def test_findings_are_counted_and_info_is_no_problem() -> None:
    recording = quiet()
    recording.vm("slow", {"cpu.ready": 20.0, "cpu.max_limited": 0.0})
    verdict = diagnosed(recording).verdict
    assert (verdict.counts.critical, verdict.worst, verdict.is_clear) == (1, "critical", False)
    assert verdict_title(verdict) == "1 critical"
    gappy = Recording(seconds=1200)
    gappy.seconds = np.concatenate([gappy.seconds[:40], gappy.seconds[140:]])
    gappy.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    with_info = diagnosed(gappy).verdict
    assert (with_info.counts.info, with_info.is_clear) == (1, True)
    assert verdict_title(with_info) == "Judged in part: no problem found in CPU; 1 to know of"


def clear(*problems: str) -> Verdict:
    reach = (SourceReach(1, "esx01", TimeRange(0, 1), 2),)
    return Verdict(
        "judged", reach, tuple(CheckReach(one, one, 1, 1, verdict="not found") for one in problems)
    )


_REST = "storage.device_latency net.rx_drops"


@pytest.mark.parametrize(
    ("problems", "title", "health"),
    [
        (f"cpu.costop mem.swapping {_REST}", "No problem found", "ok"),
        (f"cpu.ready_high mem.host_state {_REST}", "No problem found", "ok"),
        ("cpu.ready_high mem.ballooning", "Judged in part: no problem found in CPU and memory", "partly"),
        ("storage.vm_latency vsan.d", "Judged in part: no problem found in storage", "partly"),
        (
            f"cpu.power_management mem.swapping {_REST}",
            "Judged in part: no problem found in memory, storage and network",
            "partly",
        ),
        (
            f"cpu.costop numa.migrations {_REST}",
            "Judged in part: no problem found in CPU, storage and network",
            "partly",
        ),
        ("cluster.a", "Judged in part: no problem found in what was judged", "partly"),
    ],
)
def test_a_whole_session_is_clear_only_if_a_main_check_of_each_area_was_judged(
    problems: str, title: str, health: str
) -> None:
    verdict = clear(*problems.split())
    assert (verdict_title(verdict), verdict_health(verdict)) == (title, health)
    assert verdict_json(verdict)["partly"] == (health == "partly")
    assert bool(limits_of(verdict)) == (health == "partly")


def test_entities_that_were_judged_are_clear_although_others_have_areas_of_their_own() -> None:
    verdict = clear("cpu.ready_high")
    assert verdict_health(verdict, is_of_entities=True) == "ok"
    assert verdict_title(verdict, is_of_entities=True) == "No problem found"
    assert verdict_json(verdict)["unjudged_areas"] == ["memory", "storage", "network"]


def test_an_area_of_which_only_settings_were_judged_is_told_apart_from_one_that_is_absent() -> None:
    assert unjudged_areas_text(clear("cpu.power_management", "storage.vm_latency", "net.rx_drops")) == (
        "This is no all-clear for memory: the samples have nothing that tells of it. "
        "This is no all-clear for CPU: none of its main checks could be judged."
    )


def test_what_was_found_is_said_first_whatever_was_not_judged() -> None:
    verdict = replace(clear("cpu.ready_high"), counts=SeverityCounts(warning=1))
    assert (verdict_title(verdict), verdict_health(verdict)) == ("1 warning", "warning")
    assert not verdict_json(verdict)["partly"]
    assert verdict_json(verdict)["unjudged_areas"] == ["memory", "storage", "network"]


def test_samples_after_the_verdict_are_counted() -> None:
    verdict = diagnosed(quiet()).verdict
    assert samples_after(verdict, session(quiet())) == 0
    assert samples_after(verdict, session(quiet(seconds=620))) == 4
    assert samples_after(verdict, session(quiet(), quiet("esx02", seconds=20))) == 4


def test_nobody_has_judged_is_neither_clear_nor_a_problem() -> None:
    assert (NOT_JUDGED.is_judged, NOT_JUDGED.is_clear, NOT_JUDGED.judged_to) == (False, False, None)
    assert verdict_sentence(NOT_JUDGED, at) == "Not judged yet."
    trouble = Verdict("could not be judged", reason="the file is damaged")
    assert verdict_sentence(trouble, at) == "Could not be judged: the file is damaged."


def test_problems_that_need_only_two_samples_do_not_make_half_a_minute_an_all_clear() -> None:
    recording = quiet(seconds=35)
    recording.shared("naa.1", {"disk.aborts": 0.0})
    found = diagnosed(recording)
    assert (found.verdict.state, found.reach) == ("could not be judged", {})


def test_a_warning_that_follows_from_what_is_only_worth_knowing_is_no_all_clear() -> None:
    recording = quiet()
    recording.vm("slow", {"cpu.ready": 8.0, "cpu.max_limited": 0.0})
    (warning,) = (one for one in diagnosed(recording).findings if one.severity == "warning")
    above = replace(warning, problem="mem.swapped_past", severity="info")
    below = replace(warning, consequence_of=(above.problem, above.entity))
    assert SeverityCounts.of([above, below]) == SeverityCounts(warning=1, info=1)
    assert SeverityCounts.of([replace(above, severity="critical"), below]) == SeverityCounts(1, following=1)


def two_hosts(*, stops_after_s: float) -> Recording:
    """A vCenter's source with two hosts, of which the second one's samples stop."""
    recording = Recording("esx01", seconds=1200, interval=20, source="vcenter")
    recording.on_host({"mem.state": 0.0})
    recording.another_host("esx02", {"mem.state": lambda t: np.where(t < stops_after_s, 0.0, np.nan)})
    recording.vm("web01", {"cpu.max_limited": 0.0, "cpu.ready": 0.5})
    return recording


def test_a_host_of_a_vcenter_that_stopped_early_is_named() -> None:
    verdict = diagnosed(two_hosts(stops_after_s=1080)).verdict
    assert verdict.is_clear
    said = "Judged in part: esx01: the samples of esx02 stop 2 min before those of other hosts."
    assert said in verdict_sentence(verdict, at)


def test_hosts_that_only_lag_by_a_sample_are_not_named() -> None:
    verdict = diagnosed(two_hosts(stops_after_s=1160)).verdict
    assert "the samples of" not in verdict_sentence(verdict, at)


def test_fios_figures_are_no_short_capture_of_a_host() -> None:
    recording = Recording("job", seconds=20, source="fio")
    recording.add("worker", "rr", {"work.reads": 500.0})
    found = diagnosed(recording)
    assert found.findings == ()
    assert found.verdict.state == "could not be judged"
    assert "fio" in found.verdict.reason
    assert "hosts and VMs" in found.verdict.reason


def checks_of(found: Diagnosis) -> dict[str, CheckReach]:
    return {one.problem: one for one in found.verdict.checks}


def test_a_problem_that_was_judged_for_some_entities_only_was_judged_in_part() -> None:
    recording = quiet()
    recording.vm("bare", {"cpu.used": 20.0})
    recording.vm("brief", {"cpu.max_limited": lambda t: np.where(t < 20, 0.0, np.nan)})
    found = diagnosed(recording)
    limit = checks_of(found)["cpu.limit"]
    assert (limit.judged, limit.entities) == (1, 3)
    assert limit in found.verdict.partial_checks
    text = verdict_sentence(found.verdict, at)
    assert "known problems, for 2 of them in part only, in esx01." in text
    assert "Judged in part: " in text
    assert "2 of 3 lack samples for it" in text
    assert "in part" not in verdict_sentence(diagnosed(quiet()).verdict, at)


@pytest.mark.parametrize(("types", "entities"), [(("VMFS", "NFS41"), 1), (("VMFS",), 0)])
def test_a_problem_of_nfs_is_not_looked_for_on_vmfs(types: tuple[str, ...], entities: int) -> None:
    recording = Recording(source="vcenter", interval=20.0)
    recording.on_host({"cpu.pcpu_util": 40.0})
    for type_ in types:
        store = recording.shared(type_, {"nfs.reads": 20.0, "nfs.writes": 20.0}, "datastore")
        recording.fact(store, "datastore.type", type_)
        if type_ != "VMFS":
            recording.has(store, {"nfs.latency_read": 3.0, "nfs.latency_write": 3.0})
    found = diagnosed(recording)
    nfs = checks_of(found)["storage.nfs_latency"]
    assert (nfs.entities, nfs.judged, nfs.reason) == (entities, entities, "")
    assert "NFS" not in verdict_sentence(found.verdict, at)


@pytest.mark.parametrize(
    ("values", "state", "why"),
    [
        (1, "ended", "a value comes every 5 min: the recording has one, judging takes two"),
        (0, "ended", "a value comes every 5 min: the recording has none"),
        (0, "recording", "no value so far: one comes every 5 min"),
    ],
)
def test_a_source_of_rollups_says_how_seldom_its_values_come(values: int, state: str, why: str) -> None:
    """A short recording of a vCenter has no rollup of its datastores yet, or one."""
    made = session(quiet("vc01", interval=20.0))
    times = START + 300_000 * np.arange(1, 1 + values, dtype=np.int64)
    store = EntityRef("datastore", "nfs01")
    specs = [SeriesSpec(store, "nfs.latency", "ms")]
    made.add_source(
        SourceSpec("vcenter", "vc01 rollups", 300.0),
        times,
        specs,
        np.ones((values, 1)),
        entities=[Entity(store, "nfs01")],
        state=state,
    )
    verdict = diagnose_session(made, problems(), catalogue()).verdict
    assert f"Not judged: vc01 rollups: {why}." in verdict_sentence(verdict, at)


def test_one_reason_of_several_sources_is_given_once() -> None:
    short = [quiet(f"esx0{number}", seconds=15) for number in range(4)]
    text = verdict_sentence(diagnosed(*short).verdict, at)
    assert text.count("a problem must last") == 1
    lacking = [quiet(f"esx0{number}", seconds=15) for number in range(2)]
    text = verdict_sentence(diagnosed(quiet("esx09"), *lacking).verdict, at)
    assert "Not judged: esx00, esx01: 3 samples over 15 s; a problem must last" in text


def test_no_check_of_too_short_a_capture_is_said_to_have_found_nothing() -> None:
    recording = quiet(seconds=15)
    recording.vm("db01", {"mem.balloon": 0.0, "mem.swap_read": 0.0, "mem.swap_write": 0.0})
    found = diagnosed(recording)
    assert found.verdict.state == "could not be judged"
    checks = checks_of(found)
    assert checks["mem.swapping"].entities == 2
    assert {one.verdict for one in checks.values()} <= {"insufficient data", "not applicable"}
    assert checks["mem.swapping"].verdict == "insufficient data"


@pytest.mark.parametrize(("interval", "hides"), [(5.0, ""), (20.0, ""), (60.0, "2 min"), (300.0, "10 min")])
def test_what_coarse_samples_may_hide_is_said_beside_what_was_not_found(interval: float, hides: str) -> None:
    found = diagnosed(quiet(seconds=7200, interval=interval))
    check = checks_of(found)["cpu.ready_high"]
    assert check.verdict == "not found"
    ending = f"what lasted less than {hides} may not show: samples every 20 s or less would tell"
    assert check_because(check).endswith(ending) == bool(hides)
    assert (check.finer_s, check.unseen_s > 0) == (20.0 if hides else 0.0, bool(hides))
    said = f" Too coarse to rule out what lasted less than {hides}: "
    assert (said in verdict_sentence(found.verdict, at)) == bool(hides)


def test_a_fine_source_does_not_speak_for_the_hosts_of_a_coarse_one() -> None:
    fine, coarse = quiet(seconds=7200), quiet("esx02", seconds=7200, interval=300.0)
    assert checks_of(diagnosed(fine, coarse))["cpu.ready_high"].unseen_s == 600


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("No source tells the DRS score; vCenter does.", "no source tells the DRS score; vCenter does."),
        ("no source has %CSTP; esxtop has it", "no source has %CSTP; esxtop has it."),
        ("VMware Tools do not run.", "VMware Tools do not run."),
    ],
)
def test_a_reason_is_the_end_of_the_sentence(reason: str, said: str) -> None:
    verdict = Verdict("judged", checks=(CheckReach("x.y", "DRS says so", 1, 0, reason),))
    assert f"Not judged: DRS says so: {said}" in limits_of(verdict)


def ready_in(*minutes: tuple[int, int]) -> Diagnosis:
    """Two hours in samples of five minutes, with ready in some of them."""
    recording = Recording("esx01", seconds=7200, interval=300.0)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    every = np.arange(0, 7200, 300) / 60.0
    ready = [12.0 * any(start < at <= end for start, end in minutes) for at in every]
    recording.vm("web01", {"cpu.ready": ready, "cpu.max_limited": 0.0})
    return diagnosed(recording)


def test_a_lone_coarse_sample_is_suspected_and_two_in_a_row_are_a_problem() -> None:
    """Five minutes of mean may be one busy minute: no alarm, and no all-clear either."""
    lone = checks_of(ready_in((30, 35)))["cpu.ready_high"]
    assert (lone.verdict, lone.suspected) == ("suspected", 1)
    assert "web01 at most 12 %" in check_because(lone)
    assert check_because(lone).endswith("a moment that its interval spreads: record every 20 s or less")
    assert checks_of(ready_in((30, 40)))["cpu.ready_high"].verdict == "problem"
    assert checks_of(ready_in((30, 35), (60, 65)))["cpu.ready_high"].verdict == "suspected"


def test_a_check_of_hosts_alone_says_what_is_missing_of_the_vms() -> None:
    """A plain capture counts the balloons of a host, not whose they are."""
    recording = quiet()
    recording.on_host({"mem.balloon": 0.0, "mem.balloon_target": 0.0})
    check = checks_of(diagnosed(recording))["mem.ballooning"]
    assert (check.verdict, check.is_partial) == ("not found", True)
    assert "of VMs no source has " in check_because(check)
    assert "Balloon target (MCTLTGT); esxtop -b -a records them" in check_because(check)


def test_who_is_over_the_limit_and_lacks_the_rest_of_the_rule_is_suspected() -> None:
    """The rollups of a vCenter have a VM's balloon at level 1, but not what it is to grow to."""
    recording = quiet()
    recording.vm("db01", {"mem.balloon": 2048.0})
    recording.vm("db02", {"mem.balloon": 0.0})
    check = checks_of(diagnosed(recording))["mem.ballooning"]
    assert (check.verdict, check.suspected) == ("suspected", 0)
    assert check_because(check).startswith(
        "balloon of db01 at most 2 GB, limit 1 MB for 1 min; what else the rule asks of it is not known; "
    )
    assert "Balloon target (MCTLTGT)" in check_because(check)


def test_hosts_that_missing_counters_leave_open_are_no_all_clear() -> None:
    """A quiet host is cleared by its use alone; a busy one needs what was not recorded."""
    lab, shown = load_scenarios()["cpu-ready-numa"], Shown("vcenter", 300)
    found = diagnose_session(shown.play(lab, 1, catalogue())[1], problems(), catalogue())
    check = checks_of(found)["cpu.host_saturated"]
    assert (check.verdict, check.judged, check.entities) == ("insufficient data", 3, 4)
    assert "no source has Core utilisation (CORE UTIL(%))" in check_because(check)


def test_a_single_sample_of_some_counters_is_too_few_and_not_none() -> None:
    """A capture of two rows has its I/O in the second alone."""
    recording = quiet(seconds=600, interval=300.0)
    read = {"device_latency": 40.0, "commands": 500.0, "active": 8.0, "queued": 0.0}
    recording.shared("naa.1", {f"disk.{name}": [np.nan, value] for name, value in read.items()})
    check = checks_of(diagnosed(recording))["storage.device_latency"]
    assert check.verdict in ("suspected", "insufficient data")
    assert check.reason == "too few samples"


def test_an_nfs_datastore_that_nothing_counts_is_not_said_to_be_none() -> None:
    """The rollups of a vCenter have no latency of a datastore at level 1; its inventory has the datastore."""
    recording = quiet()
    recording.fact(recording.shared("nfs-vol01", {}, "datastore"), "datastore.type", "NFS")
    check = checks_of(diagnosed(recording))["storage.nfs_latency"]
    assert (check.verdict, check.judged, check.entities) == ("insufficient data", 0, 1)
    assert "no source has " in check_because(check)


@pytest.mark.parametrize(("samples", "is_said"), [(2, True), (3, False)])
def test_two_samples_are_too_few_however_long_they_are(samples: int, is_said: bool) -> None:
    recording = Recording(seconds=300.0 * samples, interval=300.0)
    recording.on_host({"cpu.pcpu_util": 20.0, "cpu.pcpu_used": 20.0})
    found = [one for one in diagnosed(recording).findings if one.problem == "data.insufficient"]
    assert bool(found) == is_said
    assert all("2 in all, reach over 10 min" in one.causes[0].because for one in found)


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        ("esxtop", "esxtop -b -a -d 5 -n 120"),
        ("vcenter", "--duration 10m"),
        ("esxi", "--duration 10m"),
        ("log", "--into S.hscope"),
        ("guest", "together with it"),
        ("fio", "record the vCenter or the hosts while it runs"),
        ("lab", "--duration 10m"),
    ],
)
def test_a_session_without_samples_says_what_to_do_next(kind: SourceKind, step: str) -> None:
    made = MemorySession()
    made.add_source(SourceSpec(kind, "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)))
    verdict = diagnose_session(made, problems(), catalogue()).verdict
    assert step in verdict.next_step
    assert step in verdict_sentence(verdict, at), "the window says it, too"


def test_what_is_judged_in_part_says_how_to_record_the_rest() -> None:
    found = diagnosed(quiet())
    assert verdict_title(found.verdict) == "Judged in part: no problem found in CPU"
    assert "record the host again with all counters: esxtop -b -a" in found.verdict.next_step
    areas, step, *_ = limits_of(found.verdict)
    assert areas.startswith("This is no all-clear for memory, storage and network")
    assert step == found.verdict.next_step
    trouble = replace(found.verdict, counts=SeverityCounts(warning=1))
    assert step not in limits_of(trouble)


def test_where_waiting_helps_nothing_is_to_be_done() -> None:
    made = MemorySession()
    made.add_source(
        SourceSpec("esxtop", "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)), state="recording"
    )
    assert diagnose_session(made, problems(), catalogue()).verdict.next_step == ""
    assert "esxtop -b -a" in diagnosed(quiet(seconds=5)).verdict.next_step
    window = TimeRange(START - 9000, START - 5000)
    verdict = diagnose_session(session(quiet()), problems(), catalogue(), window).verdict
    assert verdict.next_step.startswith("Choose a time in which the session has samples")


def test_what_logs_alone_tell_is_named() -> None:
    """A LUN that is lost stands in the logs, and in nothing else."""
    made = MemorySession()
    lost = "All Paths Down of naa.600508b4000603860000000000000002: nothing on it can be reached"
    events = [Event(START, "storage", lost, EntityRef("host", "esx01"), log="vmkernel.log")]
    times = np.array([START], np.int64)
    made.add_source(SourceSpec("log", "esx01"), times, [], np.zeros((1, 0)), events=events)
    found = diagnose_session(made, problems(), catalogue())
    assert found.notes == ("What the logs tell:", f"- {lost} [vmkernel.log]")


def test_counters_of_a_host_that_end_after_a_moment_are_no_all_clear() -> None:
    """Two captures in one file, of which the first alone had the memory screen."""
    recording = quiet()
    samples = len(recording)
    recording.on_host({"mem.state": [0.0 if number < 3 else np.nan for number in range(samples)]})
    found = diagnosed(recording)
    check = checks_of(found)["mem.host_state"]
    assert (check.verdict, check.reason) == ("insufficient data", "too few samples")
    no_all_clear = limits_of(found.verdict)[0]
    assert "memory" in no_all_clear
    assert "CPU" not in no_all_clear
    recording = quiet()
    recording.on_host({"mem.state": [0.0 if number < samples * 0.9 else np.nan for number in range(samples)]})
    assert checks_of(diagnosed(recording))["mem.host_state"].verdict == "not found"


@pytest.mark.parametrize("part", [0.03, 0.5])
@pytest.mark.parametrize("is_same", [True, False])
def test_vms_in_a_capture_that_goes_on_with_other_columns_are_not_cleared_by_its_beginning(
    part: float, is_same: bool
) -> None:
    """Of the VM, or of one that was there before, only the first rows have the memory screen."""
    recording = quiet()
    before = np.arange(len(recording)) < part * len(recording)
    screen = dict.fromkeys(("mem.swap_read", "mem.swap_write"), np.where(before, 0.0, np.nan))
    ready = np.full(len(recording), 0.5) if is_same else np.where(before, 0.5, np.nan)
    recording.vm("db", {"cpu.ready": ready, **screen})
    check = checks_of(diagnosed(recording))["mem.swapping"]
    assert (check.verdict, check.judged, check.reason) == ("insufficient data", 0, "too few samples")


def test_vms_that_left_early_are_cleared_up_to_then() -> None:
    recording = Recording(seconds=600)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    left = np.where(np.arange(len(recording)) < 30, 0.0, np.nan)
    recording.vm("db", {"cpu.ready": left, "mem.swap_read": left, "mem.swap_write": left})
    assert checks_of(diagnosed(recording))["mem.swapping"].verdict == "not found"


def test_samples_that_come_and_go_are_judged_as_what_they_are() -> None:
    recording = quiet()
    rare = np.where(np.arange(len(recording)) % 4 == 0, 0.0, np.nan)
    recording.vm("db", {"cpu.ready": 0.5, "mem.swap_read": rare, "mem.swap_write": rare})
    assert checks_of(diagnosed(recording))["mem.swapping"].verdict == "not found"


def test_every_main_check_of_an_area_is_a_card() -> None:
    cards = {card.id for card in problems().cards}
    for area in PROBLEM_AREAS:
        assert area.central <= cards
        assert {area_of(problem) for problem in area.central} == {area}


def test_a_vm_that_left_was_judged_up_to_then() -> None:
    """Of its disks esxtop goes on to print zeros."""
    recording = Recording("esx01", seconds=2400, interval=20)
    recording.on_host({"cpu.pcpu_util": 20.0, "cpu.pcpu_used": 18.0, "cpu.core_util": 22.0})
    for name, until in (("leaves", 1200), ("stays", 2400)):
        vm = recording.vm(name, {"cpu.ready": during(0, until, 0.5, float("nan"))})
        recording.add(
            "vdisk", "scsi0:0", {
                "vdisk.reads": during(0, until, 50.0), "vdisk.writes": 0.0, "vdisk.latency_read": 1.0,
                "vdisk.latency_write": 1.0,
            }, parent=vm,
        )  # fmt: skip
    found = diagnosed(recording)
    ends = {ref.key.rpartition("/")[2]: one.to for ref, one in found.reach.items() if ref.kind == "vm"}
    assert ends == {"leaves": START + 1_200_000, "stays": START + 2_380_000}
