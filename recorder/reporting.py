"""To whom a running recording reports, and the reports as JSON lines for a window or another program."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from collectors.feed import Act
from recorder.board import SourceStatus
from recorder.event_lines import EventLines
from recorder.protocol import Acted, Detached, Finishing, Rotated, Started, Warned
from recorder.recording import Outcome, Recording, Status
from sessions.times import iso, now_ms

_TROUBLE = ("reconnecting", "failed")


class Reporter(Protocol):
    """Receives the reports; ``changed`` and ``rotated`` are called from the recorder's threads."""

    def started(self, recording: Recording, sources: list[str]) -> None:
        """Report that the recording has started."""

    def status(self, status: Status, session: Path) -> None:
        """Report the state of the recording; called about once a second."""

    def changed(self, source: SourceStatus) -> None:
        """Report that a source has another state or message."""

    def rotated(self, session: Path) -> None:
        """Report that the recording continues in another file."""

    def warn(self, sentence: str) -> None:
        """Report a problem that does not end the recording."""

    def acted(self, source: str, what: str, act: Act) -> None:
        """Report that something was changed in a source."""

    def detached(self) -> None:
        """Report that the recording continues without its parent: no later report is read."""

    def ask(self, question: str) -> bool:
        """Ask a yes/no question of the user at the terminal; False if there is none.

        Raises CancelledError when the recording is stopped meanwhile.
        """

    def finishing(self) -> None:
        """Report that the recording was stopped and its session is being completed."""

    def ended(self, outcome: Outcome) -> None:
        """Report that the recording has ended; an error's message is printed by the caller."""


class JsonReporter:
    """Reports as events of ``recorder.protocol``, one JSON document a line."""

    def __init__(self, on_broken: Callable[[], None]) -> None:
        self.lines = EventLines(on_broken)

    def started(self, recording: Recording, sources: list[str]) -> None:
        """Send the event ``started``."""
        session = str(recording.session)
        self.lines.send(Started(session, tuple(sources), recording.resumed, os.getpid(), iso(now_ms())))

    def status(self, status: Status, session: Path) -> None:
        """Send the event ``status``."""
        self.lines.send(status.report(session))

    def changed(self, source: SourceStatus) -> None:
        """Send a warning if the source is in trouble; other changes appear in the next status."""
        if source.health.state in _TROUBLE:
            health = source.health
            self.lines.send(Warned(source.name, health.state, health.message, health.refusal))

    def rotated(self, session: Path) -> None:
        """Send the event ``rotated``."""
        self.lines.send(Rotated(str(session)))

    def warn(self, sentence: str) -> None:
        """Send a warning that concerns no single source."""
        self.lines.send(Warned(message=sentence))

    def acted(self, source: str, what: str, act: Act) -> None:
        """Send the event ``acted``."""
        self.lines.send(Acted(source, what, act.text, iso(act.at), act.is_seen))

    def detached(self) -> None:
        """Send the event ``detached``, the last one that is read."""
        self.lines.send(Detached())

    def ask(self, _question: str) -> bool:
        """Return False: there is no user at a terminal; questions are sent as events."""
        return False

    def finishing(self) -> None:
        """Send the event ``finishing``."""
        self.lines.send(Finishing())

    def ended(self, outcome: Outcome) -> None:
        """Send the last event, ``ended``."""
        self.lines.send(outcome.report())
        self.lines.close()
