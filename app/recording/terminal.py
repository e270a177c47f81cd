"""Reports a running recording on stderr: a live page on a terminal, a few lines in a pipe."""

from __future__ import annotations

import threading
from pathlib import Path

from rich.live import Live
from rich.text import Text

from app.consoles import notices, one_line
from app.recording.page import page
from app.terminal import read_typed_line
from collectors.feed import Act
from recorder.board import SourceStatus
from recorder.recording import Outcome, Recording, Status
from recorder.shortfalls import shortfalls
from resources.failures import CancelledError
from resources.units import format_bytes, format_count, format_duration


class QuietReporter:
    """Reports to a pipe or a file: how the recording began and ended, and which sources failed."""

    def __init__(self) -> None:
        self._console = notices()

    def started(self, recording: Recording, sources: list[str]) -> None:
        """Print that the recording begins."""
        how = "Going on with" if recording.resumed else "Recording into"
        self._print(f"{how} {recording.session} from {', '.join(sources)}.")

    def status(self, status: Status, session: Path) -> None:
        """Do nothing: the status is shown only on a terminal."""

    def changed(self, source: SourceStatus) -> None:
        """Print a line if the source has failed for good."""
        if source.health.state == "failed":
            self._print(f"{source.name}: {source.health.message}")

    def rotated(self, session: Path) -> None:
        """Print into which file the recording goes on."""
        self._print(f"The recording goes on in {session}.")

    def warn(self, sentence: str) -> None:
        """Print a warning."""
        self._print(sentence)

    def acted(self, source: str, _what: str, act: Act) -> None:
        """Print what was changed in a source."""
        self._print(f"{source}: {act.text}.")

    def detached(self) -> None:
        """Do nothing."""

    def ask(self, _question: str) -> bool:
        """Return False: nobody is there to answer."""
        return False

    def finishing(self) -> None:
        """Do nothing."""

    def ended(self, outcome: Outcome) -> None:
        """Print how the recording ended."""
        self._print(summary(outcome))

    def _print(self, line: str) -> None:
        self._console.print(one_line(line), soft_wrap=True)


class PageReporter(QuietReporter):
    """Reports to a terminal: a page that is updated every second, and the same lines around it."""

    def __init__(self) -> None:
        super().__init__()
        self._live = self._fresh()
        self._asking = threading.Lock()
        self._stopped = threading.Event()

    def _fresh(self) -> Live:
        return Live(console=self._console, auto_refresh=False, transient=True)

    def started(self, recording: Recording, sources: list[str]) -> None:
        """Print that the recording begins, and show the page below."""
        super().started(recording, sources)
        self._console.print(Text("Ctrl-C ends it.", style="dim"))
        self._live.start()

    def status(self, status: Status, session: Path) -> None:
        """Update the page, unless a question is shown in its place."""
        if self._asking.acquire(blocking=False):
            try:
                self._live.update(page(status, session, self._console.width), refresh=True)
            finally:
                self._asking.release()

    def ask(self, question: str) -> bool:
        """Ask a yes-or-no question in place of the page. Raises CancelledError if the recording is
        stopped.
        """
        with self._asking:
            self._live.stop()
            try:
                self._console.print(Text(question), end="")
                answer = read_typed_line(self._stopped.is_set)
                if answer is None:
                    self._console.print()
                    raise CancelledError("The recording was stopped before the question was answered.")
                return answer.strip().lower() in ("y", "yes")
            finally:
                self._live = self._fresh()  # the old one would go up over the question by its last height
                self._live.start()

    def finishing(self) -> None:
        """Show that the session is being completed; a question that is open is not waited for."""
        self._stopped.set()
        self._live.update(Text("Putting the session in order …", style="dim"), refresh=True)

    def ended(self, outcome: Outcome) -> None:
        """Remove the page and print how the recording ended."""
        self._live.stop()
        super().ended(outcome)


def summary(outcome: Outcome) -> str:
    """Return one line on how a recording ended."""
    if outcome.session is None:
        return "Nothing was recorded; no file is left."
    samples = f"{format_count(outcome.samples)} samples in {format_duration(outcome.seconds)}"
    stored = f"{samples} → {outcome.session} ({format_bytes(outcome.bytes)})"
    return "; ".join((stored, *shortfalls(outcome.report())))
