"""The collectors of a recording, each in a thread of its own: started, added and ended while others go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from collectors.axis import Axis
from collectors.feed import Collector
from recorder.board import Board
from recorder.bugs import BugError
from recorder.collector_feed import CollectorFeed
from recorder.controls import CollectorControls, RunControls
from recorder.queue import Job, WriterQueue
from resources.crash_reports import save_crash
from resources.failures import CancelledError, HyperscopeError, NotFoundError, UsageError
from resources.foreign_text import shown
from sessions.model import Gap
from sessions.times import now_ms

_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class _Running:
    """A collector of the recording: its number on the board, its controls and its thread."""

    number: int
    collector: Collector
    controls: CollectorControls
    thread: threading.Thread


class CollectorThreads:
    """Runs collectors until they end or are stopped; thread-safe.

    ``controls`` are those of all collectors. ``on_over`` is called when all have ended.
    """

    def __init__(
        self, collectors: Sequence[Collector], queue: WriterQueue, board: Board, on_over: Callable[[], None]
    ) -> None:
        self._queue, self._board, self._on_over = queue, board, on_over
        self.controls = RunControls()
        self._without_samples: list[tuple[str, str]] = []
        self._adding = threading.Lock()
        self._axis = Axis()
        self._running = [self._enter(collector) for collector in collectors]

    @property
    def without_samples(self) -> list[str]:
        """The names of sources that gave nothing from start to end."""
        return [source for _, source in self._without_samples]

    @property
    def is_alive(self) -> bool:
        """True while any collector runs."""
        return any(one.thread.is_alive() for one in list(self._running))

    def start(self) -> None:
        """Start all collectors."""
        for one in self._running:
            one.thread.start()

    def join(self, deadline: float) -> None:
        """Wait until all have ended, or until ``deadline`` (of the monotonic clock)."""
        with self._adding:
            running = list(self._running)
        for one in running:
            one.thread.join(max(0.0, deadline - time.monotonic()))

    def add(self, collector: Collector) -> None:
        """Record one more source beside the others; what it is and how it fails, ``status`` tells.

        Raises UsageError if it is recorded already, or the recording is ending.
        """
        with self._adding:
            if self.controls.is_set():
                raise UsageError("The recording is ending: nothing is added to it.")
            if self._find(collector.name) is not None:
                raise UsageError(f"{shown(collector.name, _LONGEST_NAME)} is recorded already.")
            one = self._enter(collector)
            self._running.append(one)
            self._without_samples = [pair for pair in self._without_samples if pair[0] != collector.name]
            one.thread.start()

    def remove(self, source: str) -> None:
        """Ask the collector of this name to stop; the others go on.

        Raises NotFoundError if it is not recorded, UsageError if nothing else is.
        """
        with self._adding:
            one = self._find(source)
            if one is None:
                raise NotFoundError(f"{shown(source, _LONGEST_NAME)} is not recorded.")
            if sum(not other.is_over for other in self._board.collectors()) < 2:
                raise UsageError(
                    f"{shown(source, _LONGEST_NAME)} is the only source of the recording.",
                    advice="Stop the recording instead.",
                )
            one.controls.stop()

    def find(self, name: str) -> Collector | None:
        """Return the collector of this name that has not ended."""
        found = self._find(name)
        return found.collector if found is not None else None

    def _enter(self, collector: Collector) -> _Running:
        """A collector with its number and its thread, which is not started yet."""
        number = self._board.add_collector(collector.name)
        controls = self.controls.for_one()
        thread = threading.Thread(
            target=self._collect,
            args=(number, collector, controls),
            name=f"collector {number + 1}",
            daemon=True,
        )
        return _Running(number, collector, controls, thread)

    def _find(self, name: str) -> _Running | None:
        """The collector of this name that has not ended."""
        named = (one for one in self._running if one.collector.name == name)
        return next((one for one in named if not self._board.collector(one.number).is_over), None)

    def _release(self, number: int) -> None:
        """Let the sources of a collector that has ended be recorded again by another one."""
        over = [(one.number, one.health) for one in self._board.sources() if one.collector == number]
        with suppress(HyperscopeError):  # the recording is at its end, or the writer has failed
            self._queue.put(Job(lambda file: file.sources.release(over), 0))

    def _note_silence(
        self, number: int, began_ms: int, feed: CollectorFeed, error: HyperscopeError | None
    ) -> None:
        """A source that was in trouble from start to end, and gave nothing, has a gap as long as this run."""
        own = [source for source in self._board.sources() if source.collector == number]
        name = self._board.collector(number).name
        if error is not None and not own:
            self._without_samples.append((name, name))
        for source in own:
            health = source.health
            reason = error.happened if error is not None else health.message
            if source.number in feed.sources_with_samples or not reason:
                continue
            self._without_samples.append((name, source.name))
            if not health.gaps:
                with suppress(HyperscopeError):  # the writer has failed, which says more
                    feed.add_gaps([Gap(source.number, began_ms, now_ms(), reason)])
                    feed.report(source.number, replace(health, gaps=1))

    def _collect(self, number: int, collector: Collector, controls: CollectorControls) -> None:
        feed = CollectorFeed(number, self._queue, self._board, self._axis)
        began_ms = now_ms()
        error: HyperscopeError | None = None
        try:
            collector.run(feed, controls)
        except CancelledError:
            pass  # the session was closed under it, since it was asked to stop and did not
        except HyperscopeError as failure:
            error = failure
        except Exception as failure:  # noqa: BLE001 - the recorder's loop: a bug in one ends only that one
            error = BugError(save_crash(failure))
        error = error or feed.error
        self._note_silence(number, began_ms, feed, error)
        self._release(number)
        self._board.end(number, error)
        if all(one.is_over for one in self._board.collectors()):
            self._on_over()
