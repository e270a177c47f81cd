"""Whom a running recording reports to, and how it does so in JSON lines, to a window or another program."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from recorder.board import SourceStatus
from recorder.event_lines import EventLines
from recorder.protocol import Detached, Finishing, Rotated, Started, Warned
from recorder.recording import Outcome, Recording, Status
from sessions.times import iso, now_ms

_TROUBLE = ("reconnecting", "failed")


class Reporter(Protocol):
    """Who is told; ``changed`` and ``rotated`` are called from the recorder's threads."""

    def started(self, recording: Recording, sources: list[str]) -> None:
        """The recording has begun."""

    def status(self, status: Status, session: Path) -> None:
        """How it is doing; about once a second."""

    def changed(self, source: SourceStatus) -> None:
        """A source is in another state, or has something else to say."""

    def rotated(self, session: Path) -> None:
        """The recording goes on in another file."""

    def warn(self, sentence: str) -> None:
        """Something that does not end the recording."""

    def detached(self) -> None:
        """Whoever started us lets us go on alone; nothing is read or expected from them after this."""

    def ask(self, question: str) -> bool:
        """Yes or no, from somebody at the terminal; no where there is nobody.

        Raises CancelledError when the recording is stopped meanwhile.
        """

    def finishing(self) -> None:
        """It was stopped, and is being put in order."""

    def ended(self, outcome: Outcome) -> None:
        """The recording has ended; ``message`` of an error is for the caller to say."""


class JsonReporter:
    """The events of ``recorder.protocol``, one JSON document a line."""

    def __init__(self, on_broken: Callable[[], None]) -> None:
        self.lines = EventLines(on_broken)

    def started(self, recording: Recording, sources: list[str]) -> None:
        """The recording has begun."""
        session = str(recording.session)
        self.lines.send(Started(session, tuple(sources), recording.resumed, os.getpid(), iso(now_ms())))

    def status(self, status: Status, session: Path) -> None:
        """How it is doing."""
        self.lines.send(status.report(session))

    def changed(self, source: SourceStatus) -> None:
        """Trouble is a warning; the rest is in the next status."""
        if source.health.state in _TROUBLE:
            self.lines.send(Warned(source.name, source.health.state, source.health.message))

    def rotated(self, session: Path) -> None:
        """The recording goes on in another file."""
        self.lines.send(Rotated(str(session)))

    def warn(self, sentence: str) -> None:
        """A warning of no source."""
        self.lines.send(Warned(message=sentence))

    def detached(self) -> None:
        """The last line that somebody reads."""
        self.lines.send(Detached())

    def ask(self, _question: str) -> bool:
        """Nobody sits there; questions are events."""
        return False

    def finishing(self) -> None:
        """Stopped, and being put in order."""
        self.lines.send(Finishing())

    def ended(self, outcome: Outcome) -> None:
        """The last line."""
        self.lines.send(outcome.report())
        self.lines.close()
