"""Background jobs: the only bridge between worker threads and the window.

A job has a slot (a newer job in the same slot replaces the older one, whose result is dropped), a title, a
cancel flag, progress, and optionally a deadline. Its callbacks run on the GUI thread.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from resources.failures import CancelledError, HyperscopeError, TimedOutError

Result = TypeVar("Result")
JobState = Literal["running", "done", "failed", "cancelled"]

_WORKERS = 4
_PROGRESS_MS = 100


@dataclass(eq=False)
class Job:
    """A piece of background work; the function that does it gets this object to check for cancel and report
    progress.

    A Job is a ``StopSignal``. ``part`` is the part done, 0 to 1, or None if unknown.
    """

    slot: str
    title: str
    visible: bool = True
    state: JobState = "running"
    part: float | None = None
    text: str = ""
    error: HyperscopeError | None = None
    on_cancel: Callable[[], None] | None = None
    number: int = field(default_factory=itertools.count(1).__next__)
    _cancel: threading.Event = field(default_factory=threading.Event)
    _deadline: float | None = None

    def is_set(self) -> bool:
        """Return True if the job should stop: it was cancelled, replaced by a newer job, or is past its
        deadline.
        """
        return self._cancel.is_set() or self.is_late

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the job is cancelled, at most ``timeout`` seconds; returns True if the job
        should stop.
        """
        if self._deadline is not None:
            left = max(0.0, self._deadline - time.monotonic())
            timeout = left if timeout is None else min(timeout, left)
        self._cancel.wait(timeout)
        return self.is_set()

    def cancel(self) -> None:
        """Request that the job stops."""
        self._cancel.set()
        if self.on_cancel is not None and self.state == "running":
            self.on_cancel()

    def check(self) -> None:
        """Raise CancelledError if the job should stop, TimedOutError if it is past its deadline."""
        if self.is_late and not self._cancel.is_set():
            raise TimedOutError(f"{self.title} took too long.", advice="Try a shorter time range.")
        if self._cancel.is_set():
            raise CancelledError(f"{self.title} was stopped.")

    def progress(self, part: float | None, text: str = "") -> None:
        """Report the part done (0 to 1, None: unknown) and a text; the window shows them ten times a
        second.
        """
        self.part, self.text = part, text

    @property
    def is_late(self) -> bool:
        """True if the deadline has passed."""
        return self._deadline is not None and time.monotonic() > self._deadline


@dataclass(frozen=True)
class _Ended:
    job: Job
    deliver: Callable[[], None]
    drop: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class _Outcome:
    """The callbacks that the starter of a job wants to have called."""

    done: Callable[[Any], None]
    failed: Callable[[HyperscopeError], None] | None
    dropped: Callable[[Any], None] | None

    def drop(self, result: Any) -> None:
        """Hand over a result that is not wanted any more, to be closed."""
        if self.dropped is not None:
            self.dropped(result)


class JobRunner(QObject):
    """Runs jobs in a few worker threads.

    Signals: ``changed`` when the visible jobs or their texts change; ``crashed`` with an exception that is a
    bug; ``complaint`` with an expected failure, if the job has no ``failed`` callback.
    """

    changed = Signal()
    complaint = Signal(object)
    crashed = Signal(object)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="hyperscope-job")
        self._newest: dict[str, Job] = {}
        self._visible: list[Job] = []
        self._closed = False
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._pulse = QTimer(self, interval=_PROGRESS_MS)
        self._pulse.timeout.connect(self.changed)

    def start(
        self,
        slot: str,
        title: str,
        work: Callable[[Job], Result],
        done: Callable[[Result], None],
        *,
        failed: Callable[[HyperscopeError], None] | None = None,
        dropped: Callable[[Result], None] | None = None,
        visible: bool = False,
        deadline_s: float | None = None,
    ) -> Job:
        """Run ``work`` in a worker thread, then ``done`` with its result on the GUI thread; returns the job.

        ``visible`` jobs are listed in the jobs panel. A cancelled job calls neither ``done`` nor ``failed``;
        ``dropped``, on any thread, gets a result that is not wanted any more, to close what the result holds.
        """
        self.cancel(slot)
        job = Job(slot, title, visible)
        job._deadline = None if deadline_s is None else time.monotonic() + deadline_s
        self._newest[slot] = job
        if visible:
            self._visible.append(job)
            self._pulse.start()
            self.changed.emit()
        if not self._closed:
            self._pool.submit(self._run, job, work, _Outcome(done, failed, dropped))
        return job

    def cancel(self, slot: str) -> None:
        """Request that the slot's job stops; its result is dropped."""
        job = self._newest.pop(slot, None)
        if job is not None:
            job.cancel()

    def busy(self, slot: str) -> bool:
        """Return True while the slot's job runs."""
        return slot in self._newest

    def add_external(self, title: str, on_cancel: Callable[[], None]) -> Job:
        """List a job that a child process does; call ``end`` when the process has ended."""
        job = Job("external", title, on_cancel=on_cancel)
        self._visible.append(job)
        self._pulse.start()
        self.changed.emit()
        return job

    def end(self, job: Job, state: JobState, text: str = "") -> None:
        """Mark an external job as ended, with its state and a text."""
        job.text = text
        self._close(job, state)

    def visible_jobs(self) -> list[Job]:
        """Return the jobs that the jobs panel lists, oldest first; ended ones stay until cleared."""
        return list(self._visible)

    def clear_ended(self) -> None:
        """Remove the ended jobs from the list."""
        self._visible = [job for job in self._visible if job.state == "running"]
        self.changed.emit()

    def shutdown(self) -> None:
        """Cancel all jobs and wait for the worker threads; no job runs afterwards."""
        self._closed = True
        for slot in list(self._newest):
            self.cancel(slot)
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pulse.stop()

    def _run(
        self,
        job: Job,
        work: Callable[[Job], Any],
        outcome: _Outcome,
    ) -> None:
        try:
            job.check()
            result = work(job)
        except CancelledError:
            self._ended.emit(_Ended(job, lambda: self._close(job, "cancelled")))
        except HyperscopeError as error:
            self._ended.emit(_Ended(job, lambda error=error: self._fail(job, error, outcome)))  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001 - the job runner: what gets here is a bug
            self._ended.emit(_Ended(job, lambda error=error: self._crash(job, error)))  # type: ignore[misc]
        else:
            done = _Ended(job, lambda: self._finish(job, outcome, result), lambda: outcome.drop(result))
            self._ended.emit(done)

    @Slot(object)
    def _deliver(self, ended: _Ended) -> None:
        if self._closed:
            ended.drop()
        else:
            ended.deliver()

    def _finish(self, job: Job, outcome: _Outcome, result: Any) -> None:
        if self._newest.get(job.slot) is not job:
            self._close(job, "cancelled")
            outcome.drop(result)
            return
        self._close(job, "done")
        outcome.done(result)

    def _fail(self, job: Job, error: HyperscopeError, outcome: _Outcome) -> None:
        wanted = self._newest.get(job.slot) is job
        job.error = error
        self._close(job, "failed")
        if wanted and outcome.failed is not None:
            outcome.failed(error)
        elif wanted:
            self.complaint.emit(error)

    def _crash(self, job: Job, error: Exception) -> None:
        self._close(job, "failed")
        self.crashed.emit(error)

    def _close(self, job: Job, state: JobState) -> None:
        job.state = state
        if self._newest.get(job.slot) is job:
            del self._newest[job.slot]
        if job.visible:
            self.changed.emit()
        if not any(other.state == "running" for other in self._visible):
            self._pulse.stop()
