"""Background work: results come to the window's thread, newer requests win, failures are told apart."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.gui.jobs import Job, JobRunner
from resources.failures import HyperscopeError, NotFoundError


@pytest.fixture
def jobs(qapp: object) -> Iterator[JobRunner]:
    runner = JobRunner()
    yield runner
    runner.shutdown()


def test_work_is_done_elsewhere_and_delivered_here(jobs: JobRunner, qtbot: QtBot) -> None:
    here = threading.get_ident()
    got: list[tuple[int, bool]] = []
    jobs.start("a", "A", lambda _job: threading.get_ident(), lambda there: got.append((there, _in_window())))
    qtbot.waitUntil(lambda: bool(got))
    assert got[0][0] != here
    assert got[0][1]


def test_a_newer_request_supersedes_the_older(jobs: JobRunner, qtbot: QtBot) -> None:
    go = threading.Event()
    got: list[str] = []

    def slow(job: Job) -> str:
        go.wait(10)
        assert job.is_set()
        return "old"

    jobs.start("slot", "Old", slow, got.append)
    jobs.start("slot", "New", lambda _job: "new", got.append)
    qtbot.waitUntil(lambda: got == ["new"])
    go.set()
    jobs.shutdown()
    assert got == ["new"]


def test_an_expected_failure_goes_to_its_handler(jobs: JobRunner, qtbot: QtBot) -> None:
    failed: list[HyperscopeError] = []

    def work(_job: Job) -> None:
        raise NotFoundError("It is not there.")

    jobs.start("a", "A", work, lambda _result: None, failed=failed.append)
    qtbot.waitUntil(lambda: bool(failed))
    assert isinstance(failed[0], NotFoundError)


def test_without_a_handler_it_is_a_complaint_and_a_bug_is_a_crash(jobs: JobRunner, qtbot: QtBot) -> None:
    def expected(_job: Job) -> None:
        raise NotFoundError("It is not there.")

    def bug(_job: Job) -> None:
        raise ZeroDivisionError

    with qtbot.waitSignal(jobs.complaint) as complaint:
        jobs.start("a", "A", expected, lambda _result: None)
    assert isinstance(complaint.args[0], NotFoundError)
    with qtbot.waitSignal(jobs.crashed) as crashed:
        jobs.start("b", "B", bug, lambda _result: None)
    assert isinstance(crashed.args[0], ZeroDivisionError)


def test_a_deadline(jobs: JobRunner, qtbot: QtBot) -> None:
    failed: list[HyperscopeError] = []

    def work(job: Job) -> None:
        job.wait(10)
        job.check()

    jobs.start("a", "Counting", work, lambda _result: None, failed=failed.append, deadline_s=0.01)
    qtbot.waitUntil(lambda: bool(failed))
    assert "Counting took too long" in str(failed[0])


def test_visible_jobs_show_progress_and_can_be_cancelled(jobs: JobRunner, qtbot: QtBot) -> None:
    running = threading.Event()

    def work(job: Job) -> None:
        job.progress(0.5, "half")
        running.set()
        job.wait(10)
        job.check()

    job = jobs.start("a", "Importing", work, lambda _result: None, visible=True)
    assert jobs.visible_jobs() == [job]
    qtbot.waitUntil(running.is_set)
    assert (job.part, job.text) == (0.5, "half")
    job.cancel()
    qtbot.waitUntil(lambda: job.state == "cancelled")
    jobs.clear_ended()
    assert jobs.visible_jobs() == []


def _in_window() -> bool:
    return threading.current_thread() is threading.main_thread()
