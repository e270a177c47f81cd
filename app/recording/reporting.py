"""What a running recording tells: JSON lines for a window, a live page on a terminal, two lines in a pipe."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from rich.live import Live
from rich.text import Text

from app.consoles import notices, one_line
from app.recording.page import page
from app.terminal import typed_line
from recorder.board import SourceStatus
from recorder.event_lines import EventLines
from recorder.recording import Outcome, Recording, Status
from resources.failures import CancelledError
from resources.units import format_bytes, format_count, format_duration
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
    """One JSON document a line: started, status, warning, rotated, ended."""

    def __init__(self, on_broken: Callable[[], None]) -> None:
        self.lines = EventLines(on_broken)

    def started(self, recording: Recording, sources: list[str]) -> None:
        """The recording has begun."""
        self.lines.say(
            "started",
            session=str(recording.session),
            sources=sources,
            resumed=recording.resumed,
            pid=os.getpid(),
            at=iso(now_ms()),
        )

    def status(self, status: Status, session: Path) -> None:
        """How it is doing."""
        self.lines.say("status", session=str(session), **status.to_json())

    def changed(self, source: SourceStatus) -> None:
        """Trouble is a warning; the rest is in the next status."""
        if source.health.state in _TROUBLE:
            self.lines.say(
                "warning", source=source.name, state=source.health.state, message=source.health.message
            )

    def rotated(self, session: Path) -> None:
        """The recording goes on in another file."""
        self.lines.say("rotated", session=str(session))

    def warn(self, sentence: str) -> None:
        """A warning of no source."""
        self.lines.say("warning", source=None, state=None, message=sentence)

    def detached(self) -> None:
        """The last line that somebody reads."""
        self.lines.say("detached")

    def ask(self, _question: str) -> bool:
        """Nobody sits there; questions are events."""
        return False

    def finishing(self) -> None:
        """Stopped, and being put in order."""
        self.lines.say("finishing")

    def ended(self, outcome: Outcome) -> None:
        """The last line."""
        self.lines.say(
            "ended",
            code=outcome.code,
            session=str(outcome.session) if outcome.session else None,
            samples=outcome.samples,
            bytes=outcome.bytes,
            seconds=round(outcome.seconds, 3),
            expected=outcome.expected,
            received=outcome.received,
            gaps=outcome.gaps,
            message=str(outcome.error) if outcome.error else "",
        )
        self.lines.close()


class QuietReporter:
    """For a pipe or a file: how it began and ended, and which sources were lost on the way."""

    def __init__(self) -> None:
        self._console = notices()

    def started(self, recording: Recording, sources: list[str]) -> None:
        """One line."""
        how = "Going on with" if recording.resumed else "Recording into"
        self._say(f"{how} {recording.session} from {', '.join(sources)}.")

    def status(self, status: Status, session: Path) -> None:
        """Nothing."""

    def changed(self, source: SourceStatus) -> None:
        """A line for a source that is given up."""
        if source.health.state == "failed":
            self._say(f"{source.name}: {source.health.message}")

    def rotated(self, session: Path) -> None:
        """One line."""
        self._say(f"The recording goes on in {session}.")

    def warn(self, sentence: str) -> None:
        """One line."""
        self._say(sentence)

    def detached(self) -> None:
        """Nothing."""

    def ask(self, _question: str) -> bool:
        """Nobody sits there."""
        return False

    def finishing(self) -> None:
        """Nothing."""

    def ended(self, outcome: Outcome) -> None:
        """One line, where there is something to say."""
        self._say(summary(outcome))

    def _say(self, line: str) -> None:
        self._console.print(one_line(line), soft_wrap=True)


class PageReporter(QuietReporter):
    """For a terminal: a page that is renewed every second, and the same lines around it."""

    def __init__(self) -> None:
        super().__init__()
        self._live = self._fresh()
        self._asking = threading.Lock()
        self._stopped = threading.Event()

    def _fresh(self) -> Live:
        return Live(console=self._console, auto_refresh=False, transient=True)

    def started(self, recording: Recording, sources: list[str]) -> None:
        """The first line, and the page below it."""
        super().started(recording, sources)
        self._console.print(Text("Ctrl-C ends it.", style="dim"))
        self._live.start()

    def status(self, status: Status, session: Path) -> None:
        """Renew the page, unless a question stands there."""
        if self._asking.acquire(blocking=False):
            try:
                self._live.update(page(status, session, self._console.width), refresh=True)
            finally:
                self._asking.release()

    def ask(self, question: str) -> bool:
        """Ask in place of the page."""
        with self._asking:
            self._live.stop()
            try:
                self._console.print(Text(question), end="")
                answer = typed_line(self._stopped.is_set)
                if answer is None:
                    self._console.print()
                    raise CancelledError("The recording was stopped before the question was answered.")
                return answer.strip().lower() in ("y", "yes")
            finally:
                self._live = self._fresh()  # the old one would go up over the question by its last height
                self._live.start()

    def finishing(self) -> None:
        """Say that it takes a moment, and wait for no answer."""
        self._stopped.set()
        self._live.update(Text("Putting the session in order …", style="dim"), refresh=True)

    def ended(self, outcome: Outcome) -> None:
        """The last line, without the page."""
        self._live.stop()
        super().ended(outcome)


def summary(outcome: Outcome) -> str:
    """How a recording ended, in one line."""
    if outcome.session is None:
        return "Nothing was recorded; no file is left."
    samples = f"{format_count(outcome.samples)} samples in {format_duration(outcome.seconds)}"
    stored = f"{samples} → {outcome.session} ({format_bytes(outcome.bytes)})"
    missing = outcome.expected - outcome.received
    if missing <= 0:
        return stored
    gaps = f"{format_count(outcome.gaps)} gap{'' if outcome.gaps == 1 else 's'}"
    lacking = f"{format_count(missing)} of {format_count(outcome.expected)} expected samples"
    return f"{stored}; {lacking} did not come ({gaps})"
