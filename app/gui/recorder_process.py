"""The recorder as a child of the window: what it is doing, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.gui.child import Child
from recorder import protocol
from sessions.times import iso

State = Literal["starting", "recording", "paused", "finishing", "ended", "died"]


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """What to record: everything but secrets. ``speed`` is of the lab; ``preset`` and on of vCenter."""

    sources: tuple[str, ...]
    session: str
    speed: float = 1.0
    preset: str = ""
    select: tuple[str, ...] = ()
    backfill: bool = True

    def into(self, session: Path) -> RecordRequest:
        """The same, into another session."""
        return replace(self, session=str(session))

    def arguments(self) -> list[str]:
        """The command line."""
        arguments = ["record", "--json", "--attached", "-o", self.session]
        if self.preset:
            arguments += ["--preset", self.preset]
        for one in self.select:
            arguments += ["--select", one]
        if not self.backfill:
            arguments.append("--no-backfill")
        if any(source.startswith("lab:") for source in self.sources):
            arguments += ["--speed", f"{self.speed:g}"]
        return [*arguments, "--", *self.sources]


class RecorderProcess(QObject):
    """One run of the recorder. Signals carry the events of ``recorder.protocol``; ``changed`` a new state.

    ``started`` (Started), ``reported`` (StatusReport), ``warned`` (Warned), ``rotated`` (Rotated),
    ``password_wanted``, ``certificate_wanted``, ``detached`` (nothing comes after it), and last ``ended``
    (Ended), also when it died.
    """

    started = Signal(object)
    reported = Signal(object)
    warned = Signal(object)
    rotated = Signal(object)
    password_wanted = Signal(object)
    certificate_wanted = Signal(object)
    detached = Signal(object)
    ended = Signal(object)
    changed = Signal(str)

    def __init__(self, request: RecordRequest, parent: QObject | None = None) -> None:
        """Starts it. Raises OSError where the program can't be started."""
        super().__init__(parent)
        self.request = request
        self.state: State = "starting"
        self.status = protocol.StatusReport()
        self._last: protocol.Ended | None = None
        self._signals = {
            protocol.Started: self.started,
            protocol.StatusReport: self.reported,
            protocol.Warned: self.warned,
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
        """Whether it has ended in some way, or goes on without us."""
        return self.state in {"ended", "died"}

    @property
    def pid(self) -> int:
        """The process."""
        return self._child.pid

    def mark(self, text: str, at: int | None = None) -> None:
        """Drop a note at a time in ms, or now."""
        self._child.send(protocol.Mark(text, iso(at) if at is not None else ""))

    def unmark(self, text: str, at: int) -> None:
        """Take the note of this text and time away; it warns where there is none."""
        self._child.send(protocol.Unmark(text, iso(at)))

    def change_mark(self, text: str, at: int, to: str) -> None:
        """The note of this text and time says something else; it warns where there is none."""
        self._child.send(protocol.ChangeMark(text, iso(at), to))

    def pause(self) -> None:
        """Leave the sources alone until ``go_on``."""
        self._child.send(protocol.Pause())

    def go_on(self) -> None:
        """After a pause."""
        self._child.send(protocol.Resume())

    def stop(self) -> None:
        """End in good order."""
        if not self._child.send(protocol.Stop()):
            self._child.close_stdin()

    def give_password(self, source: str, password: str) -> None:
        """Answer ``password_wanted``."""
        self._child.send(protocol.Password(source, password))

    def trust(self, source: str, sha256: str) -> None:
        """Answer ``certificate_wanted``: the thumbprint that is right, or none."""
        self._child.send(protocol.Trust(source, sha256))

    def detach(self) -> None:
        """Have it go on alone; ``detached`` when it does."""
        self._child.send(protocol.Detach())

    def wait(self) -> None:
        """End it and wait; for when the window goes without having asked."""
        self._child.wait()

    def _take_event(self, event: protocol.RecordEvent) -> None:
        match event:
            case protocol.StatusReport():
                self.status = event
                if self.state != "finishing":
                    self._set("paused" if event.paused else "recording")
            case protocol.Started() | protocol.Rotated() if event.session:
                self.request = self.request.into(Path(event.session))
            case protocol.Finishing():
                self._set("finishing")
            case protocol.Detached():
                self._child.let_go()
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
        self._set("ended" if last is not None else "died")
        if last is None:
            message = self._child.last_error or f"It ended without a word (code {code})."
            last = protocol.Ended(code or 1, None, message=message)
        self.ended.emit(last)

    def _set(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit(state)
