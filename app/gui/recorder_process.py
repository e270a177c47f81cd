"""The recorder as a child process of the window: its state, its events, and its commands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.gui.child import Child
from recorder import protocol
from resources.crash_reports import EXIT_CODE
from resources.source_kinds import load_source_kinds
from sessions.times import iso

State = Literal["starting", "recording", "paused", "finishing", "ended", "died"]

_REFUSALS = range(2, EXIT_CODE)
"""Exit codes of failures that the recorder has a sentence for, unlike a bug: it ended, and did not die."""


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """What to record, without secrets. ``speed`` is for the lab; ``preset``, ``select``, ``backfill`` are for
    vSphere; ``interval_s`` is for sources that are asked at a pace of ours, None: the usual.
    """

    sources: tuple[str, ...]
    session: str
    speed: float = 1.0
    preset: str = ""
    select: tuple[str, ...] = ()
    backfill: bool = True
    interval_s: float | None = None

    def with_session(self, session: Path) -> RecordRequest:
        """Return the same request for another session file."""
        return replace(self, session=str(session))

    def with_sources(self, sources: tuple[str, ...]) -> RecordRequest:
        """Return the same request for other sources."""
        return replace(self, sources=sources)

    def arguments(self) -> list[str]:
        """Return the recorder's command line."""
        arguments = ["record", "--json", "--attached", "-o", self.session]
        if self.preset:
            arguments += ["--preset", self.preset]
        for one in self.select:
            arguments += ["--select", one]
        if not self.backfill:
            arguments.append("--no-backfill")
        paced = {str(kind.id) for kind in load_source_kinds() if kind.least_s is not None}
        if self.interval_s is not None and any(one.partition(":")[0] in paced for one in self.sources):
            arguments += ["--interval", f"{self.interval_s:g}s"]
        if any(source.startswith("lab:") for source in self.sources):
            arguments += ["--speed", f"{self.speed:g}"]
        return [*arguments, "--", *self.sources]


@dataclass(frozen=True, slots=True)
class TestRequest:
    """Which test to run: the file of its plan, what it acts on, and the session that it records.

    Without a plan the session's own run, which was interrupted, goes on.
    ``confirmed`` are the ends of the UUIDs of disks that were typed.
    """

    __test__ = False  # pytest: this is none of its tests

    plan: str
    sources: tuple[str, ...]
    session: str
    confirmed: tuple[str, ...] = ()

    def with_session(self, session: Path) -> TestRequest:
        """Return the same request for another session file."""
        return replace(self, session=str(session))

    def with_sources(self, sources: tuple[str, ...]) -> TestRequest:
        """Return the same request for other sources."""
        return replace(self, sources=sources)

    def again(self) -> TestRequest:
        """Return the request that goes on with this run, if its session was begun."""
        return replace(self, plan="") if Path(self.session).exists() else self

    def arguments(self) -> list[str]:
        """Return the command line of a run that the window has confirmed."""
        typed = [word for end in self.confirmed for word in ("--confirm", end)]
        if not self.plan:
            return ["test", "resume", self.session, "--json", "--attached", "--yes", *typed]
        return ["test", "run", self.plan, "--json", "--attached", "--yes", *typed, "-o", self.session]


Request = RecordRequest | TestRequest


class RecorderProcess(QObject):
    """One run of the recorder, or of a test that is one. Its signals carry the events of
    ``recorder.protocol``.

    ``started``, ``reported`` (a StatusReport), ``warned``, ``acted`` (an Acted), ``rotated``,
    ``password_wanted``, ``certificate_wanted``, ``detached`` (the last signal then), and at the end
    ``ended``, also if the process died. ``changed`` carries the new state, ``sources_changed`` the request
    after a source was added or taken out.
    """

    started = Signal(object)
    reported = Signal(object)
    warned = Signal(object)
    acted = Signal(object)
    rotated = Signal(object)
    password_wanted = Signal(object)
    certificate_wanted = Signal(object)
    detached = Signal(object)
    ended = Signal(object)
    changed = Signal(str)
    sources_changed = Signal(object)

    def __init__(self, request: Request, parent: QObject | None = None) -> None:
        """Start the recorder. Raises OSError if the program can't be started."""
        super().__init__(parent)
        self.request: Request = request
        self.state: State = "starting"
        self.status = protocol.StatusReport()
        self._last: protocol.Ended | None = None
        self._signals = {
            protocol.Started: self.started,
            protocol.StatusReport: self.reported,
            protocol.Warned: self.warned,
            protocol.Acted: self.acted,
            protocol.Rotated: self.rotated,
            protocol.PasswordWanted: self.password_wanted,
            protocol.CertificateWanted: self.certificate_wanted,
            protocol.Detached: self.detached,
        }
        self._child = Child(request.arguments(), protocol.read_record_event, self)
        self._child.received.connect(self._take_event)
        self._child.ended.connect(self._end)

    @property
    def is_over(self) -> bool:
        """True if the process has ended, or was detached."""
        return self.state in {"ended", "died"}

    @property
    def is_test(self) -> bool:
        """True if this is a guided test."""
        return isinstance(self.request, TestRequest)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._child.pid

    def mark(self, text: str, at: int | None = None) -> None:
        """Add a mark at the time ``at`` (ms), or now."""
        self._child.send(protocol.Mark(text, iso(at) if at is not None else ""))

    def unmark(self, text: str, at: int) -> None:
        """Remove the mark with this text and time (ms); the recorder warns if there is none."""
        self._child.send(protocol.Unmark(text, iso(at)))

    def change_mark(self, text: str, at: int, to: str) -> None:
        """Change the text of the mark with this text and time (ms); the recorder warns if there is none."""
        self._child.send(protocol.ChangeMark(text, iso(at), to))

    def act(self, source: str, what: str, kind: str, name: str) -> None:
        """Change something in the lab about an entity; ``acted`` says what was done, ``warned`` why not."""
        self._child.send(protocol.DoAct(source, what, kind, name))

    def change_sources(self, change: protocol.AddSource | protocol.RemoveSource) -> None:
        """Record one more source, or one no longer; the others go on. The collector of a new one appears in
        ``status``; ``warned`` says why it can't be.
        """
        self._child.send(change)
        others = tuple(one for one in self.request.sources if one != change.source)
        added = (change.source,) if isinstance(change, protocol.AddSource) else ()
        self.request = self.request.with_sources((*others, *added))
        self.sources_changed.emit(self.request)

    def pause(self) -> None:
        """Stop reading from the sources until ``resume``."""
        self._child.send(protocol.Pause())

    def resume(self) -> None:
        """Go on after ``pause``."""
        self._child.send(protocol.Resume())

    def stop(self) -> None:
        """End the recording and complete its session."""
        if not self._child.send(protocol.Stop()):
            self._child.close_stdin()

    def give_password(self, source: str, password: str) -> None:
        """Answer the signal ``password_wanted``."""
        self._child.send(protocol.Password(source, password))

    def trust(self, source: str, sha256: str) -> None:
        """Answer the signal ``certificate_wanted``: the thumbprint to trust, or "" for no."""
        self._child.send(protocol.Trust(source, sha256))

    def detach(self) -> None:
        """Make the recorder go on without the window; ``detached`` is emitted when it does."""
        self._child.send(protocol.Detach())

    def wait(self) -> None:
        """End the recorder and wait for it; for a window that closes without asking."""
        self._child.wait()

    def _take_event(self, event: protocol.RecordEvent) -> None:
        match event:
            case protocol.StatusReport():
                self.status = event
                if self.state != "finishing":
                    self._set("paused" if event.paused else "recording")
            case protocol.Started() | protocol.Rotated() if event.session:
                self.request = self.request.with_session(Path(event.session))
            case protocol.Finishing():
                self._set("finishing")
            case protocol.Detached():
                self._child.release()
                self._set("ended")
            case protocol.Ended():
                self._last = event
            case _:
                pass
        signal = self._signals.get(type(event))
        if signal is not None:
            signal.emit(event)

    def _end(self, code: int) -> None:
        last = self._last
        is_refused = not self.is_test and code in _REFUSALS and bool(self._child.last_error)
        self._set("ended" if last is not None or is_refused else "died")
        if last is None:
            message = self._child.last_error or f"The recorder ended without a message (code {code})."
            last = protocol.Ended(code or 1, None, message=message)
        self.ended.emit(last)

    def _set(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit(state)
