"""Judges the open session in a process of its own, as it grows; says how far each verdict reaches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.child import Child
from app.gui.session_model import SessionModel
from app.own_thresholds import SHIPPED
from diagnosis import Diagnosis
from diagnosis.compiled import compile_problems
from diagnosis.engine import counters_of
from diagnosis.messages import MAX_EVENT_BYTES, Failed, Judged, Receiver, read_event
from recorder.protocol import Warned
from resources.catalogue import Catalogue
from resources.failures import HyperscopeError, UsageError
from resources.problem_cards import Problems
from sessions.verdicts import NOT_JUDGED, Verdict
from viewmodels.snapshot import Change

_FIRST_MS = 400  # the first chart comes first: a process that starts takes a processor for half a second
_SHOW_MS = 250  # a lab that plays fast is judged ten times a second: nobody reads that
_BACKOFF_MS = 1_000
_MAX_BACKOFF_MS = 60_000
_LEAVE_S = 5.0


class Judging(QObject):
    """Holds the newest diagnosis of the whole open session, and the verdict that says how far it reaches.

    ``changed`` is emitted for every new verdict, also if the findings are the same and only the time up to
    which was judged differs; and when the session is opened, closed, or can't be judged. ``busy_changed``
    says whether the first diagnosis of a session is under way. A process that dies is started again, each
    time after a longer wait; what it had judged stays judged.
    """

    changed = Signal()
    busy_changed = Signal(bool)
    failed = Signal(object)

    def __init__(
        self,
        session: SessionModel,
        problems: Problems,
        catalogue: Catalogue,
        parent: QObject | None = None,
        thresholds: Callable[[], Path | None] = lambda: None,
    ) -> None:
        """``thresholds`` gives the file of the user's own threshold sets; None: the shipped ones judge."""
        super().__init__(parent)
        self._session = session
        self._thresholds = thresholds
        self._counters = counters_of(compile_problems(problems), catalogue)
        self._receiver = Receiver(self._counters)
        self._child: Child | None = None
        self._leaving: list[Child] = []
        self._newest: Diagnosis | None = None
        self._trouble: HyperscopeError | None = None
        self._is_final = False
        self._wait_ms = _BACKOFF_MS
        self._start_timer = QTimer(self, singleShot=True)
        self._start_timer.timeout.connect(self._start)
        self._show_timer = QTimer(self, singleShot=True, interval=_SHOW_MS)
        self._show_timer.timeout.connect(self._show)
        self.diagnosis: Diagnosis | None = None
        """The newest diagnosis; None until the first one of the open session is done."""
        session.opened.connect(self._opened)
        session.changed.connect(self._grown)
        session.closed.connect(self._closed)

    @property
    def trouble(self) -> HyperscopeError | None:
        """Why the session can't be judged any further; None while it can."""
        return self._trouble

    @property
    def verdict(self) -> Verdict:
        """How far the newest diagnosis reaches; what was judged before a trouble stays judged."""
        if self.diagnosis is not None:
            return self.diagnosis.verdict
        if self._trouble is not None:
            return Verdict("could not be judged", reason=str(self._trouble).rstrip("."))
        return NOT_JUDGED

    @property
    def pid(self) -> int | None:
        """The id of the process that judges; None while there is none."""
        return self._child.pid if self._child is not None and self._child.is_running else None

    def evaluate(self) -> None:
        """Judge the session now, if no process is at it."""
        self._start_timer.stop()
        self._start()

    def judge_anew(self) -> None:
        """Judge the open session again from the start, because what it is judged by has changed.

        What was judged before is shown until then.
        """
        if self._session.path is not None:
            self._stop()
            self._newest, self._is_final, self._wait_ms = None, False, _BACKOFF_MS
            self._start()

    def shutdown(self) -> None:
        """End all processes and wait for them."""
        self._stop()
        for child in self._leaving:
            child.wait(_LEAVE_S)
        self._leaving.clear()

    def _opened(self) -> None:
        self._forget()
        self.changed.emit()
        self.busy_changed.emit(True)
        self._start_timer.start(_FIRST_MS)

    def _grown(self, change: Change) -> None:
        """A session that could not be read may be complete by now."""
        if change and self._is_final and not self._start_timer.isActive():
            self._start_later()

    def _closed(self) -> None:
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        self._stop()
        self.diagnosis = self._newest = self._trouble = None
        self._is_final, self._wait_ms = False, _BACKOFF_MS

    def _stop(self) -> None:
        self._start_timer.stop()
        self._show_timer.stop()
        child, self._child = self._child, None
        if child is not None:
            child.received.disconnect()
            child.ended.disconnect()
            if child.is_running:
                self._leaving.append(child)
                child.ended.connect(lambda _code: self._left(child))
                child.close_stdin()
            else:
                child.deleteLater()

    def _left(self, child: Child) -> None:
        if child in self._leaving:
            self._leaving.remove(child)
            child.deleteLater()

    def _start(self) -> None:
        path = self._session.path
        if path is None or (self._child is not None and self._child.is_running):
            return
        self._receiver, self._is_final = Receiver(self._counters), False
        own = str(self._thresholds() or SHIPPED)
        try:
            self._child = Child(
                ["judge", "--attached", "--thresholds", own, "--", str(path)], read_event, self,
                low_priority=True, max_event_bytes=MAX_EVENT_BYTES,
            )  # fmt: skip
        except OSError as error:
            self._fail(HyperscopeError(f"The process that judges can't be started: {error.strerror}."))
            self._start_later()
            return
        self._child.received.connect(self._take)
        self._child.ended.connect(self._end)

    def _start_later(self) -> None:
        self._start_timer.start(self._wait_ms)
        self._wait_ms = min(2 * self._wait_ms, _MAX_BACKOFF_MS)

    def _take(self, event: Judged | Failed | Warned) -> None:
        match event:
            case Judged():
                self._take_judged(event)
            case Failed():
                self._is_final = True
                self._fail(event.error())
            case _:
                self._fail(HyperscopeError("The process that judges wrote a line that can't be read."))

    def _take_judged(self, event: Judged) -> None:
        try:
            self._newest = self._receiver.diagnosis(event)
        except UsageError as error:
            self._fail(error)
            return
        self._wait_ms = _BACKOFF_MS
        if not self._show_timer.isActive():
            self._show()

    def _show(self) -> None:
        """Show the newest diagnosis; what comes within the next moment is shown together."""
        if self._newest is None:
            return
        is_first = self.diagnosis is None
        self.diagnosis, self._newest, self._trouble = self._newest, None, None
        self._show_timer.start()
        if is_first:
            self.busy_changed.emit(False)
        self.changed.emit()

    def _end(self, code: int) -> None:
        """The process ended by itself: it said why, or it died and is started again."""
        child, self._child = self._child, None
        self._show()
        if child is not None:
            child.deleteLater()
        if self._is_final:
            return
        last = f" Its last words were: {child.last_error}" if child is not None and child.last_error else ""
        self._fail(HyperscopeError(f"The process that judges ended unexpectedly (code {code}).{last}"))
        self._start_later()

    def _fail(self, error: HyperscopeError) -> None:
        is_new = self._trouble is None or str(self._trouble) != str(error)
        self._trouble = error
        if self.diagnosis is None:
            self.busy_changed.emit(False)
        self.changed.emit()
        if is_new and self._is_final:
            self.failed.emit(error)
