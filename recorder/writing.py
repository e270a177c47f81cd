"""The thread that writes the session: one job after the other, compaction when idle, checks
of the disk space.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recorder.board import Board
from recorder.bugs import BugError
from recorder.disk_space import require_space, size_on_disk
from recorder.limits import RecorderLimits
from recorder.queue import Job, WriterQueue
from recorder.session_file import SessionFile
from resources.crash_reports import save_crash
from resources.failures import HyperscopeError, UsageError

_CHECK_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class SpaceRules:
    """The free space (bytes) below which the writer stops, and the sizes at which it starts a new
    file; 0 is never.
    """

    keep_free: int
    rotate_after_s: float
    rotate_after_bytes: int


class Writing:
    """Owns the session file from start to end. ``samples`` and ``path`` may be read by any thread."""

    def __init__(
        self,
        file: SessionFile,
        queue: WriterQueue,
        board: Board,
        rules: SpaceRules,
        limits: RecorderLimits,
        on_failure: Callable[[], None],
        on_rotation: Callable[[Path], None],
    ) -> None:
        self._file, self._queue, self._board = file, queue, board
        self._rules, self._limits = rules, limits
        self._on_failure, self._on_rotation = on_failure, on_rotation
        self._thread = threading.Thread(target=self._run, name="session writer")
        self._ended = threading.Event()
        self._next_check = self._next_counts = 0.0
        self._facts_are_confirmed = False
        self.path = file.path
        self.samples_before = self.samples = file.samples
        self.samples_of_run = 0
        self.is_kept = True
        self.error: HyperscopeError | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait until the session is closed; the queue must have been closed before."""
        self._ended.wait()  # a join that Ctrl-C breaks off takes the thread for ended (bpo-45274)
        self._thread.join()

    @property
    def is_alive(self) -> bool:
        """True while the session is open."""
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._write()
        except Exception as error:  # noqa: BLE001 - the recorder's loop: a bug must not lose the session
            self._fail(_expected(error))
        finally:
            self._note()
            self._ended.set()

    def _write(self) -> None:
        while not self._queue.is_finished():
            job = self._queue.get(_CHECK_EVERY_S)
            if job is not None:
                self._do(job)
            self._file.compact_one(overdue=self._queue.depth > 0)
            self._check()
        self._count()
        self._file.require_in_place()
        self._finish()

    def _do(self, job: Job) -> None:
        try:
            result = job.run(self._file)
        except Exception as error:
            if isinstance(error, UsageError | ValueError | LookupError) and self._refuse(job, error):
                return
            if job.result is not None:
                job.result.set_exception(_expected(error))
            raise
        if job.result is not None:
            job.result.set_result(result)
        self._note()

    def _refuse(self, job: Job, error: Exception) -> bool:
        """Blame who asked for what can't be stored, if the session is none the worse for it."""
        if not self._file.is_usable or job.refused is None:
            return False
        failure = _expected(error)
        job.refused(failure)
        if job.result is not None:
            job.result.set_exception(failure)
        return True

    def _check(self) -> None:
        """What is to be done from time to time, whether there is much to write or not."""
        now = time.monotonic()
        if now < self._next_check:
            return
        self._next_check = now + _CHECK_EVERY_S
        self._file.require_in_place()
        require_space(self._file.path, self._rules.keep_free)
        self._end_unconfirmed_facts()
        self._file.take_in_waiting()
        if now >= self._next_counts:
            self._next_counts = now + self._limits.status.counts_every_s
            self._count()
            self._file.sources.store_counts()
        if self._is_long():
            self._count()
            self._file.rotate()
            self.path = self._file.path
            self._on_rotation(self.path)

    def _is_long(self) -> bool:
        rules, file = self._rules, self._file
        return bool(
            (rules.rotate_after_s and time.monotonic() - file.began >= rules.rotate_after_s)
            or (rules.rotate_after_bytes and size_on_disk(file.path) >= rules.rotate_after_bytes)
        )

    def _end_unconfirmed_facts(self) -> None:
        """Once every source is known again, what nobody said again is over."""
        if self._facts_are_confirmed or not self._file.resumed:
            return
        sources = self._board.sources()
        if sources and all(source.health.state == "recording" for source in sources):
            self._facts_are_confirmed = True
            self._file.records.end_unconfirmed_facts(self._board.now_ms())

    def _count(self) -> None:
        for source in self._board.sources():
            self._file.sources.count(source.number, source.health)

    def _note(self) -> None:
        self.samples = self._file.samples
        self.samples_of_run = self._file.total_samples - self.samples_before

    def _finish(self) -> None:
        if self._file.is_worth_keeping:
            self._file.close()
        else:
            self._file.discard()
            self.is_kept = False

    def _fail(self, error: HyperscopeError) -> None:
        self.error = error
        self._queue.fail(error)
        self._on_failure()
        with suppress(HyperscopeError, ValueError):  # the first failure says more
            self._file.abandon()


def _expected(error: Exception) -> HyperscopeError:
    """The failure itself, or what is said of a bug."""
    return error if isinstance(error, HyperscopeError) else BugError(save_crash(error))
