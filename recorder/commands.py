"""Carries out the commands that arrive on stdin of a running recorder."""

from __future__ import annotations

from collections.abc import Callable

from collectors.feed import Collector
from recorder.attachment import Attachment
from recorder.log import RecorderLog
from recorder.protocol import (
    AddSource,
    ChangeMark,
    Detach,
    DoAct,
    Mark,
    Password,
    Pause,
    RecordCommand,
    RemoveSource,
    Resume,
    Stop,
    Trust,
    Unmark,
    read_command,
)
from recorder.questions import Questions
from recorder.recording import Recording
from recorder.reporting import Reporter
from resources.failures import HyperscopeError, UsageError
from sessions import model
from sessions.times import parse_time


class Commands:
    """The commands to a recording, one JSON line each. ``on_detach`` is called by the command ``detach``.

    ``collector_of`` makes the collector of a source that is added, with its interval (s) if one is wanted;
    None where the sources stay as they are, as in a guided test.
    """

    def __init__(
        self,
        recording: Recording,
        reporter: Reporter,
        log: RecorderLog,
        questions: Questions | None,
        attachment: Attachment,
        on_detach: Callable[[], None],
        collector_of: Callable[[str, float | None], Collector] | None = None,
    ) -> None:
        self._recording, self._reporter, self._log, self._questions = recording, reporter, log, questions
        self._attachment, self._on_detach = attachment, on_detach
        self._collector_of = collector_of

    def execute(self, line: bytes) -> None:
        """Carry out the command of one line; an invalid line is reported as a warning."""
        try:
            self._do(read_command(line))
        except HyperscopeError as error:
            self._reporter.warn(str(error))

    def _do(self, command: RecordCommand) -> None:
        match command:
            case Mark(text=text, at=at):
                self._recording.mark(text, parse_time(at) if at else None)
                self._log.write("mark")
            case Unmark(text=text, at=at):
                self._change(model.Mark(parse_time(at), text), None)
            case ChangeMark(text=text, at=at, to=to):
                when = parse_time(at)
                self._change(model.Mark(when, text), model.Mark(when, to))
            case Pause() | Resume() | Stop() | Detach():
                self._control(command)
            case DoAct(source=source, what=what, kind=kind, name=name):
                self._reporter.acted(source, what, self._recording.act(source, what, kind, name))
                self._log.write("acted")
            case AddSource(source=source, interval_s=interval_s):
                self._add(source, interval_s)
            case RemoveSource(source=source):
                self._recording.remove(source)
                self._log.write("removed")
            case Password() | Trust():
                self._answer(command)

    def _control(self, command: Pause | Resume | Stop | Detach) -> None:
        match command:
            case Pause():
                self._recording.pause()
                self._log.write("paused")
            case Resume():
                self._recording.resume()
                self._log.write("unpaused")
            case Stop():
                self._recording.stop()
            case Detach():
                self._detach()

    def _add(self, source: str, interval_s: float | None) -> None:
        if self._collector_of is None:
            raise UsageError("A test has the sources that it begins with.", advice="Record beside it.")
        self._recording.add(self._collector_of(source, interval_s))
        self._log.write("added")

    def _change(self, old: model.Mark, new: model.Mark | None) -> None:
        self._recording.change_mark(
            old, new, lambda: self._reporter.warn("The session that is recorded now has no such mark.")
        )
        self._log.write("unmark" if new is None else "remark")

    def _detach(self) -> None:
        self._attachment.detach()
        self._on_detach()
        self._reporter.detached()
        self._log.write("detached")

    def _answer(self, answer: Password | Trust) -> None:
        if self._questions is None:
            self._reporter.warn("Nothing was asked.")
        else:
            self._questions.answer(answer)
