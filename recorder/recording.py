"""A recording: a thread for each collector, a bounded queue, one writer."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from collectors.feed import Act, Actable, Collector
from recorder.board import Board, CollectorStatus, SourceStatus
from recorder.bugs import BugError
from recorder.collector_feed import CollectorFeed
from recorder.controls import RunControls
from recorder.disk_space import require_space, size_on_disk
from recorder.limits import RecorderLimits
from recorder.protocol import Ended, EndOfTest, StatusReport
from recorder.queue import Job, WriterQueue
from recorder.session_file import SessionFile
from recorder.writing import SpaceRules, Writing
from resources.crash_reports import save_crash
from resources.failures import CancelledError, HyperscopeError, NoCountersError, UsageError
from resources.foreign_text import shown
from sessions.model import Gap, Mark
from sessions.times import now_ms

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
        self._collectors = collectors
        self._board = Board([collector.name for collector in collectors], on_change)
        self._queue = WriterQueue(limits.queue.items, round(limits.queue.megabytes * _MEGABYTE))
        self._controls = RunControls()
        self._writing = Writing(file, self._queue, self._board, rules, limits, self.stop, on_rotation)
        self._threads = [
            threading.Thread(
                target=self._collect, args=(number,), name=f"collector {number + 1}", daemon=True
            )
            for number in range(len(collectors))
        ]
        self._began, self._began_ms = time.monotonic(), now_ms()
        self._without_samples: list[str] = []
        self._seen: deque[tuple[float, int]] = deque()
        self.resumed = file.resumed

    @property
    def session(self) -> Path:
        """The present session file."""
        return self._writing.path

    @property
    def is_over(self) -> bool:
        """True if nothing more will be recorded: all collectors have ended, or the writer has failed."""
        return self._writing.error is not None or not any(thread.is_alive() for thread in self._threads)

    def start(self) -> None:
        """Start the writer and all collectors."""
        self._began, self._began_ms = time.monotonic(), now_ms()
        self._writing.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ask the collectors to stop; ``finish`` waits until they have."""
        self._controls.stop()
        self._on_over()

    def pause(self) -> None:
        """Pause polling until ``resume``."""
        self._controls.pause()

    def resume(self) -> None:
        """Resume polling after ``pause``."""
        self._controls.resume()

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
        collector: object = next((one for one in self._collectors if one.name == source), None)
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
            gaps=sum(source.health.gaps for source in sources),
            paused=self._controls.paused,
        )

    def finish(self) -> Outcome:
        """Wait until the collectors have ended and the session is closed. Call once, after ``stop``."""
        deadline = time.monotonic() + self._limits.stopping.wait_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._queue.close()
        self._writing.join()
        code, error = self._verdict()
        health = [source.health for source in self._board.sources()]
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
            without_samples=tuple(self._without_samples),
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

    def _note_silence(self, number: int, feed: CollectorFeed, error: HyperscopeError | None) -> None:
        """A source that was in trouble from start to end, and gave nothing, has a gap as long as this run."""
        own = [source for source in self._board.sources() if source.collector == number]
        if error is not None and not own:
            self._without_samples.append(self._collectors[number].name)
        for source in own:
            health = source.health
            reason = error.happened if error is not None else health.message
            if source.number in feed.sources_with_samples or not reason:
                continue
            self._without_samples.append(source.name)
            if not health.gaps:
                with suppress(HyperscopeError):  # the writer has failed, which says more
                    feed.add_gaps([Gap(source.number, self._began_ms, now_ms(), reason)])
                    feed.report(source.number, replace(health, gaps=1))

    def _collect(self, number: int) -> None:
        feed = CollectorFeed(number, self._queue, self._board)
        error: HyperscopeError | None = None
        try:
            self._collectors[number].run(feed, self._controls)
        except CancelledError:
            pass  # the session was closed under it, since it was asked to stop and did not
        except HyperscopeError as failure:
            error = failure
        except Exception as failure:  # noqa: BLE001 - the recorder's loop: a bug in one ends only that one
            error = BugError(save_crash(failure))
        error = error or feed.error
        self._note_silence(number, feed, error)
        self._board.end(number, error)
        if all(one.is_over for one in self._board.collectors()):
            self._on_over()
