"""A recording: a thread for each collector, a bounded queue, one writer."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from collectors.feed import Act, Actable, Collector
from recorder.board import Board, CollectorStatus, SourceStatus
from recorder.collector_threads import CollectorThreads
from recorder.disk_space import require_space, size_on_disk
from recorder.limits import RecorderLimits
from recorder.protocol import Ended, EndOfTest, StatusReport
from recorder.queue import Job, WriterQueue
from recorder.session_file import SessionFile
from recorder.writing import SpaceRules, Writing
from resources.failures import (
    HyperscopeError,
    NoCountersError,
    UsageError,
)
from resources.foreign_text import shown
from sessions.model import Mark

_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a recording at one moment.

    ``samples`` and ``gaps`` are of this run, ``bytes`` of the session.

    ``rate`` is samples a second over the last minute. ``behind_s`` is the age of the newest sample, of the
    source that is furthest behind, including the time in the queue. ``bytes_each`` is bytes a sample of the
    session.
    """

    sources: tuple[SourceStatus, ...]
    collectors: tuple[CollectorStatus, ...]
    seconds: float
    rate: float
    behind_s: float
    queue: int
    queue_bytes: int
    bytes: int
    bytes_each: float | None
    samples: int
    gaps: int
    paused: bool

    def report(self, session: Path) -> StatusReport:
        """Return the status line of a recording into ``session``."""
        return StatusReport(
            session=str(session),
            sources=tuple(source.report() for source in self.sources),
            collectors=tuple(collector.report() for collector in self.collectors),
            seconds=round(self.seconds, 3),
            rate=round(self.rate, 3),
            behind_s=round(self.behind_s, 3),
            queue=self.queue,
            queue_bytes=self.queue_bytes,
            bytes=self.bytes,
            bytes_each=self.bytes_each,
            samples=self.samples,
            gaps=self.gaps,
            paused=self.paused,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a recording. ``session`` is None if nothing was recorded and no file is left.

    ``expected`` and ``received`` count the samples of this run that should have come by its end and those
    that did. ``test`` says how a guided test ended; None for a recording that is none.
    """

    code: int
    error: HyperscopeError | None
    session: Path | None
    samples: int
    bytes: int
    seconds: float
    expected: int = 0
    received: int = 0
    gaps: int = 0
    without_samples: tuple[str, ...] = ()
    test: EndOfTest | None = None

    def report(self) -> Ended:
        """Return the last line of a recording."""
        return Ended(
            code=self.code,
            session=str(self.session) if self.session else None,
            samples=self.samples,
            bytes=self.bytes,
            seconds=round(self.seconds, 3),
            expected=self.expected,
            received=self.received,
            gaps=self.gaps,
            without_samples=self.without_samples,
            message=str(self.error) if self.error else "",
            test=self.test,
        )


class Recording:
    """Runs collectors into a session until they end or the recording is stopped; thread-safe."""

    def __init__(
        self,
        collectors: Sequence[Collector],
        session: Path,
        limits: RecorderLimits,
        rules: SpaceRules,
        *,
        title: str = "",
        on_change: Callable[[SourceStatus], None] = lambda _status: None,
        on_over: Callable[[], None] = lambda: None,
        on_rotation: Callable[[Path], None] = lambda _path: None,
    ) -> None:
        """Opens the session. Raises what SessionFile.open raises, and DiskFullError."""
        require_space(session, rules.keep_free)
        file = SessionFile.open(session, title=title)
        self._limits = limits
        self._on_over = on_over
        self._board = Board(on_change)
        self._queue = WriterQueue(limits.queue.items, round(limits.queue.megabytes * _MEGABYTE))
        self._writing = Writing(file, self._queue, self._board, rules, limits, self.stop, on_rotation)
        self._threads = CollectorThreads(collectors, self._queue, self._board, on_over)
        self._began = time.monotonic()
        self._seen: deque[tuple[float, int]] = deque()
        self.resumed = file.resumed

    @property
    def session(self) -> Path:
        """The present session file."""
        return self._writing.path

    @property
    def is_over(self) -> bool:
        """True if nothing more will be recorded: all collectors have ended, or the writer has failed."""
        return self._writing.error is not None or not self._threads.is_alive

    def start(self) -> None:
        """Start the writer and all collectors."""
        self._began = time.monotonic()
        self._writing.start()
        self._threads.start()

    def add(self, collector: Collector) -> None:
        """Record one more source beside the others; what it is and how it fails, ``status`` tells.

        Raises UsageError if it is recorded already, or the recording is ending.
        """
        if self.is_over:
            raise UsageError("The recording is ending: nothing is added to it.")
        self._threads.add(collector)

    def remove(self, source: str) -> None:
        """Ask the collector of this name to stop; the others go on.

        Raises NotFoundError if it is not recorded, UsageError if nothing else is.
        """
        self._threads.remove(source)

    def stop(self) -> None:
        """Ask the collectors to stop; ``finish`` waits until they have."""
        self._threads.controls.stop()
        self._on_over()

    def pause(self) -> None:
        """Pause polling until ``resume``."""
        self._threads.controls.pause()

    def resume(self) -> None:
        """Resume polling after ``pause``."""
        self._threads.controls.resume()

    def mark(self, text: str, at: int | None = None) -> None:
        """Add a mark (a note on the time axis) at ``at`` (ms), now if None.

        Raises HyperscopeError after the end.
        """
        mark = Mark(self._board.now_ms() if at is None else at, text)
        self._queue.put(Job(lambda file: file.records.add_mark(mark), len(text)))

    def change_mark(self, old: Mark, new: Mark | None, missing: Callable[[], None]) -> None:
        """Replace a mark by ``new``, or remove it (None); the writer's thread calls ``missing`` if there
        is no such mark.

        Raises HyperscopeError after the end of the recording.
        """

        def change(file: SessionFile) -> None:
            if not file.records.change_mark(old, new):
                missing()

        self._queue.put(Job(change, len(old.text) + len(new.text if new else "")))

    def act(self, source: str, what: str, kind: str, name: str) -> Act:
        """Let a source change something about an entity while it is recorded, as only the lab can.

        Raises UsageError for a source that can't, NotFoundError for an unknown act or entity.
        """
        collector: object = self._threads.find(source)
        if not isinstance(collector, Actable):
            raise UsageError(
                f"{shown(source, 80)} can't be changed from here.", advice="Only a lab that is recorded can."
            )
        return collector.act(what, kind, name)

    def status(self) -> Status:
        """Return the present state of the recording."""
        now, samples = time.monotonic(), self._writing.samples_of_run
        sources = tuple(self._board.sources())
        size = size_on_disk(self._writing.path)
        in_file = self._writing.samples
        behind = (source.health.behind_s for source in sources)
        late = max((one for one in behind if math.isfinite(one)), default=0.0)
        return Status(
            sources=sources,
            collectors=tuple(self._board.collectors()),
            seconds=now - self._began,
            rate=self._rate(now, samples),
            behind_s=max(late, self._queue.age_s()),
            queue=self._queue.depth,
            queue_bytes=self._queue.bytes,
            bytes=size,
            bytes_each=round(size / in_file, 4) if in_file else None,
            samples=samples,
            gaps=sum(source.health.gaps for source in self._board.every_source()),
            paused=self._threads.controls.paused,
        )

    def finish(self) -> Outcome:
        """Wait until the collectors have ended and the session is closed. Call once, after ``stop``."""
        deadline = time.monotonic() + self._limits.stopping.wait_s
        self._threads.join(deadline)
        self._queue.close()
        self._writing.join()
        code, error = self._verdict()
        health = [source.health for source in self._board.every_source()]
        path = self._writing.path if self._writing.is_kept else None
        return Outcome(
            code=code,
            error=error,
            session=path,
            samples=self._writing.samples_of_run,
            bytes=size_on_disk(path) if path else 0,
            seconds=time.monotonic() - self._began,
            expected=sum(one.expected for one in health),
            received=sum(one.received for one in health),
            gaps=sum(one.gaps for one in health),
            without_samples=tuple(self._threads.without_samples),
        )

    def break_off(self) -> None:
        """Close the session with what was received so far, without waiting for the collectors or for it."""
        self.stop()
        self._queue.close()

    def _rate(self, now: float, samples: int) -> float:
        seen = self._seen
        seen.append((now, samples))
        while len(seen) > 2 and now - seen[1][0] >= self._limits.status.rate_over_s:
            seen.popleft()
        (first, before), (last, after) = seen[0], seen[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def _verdict(self) -> tuple[int, HyperscopeError | None]:
        if self._writing.error is not None:
            return self._writing.error.exit_code, self._writing.error
        ended = self._board.collectors()
        errors = [one.error for one in ended if one.error is not None]
        if errors and len(errors) == len(ended):
            return errors[0].exit_code, errors[0]
        nothing = self._nothing_came()
        return (nothing.exit_code, nothing) if nothing else (0, None)

    def _nothing_came(self) -> HyperscopeError | None:
        """Why there is no sample of this run; None where there is one, or the session may have had all."""
        messages = (source.health.message for source in self._board.sources())
        trouble = next(filter(None, messages), "")
        if self._writing.samples_of_run or (self.resumed and not trouble):
            return None
        return NoCountersError(
            "Nothing was recorded.", meaning=trouble or "It ended before the first samples came."
        )
