"""The engine: what is run, measured, stopped, lost and put back, in an environment in memory."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recorder.writing import SpaceRules
from resources.failures import BusyError, DisconnectedError
from sessions.journal import ChangedObject, Setting
from sessions.store import SessionReader
from tests.wizards.memory_environment import (
    STORE,
    T0,
    MemoryEnvironment,
    MemoryWorker,
    disk_in_use,
    host_object,
    vm_object,
)
from tests.wizards.running import recording_of, run_plan, short_plan
from wizards.flows.locks import LOCK
from wizards.flows.measured import Measured
from wizards.flows.result import result_json, what_failed
from wizards.flows.run_details import details_text, read_rounds
from workloads.environment import Disturbance, WorkerFacts


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return tmp_path / "run.hscope"


def test_a_sweep_from_start_to_verdict(session: Path) -> None:
    around = MemoryEnvironment()
    as_it_was = around.snapshot()
    plan = short_plan(around)
    ran = run_plan(session, around, plan)
    assert ran.outcome.error is None
    assert (ran.run.valid, ran.run.verdict) == (True, "3 rounds")
    assert set(ran.phases.values()) == {"done"}
    assert next(iter(ran.phases)) == "prepare"
    assert list(ran.phases)[-1] == "restore"
    assert around.snapshot() == as_it_was
    assert around.closed
    scratch = [entry for entry in ran.journal if entry.object.id.endswith("5c")]
    assert {entry.state for entry in scratch} == {"not needed"}
    assert scratch == ran.journal[:3]
    assert {entry.state for entry in ran.journal[3:]} == {"undone"}
    assert {entry.setting for entry in ran.journal} == {LOCK, "folder"}
    for one in ran.collector.measured.rounds:
        assert one.seconds == 60
        assert one.iops() == pytest.approx(3000, rel=0.02)
        assert one.latency_ms() == pytest.approx(4.0)
        assert one.percentile_ms(99) == pytest.approx(4.0, rel=0.02)
    with SessionReader.open(session) as reader:
        series = {one.counter for one in reader.series()}
        assert {"work.reads", "work.read_p99"} <= series
        workers = [one for one in reader.entities().values() if one.ref.kind == "worker"]
        assert [one.name for one in workers] == ["perf-w01", "perf-w02", "perf-w03"]
        assert all(one.parent is not None for one in workers)
    phases = [event for event in ran.events if event.kind == "test phase"]
    assert len(phases) == 6
    assert all(event.end is not None for event in phases)


def test_a_run_that_goes_on_measures_each_phase_of_a_step_that_is_left(tmp_path: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around)
    alone = tuple(
        replace(one, step="alone") if one.kind == "measure" else one for one in plan.phases
    )  # as the workers of "each alone": phases of one step, with names of their own
    plan = replace(plan, phases=alone)
    first = run_plan(tmp_path / "first.hscope", around, plan)
    before = read_rounds(details_text(Measured(first.collector.measured.rounds[:1]), None))
    ran = run_plan(tmp_path / "second.hscope", MemoryEnvironment(), plan, measured=before)
    assert list(first.phases) == ["prepare", "fill", "depth 16", "depth 1", "depth 16, round 2", "restore"]
    assert list(ran.phases) == ["prepare", "fill", "depth 1", "depth 16, round 2", "restore"]
    assert len(ran.collector.measured.rounds) == 3


def test_the_window_is_cut_from_what_fio_told_when_the_warm_up_has_no_fixed_length(session: Path) -> None:
    def warming(worker: MemoryWorker, around: MemoryEnvironment) -> tuple[float, float]:
        assert worker.starts_at is not None
        seconds = (worker.told - worker.starts_at) / 1000
        return (100.0 + 20 * seconds, 1.0) if seconds < 45 else (1000.0, 4.0)

    around = MemoryEnvironment(rate=warming)
    plan = short_plan(around, length="quick", inputs={"depths": (16,), "fill": False})
    ran = run_plan(session, around, plan, poll_s=1.0)
    for one in ran.collector.measured.rounds:
        assert one.iops() == pytest.approx(3000, rel=0.01)
        assert one.percentile_ms(50) == pytest.approx(4.0, rel=0.02), "nothing of the warm-up"


def test_shares_are_set_in_their_phases_and_put_back(session: Path) -> None:
    around = MemoryEnvironment()
    as_it_was = around.snapshot()
    plan = short_plan(around, "sioc-shares", inputs={"alone": False, "streams": False})
    seen: dict[str, Setting] = {}

    def note(environment: MemoryEnvironment) -> None:
        if any(one.is_busy for one in environment.all_workers):
            key = f"{environment.values[STORE, 'iorm.enabled']}"
            seen[key] = environment.values[vm_object(1), "disk.shares:Hard disk 2"]

    around.before_wait = note
    ran = run_plan(session, around, plan)
    assert ran.outcome.error is None
    assert seen == {"False": 1000.0, "True": 2000.0}
    assert around.snapshot() == as_it_was
    assert {one.step for one in ran.collector.measured.rounds} == {"off", "equal", "weighted", "bursts"}
    assert [one.number for one in ran.collector.measured.of_step("weighted")] == [1, 2, 3]
    assert ran.collector.measured.shares == {"perf-w01": 2000.0, "perf-w02": 500.0, "perf-w03": 500.0}
    (bursts,) = ran.collector.measured.of_step("bursts")
    paused = [one.reads for one in bursts.workers[1].samples]
    assert min(paused) == 0
    assert max(paused) == 700
    assert len(bursts.workers[0].samples) == len(bursts.workers[1].samples)


def test_a_block_keeps_it_from_starting(session: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around)
    around.facts["vm-2"] = {"snapshots": 1.0}
    ran = run_plan(session, around, plan)
    assert ran.outcome.error is not None
    assert ran.outcome.error.happened == "The test was not started: perf-w02 has a snapshot."
    assert not around.writes
    assert ran.run.valid is False


def test_a_disk_that_changed_since_the_plan_is_never_written(session: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around)
    disk_in_use(around.all_workers[2], "It has a filesystem (ext4).")
    ran = run_plan(session, around, plan)
    assert "It has a filesystem (ext4)." in str(ran.outcome.error)
    assert not around.writes
    assert not any(one.inputs for one in around.all_workers)


def test_a_vmotion_in_a_window_repeats_the_round(session: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around, inputs={"depths": (16,), "fill": False})
    around.happened = [Disturbance(T0 + 60_000, "vMotion", "perf-w02 moved to esx02.", vm_object(2))]
    ran = run_plan(session, around, plan)
    rounds = ran.collector.measured.rounds
    assert [bool(one.disturbances) for one in rounds] == [True, False, False]
    assert [one.number for one in rounds] == [1, 1, 2]
    assert ran.run.verdict == "2 rounds"
    assert [event.text for event in ran.events if event.kind == "test disturbed"] == [
        "perf-w02 moved to esx02."
    ]


def test_ctrl_c_ends_the_load_and_puts_everything_back(session: Path) -> None:
    around = MemoryEnvironment()
    as_it_was = around.snapshot()
    plan = short_plan(around, "sioc-shares", inputs={"alone": False})
    recording, collector = recording_of(session, around, plan)

    def stop(environment: MemoryEnvironment) -> None:
        if environment.values[STORE, "iorm.enabled"] and environment.all_workers[0].is_busy:
            recording.stop()

    around.before_wait = stop
    recording.start()
    outcome = recording.finish()
    assert outcome.error is None
    assert around.snapshot() == as_it_was
    assert not any(one.is_busy for one in around.all_workers)
    assert collector.result is not None
    assert collector.result.why == "The test was stopped by hand."
    states = {one.name: one.state for one in collector.result.phases}
    assert (states["off"], states["equal"], states["weighted"]) == ("done", "failed", "skipped")
    assert states["restore"] == "done"


def test_a_pause_holds_before_the_next_phase(session: Path) -> None:
    around = MemoryEnvironment()
    recording, _ = recording_of(session, around, short_plan(around))
    recording.pause()
    recording.start()
    time.sleep(0.5)
    assert not any(one.inputs for one in around.all_workers)
    recording.resume()
    assert recording.finish().error is None
    assert all(one.inputs for one in around.all_workers)


def test_a_journal_is_kept_although_nothing_was_measured(session: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around)

    def gone(changed: ChangedObject, _setting: str, value: Setting) -> None:
        if changed == vm_object(2) or value is None:
            raise DisconnectedError("vc01.corp does not answer.")

    around.before_write = gone
    ran = run_plan(session, around, plan)
    assert ran.outcome.error is not None
    assert session.exists(), "it holds what is still to be undone"
    assert {entry.state for entry in ran.journal if entry.is_open} == {"failed"}


def test_other_vms_that_suffer_end_the_run(session: Path) -> None:
    around = MemoryEnvironment()
    as_it_was = around.snapshot()
    plan = short_plan(around)

    def suffer(environment: MemoryEnvironment) -> None:
        if environment.all_workers[0].is_busy:
            environment.facts[STORE.id] = {"bystander_ms": 41.0}

    around.before_wait = suffer
    ran = run_plan(session, around, plan)
    assert ran.run.why.startswith(
        "A guard ended the test: Other VMs on perf-lun-02 wait 41 ms for 30 s, limit 30 ms."
    )
    assert around.snapshot() == as_it_was


def test_a_datastore_that_fills_up_ends_the_run(session: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around)

    def fill(environment: MemoryEnvironment) -> None:
        if environment.all_workers[0].is_busy:
            environment.facts[STORE.id] = {"free_bytes": float(1 << 30)}

    around.before_wait = fill
    assert "perf-lun-02 has 0.0 % left, limit 10 %" in run_plan(session, around, plan).run.why


def test_a_worker_that_is_lost_is_named_and_the_others_go_on(session: Path) -> None:
    around = MemoryEnvironment(count=4)
    plan = short_plan(around)

    def die(environment: MemoryEnvironment) -> None:
        if environment.clock > T0 + 60_000:
            environment.all_workers[3].alive = False

    around.before_wait = die
    ran = run_plan(session, around, plan)
    assert ran.outcome.error is None
    assert ran.collector.workers == {
        "perf-w01": "ended",
        "perf-w02": "ended",
        "perf-w03": "ended",
        "perf-w04": "lost",
    }
    assert ran.phases["restore"] == "failed", "its folder can't be removed"
    errors = {one.worker: one.error for one in ran.collector.measured.rounds[0].workers if one.error}
    assert errors == {"perf-w04": "It does not answer any more."}
    (lost,) = read_rounds(details_text(ran.collector.measured, None)).lost
    assert (lost.worker, lost.why) == ("perf-w04", "It does not answer any more.")
    (event,) = [one for one in ran.events if one.kind == "test worker lost"]
    assert event.text == "perf-w04 was lost: It does not answer any more."
    assert (event.at, event.entity) == (lost.at, around.all_workers[3].entity)
    starts = [one.start for one in ran.run.phases if one.start is not None and one.start <= lost.at]
    assert lost.after_s == (lost.at - max(starts)) / 1000
    told = result_json(ran.run, ran.collector.measured, ran.collector.workers, ran.collector.changes)
    workers: Any = told["workers"]
    assert [one.get("why") for one in workers] == [None, None, None, "It does not answer any more."]
    assert what_failed(ran.run) == "", "it was measured to its end, although a folder is left"


def test_too_few_hosts_end_the_run(session: Path) -> None:
    around = MemoryEnvironment(count=3)
    as_it_was = around.snapshot()
    plan = short_plan(around, "sioc-shares", inputs={"alone": False})

    def die(environment: MemoryEnvironment) -> None:
        for worker in environment.all_workers:
            if environment.clock > T0 + 120_000 and worker.vm.parent == host_object(2).id:
                worker.alive = worker.folder is None

    around.before_wait = die
    ran = run_plan(session, around, plan)
    assert "Workers are left on 1 host, and the test needs 2." in ran.run.why
    lost = {name for name, state in ran.collector.workers.items() if state == "lost"}
    assert lost == {one.worker for one in ran.collector.measured.lost}
    assert lost
    settings = {key: value for key, value in around.snapshot().items() if key[1] != "folder"}
    assert settings == {key: value for key, value in as_it_was.items() if key[1] != "folder"}


def test_a_change_that_fails_ends_the_run_and_the_rest_is_put_back(session: Path) -> None:
    around = MemoryEnvironment()
    as_it_was = around.snapshot()
    plan = short_plan(around, "sioc-shares", inputs={"alone": False})

    def refuse(changed: ChangedObject, setting: str, value: Setting) -> None:
        if changed == vm_object(2) and value == 500.0:
            raise DisconnectedError("The task failed: the VM is locked.")

    around.before_write = refuse
    ran = run_plan(session, around, plan)
    assert "the VM is locked" in ran.run.why
    assert around.snapshot() == as_it_was
    assert ran.phases["weighted"] == "failed"


def test_what_somebody_else_set_meanwhile_is_left_and_said(session: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around, "sioc-shares", inputs={"alone": False, "bursts": False, "streams": False})

    def meddle(environment: MemoryEnvironment) -> None:
        if environment.values[vm_object(3), "disk.shares:Hard disk 2"] == 500.0:
            environment.values[vm_object(3), "disk.shares:Hard disk 2"] = 777.0

    around.before_wait = meddle
    ran = run_plan(session, around, plan)
    left = [entry for entry in ran.journal if entry.state == "left"]
    assert [(entry.object.name, entry.before) for entry in left] == [("perf-w03", 1000.0)]
    assert around.values[vm_object(3), "disk.shares:Hard disk 2"] == 777.0
    assert ran.phases["restore"] == "failed"


def test_a_lock_of_another_run_is_respected_and_can_be_taken(session: Path, tmp_path: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around)
    around.values[STORE, LOCK] = (
        '{"run": "41", "test": "sioc-shares", "by": "anna-pc", "since": 1759990000000}'
    )
    ran = run_plan(session, around, plan)
    assert "perf-lun-02 is held by test sioc-shares (run 41) from anna-pc since" in str(ran.outcome.error)
    assert not around.writes
    again = run_plan(tmp_path / "again.hscope", around, plan, take_locks=True)
    assert again.outcome.error is None
    assert around.values[STORE, LOCK] is None


@pytest.mark.parametrize("at", ["the last lock", "the look at the guests"])
def test_of_two_runs_that_lock_at_the_same_instant_one_gives_way(
    session: Path, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attribute is read, then written: what the other run writes in between is found out later."""
    around = MemoryEnvironment()
    plan = short_plan(around, "sioc-shares", inputs={"alone": False})
    theirs = '{"run": "41", "test": "sioc-shares", "by": "anna-pc", "since": 1759990000000}'
    as_it_was = {**around.snapshot(), (STORE, LOCK): theirs}
    inspect = MemoryWorker.inspect

    def meanwhile(changed: ChangedObject, setting: str, value: Setting) -> None:
        if (changed, setting) == (vm_object(3), LOCK) and value is not None and at == "the last lock":
            around.values[STORE, LOCK] = theirs

    def inspected(worker: MemoryWorker) -> WorkerFacts:
        if (vm_object(3), LOCK) in around.values and at == "the look at the guests":
            around.values[STORE, LOCK] = theirs
        return inspect(worker)

    monkeypatch.setattr(MemoryWorker, "inspect", inspected)
    around.before_write = meanwhile
    ran = run_plan(session, around, plan)
    assert isinstance(ran.outcome.error, BusyError)
    assert "perf-lun-02 is held by test sioc-shares (run 41) from anna-pc" in str(ran.outcome.error)
    assert not any(one.inputs for one in around.all_workers)
    assert around.snapshot() == as_it_was
    if at == "the last lock":
        assert {setting for _, setting, _ in around.writes} == {LOCK}, "nothing else was changed"


def test_a_lock_that_another_run_was_faster_to_take_is_not_overwritten(session: Path) -> None:
    """It would be put back at the end, when that run may have gone: nobody would free it any more."""
    around = MemoryEnvironment()
    plan = short_plan(around)
    theirs = '{"run": "41", "test": "sioc-shares", "by": "anna-pc", "since": 1759990000000}'
    as_it_was = {**around.snapshot(), (vm_object(3), LOCK): theirs}

    def faster(changed: ChangedObject, setting: str, value: Setting) -> None:
        if (changed, setting) == (vm_object(2), LOCK) and value is not None:
            around.values[vm_object(3), LOCK] = theirs

    around.before_write = faster
    ran = run_plan(session, around, plan)
    assert isinstance(ran.outcome.error, BusyError)
    assert "perf-w03 is held by test sioc-shares (run 41) from anna-pc" in str(ran.outcome.error)
    assert around.snapshot() == as_it_was
    assert not any(value not in (None, "") for name, setting, value in around.writes if name == "perf-w03")


def test_disks_are_made_used_and_removed(session: Path) -> None:
    around = MemoryEnvironment()
    as_it_was = around.snapshot()
    plan = short_plan(around, make_disks=64 << 20, inputs={"depths": (16,)})
    ran = run_plan(session, around, plan)
    assert ran.outcome.error is None
    work = around.all_workers[0].inputs[0]
    assert work.disks[0].path == "/dev/disk/by-id/test-a-1"
    assert work.identities[0].made_by == "run-1"
    assert around.snapshot() == as_it_was
    made = [entry for entry in ran.journal if entry.setting == "disk:test-a"]
    assert len(made) == 3
    assert {entry.state for entry in made} == {"undone"}


def test_a_session_whose_disk_is_full_ends_the_run_and_everything_is_put_back(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = MemoryEnvironment()
    as_it_was = around.snapshot()
    plan = short_plan(around, make_disks=1 << 30)
    usage = shutil.disk_usage(session.parent)

    def fill(environment: MemoryEnvironment) -> None:
        if environment.all_workers[0].is_busy:
            monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=0))
            time.sleep(0.05)  # for the recorder to notice

    around.before_wait = fill
    ran = run_plan(session, around, plan, rules=SpaceRules(1 << 10, 0, 0))
    assert ran.outcome.error is not None
    assert "left" in str(ran.outcome.error)
    assert around.snapshot() == as_it_was
    assert {one.state for one in ran.collector.changes} <= {"undone", "not needed"}


def test_a_guest_that_never_answered_has_nothing_to_be_put_back(session: Path) -> None:
    around = MemoryEnvironment()
    plan = short_plan(around)
    around.all_workers[1].alive = False
    ran = run_plan(session, around, plan)
    assert "perf-w02 does not answer" in str(ran.outcome.error)
    assert {entry.state for entry in ran.journal} == {"not needed"}
    assert [entry.why for entry in ran.journal if entry.object.name == "perf-w02"] == [
        "Its guest did not answer."
    ]
