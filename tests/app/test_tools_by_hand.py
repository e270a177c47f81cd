"""Guided tests through VMware Tools on the test vCenter, typed as a user types them: real fio, real disks."""

from __future__ import annotations

import re
import shutil
import signal
from pathlib import Path

import pytest

from sessions.store import SessionReader
from tests.app.kills import wait_for_phase
from tests.app.tools_runs import (
    WIZARDS,
    Moment,
    Wizard,
    kill_at,
    lengthen,
    needs_tools_guests,
    phase_states,
    staged,
)
from tests.app.typed import confirmed
from tests.fio.written_content import content_of
from tests.some_of_many import others
from tests.workloads.guests.running import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def needs() -> None:
    needs_tools_guests()


def test_a_sweep_on_given_disks_from_plan_to_verdict(tmp_path: Path) -> None:
    with staged(Wizard("io-sweep", ("--set", "depths=1,4"), vms=3), tmp_path) as stage:
        typed, plan, session, before = stage.typed, stage.plan, tmp_path / "s.hscope", stage.everything()
        assert plan.read_text().count('name = "scsi0:1"') == 3
        checked = typed("test", "check", plan)
        assert checked.code == 0, checked
        assert "3 given disks match and are empty" in checked.out
        unconfirmed = typed("test", "run", plan, "-o", session, "--yes")
        assert unconfirmed.code != 0
        assert "would be overwritten" in unconfirmed.err
        ran = typed("test", "run", plan, "-o", session, "--yes", *confirmed(plan), "--json")
        assert ran.code == 0, ran
        result = ran.json
        assert {one["state"] for one in result["phases"]} == {"done"}
        assert {one["of"] for one in result["figures"]} >= {"depth 1", "depth 4"}
        assert all(one["iops"] > 0 and one["p99_ms"] > 0 for one in result["workers"])
        assert {one["state"] for one in result["changes"]} <= {"undone", "not needed"}
        assert stage.differences(before) == []
        told = typed("info", session, "--json").json
        assert (told["entities"]["worker"], told["entities"]["vm"], told["entities"]["host"]) == (3, 3, 2)
        series = typed("query", session, "--entity", "*", "--counter", "work.reads", "--json").json["series"]
        assert len(series) == 3
        assert all(sum(v or 0 for v in one["v"]) > 0 for one in series)


def test_the_cache_pair_asks_and_goes_on(tmp_path: Path) -> None:
    with staged(WIZARDS["cache-pair"], tmp_path) as stage:
        before, session = stage.everything(), tmp_path / "s.hscope"
        assert stage.end(stage.begin(session)).code == 0
        assert set(phase_states(session).values()) == {"done"}
        with SessionReader.open(session) as reader:
            [ran] = reader.test_runs()
            assert {one.name for one in ran.figures} >= {"IOPS, speed-up"}
            assert ran.verdict
        assert stage.differences(before) == []


@pytest.mark.parametrize("same_seeds", [True, *others(False)])
def test_what_populates_disks_is_as_duplicate_and_compressible_as_asked(
    tmp_path: Path, same_seeds: bool
) -> None:
    words = (*WIZARDS["dedup-prep"].words, "--set", f"same_seeds={'yes' if same_seeds else 'no'}")
    with staged(Wizard("dedup-prep", words, given=0), tmp_path) as stage:
        grown = re.sub(r"size_bytes = \d+", f"size_bytes = {32 << 20}", stage.plan.read_text())
        stage.plan.write_text(grown)
        before, session = stage.everything(), tmp_path / "s.hscope"
        run = stage.begin(session)
        wait_until(lambda: phase_states(session).get("fill") == "done" or run.poll() is not None, 300)
        run.send_signal(signal.SIGINT)
        copies = [
            Path(shutil.copy(path, tmp_path / f"{vm}.img"))
            for vm, images in stage.site.images().items()
            for path in images.values()
            if path.stat().st_size == 32 << 20
        ]
        assert len(copies) == 2
        ended = stage.end(run)
        assert "stopped by hand" in ended.out, ended
        assert stage.differences(before) == []
        for one in (content_of([copy]) for copy in copies):
            assert one.duplicate == pytest.approx(50, abs=2)
            assert one.compressible == pytest.approx(60, abs=2)
        assert content_of(copies).duplicate == pytest.approx(75 if same_seeds else 50, abs=2)


@pytest.mark.parametrize(
    ("test", "moment"),
    [("sioc-shares", "populate"), *others(("storage-ab", "restore"), ("io-sweep", "look"))],
)
def test_a_killed_run_is_restored(tmp_path: Path, test: str, moment: Moment) -> None:
    """The whole matrix of wizards and moments is benchmarks/tools_kills.py."""
    with staged(WIZARDS[test], tmp_path) as stage:
        before, session = stage.everything(), tmp_path / "s.hscope"
        kill_at(stage, stage.begin(session), session, moment)
        restored = stage.typed("restore", session, "--json")
        assert restored.code == 0, restored
        assert {one["state"] for one in restored.json["changes"]} <= {"undone", "not needed"}
        assert stage.differences(before) == []


def test_a_killed_run_is_resumed_to_its_verdict(tmp_path: Path) -> None:
    with staged(WIZARDS["drs-balance"], tmp_path, lengthen) as stage:
        before, session = stage.everything(), tmp_path / "s.hscope"
        kill_at(stage, stage.begin(session), session, "measure")
        wait_until(lambda: not stage.site.fios(), 60)  # the guests end it themselves
        resumed = stage.finish("test", "resume", session, "--json")
        assert resumed.code == 0, resumed
        assert {one["state"] for one in resumed.json["changes"]} <= {"undone", "not needed"}
        assert stage.differences(before) == []


def test_what_passes_does_not_end_a_run(tmp_path: Path) -> None:
    with staged(WIZARDS["sioc-shares"], tmp_path) as stage:
        before, session, server = stage.everything(), tmp_path / "s.hscope", stage.site.server
        run = stage.begin(session)
        wait_for_phase(run, session, "off", 300)
        server.fault("expire")
        server.fault("task_slow", method="ReconfigVM_Task", seconds=6, count=4)
        wait_for_phase(run, session, "weighted", 300)
        server.fault("guest_busy", method="*InGuest", count=12)
        ended = stage.end(run)
        assert ended.code == 0, ended
        assert set(phase_states(session).values()) == {"done"}
        assert stage.differences(before) == []


def test_a_task_that_fails_ends_the_run_and_everything_is_put_back(tmp_path: Path) -> None:
    with staged(WIZARDS["sioc-shares"], tmp_path) as stage:
        before, session = stage.everything(), tmp_path / "s.hscope"
        run = stage.begin(session)
        wait_for_phase(run, session, "off", 300)
        stage.site.server.fault(
            "task_fails", method="ReconfigVM_Task", type="TaskInProgress", text="A backup runs.", count=1
        )
        ended = stage.end(run)
        assert ended.code != 0
        assert "A backup runs." in ended.out
        assert "hyperscope test resume" in ended.out
        states = phase_states(session)
        assert (states["off"], states["restore"]) == ("done", "done")
        assert "failed" in states.values()
        assert stage.differences(before) == []


def test_a_privilege_that_is_taken_away_is_said_and_restore_waits_for_it(tmp_path: Path) -> None:
    with staged(WIZARDS["sioc-shares"], tmp_path) as stage:
        before, session, server = stage.everything(), tmp_path / "s.hscope", stage.site.server
        run = stage.begin(session)
        wait_for_phase(run, session, "weighted", 300)
        wait_until(lambda: stage.site.fios() or run.poll() is not None, 60)
        server.fault("deny", user="*", privileges=["VirtualMachine.Config.Resource"])
        ended = stage.end(run)
        assert ended.code != 0
        assert "Not everything could be put back." in ended.out
        assert "VirtualMachine.Config.Resource" in ended.out
        assert stage.site.processes() == []
        again = stage.typed("restore", session)
        assert again.code != 0
        assert "VirtualMachine.Config.Resource" in again.out + again.err
        server.fault("deny", user="*", privileges=[])
        assert stage.typed("restore", session).code == 0
        assert stage.differences(before) == []
