"""Carries out the commands that arrive on stdin of a running recorder."""

from __future__ import annotations

from collections.abc import Callable

from recorder.attachment import Attachment
from recorder.log import RecorderLog
from recorder.protocol import (
    ChangeMark,
    Detach,
    DoAct,
    Mark,
    Password,
    Pause,
    RecordCommand,
    Resume,
    Stop,
    Trust,
    Unmark,
    read_command,
)
from recorder.questions import Questions
from recorder.recording import Recording
from recorder.reporting import Reporter
from resources.failures import HyperscopeError
from sessions import model
from sessions.times import parse_time


class Commands:
    """The commands to a recording, one JSON line each. ``on_detach`` is called by the command ``detach``."""

    def __init__(
        self,
        recording: Recording,
        reporter: Reporter,
        log: RecorderLog,
        questions: Questions | None,
        attachment: Attachment,
        on_detach: Callable[[], None],
    ) -> None:
        self._recording, self._reporter, self._log, self._questions = recording, reporter, log, questions
        self._attachment, self._on_detach = attachment, on_detach

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
            case DoAct(source=source, what=what, kind=kind, name=name):
                self._reporter.acted(source, what, self._recording.act(source, what, kind, name))
                self._log.write("acted")
            case Password() | Trust():
                self._answer(command)

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
