"""Runs a recording to its end: signals, commands and time limits in, reports and the log out."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from app.recording.attachment import Attachment
from app.recording.questions import Questions
from app.recording.reporting import Reporter
from recorder.board import SourceStatus
from recorder.log import RecorderLog, word_of
from recorder.protocol import (
    ChangeMark,
    Command,
    Detach,
    Mark,
    Password,
    Pause,
    Resume,
    Stop,
    Trust,
    Unmark,
    read_command,
)
from recorder.recording import Outcome, Recording
from recorder.stop_file import forget, is_asked_to_stop
from resources.failures import HyperscopeError
from sessions import model
from sessions.times import parse_time


@dataclass(frozen=True, slots=True)
class Conductor:
    """Everything around one recording. ``wake`` is set whenever there may be a reason to end."""

    recording: Recording
    reporter: Reporter
    log: RecorderLog
    wake: threading.Event
    every_s: float
    duration_s: float | None = None

    def run(self, sources: list[str]) -> Outcome:
        """Record until a signal, a command, the time limit or the collectors' end."""
        recording = self.recording
        forget(recording.session)
        recording.start()
        self.reporter.started(recording, sources)
        self.log.write("resumed" if recording.resumed else "started", collectors=len(sources))
        self._watch()
        recording.stop()
        self.reporter.finishing()
        outcome = recording.finish()
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
            self.log.write("failed", error=word_of(outcome.error), code=outcome.code)
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
    """A source's state: numbers and words only."""
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


class Commands:
    """What may be asked of a recording by lines on stdin."""

    def __init__(
        self,
        recording: Recording,
        reporter: Reporter,
        log: RecorderLog,
        questions: Questions | None,
        attachment: Attachment,
    ) -> None:
        self._recording, self._reporter, self._log, self._questions = recording, reporter, log, questions
        self._attachment = attachment

    def obey(self, line: bytes) -> None:
        """Do what a line says; one that makes no sense is a warning."""
        try:
            self._do(read_command(line))
        except HyperscopeError as error:
            self._reporter.warn(str(error))

    def _do(self, command: Command) -> None:
        match command:
            case Mark(text=text, at=at):
                self._recording.mark(text, parse_time(at) if at else None)
                self._log.write("mark")
            case Unmark(text=text, at=at):
                self._change(model.Mark(parse_time(at), text), None)
            case ChangeMark(text=text, at=at, to=to):
                when = parse_time(at)
                self._change(model.Mark(when, text), model.Mark(when, to))
            case Pause():
                self._recording.pause()
                self._log.write("paused")
            case Resume():
                self._recording.resume()
                self._log.write("unpaused")
            case Stop():
                self._recording.stop()
            case Detach():
                self._attachment.detach()
                self._reporter.detached()
                self._log.write("detached")
            case Password() | Trust():
                self._answer(command)

    def _change(self, old: model.Mark, new: model.Mark | None) -> None:
        self._recording.change_mark(
            old, new, lambda: self._reporter.warn("The session that is recorded now has no such mark.")
        )
        self._log.write("unmark" if new is None else "remark")

    def _answer(self, command: Password | Trust) -> None:
        if self._questions is None:
            self._reporter.warn("Nothing was asked.")
        elif isinstance(command, Password):
            self._questions.answer("password", command.source, command.password)
        else:
            self._questions.answer("certificate", command.source, command.sha256)
