"""A child process that speaks in JSON lines; its events arrive as signals on the GUI thread.

It is no QProcess: that kills its child when it is destroyed, and a recording may outlive the window.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.gui.own_program import program_command, program_folder
from app.processes import own_group
from recorder.protocol import MAX_EVENT_BYTES, Command, Detached, Warned, encode
from resources.failures import UsageError

_LAST_ERRORS = 5
_KILL_AFTER_S = 20.0
_NO_EVENT = "The recorder or the import wrote a line that can't be read. What it stores is not affected."


class Child(QObject):
    """Runs ``hyperscope ARGUMENTS…``. Signals: ``received`` with each event, ``ended`` with the exit code.

    A line of stdout that is no event becomes a warning, further ones are dropped. The last lines of stderr
    are kept as the reason if the process dies. Nothing is received after ``ended``.
    """

    received = Signal(object)
    ended = Signal(object)  # Windows has exit codes above 31 bits
    _read_one = Signal(object)
    _over = Signal(object)

    def __init__(
        self,
        arguments: Sequence[str],
        read_event: Callable[[bytes], object | None],
        parent: QObject | None = None,
        *,
        low_priority: bool = False,
        max_event_bytes: int = MAX_EVENT_BYTES,
    ) -> None:
        """Start the process; ``read_event`` is the protocol's parser for this kind of child.

        ``low_priority`` lowers the process's priority (on Windows; elsewhere the child does that itself). Of
        a line without an end only the last ``max_event_bytes`` are kept. Raises OSError if the program can't
        be started.
        """
        super().__init__(parent)
        self._read_event = read_event
        self._max_event_bytes = max_event_bytes
        self._is_warned = False
        self._errors: deque[str] = deque(maxlen=_LAST_ERRORS)
        self._is_released = False
        self.is_running = True
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            program_command(*arguments),
            cwd=program_folder(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=_environment(),
            **own_group(hidden=True, low_priority=low_priority),
        )
        self._read_one.connect(self._take_event, Qt.ConnectionType.QueuedConnection)
        self._over.connect(self._end, Qt.ConnectionType.QueuedConnection)
        self._complaints = threading.Thread(target=self._read_complaints, name="child-errors", daemon=True)
        self._reader = threading.Thread(target=self._read, name="child", daemon=True)
        self._complaints.start()
        self._reader.start()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def last_error(self) -> str:
        """The last line of stderr, without the program's name; empty if there is none."""
        lines = [line.strip() for line in self._errors if line.strip()]
        return lines[-1].removeprefix("hyperscope: ") if lines else ""

    def send(self, command: Command) -> bool:
        """Write a command to the child's stdin; returns False if the child does not read any more."""
        try:
            _pipe(self._process.stdin).write(encode(command))
        except (OSError, ValueError):
            return False
        return True

    def close_stdin(self) -> None:
        """Close the child's stdin, which makes an attached child end."""
        with suppress(OSError):
            _pipe(self._process.stdin).close()

    def kill(self) -> None:
        """Kill the process."""
        with suppress(OSError):
            self._process.kill()

    def release(self) -> None:
        """Leave the process running and ignore it from now on; call this once it has agreed to go on
        alone.
        """
        self._is_released = True
        self.close_stdin()

    def wait(self, seconds: float = _KILL_AFTER_S) -> None:
        """Close stdin and wait ``seconds`` for the process to end, then kill it; for closing the window."""
        self.close_stdin()
        self._reader.join(seconds)
        if self._reader.is_alive():
            self.kill()
            self._reader.join()
        self._complaints.join(seconds)

    def _read(self) -> None:
        rest = b""
        with _pipe(self._process.stdout) as pipe:
            while chunk := pipe.read(1 << 16):
                *lines, rest = (rest + chunk).split(b"\n")
                rest = rest[-self._max_event_bytes :]
                if any(isinstance(self._pass_on(line), Detached) for line in lines):
                    # It goes on without us, and nobody is to wait for it: not even Popen's own reminder.
                    self._process.returncode = 0
                    return
        self._over.emit(self._process.wait())

    def _pass_on(self, line: bytes) -> object | None:
        try:
            event = self._read_event(line)
        except UsageError:
            event = None if self._is_warned else Warned(message=_NO_EVENT)
            self._is_warned = True
        if event is not None:
            self._read_one.emit(event)
        return event

    def _read_complaints(self) -> None:
        with _pipe(self._process.stderr) as pipe:
            for line in pipe:
                self._errors.append(line.decode("utf-8", "replace"))

    @Slot(object)
    def _take_event(self, event: object) -> None:
        if not self._is_released:
            self.received.emit(event)

    @Slot(object)
    def _end(self, code: int) -> None:
        self._complaints.join(1.0)
        self.is_running = False
        self.close_stdin()
        if not self._is_released:
            self.ended.emit(code)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
