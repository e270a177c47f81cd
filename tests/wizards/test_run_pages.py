"""The pages of a run that the engine made: while it goes on, and its result, read from the session."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest

from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from resources.study_numbers import load_studies
from sessions.journal import ChangedObject, ChangeState, JournalEntry, Setting
from sessions.model import Entity, EntityRef, Event, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange
from tests.wizards.memory_environment import MemoryEnvironment
from tests.wizards.running import run_plan, short_plan
from viewmodels.run_curves import RUN_ATTRIBUTE, CounterCurve, Grid, work_curves
from wizards.flows.costs import cost_of
from wizards.flows.plan_file import parse_plan
from wizards.flows.run_charts import hosts_chart
from wizards.flows.run_details import details_text
from wizards.flows.run_reading import RunKnowledge, result_page, run_page
from wizards.flows.run_record import LOST_EVENT
from wizards.flows.run_source import RunSource
from wizards.flows.runs import run_sheet


@cache
def knowledge() -> RunKnowledge:
    return RunKnowledge(load_guided_tests(), load_fio_jobs(), load_studies(), lambda t: f"<{t:.0f}>")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of two depths, run to its end."""
    path = tmp_path_factory.mktemp("run") / "s.hscope"
    around = MemoryEnvironment()
    run_plan(path, around, short_plan(around), details=details_text)
    return path


def source(session: Path, at_phase: str, part: float) -> RunSource:
    """The run as it was when a part of a phase was done."""
    known = knowledge()
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
        plan = parse_plan(run.plan)
        number = next(n for n, one in enumerate(run.phases) if one.name == at_phase)
        phase = run.phases[number]
        assert phase.start is not None
        assert phase.end is not None
        now = round(phase.start + part * (phase.end - phase.start))
        phases = (
            *run.phases[:number],
            replace(phase, state="running", end=None),
            *(replace(one, state="planned", start=None, end=None) for one in run.phases[number + 1 :]),
        )
        window = TimeRange(run.start, now)
        return RunSource(
            run=replace(run, phases=phases, end=None, figures=(), verdict=""),
            plan=plan,
            cost=cost_of(plan, known.tests, known.jobs),
            work=work_curves(reader, run.id, window),
            counters={},
            journal=[],
            events=[],
            now=now,
            clock=known.clock,
            settings=known.settings,
        )


def measured_phase(session: Path) -> str:
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
    return [one.name for one in run.phases if one.name not in ("prepare", "restore", "fill")][-1]


def test_a_phase_that_measures(session: Path) -> None:
    found = run_sheet(source(session, measured_phase(session), 0.9))
    assert found.head.state == "ok"
    assert found.head.progress.startswith("measuring ")
    assert found.head.pause.startswith("Pause after ")
    assert found.head.can_stop
    assert found.head.note.endswith(found.labels[-1][1].removeprefix("≈ ")), "the head says when the bar ends"
    whole = sum(one.seconds for one in found.phases)
    assert 0 < found.done_s < whole
    stacked, latency = found.charts
    assert stacked.is_stacked
    assert any(np.isfinite(one.values).any() for one in stacked.curves)
    assert stacked.window == latency.window, "all charts have one time axis"
    assert any(one.is_warm_up for one in stacked.bands)
    assert {one.name for one in found.workers} == {one.name for one in stacked.curves}
    assert sum(one.share for one in found.workers) == pytest.approx(100.0)
    assert all(one.due is None for one in found.workers), "a sweep owes nobody anything"
    assert found.guards.chip is not None
    assert found.guards.chip.text == "all quiet"


def test_a_phase_that_warms_up_and_the_end_of_the_run(session: Path) -> None:
    warming = run_sheet(source(session, measured_phase(session), 0.05))
    assert warming.head.progress.startswith("warming up ")
    restoring = run_sheet(source(session, "restore", 0.5))
    assert not restoring.head.can_stop
    assert restoring.head.pause == ""
    assert restoring.head.progress.startswith("putting back")
    preparing = run_sheet(source(session, "prepare", 0.5))
    assert preparing.head.progress.startswith("preparing ")
    assert preparing.head.pause == ""
    assert all(one.words == "waiting" for one in preparing.workers)


def test_a_pause_says_how_long_it_lasts_at_most(session: Path) -> None:
    of = source(session, measured_phase(session), 0.9)
    assert run_sheet(replace(of, is_paused=True)).head.pause == "Go on"
    late = replace(of, is_paused=True, now=of.now + 3_600_000)
    head = run_sheet(late).head
    assert head.progress.startswith("paused ")
    assert head.progress.endswith("ends by itself after 30:00")
    assert head.state == "warning"


def test_a_run_that_is_held_between_two_phases_can_go_on(session: Path) -> None:
    of = source(session, measured_phase(session), 0.9)
    number = next(n for n, one in enumerate(of.run.phases) if one.state == "running")
    held = (replace(of.run.phases[number], state="planned", start=None), *of.run.phases[number + 1 :])
    of = replace(of, run=replace(of.run, phases=(*of.run.phases[:number], *held)))
    assert run_sheet(of).head.pause.startswith("Pause before ")
    head = run_sheet(replace(of, is_paused=True)).head
    assert head.pause == "Go on"
    assert head.title.startswith("Paused before ")
    assert head.is_paused
    assert head.can_stop


def test_a_run_that_has_ended_offers_no_stop(session: Path) -> None:
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
        found = run_page(reader, run.id, knowledge())
    assert found is not None
    assert found.head.title == "The run has ended"
    assert found.head.is_over
    assert not found.head.pause
    assert "≈" not in found.head.note
    assert {one.words for one in found.workers} == {"ended"}


def test_alike_changes_of_a_moment_are_one_line(session: Path) -> None:
    def change(number: int, setting: str, state: ChangeState, after: Setting) -> JournalEntry:
        of = ChangedObject("vc", "VirtualMachine", f"vm-{number}", f"w{number}")
        before = 1000.0 if "shares" in setting else None
        at = 60_000 + number
        return JournalEntry(str(number), "run-1", of, setting, before, after, "lab", state, 1, at)

    journal = [change(number, "disk.shares:scsi0:1", "applied", 500.0) for number in range(3)]
    journal += [change(number, "folder", "applied", f"/tmp/{number}") for number in (4, 5)]
    journal.append(change(7, "attribute:vpw.lock", "applied", '{"run": "run-1"}'))
    journal.append(change(8, "disk:t", "undone", "{}"))
    of = replace(source(session, measured_phase(session), 0.9), journal=journal)
    found = run_sheet(of).journal
    lines = [(one.title, one.text, one.state) for one in found.lines]
    assert lines == [
        ("Test disk removed, w8", "undone <60008>", "ok"),
        ("Lock of this run held, w7", "↶ removed", "warning"),
        ("Folder in the guest made, 2 objects", "↶ removed", "warning"),
        ("Disk shares 500, 3 objects", "↶ back to 1,000", "warning"),
    ]
    assert found.chip is not None
    assert found.chip.text == "7 applied, 1 undone"


def test_what_stopped_or_disturbed_a_run_stands_among_the_guards(session: Path) -> None:
    of = source(session, measured_phase(session), 0.9)
    disturbed = run_sheet(replace(of, events=[Event(of.now, "test disturbed", "vMotion of db")])).guards
    assert disturbed.chip is not None
    assert disturbed.chip.text == "disturbed"
    assert any("vMotion of db" in one.limit for one in disturbed.lines)
    stop = Event(of.now, "test stopped", "Other VMs on lun wait 41 ms for 30 s, limit 30 ms.")
    stopped = run_sheet(replace(of, events=[stop]))
    assert stopped.head.problem == stop.text
    assert stopped.guards.lines[0].title == stop.text


def test_a_worker_that_was_lost_is_neither_idle_nor_among_those_at_work(session: Path) -> None:
    """A guest was dead for half a minute, and the page said: all quiet, 3 of 3 workers, none of them lost."""
    of = source(session, measured_phase(session), 0.9)
    gone = of.plan.workers[1].name
    text = f"{gone} refuses connections."
    event = Event(of.now, LOST_EVENT, text, EntityRef("worker", gone))
    assert run_sheet(replace(of, lost_events={gone: replace(event, at=of.run.start)})).workers[1].words == (
        "working"
    ), "it is heard again since"
    found = run_sheet(replace(of, lost_events={gone: event}))
    worker = next(one for one in found.workers if one.name == gone)
    assert (worker.state, worker.words) == ("critical", "lost")
    assert [one.words for one in found.workers if one.name != gone] == ["working"] * 2
    assert found.guards.chip is not None
    assert (found.guards.chip.text, found.guards.chip.state) == ("1 worker lost", "warning")
    assert found.guards.lines[0].title == text
    (workers,) = [one for one in found.guards.lines if one.title == "Workers"]
    assert workers.state == "warning"
    assert workers.limit.startswith("2 of 3, ")


def test_a_worker_that_falls_silent_at_its_work_is_not_idle(session: Path) -> None:
    of = source(session, measured_phase(session), 0.9)
    later = replace(of, now=of.now + 40_000)
    assert {one.words for one in run_sheet(later).workers} == {"idle"}, "what it had to do may be done"
    longer = [msgspec.structs.replace(one, measure_s=one.measure_s + 300) for one in of.plan.phases]
    at_work = replace(later, plan=msgspec.structs.replace(of.plan, phases=tuple(longer)))
    assert {(one.state, one.words) for one in run_sheet(at_work).workers} == {("warning", "silent")}


def test_the_result_is_read_from_the_session(session: Path) -> None:
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
        found = result_page(reader, run.id, knowledge())
        assert found is not None
        assert found.head.line == run.verdict
        assert found.run is not None
        assert found.run.window == TimeRange(run.start, run.end or 0)
        assert [one.label for one in found.run.bands if one.label]
        assert found.raw is not None
        assert result_page(reader, "another", knowledge()) is None
        assert run_page(reader, "another", knowledge()) is None
        live = run_page(reader, run.id, knowledge())
        assert live is not None
        assert live.charts[0].curves


def test_damaged_details_leave_the_verdict(session: Path, tmp_path: Path) -> None:
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_test_runs([replace(run, details='{"rounds": 7', plan="nonsense = [")])
    with SessionReader.open(path) as reader:
        found = result_page(reader, run.id, knowledge())
        assert found is not None
        assert found.head.line == run.verdict
        assert found.run is None
        assert run_page(reader, run.id, knowledge()) is None


def test_a_gap_stays_a_gap_on_the_grid() -> None:
    grid = Grid(1_000_000, 1000, 6)
    times = np.array([1_000_100, 1_000_900, 1_003_500, 1_006_100], np.int64)
    means = grid.means(times, np.array([1.0, 3.0, 5.0, 9.0]))
    np.testing.assert_array_equal(means, [2.0, np.nan, np.nan, 5.0, np.nan, np.nan])
    wide = Grid.of(TimeRange(0, 5_340_000))
    assert wide.count <= 600
    assert wide.step == 8_900


def test_what_is_told_once_an_interval_holds_for_it_and_not_before(tmp_path: Path) -> None:
    """A worker whose samples come every three seconds: no holes between them, nothing in a real gap."""
    path = tmp_path / "s.hscope"
    worker = EntityRef("worker", "w1")
    times = [1_000_000 + 3000 * number for number in (*range(1, 9), *range(20, 26))]
    with SessionWriter.create(path, durable=False) as writer:
        number = writer.add_source(SourceSpec("fio", "t", 1.0, attributes=((RUN_ATTRIBUTE, "r"),)))
        writer.add_entities([Entity(worker, "w1")])
        ids = writer.add_series(number, [SeriesSpec(worker, "work.reads", "/s")])
        layout = writer.add_layout(number, ids)
        writer.append_ticks([(layout, at, np.array([100.0])) for at in times])
    with SessionReader.open(path) as reader:
        (one,) = work_curves(reader, "r", TimeRange(1_000_000, 1_080_000)).workers
    there = np.isfinite(one.iops)
    assert there[1:24].all()
    assert not there[26:56].any(), "half a minute without a sample is a gap"
    assert there[58:74].all()
    assert one.heard == times[-1]


def test_vmotions_are_marked_in_the_hosts_cpu() -> None:
    times = np.arange(1000, 4000, 1000)
    curves = [CounterCurve(EntityRef("host", f"h{n}"), f"esx0{n}.lab", np.full(3, 50.0 * n)) for n in (1, 2)]
    moved = Event(2000, "vMotion", "h03 moved to esx02", EntityRef("vm", "vm-3"))
    others = [Event(2500, "snapshot", "before-patch"), Event(9000, "vmotion", "later")]
    chart = hosts_chart(curves, times, (), TimeRange(1000, 3000), [moved, *others])
    assert [one.name for one in chart.curves] == ["esx01", "esx02"]
    assert chart.moments == ((2000, "h03 moved to esx02"),)
    assert chart.note == "%, 1 vMotion, dotted"
