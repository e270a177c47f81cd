"""The recorder as a child of the window: what it is doing, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from app.gui import recorder_events as events
from app.gui.child import Child
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

    def words(self) -> list[str]:
        """The command line."""
        words = ["record", "--json", "--attached", "-o", self.session]
        if self.preset:
            words += ["--preset", self.preset]
        for one in self.select:
            words += ["--select", one]
        if not self.backfill:
            words.append("--no-backfill")
        if any(source.startswith("lab:") for source in self.sources):
            words += ["--speed", f"{self.speed:g}"]
        return [*words, "--", *self.sources]


class RecorderProcess(QObject):
    """One run of the recorder. Signals carry the events of ``recorder_events``; ``changed`` a new state.

    ``started`` (Started), ``reported`` (Status), ``warned`` (Warned), ``rotated`` (Rotated),
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
        self.status = events.Status()
        self._last: events.Ended | None = None
        self._signals = {
            events.Started: self.started,
            events.Status: self.reported,
            events.Warned: self.warned,
            events.Rotated: self.rotated,
            events.PasswordWanted: self.password_wanted,
            events.CertificateWanted: self.certificate_wanted,
            events.Detached: self.detached,
        }
        self._child = Child(request.words(), self)
        self._child.said.connect(self._hear)
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
        when = {"at": iso(at)} if at is not None else {}
        self._child.say({"do": "mark", "text": text, **when})

    def unmark(self, text: str, at: int) -> None:
        """Take the note of this text and time away; it warns where there is none."""
        self._child.say({"do": "unmark", "text": text, "at": iso(at)})

    def change_mark(self, text: str, at: int, to: str) -> None:
        """The note of this text and time says something else; it warns where there is none."""
        self._child.say({"do": "change mark", "text": text, "at": iso(at), "to": to})

    def pause(self) -> None:
        """Leave the sources alone until ``go_on``."""
        self._child.say({"do": "pause"})

    def go_on(self) -> None:
        """After a pause."""
        self._child.say({"do": "resume"})

    def stop(self) -> None:
        """End in good order."""
        if not self._child.say({"do": "stop"}):
            self._child.close_stdin()

    def give_password(self, source: str, password: str) -> None:
        """Answer ``password_wanted``."""
        self._child.say({"do": "password", "source": source, "password": password})

    def trust(self, source: str, sha256: str) -> None:
        """Answer ``certificate_wanted``: the thumbprint that is right, or none."""
        self._child.say({"do": "trust", "source": source, "sha256": sha256})

    def detach(self) -> None:
        """Have it go on alone; ``detached`` when it does."""
        self._child.say({"do": "detach"})

    def wait(self) -> None:
        """End it and wait; for when the window goes without having asked."""
        self._child.wait()

    def _hear(self, said: Mapping[str, Any]) -> None:
        event = events.read_event(said)
        if event is not None:
            self._take(event)

    def _take(self, event: events.Event) -> None:
        match event:
            case events.Status():
                self.status = event
                if self.state != "finishing":
                    self._set("paused" if event.paused else "recording")
            case events.Started() | events.Rotated() if event.session:
                self.request = self.request.into(Path(event.session))
            case events.Finishing():
                self._set("finishing")
            case events.Detached():
                self._child.let_go()
                self._set("ended")
            case events.Ended():
                self._last = event
            case _:
                pass
        signal = self._signals.get(type(event))
        if signal is not None:
            signal.emit(event)

    def _end(self, code: int) -> None:
        said = self._last
        self._set("ended" if said is not None else "died")
        if said is None:
            words = self._child.last_words or f"It ended without a word (code {code})."
            said = events.Ended(code or 1, None, message=words)
        self.ended.emit(said)

    def _set(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit(state)
