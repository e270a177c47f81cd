"""The recording that this window runs: start, status, pause, stop, detach, and resume."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.gui.desk import Desk
from app.gui.recorder_process import RecorderProcess, Request, TestRequest
from app.gui.session_files import os_error_text
from app.gui.source_labels import beginning, left_entries, live_entries, stored_entries
from app.gui.sources_model import live_facts, stored_facts
from app.gui.window import Window
from recorder.protocol import Ended, Rotated, SourceReport, Started, StatusReport, Warned
from recorder.shortfalls import shortfalls
from recorder.stop_file import ask_to_stop
from resources.failures import ChangedCertificateError, LoginError
from resources.units import format_count, format_duration
from sessions.model import Source
from sessions.scope import Scope
from sessions.store.lock import real_path
from sessions.times import TimeRange, now_ms
from viewmodels.snapshot import Snapshot

DIED = "The test was interrupted."
_MINUTE_MS = 60_000
_ASKED_AGAIN = (LoginError.exit_code, ChangedCertificateError.exit_code)


class Recordings(QObject):
    """Runs at most one recorder at a time.

    Signals: ``began`` with the process, before its first event; ``first_samples`` with the session's path and
    the request; ``refused`` with process, source and failure (Ended) when the user can fix it (password,
    certificate); ``test_ended`` with the session's path and the last event (Ended) of a test that began;
    ``over`` when the recording has ended or was detached; ``begins`` with two lines on what is
    connecting until there are samples, both empty otherwise; ``certificate_changed`` with the address of a
    source that shows another one while it is recorded, and whether it still does.
    """

    began = Signal(object)
    first_samples = Signal(object, object)
    refused = Signal(object, str, object)
    test_ended = Signal(object, object)
    over = Signal()
    begins = Signal(str, str)
    certificate_changed = Signal(str, bool)

    def __init__(self, desk: Desk, window: Window, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._process: RecorderProcess | None = None
        self._has_samples = False
        self._is_unwanted = False  # it was stopped before it had samples
        self._part: Path | None = None
        self._refusals: set[tuple[str, int]] = set()
        self._changed_certificates: frozenset[str] = frozenset()
        self._stale: Snapshot | None = None
        desk.session.opened.connect(lambda _snapshot: self.show())
        desk.session.changed.connect(lambda _change: self.show())
        desk.session.closed.connect(self.show)
        desk.tests.changed.connect(self.show)
        window.status.panel_clicked.connect(window.show_panel)
        self.show()

    @property
    def process(self) -> RecorderProcess | None:
        """The running recorder, None if there is none."""
        return self._process

    def is_recording(self, session: Path | None) -> bool:
        """Return True if our recorder writes this session."""
        return self._process is not None and session is not None and self._session == real_path(session)

    def start(self, request: Request) -> RecorderProcess | None:
        """Start recording; returns None and shows a message if that is not possible."""
        if self._process is not None:
            self._window.messages.show_message(
                f"A {_name(self._process)} is running in this window already.",
                "warning",
                button="Stop it",
                act=self.stop,
            )
            return None
        try:
            Path(request.session).parent.mkdir(parents=True, exist_ok=True)
            process = RecorderProcess(request, self)
        except OSError as error:
            self._desk.notify(
                f"The recording can't be started: {os_error_text(error).removesuffix('.')}. "
                "Preferences › Recording has the folder for recordings.",
                "critical",
            )
            return None
        self._process, self._has_samples, self._is_unwanted = process, False, False
        self._window.messages.clear()  # how an earlier recording ended is over
        self._refusals.clear()
        self._changed_certificates = frozenset()
        process.reported.connect(self._reported)
        process.changed.connect(lambda _state: self.show())
        process.warned.connect(self._warned)
        process.started.connect(self._started)
        process.rotated.connect(self._rotated)
        process.detached.connect(lambda _event: self._detached())
        process.ended.connect(self._ended)
        self.began.emit(process)
        self.show()
        return process

    def stop(self) -> None:
        """End our recording, or ask the process that records the open session to end."""
        path = self._desk.session.path
        if self._process is not None:
            self._is_unwanted = not self._has_samples
            self._process.stop()
        elif path is not None:
            try:
                ask_to_stop(path)
            except OSError as error:
                self._desk.notify(f"The recorder can't be asked to stop: {error}.", "critical")
            else:
                self._desk.notify("The recorder of this session was asked to stop.", "info")

    def toggle_pause(self) -> None:
        """Pause the recording, or resume it."""
        if self._process is not None:
            if self._process.state == "paused":
                self._process.resume()
            else:
                self._process.pause()

    def detach(self) -> None:
        """Make the recording go on without the window."""
        if self._process is not None:
            self._process.detach()

    def mark_time(self) -> int:
        """Return the current time in ms on the clock of the sources: the lab has a calendar of its own."""
        sources = self._process.status.sources if self._process else ()
        lab = [one.last_ms or 0 for one in sources if one.kind == "lab"]
        return max(lab) if lab and len(lab) == len(sources) and any(lab) else now_ms()

    def live_scope(self) -> Scope:
        """Return the scope for a new recording: its newest minutes, kept in view."""
        length = self._desk.settings.number("live.window") * _MINUTE_MS
        return Scope().during(TimeRange(0, length), follow=True)

    def shutdown(self) -> None:
        """End the recorder and wait for it; the user was asked before."""
        if self._process is not None:
            self._process.stop()
            self._process.wait()
            self._process.blockSignals(True)  # what it said last would come after the window is gone
            self._process.deleteLater()
            self._process = None

    def show(self) -> None:
        """Update status bar, top bar and actions with the state of the recording."""
        process, snapshot = self._process, self._desk.session.whole
        own = snapshot is not None and self.is_recording(snapshot.path)
        if process is not None and (own or snapshot is None):
            self._window.status.show_sources(live_entries(process.status))
            can_add = not process.is_test and process.state in {"recording", "paused"}
            self._desk.sources.show(live_facts(process.status, can_remove=can_add), can_add=can_add)
        elif snapshot is None:
            self._window.status.show_sources([])
            self._desk.sources.show((), can_add=False)
        elif snapshot is not self._stale:
            tests = self._desk.tests
            left = left_entries(tests.records.changes(tests.live))
            self._window.status.show_sources([*left, *stored_entries(snapshot)])
            self._desk.sources.show(stored_facts(snapshot), can_add=False)
        self._window.top.show_recording(*_top_bar_texts(process))
        is_opening = snapshot is None and self._desk.session.opening is not None
        self.begins.emit(*_beginning(process, is_opening=is_opening))
        elsewhere = process is None and snapshot is not None and _is_recorded(snapshot.sources)
        elsewhere = elsewhere and snapshot is not self._stale
        if elsewhere:
            self._window.top.show_recording("● Recorded elsewhere", "ok")
        actions = self._window.actions_by_id
        actions["record.stop"].setEnabled(process is not None or elsewhere)
        for name in ("record.pause", "record.detach"):
            actions[name].setEnabled(process is not None and process.state in {"recording", "paused"})
        is_plain = process is not None and not process.is_test and process.state in {"recording", "paused"}
        actions["record.add"].setEnabled(is_plain)
        actions["record.resume"].setEnabled(process is None and snapshot is not None and not elsewhere)
        paused = process is not None and process.state == "paused"
        actions["record.pause"].setText("Go on recording" if paused else "Pause recording")

    @property
    def _session(self) -> Path:
        assert self._process is not None
        return real_path(Path(self._process.request.session))

    def _started(self, _event: Started) -> None:
        """Note the session: a long recording that is resumed goes on in its newest part."""
        if self._process is not None:
            self._part = self._session

    def _reported(self, status: StatusReport) -> None:
        process = self._process
        if process is None:
            return
        if not self._has_samples and status.samples > 0:
            self._has_samples = True
            self.first_samples.emit(Path(status.session), process.request)
        for one in status.collectors:
            refusal = one.name, one.number
            if one.code in _ASKED_AGAIN and len(status.collectors) > 1 and refusal not in self._refusals:
                self._refusals.add(refusal)
                self.refused.emit(process, one.name, Ended(one.code, None, message=one.message))
        changed, before = _changed_certificates(status), self._changed_certificates
        self._changed_certificates = changed
        for address in sorted(changed ^ before):
            self.certificate_changed.emit(address, address in changed)
        self.show()

    def _warned(self, warning: Warned) -> None:
        if warning.refusal == ChangedCertificateError.exit_code:
            return  # ``certificate_changed`` tells of it, with what to do
        source = f"{warning.source}: " if warning.source else ""
        text = f"{source}{warning.message or warning.state or 'trouble'}"
        self._desk.notify(text, "critical" if warning.state == "failed" or warning.refusal else "warning")

    def _rotated(self, event: Rotated) -> None:
        """Open the next part if the window shows the recording; otherwise offer to show it.

        Another session that is being opened is what the window shows.
        """
        session, process, before = self._desk.session, self._process, self._part
        shown = session.opening or session.path
        if process is None:
            return
        self._part = part = self._session
        text = f"The recording goes on in {event.session}."
        if shown is not None and real_path(shown) == before:
            self._desk.notify(text, "info")
            self.first_samples.emit(part, process.request)
        else:
            self._window.messages.show_message(
                text, "info", button="Show it", act=lambda: self.first_samples.emit(part, process.request)
            )

    def _detached(self) -> None:
        name = _name(self._process)
        self._forget()
        self._desk.notify(
            f"The {name} goes on without the window. Open the session again to look at it or to stop it.",
            "ok",
        )
        self.over.emit()

    def _ended(self, ended: Ended) -> None:
        process = self._process
        if process is None:
            return
        died = process.state == "died"
        self._forget()
        if ended.test is not None and (ended.code == 0 or ended.test.open or self._is_unwanted):
            self.test_ended.emit(Path(process.request.session), ended)
        elif ended.code == 0:
            samples = f"{format_count(ended.samples)} samples in {format_duration(ended.seconds)}"
            lacking = shortfalls(ended)
            text = f"The {_name(process)} has ended: {'; '.join((samples, *lacking))}."
            self._desk.notify(text, "warning" if lacking else "ok")
        elif self._is_unwanted and ended.session is None:
            self._desk.notify(
                f"{beginning(process.request.sources, process.status)[0]} was stopped: nothing is recorded.",
                "info",
            )
        elif ended.code in _ASKED_AGAIN:
            self.refused.emit(process, process.request.sources[0], ended)
        else:
            self._show_death(process.request, ended, died=died)
        self.over.emit()

    def _show_death(self, request: Request, ended: Ended, *, died: bool) -> None:
        text = f"The recorder died. {ended.message}" if died else ended.message
        if died and isinstance(request, TestRequest):
            text = f"{DIED} {ended.message} Tests shows whether anything is left to undo."
        again = "Resume" if Path(request.session).exists() else "Try again"
        if isinstance(request, TestRequest):
            request = request.again()
        self._window.messages.show_message(
            text, "critical", button=again, act=lambda: ignore_result(self.start(request))
        )

    def _forget(self) -> None:
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
        # What the window knows of the session may be from before its end: then it looks again, and is told of
        # the difference. On a busy machine it has seen the end already, and nothing differs any more.
        known = self._desk.session.whole
        self._stale = known if known is not None and _is_recorded(known.sources) else None
        self._desk.session.check_now()
        self.show()


def ignore_result(_answer: object) -> None:
    """Do nothing with the result of a call: for callbacks that must return None."""


def _name(process: RecorderProcess | None) -> str:
    return "test" if process is not None and process.is_test else "recording"


def _beginning(process: RecorderProcess | None, *, is_opening: bool) -> tuple[str, str]:
    """Return what the start page says of a recording, nothing once its session is shown."""
    if process is None or (process.status.samples and not is_opening):
        return "", ""
    return beginning(process.request.sources, process.status)


def _top_bar_texts(process: RecorderProcess | None) -> tuple[str, str]:
    if process is None:
        return "", ""
    seconds = int(process.status.seconds)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    match process.state:
        case "starting":
            return "◌ Connecting…", "warning"
        case "paused":
            return f"◆ {'Test pausing' if process.is_test else 'Paused'} {clock}", "warning"
        case "finishing":
            return "◌ Finishing…", "warning"
        case _ if not process.status.samples:
            return f"◌ Connecting… {clock}", "warning"
        case _:
            troubled = any(_is_troubled(source) for source in process.status.sources)
            word = "Test" if process.is_test else "Recording"
            return f"{'◆' if troubled else '●'} {word} {clock}", "warning" if troubled else "ok"


def _is_troubled(source: SourceReport) -> bool:
    return source.state in {"failed", "reconnecting"}


def _is_recorded(sources: Sequence[Source]) -> bool:
    return any(source.state == "recording" for source in sources)


def _changed_certificates(status: StatusReport) -> frozenset[str]:
    """Return the addresses of the sources that show another certificate than before."""
    changed = ChangedCertificateError.exit_code
    return frozenset(one.collector for one in status.sources if one.refusal == changed)
