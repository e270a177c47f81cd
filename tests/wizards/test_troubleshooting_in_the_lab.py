"""From the symptom to the cause, the lab makes the change, and the verification says what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnosis import diagnose
from diagnosis.check_curves import CheckCurve
from lab import Lab
from resources.catalogue import load_catalogue
from resources.comparison_rules import load_comparison_rules
from resources.guided_flow import load_flow
from resources.problem_cards import load_problems
from resources.units import format_value
from sessions.clock import Clock
from sessions.model import Frame, IntArray
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.troubleshooting import TroubleshootingRun, Verification
from tests.diagnosis.replaying import replay
from tests.wizards.acting_lab import Act, Acted, acted, nothing, release, set_of, throttle, vanish
from viewmodels.snapshot import read_snapshot
from wizards.flows.troubleshooting.detail import awaited_words
from wizards.flows.troubleshooting.judging import look_into, symptom_of
from wizards.flows.troubleshooting.offers import symptom_of_finding, worst_symptoms
from wizards.flows.troubleshooting.page_rows import ListRow, checks_now, lines_of
from wizards.flows.troubleshooting.surroundings import entity_called
from wizards.flows.troubleshooting.verified_numbers import better_of
from wizards.flows.troubleshooting.verifying import Session, Told, verify


@contextmanager
def opened(path: Path) -> Iterator[Session]:
    with SessionReader.open(path) as reader:
        yield Session(reader, read_snapshot(reader, path), path.name)


def looked(session: Session, recorded: Acted, name: str, until_s: float | None = None) -> TroubleshootingRun:
    ref = entity_called(session.snapshot, name, load_flow())
    until = recorded.at if until_s is None else recorded.lab.start_ms + round(until_s * 1000)
    symptom = symptom_of(session.snapshot, ref, until=until)
    return look_into(session.samples, session.snapshot, symptom).run


def story(run: TroubleshootingRun, found: Verification) -> str:
    """The run and its verification in a few lines."""
    worst = run.worst
    assert worst is not None
    lines = [f"{worst.verdict}: {worst.problem} of {worst.entity.kind if worst.entity else ''}"]
    lines += [f"likely: {one.cause}" for one in worst.causes if one.verdict == "likely"]
    lines += [f"follows: {one.problem}" for one in run.checks if one.follows_from is not None]
    lines.append(f"{found.outcome}, {found.confidence}")
    lines += [f"{one.problem}: {one.outcome}" for one in found.checks if one.before == "problem"]
    return "\n".join(lines)


def of_number(found: Verification, what: str) -> str:
    one = next(one for one in found.numbers if one.what == what)
    before, after = (format_value(value, one.unit) for value in (one.before, one.after))
    return f"{before} -> {after}, {one.judged}"


def verified(
    tmp_path: Path,
    scenario: str,
    act: Act,
    role: str = "victim",
    *,
    at_s: float = 600,
    event: tuple[str, str] | None = None,
    told: Told | None = None,
    seed: int = 2,
) -> tuple[TroubleshootingRun, Verification]:
    recorded = acted(
        tmp_path / "a.hscope", scenario, act, seed=seed, at_s=at_s, minutes=at_s / 60 + 12, told=event
    )
    with opened(recorded.path) as session:
        run = looked(session, recorded, neighbour(recorded) if role == "neighbour" else recorded.vm(role))
        return run, verify(session, run, told=told)


def neighbour(recorded: Acted) -> str:
    """A VM on the uplink that the noisy one fills."""
    cluster = recorded.lab.cluster
    noisy = cluster.cast["noisy"].members[0]
    place = cluster.vms[noisy].host, cluster.vms[noisy].uplink
    return next(vm.name for n, vm in enumerate(cluster.vms) if (vm.host, vm.uplink) == place and n != noisy)


def test_a_cpu_limit_is_raised(tmp_path: Path) -> None:
    run, found = verified(tmp_path, "cpu-limit-vm", set_of("victim", limit=np.inf))
    assert story(run, found) == (
        "problem: cpu.limit of vm\nlikely: vm_limit\nfollows: cpu.costop\nfixed, high\n"
        "cpu.limit: fixed\ncpu.costop: fixed"
    )
    assert of_number(found, "time held back by a limit, on the worst vCPU") == "33.0 % -> 0 %, better"
    assert [one.what for one in found.changes] == ["CPU limit: 1.85 GHz → unlimited"]


def test_a_noisy_neighbour_is_throttled(tmp_path: Path) -> None:
    event = ("noisy", "IOPS limit: 300")
    run, found = verified(tmp_path, "storage-latency-noisy-neighbour", throttle, "quiet", event=event)
    assert story(run, found) == (
        "problem: storage.noisy_neighbour of device\nlikely: noisy_neighbour\n"
        "follows: storage.device_latency\nfixed, high\n"
        "storage.device_latency: fixed\nstorage.noisy_neighbour: fixed"
    )
    assert "follows from: A neighbour makes a shared device slow" in {row.measured for row in run.rows}
    assert of_number(found, "Device latency") == "33.6 ms -> 1.67 ms, better"
    assert [one.problem for one in found.elsewhere] == [
        "storage.vm_latency"
    ]  # the price, told of the noisy VM


@pytest.mark.parametrize("looked_s", [815, 1010, 1300])
def test_a_neighbour_is_throttled_long_after_its_own_pattern_was_seen_last(
    tmp_path: Path, looked_s: float
) -> None:
    """The device is slow until the act; the pattern that names the neighbour was plain until 900 s only.

    Somebody looks long before the act, at the act, and long after it: then what followed it is in the look.
    """
    event = ("noisy", "IOPS limit: 300")
    recorded = acted(
        tmp_path / "a.hscope", "storage-latency-noisy-neighbour", throttle, seed=2, at_s=1010, minutes=28,
        told=event,
    )  # fmt: skip
    with opened(recorded.path) as session:
        device = recorded.lab.cluster.luns[recorded.lab.cluster.cast["lun"].members[0]].name
        run = looked(session, recorded, device, looked_s)
        found = verify(session, run)
    assert (found.outcome, found.confidence) == ("fixed", "high")
    again = {one.problem: one for one in found.checks}
    assert again["storage.noisy_neighbour"].ended_at == again["storage.device_latency"].ended_at
    assert found.before.end <= recorded.at


def test_a_memory_limit_is_raised_and_the_balloon_empties(tmp_path: Path) -> None:
    act = set_of("victim", mem_limit=np.inf)
    run, found = verified(tmp_path, "mem-balloon-vm-limit", act, at_s=960)
    assert story(run, found) == (
        "problem: mem.limit of vm\nlikely: vm_limit\nfollows: mem.ballooning\nfixed, high\n"
        "mem.ballooning: fixed\nmem.limit: fixed"
    )
    held = "memory held, of what its memory limit allows (0 % without one)"
    assert of_number(found, held) == "101 % -> 0 %, better"
    assert [one.what for one in found.changes] == ["Memory limit: 5.11 GB → unlimited"]
    again = {one.problem: one for one in found.checks}["mem.ballooning"]
    assert (again.after, again.because.endswith("It took some time to fade away.")) == ("problem", True)
    rows = [one for one in lines_of(run, load_flow(), found) if isinstance(one, ListRow)]
    assert {one.id: one.measured for one in rows}[
        "memory_limit"
    ] == "Held back by a memory limit was 103 %, now 0 %"
    assert [one.id for one in rows if one.is_found] == [], "what faded away is not there any more"
    assert checks_now(run, found)["mem.ballooning"].verdict == "not found"


def test_a_starved_guest_takes_its_packets_again(tmp_path: Path) -> None:
    run, found = verified(tmp_path, "net-rx-drops-guest-limited", set_of("victim", limit=np.inf))
    assert "net.rx_drops: fixed" in story(run, found)
    assert (found.outcome, found.confidence) == ("fixed", "high")


def test_what_is_less_but_still_over_the_limit_is_better(tmp_path: Path) -> None:
    act = set_of("victim", limit=np.inf)
    _, found = verified(tmp_path, "net-rx-drops-guest-limited", act, seed=13)
    assert found.outcome == "better"
    drops = next(one for one in found.checks if one.problem == "net.rx_drops")
    assert drops.because == (
        "It is less, but still over the limit. Received packets dropped: 38.4 % → 0.60 %, limit 0.05 %."
    )
    assert "Still there: Received packets dropped." in found.because


def test_what_no_source_sees_is_told_by_the_admin(tmp_path: Path) -> None:
    told = Told("ended the process that spun")
    run, found = verified(tmp_path, "net-rx-drops-guest-busy", release("spin"), told=told)
    assert story(run, found) == (
        "problem: cpu.guest_saturated of vm\nlikely: spinning_process\nfollows: net.rx_drops\nfixed, high\n"
        "cpu.guest_saturated: fixed\nnet.rx_drops: fixed"
    )


def test_a_neighbour_that_fills_the_uplink_is_shaped(tmp_path: Path) -> None:
    event = ("noisy", "traffic shaping on")
    act = set_of("noisy", shape=1000.0)
    run, found = verified(tmp_path, "net-noisy-bursts", act, "neighbour", at_s=960, event=event)
    assert story(run, found) == (
        "problem: net.saturated of nic\nlikely: one_vm_dominates\nfixed, high\nnet.saturated: fixed"
    )
    assert [one.problem for one in found.elsewhere] == ["net.tx_drops"]  # the price, of the VM that is shaped


def test_bursts_that_came_back_stay_away(tmp_path: Path) -> None:
    told = Told("staggered the virus scanners")
    run, found = verified(tmp_path, "cpu-ready-bursts", release("activity"), "busy", at_s=960, told=told)
    assert story(run, found) == (
        "problem: cpu.host_saturated of host\nlikely: synchronised_bursts\nfollows: cpu.ready_high\n"
        "fixed, medium\ncpu.host_saturated: fixed\ncpu.ready_high: fixed"
    )
    # The mean of a few short bursts is uncertain, and no outcome is surer than its own number.
    assert next(one.judged for one in found.numbers) == "undecided"
    assert run.worst is not None
    assert any("It comes back every" in note for note in run.worst.notes), run.worst.notes


def test_nothing_was_changed(tmp_path: Path) -> None:
    recorded = acted(tmp_path / "a.hscope", "cpu-limit-vm", nothing, seed=2, at_s=600, minutes=22)
    with opened(recorded.path) as session:
        run = looked(session, recorded, recorded.vm("victim"))
        span = session.snapshot.span
        assert span is not None
        found = verify(session, run, TimeRange(recorded.at + 60_000, span.end))
        waiting = verify(session, run)
    assert found.outcome == "unchanged"
    assert "No change was seen." in found.because
    assert waiting.outcome == "unchanged"


def test_the_load_went_away(tmp_path: Path) -> None:
    _, found = verified(tmp_path, "cpu-limit-vm", vanish)
    assert (found.outcome, found.confidence, found.same_load) == ("can't tell", "none", False)
    assert "It is gone, but so is the load." in found.because


def test_a_limit_that_is_gone_holds_nobody_back_whatever_the_load(tmp_path: Path) -> None:
    def act(lab: Lab) -> None:
        vanish(lab)
        set_of("victim", limit=np.inf)(lab)

    run, found = verified(tmp_path, "cpu-limit-vm", act)
    assert "fixed, medium\n" in story(run, found)


def test_what_ended_by_itself_is_not_credited(tmp_path: Path) -> None:
    act = release("iops", "outstanding")
    _, found = verified(tmp_path, "storage-latency-noisy-neighbour", act, "quiet")
    assert found.outcome == "can't tell"
    assert {one.outcome for one in found.checks if one.before == "problem"} == {"ended by itself"}
    assert "it may come back" in found.because


def test_a_condition_of_a_rule_is_neither_better_nor_worse() -> None:
    """That a device is healthy, and some I/O is there at all, is asked for: more of it was painted green."""
    catalogue = load_catalogue()
    rules = load_comparison_rules(catalogue)

    def curve(counter: str, *, is_below: bool, is_measure: bool = False) -> CheckCurve:
        none = np.zeros(0)
        return CheckCurve("", counter, "ms", none.astype(np.int64), none, 10.0, is_below, is_measure)

    assert better_of(curve("vdisk.reads", is_below=False), catalogue, rules) == ""
    assert better_of(curve("disk.device_latency", is_below=True), catalogue, rules) == "low"
    assert better_of(curve("disk.device_latency", is_below=False, is_measure=True), catalogue, rules) == "low"


def test_too_early_to_tell(tmp_path: Path) -> None:
    recorded = acted(
        tmp_path / "a.hscope", "cpu-limit-vm", set_of("victim", limit=np.inf), seed=2, at_s=600, minutes=12
    )
    with opened(recorded.path) as session:
        run = looked(session, recorded, recorded.vm("victim"))
        found = verify(session, run)
    assert (found.state, found.outcome) == ("too early", None)
    assert (round(found.has_s), round(found.needs_s)) == (55, 600)
    assert found.because == (
        "The recording ended with 12 of 25 samples of “Held back by a CPU limit” of "
        f"{recorded.vm('victim')} after the change: 1 min 5 s more are needed. Record longer after the "
        "change, or give another session."
    )


def test_the_later_window_is_in_another_session(tmp_path: Path) -> None:
    before = acted(tmp_path / "a.hscope", "cpu-limit-vm", nothing, seed=2, at_s=900, minutes=15)
    act = set_of("victim", limit=np.inf)
    after = acted(tmp_path / "b.hscope", "cpu-limit-vm", act, seed=2, at_s=0, minutes=15)
    with opened(before.path) as one, opened(after.path) as two:
        run = looked(one, before, before.vm("victim"))
        found = verify(one, run, other=two, told=Told("raised its CPU limit"))
    assert (found.session, found.outcome) == ("b.hscope", "fixed")
    assert of_number(found, "time held back by a limit, on the worst vCPU").endswith("-> 0 %, better")


def test_a_recording_is_verified_while_it_goes_on(tmp_path: Path) -> None:
    act = set_of("victim", limit=np.inf)
    recorded = acted(tmp_path / "whole.hscope", "cpu-limit-vm", act, seed=2, at_s=600, minutes=22)
    live = tmp_path / "live.hscope"
    told: list[str] = []
    run: TroubleshootingRun | None = None
    with SessionReader.open(recorded.path) as whole:
        for now in replay(whole, live, every=24):
            with opened(live) as session:
                if now < recorded.at - 60_000:
                    run = looked(session, recorded, recorded.vm("victim"))
                    assert run.symptom.window.end <= now
                    continue
                assert run is not None
                found = verify(session, run)
                told.append(f"{found.state} {found.has_s / 60:.0f} {found.outcome or ''}".strip())
    assert told[0] == "waiting for the change 1"
    assert told[1:-1] == [f"too early {minutes}" for minutes in range(1, 10, 2)]
    assert told[-1] == "done 11 fixed"


class Stalled:
    """A session in which one source gave no sample for a while."""

    def __init__(self, session: SessionReader, source: int, pause: TimeRange) -> None:
        self._session, self._source, self._pause = session, source, pause

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        of = {one.id: one.source for one in self._session.series()}
        frames = []
        for frame in self._session.read(ids, window):
            is_inside = (frame.times >= self._pause.start) & (frame.times <= self._pause.end)
            kept = ~is_inside if of[int(frame.ids[0])] == self._source else np.ones(frame.times.size, bool)
            frames.append(replace(frame, times=frame.times[kept], values=frame.values[kept]))
        return frames


def test_samples_of_what_decides_are_waited_for(tmp_path: Path) -> None:
    """The host of the VM gives no samples just after the change, others go on: nobody judges without it."""
    act = set_of("victim", limit=np.inf)
    recorded = acted(tmp_path / "whole.hscope", "cpu-limit-vm", act, seed=2, at_s=600, minutes=40)
    live = tmp_path / "live.hscope"
    told: dict[int, str] = {}
    words = ""
    run: TroubleshootingRun | None = None
    pause = TimeRange(recorded.at + 75_000, recorded.at + 900_000)
    with SessionReader.open(recorded.path) as whole:
        ref = entity_called(read_snapshot(whole, recorded.path), recorded.vm("victim"), load_flow())
        source = next(one.source for one in whole.series(["cpu.max_limited"]) if one.entity == ref)
        name = next(one.spec.name for one in whole.sources() if one.id == source)
        for now in replay(Stalled(whole, source, pause), live, every=12):
            with opened(live) as session:
                if now < recorded.at:
                    run = looked(session, recorded, recorded.vm("victim"))
                    continue
                assert run is not None
                found = verify(session, run, elsewhere=False)
                has = found.samples.has if found.samples is not None else None
                told[(now - recorded.at) // 60_000] = f"{found.state} {has} {found.outcome or ''}".strip()
                if now < pause.end:
                    words = awaited_words(found, Clock())
                if found.state == "done":
                    break
    assert told[12] == told[14] == "too early 3"  # ten minutes are over, three samples came
    assert words.startswith(f"{name} has given none since ")
    assert told[20] == "too early 74"
    assert list(told.values())[-1] == "done None fixed"
    assert max(told) == 24


def test_without_a_change_a_recording_waits_for_it(tmp_path: Path) -> None:
    recorded = acted(tmp_path / "whole.hscope", "cpu-limit-vm", nothing, seed=2, at_s=600, minutes=30)
    live = tmp_path / "live.hscope"
    states = set()
    run: TroubleshootingRun | None = None
    with SessionReader.open(recorded.path) as whole:
        for now in replay(whole, live, every=60):
            with opened(live) as session:
                if run is None and now >= recorded.at:
                    run = looked(session, recorded, recorded.vm("victim"))
                elif run is not None:
                    found = verify(session, run)
                    states.add((found.state, found.outcome))
    # A change that was made a moment ago is not seen yet: "unchanged" would be said of the time before it.
    assert states == {("waiting for the change", None)}


def test_symptoms_are_offered_from_the_worst_findings(tmp_path: Path) -> None:
    recorded = acted(tmp_path / "a.hscope", "net-noisy-bursts", nothing, seed=2, at_s=0, minutes=12)
    with opened(recorded.path) as session:
        findings = diagnose(session.samples, load_problems(), load_catalogue())
        offered = worst_symptoms(session.snapshot, findings)
        uplink = next(one for one in findings if one.entity.kind == "nic")
        symptom = symptom_of_finding(session.snapshot, uplink)
    assert symptom is not None
    assert symptom.entity.kind == "host"  # of an uplink its host is looked into
    assert symptom.window.start == uplink.windows[0].start
    assert symptom.entity in {one.entity for one in offered}
    assert len(offered) <= 5


def test_a_window_without_samples_is_no_all_clear(tmp_path: Path) -> None:
    recorded = acted(tmp_path / "a.hscope", "cpu-limit-vm", nothing, seed=2, at_s=0, minutes=12)
    with opened(recorded.path) as session:
        span = session.snapshot.span
        assert span is not None
        ref = entity_called(session.snapshot, recorded.vm("victim"), load_flow())
        symptom = symptom_of(session.snapshot, ref, since=span.end - 20_000)
        run = look_into(session.samples, session.snapshot, symptom).run
    check = run.check("cpu.host_saturated")
    assert check is not None
    assert (check.verdict, check.because) == ("insufficient data", "Too few samples in this time.")
    assert check.get == "Record for 10 min or more."
