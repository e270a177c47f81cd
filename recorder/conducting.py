"""Runs a recording to its end: handles signals and time limits, reports the status, writes the log."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from recorder.board import SourceStatus
from recorder.log import RecorderLog, failure_name
from recorder.recording import Outcome, Recording
from recorder.reporting import Reporter
from recorder.stop_file import forget, is_asked_to_stop


@dataclass(frozen=True, slots=True)
class Conductor:
    """Runs one recording in the main thread. ``wake`` is set whenever there may be a reason to end."""

    recording: Recording
    reporter: Reporter
    log: RecorderLog
    wake: threading.Event
    every_s: float
    duration_s: float | None = None
    complete: Callable[[Outcome], Outcome] = lambda outcome: outcome
    """What is still to be done with the closed session before its end is reported."""

    def run(self, sources: list[str]) -> Outcome:
        """Record until a signal, a command, the time limit, or the end of all collectors.

        Whatever breaks this off (a second Ctrl-C, say) leaves the session closed with what was received.
        """
        forget(self.recording.session)
        self.recording.start()
        with ExitStack() as on_failure:
            on_failure.callback(self.recording.break_off)
            outcome = self._conduct(sources)
            on_failure.pop_all()
        return outcome

    def _conduct(self, sources: list[str]) -> Outcome:
        recording = self.recording
        self.reporter.started(recording, sources)
        self.log.write("resumed" if recording.resumed else "started", collectors=len(sources))
        self._watch()
        recording.stop()
        self.reporter.finishing()
        outcome = self.complete(recording.finish())
        self.reporter.status(recording.status(), recording.session)
        self._log_end(outcome)
        self.reporter.ended(outcome)
        return outcome

    def _watch(self) -> None:
        began = time.monotonic()
        ends = began + self.duration_s if self.duration_s is not None else float("inf")
        ticks = 0
        while not self.recording.is_over and time.monotonic() < ends:
            self.reporter.status(self.recording.status(), self.recording.session)
            ticks += 1
            due = min(began + ticks * self.every_s, ends)
            if self.wake.wait(max(0.0, due - time.monotonic())) or is_asked_to_stop(self.recording.session):
                return

    def _log_end(self, outcome: Outcome) -> None:
        if outcome.error is not None:
            self.log.write("failed", error=failure_name(outcome.error), code=outcome.code)
        for source in self.recording.status().sources:
            log_source(self.log, source)
        self.log.write(
            "ended",
            code=outcome.code,
            samples=outcome.samples,
            bytes=outcome.bytes,
            seconds=outcome.seconds,
        )


def log_source(log: RecorderLog, source: SourceStatus) -> None:
    """Write a source's state to the log: numbers and fixed words only."""
    health = source.health
    log.write(
        "source",
        source=source.number,
        kind=source.kind,
        state=health.state,
        entities=health.entities,
        series=health.series,
        expected=health.expected,
        received=health.received,
        gaps=health.gaps,
        behind_s=health.behind_s,
    )
