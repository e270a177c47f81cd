"""A guest over ssh: scripts over channels of one connection, and one lasting channel that follows a job.

A lost connection is made again: at once for a call that waits anyway, in a thread for ``exchange``, which
never waits.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from connections.ssh.connection import SshConnection
from connections.ssh.conversation import Conversation
from resources.failures import HyperscopeError, SourceError, TimedOutError
from resources.foreign_text import shown
from resources.guest_limits import guest_limits
from workloads.guests.answers import AnswerReader
from workloads.guests.clock import Round, best_of
from workloads.guests.shells import command_line, content_of, script_of, stdin_of
from workloads.guests.transport import ClockReading, News, Output, unexpected
from workloads.job_file import Guest

_ANSWER_S = 60.0
_PUT_S = 300.0
_MAX_OUTPUT = 1 << 24
_AGAIN_S = 5.0


class SshGuest:
    """A guest over ssh, as a GuestTransport. ``connect`` makes a connection that is open."""

    def __init__(self, place: str, connect: Callable[[], SshConnection]) -> None:
        self._place, self._connect = place, connect
        self._guest: Guest = "linux"
        self._connection: SshConnection | None = None
        self._follower: _Follower | None = None
        self._lock = threading.Lock()
        self._is_closed = False
        self._reopening: threading.Thread | None = None
        self._failure: HyperscopeError | None = None
        self._not_before = 0.0

    @property
    def guest(self) -> Guest:
        """Its operating system, as ``open`` found it."""
        return self._guest

    @property
    def place(self) -> str:
        """The guest's address in messages."""
        return self._place

    def open(self) -> None:
        """Connect, log in, and find out which system it has. Raises SourceError, UsageError."""
        with self._connected().converse("uname -s", "uname") as asked:
            asked.end_input()
            said = b""
            while chunk := asked.read(_ANSWER_S):
                said += chunk
        system = said.decode("utf-8", "replace").strip()
        if system not in ("Linux", "") and not asked.exit_code(_ANSWER_S):
            raise SourceError(
                f"{self._place} has another system than the launcher knows: {shown(system, 40)}.",
                meaning="It starts fio in guests with Linux or Windows.",
            )
        self._guest = "linux" if system == "Linux" else "windows"

    def keep_in(self, _scratch: str, /) -> bool:
        """Return False: a script comes over the connection, and leaves nothing."""
        return False

    def run(self, script: str, stdin: str, within_s: float) -> Output:
        """Run a script to its end. Raises TimedOutError after ``within_s`` seconds, SourceError."""
        return self._told(script, stdin.encode("utf-8", "replace"), within_s)

    def _script(self, name: str) -> str:
        return script_of(self._guest, name)

    def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file, readable by its owner alone, that appears when it is whole."""
        head = f"{path}\n{700 if executable else 600}\n".encode()
        output = self._told(self._script("put"), head + content_of(self._guest, content), _PUT_S)
        if output.exit_code or output.out.strip() != b"put":
            raise unexpected(self._place, "A file could not be written", output)

    def get(self, path: str, max_bytes: int) -> bytes | None:
        """Return the beginning of a file, None if there is none."""
        output = self._told(self._script("get"), f"{path}\n{max_bytes}\n".encode(), _PUT_S)
        if output.exit_code == 3:
            return None
        if output.exit_code:
            raise unexpected(self._place, "A file could not be read", output)
        return output.out

    def launch(self, folder: str) -> None:
        """Start the folder's ``run.sh``, apart from this connection, and follow it."""
        output = self._told(self._script("launch"), f"{folder}\n".encode(), _ANSWER_S)
        if output.exit_code or output.out.strip() != b"started":
            raise unexpected(self._place, "The launcher could not be started", output)
        self._follow(folder)

    def exchange(self, folder: str, have: int) -> News | None:
        """Renew the folder's ``alive`` and return what is new, None if no answer is there yet.

        Raises SourceError once for each time that the connection is lost or can't be made again.
        """
        with self._lock:
            failure, self._failure = self._failure, None
            follower = self._follower
        if failure is not None:
            raise failure
        if follower is None or follower.folder != folder:
            self._reopen(folder)
            return None
        try:
            return follower.news(have)
        except SourceError:
            self._forget_follower()
            raise

    def clock(self) -> ClockReading:
        """Measure the guest's clock: the best of several round trips."""
        rounds = []
        connection = self._connected()
        script = self._script("clock")
        with connection.converse(command_line(self._guest, script), "the clock") as asked:
            asked.send(stdin_of(self._guest, script, b""), _ANSWER_S)
            for _ in range(guest_limits().clock_rounds):
                before = time.time_ns()
                asked.send(b"\n", _ANSWER_S)
                said = _line_of(asked, self._place)
                rounds.append(Round(before, time.time_ns(), said))
        return best_of(rounds)

    def close(self) -> None:
        """Close the connection; a job goes on until nobody renews ``alive``. Never raises."""
        with self._lock:
            self._is_closed = True
            connection, self._connection = self._connection, None
            thread = self._reopening
        self._forget_follower()
        if connection is not None:
            connection.close()
        if thread is not None:
            thread.join()

    def _told(self, script: str, stdin: bytes, within_s: float) -> Output:
        deadline = time.monotonic() + within_s
        out = bytearray()
        command = command_line(self._guest, script)
        with self._connected().converse(command, "a script") as asked:
            asked.send(stdin_of(self._guest, script, stdin), within_s)
            asked.end_input()
            while (chunk := asked.read(deadline - time.monotonic())) != b"":
                out += chunk or b""
                if len(out) > _MAX_OUTPUT:
                    raise SourceError(f"{self._place} says more than any script of ours prints.")
                if chunk is None or time.monotonic() >= deadline:
                    raise TimedOutError(
                        f"{self._place} did not do what it was told within {within_s:g} s.",
                        meaning="The guest hangs, or its disk answers nothing.",
                        advice="Look at its console.",
                    )
            code = asked.exit_code(max(0.0, deadline - time.monotonic()))
            return Output(code, bytes(out), asked.stderr() if code else "")

    def _connected(self) -> SshConnection:
        with self._lock:
            connection, closed = self._connection, self._is_closed
        if closed:
            raise SourceError("The connection is closed.")
        if connection is not None and connection.is_open:
            return connection
        if connection is not None:
            connection.close()
        self._forget_follower()
        fresh = self._connect()
        with self._lock:
            if not self._is_closed:
                self._connection = fresh
                return fresh
        fresh.close()
        raise SourceError("The connection is closed.")

    def _follow(self, folder: str) -> None:
        self._forget_follower()
        script = self._script("follow")
        asked = self._connected().converse(command_line(self._guest, script), "the launcher")
        asked.send(stdin_of(self._guest, script, f"{folder}\n".encode()), _ANSWER_S)
        with self._lock:
            self._follower = _Follower(asked, folder)

    def _forget_follower(self) -> None:
        with self._lock:
            follower, self._follower = self._follower, None
        if follower is not None:
            follower.close()

    def _reopen(self, folder: str) -> None:
        """Connect in a thread, because the caller does not wait; not again at once after a failure."""

        def follow() -> None:
            try:
                self._follow(folder)
            except HyperscopeError as error:
                with self._lock:
                    self._failure, self._not_before = error, time.monotonic() + _AGAIN_S

        thread = self._reopening
        if (thread is not None and thread.is_alive()) or time.monotonic() < self._not_before:
            return
        self._reopening = threading.Thread(target=follow, name="guest-reopening", daemon=True)
        self._reopening.start()


class _Follower:
    """One lasting channel: a question is sent when the one before was answered."""

    def __init__(self, asked: Conversation, folder: str) -> None:
        self.folder = folder
        self._asked, self._reader = asked, AnswerReader()
        self._is_waiting = False
        self._last = 0

    def news(self, have: int) -> News | None:
        """Ask, and return the answer to the question before if it has arrived.

        The first question of all is answered at the next call.
        """
        news = None
        if self._is_waiting:
            while news is None and (chunk := self._asked.read(0)) is not None:
                if not chunk:
                    raise SourceError("The guest ended the shell that follows its job.")
                news = self._reader.feed(chunk)
            if news is None:
                return None
        self._last = max(self._last + 1, time.time_ns() // 1_000_000)
        have += len(news.parts) if news is not None else 0
        self._asked.send(f"{self._last} {have}\n".encode(), _ANSWER_S)
        self._is_waiting = True
        return news

    def close(self) -> None:
        """Close the channel."""
        with contextlib.suppress(SourceError):
            self._asked.close()


def _line_of(asked: Conversation, place: str) -> int:
    line = b""
    deadline = time.monotonic() + _ANSWER_S
    while b"\n" not in line:
        chunk = asked.read(max(0.001, deadline - time.monotonic()))
        if not chunk or len(line) > 100:
            raise TimedOutError(f"{place} does not tell its clock's time.")
        line += chunk
    digits = line.strip()
    if not digits.isdigit():  # its `date` knows no nanoseconds
        digits = digits[:10]
    if not digits.isdigit():
        raise SourceError(f"{place} tells no time: its program date is another one.")
    return int(digits)
