"""A command of guided tests as a child process: it looks, checks or puts back, and may ask something."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.gui.child import Child
from app.gui.session_files import os_error_text
from app.testing.messages import MAX_MESSAGE_BYTES, Failed, Found, PutBack, read_message
from recorder import protocol
from resources.failures import LoginError, SourceError

_LONGEST_S = 120.0


class TestProcess(QObject):
    """One run of ``hyperscope ARGUMENTS…``, among them ``--attached``.

    Signals: ``password_wanted`` and ``certificate_wanted`` as a recorder's; ``answered`` with what it found
    (Found) or put back (PutBack), or ``failed`` with the reason (Failed), also if it died; at last ``ended``
    with an Ended.
    """

    __test__ = False  # pytest: this is none of its tests

    password_wanted = Signal(object)
    certificate_wanted = Signal(object)
    answered = Signal(object)
    failed = Signal(object)
    ended = Signal(object)

    def __init__(self, arguments: Sequence[str], parent: QObject | None = None) -> None:
        """Start it. Raises SourceError if the program can't be started."""
        super().__init__(parent)
        self._last: Found | PutBack | Failed | None = None
        self._is_stopped = False
        self._wants_password = False
        try:
            self._child = Child(arguments, read_message, self, max_event_bytes=MAX_MESSAGE_BYTES)
        except OSError as error:
            raise SourceError(f"The program can't be started: {os_error_text(error)}.") from error
        self._child.received.connect(self._take)
        self._child.ended.connect(self._end)

    def give_password(self, source: str, password: str) -> None:
        """Answer the signal ``password_wanted``."""
        self._wants_password = False
        self._child.send(protocol.Password(source, password))

    def trust(self, source: str, sha256: str) -> None:
        """Answer the signal ``certificate_wanted``: the thumbprint to trust, or "" for no."""
        self._child.send(protocol.Trust(source, sha256))

    def stop(self) -> None:
        """End it: nobody waits for its answer any more."""
        self._is_stopped = True
        self._child.wait(0.0)

    def finish(self) -> None:
        """Let it come to its end, and wait for it: for a window that closes, which hears nothing of it."""
        self._child.wait(_LONGEST_S)
        self._child.blockSignals(True)

    def _take(self, message: object) -> None:
        match message:
            case protocol.PasswordWanted():
                self._wants_password = True
                self.password_wanted.emit(message)
            case protocol.CertificateWanted():
                self.certificate_wanted.emit(message)
            case Found() | PutBack() | Failed():
                self._last = message
            case _:
                pass

    def _end(self, code: int) -> None:
        last = self._last
        if last is None and self._is_stopped and self._wants_password:
            last = Failed(
                LoginError.exit_code, "No password was given, so nothing was done.", "", "Try again."
            )
        if last is None:
            text = self._child.last_error or f"It ended without an answer (code {code})."
            last = Failed(code or 1, "It was stopped." if self._is_stopped else text)
        if isinstance(last, Failed):
            self.ended.emit(protocol.Ended(last.code, None, message=str(last.error())))
            self.failed.emit(last)
        else:
            self.ended.emit(protocol.Ended(0))
            self.answered.emit(last)
