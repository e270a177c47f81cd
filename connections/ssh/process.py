"""A command that runs on another machine: its output as it comes, its end; it does not outlive us."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Self

from paramiko import Channel

from connections.ssh.faults import VENDOR
from resources.failures import SourceError, TimedOutError

_CHUNK = 1 << 16
_KEPT_OF_STDERR = 1 << 16
_ENDING_S = 2.0
_SOON_S = 1.0
"""A connection that breaks ends its channels first, and says a moment later that it broke."""

# A channel that closes ends no process, it only closes its stdin; so does sshd when the connection is lost.
# Whoever waits for that end of stdin then ends the process group, which sshd makes for each command. The
# command itself reads nothing. For every POSIX shell, busybox of ESXi included.
_WATCHED = """\
exec 3<&0
( {command}
) </dev/null 3<&- &
work=$!
( trap '' TERM HUP INT
cat <&3
kill -TERM -$$ || kill -TERM $work
sleep {grace}
kill -KILL -$$ || kill -KILL $work ) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait $work
code=$?
kill -KILL $watcher
exit $code
"""


def watched(command: str, grace_s: int = 2) -> str:
    """A command line that runs ``command`` in a POSIX shell and ends it when stdin ends: TERM, then KILL."""
    return f"exec sh -c {shlex.quote(_WATCHED.format(command=command, grace=grace_s))}"


class RemoteProcess:
    """A command that was started. Its stdout is read here, its stderr in a thread; ``close`` ends it.

    ``lost`` gives the failure when the connection broke, or breaks within so many seconds.
    """

    def __init__(
        self, channel: Channel, command: str, lost: Callable[[str, float], SourceError | None]
    ) -> None:
        self._channel, self._command, self._lost = channel, command, lost
        self._stderr = bytearray()
        self._thread = threading.Thread(target=self._drain, name="ssh-stderr", daemon=True)
        self._thread.start()

    def read(self, wait_s: float) -> bytes | None:
        """What stdout has: ``b""`` at its end, None when nothing came within ``wait_s``.

        Raises SourceError when the connection broke.
        """
        self._channel.settimeout(max(wait_s, 0.001))
        try:
            chunk: bytes = self._channel.recv(_CHUNK)
        except TimeoutError:
            self._raise_lost()
            return None
        if not chunk and not self._channel.eof_received:
            self._raise_lost(_SOON_S)
        return chunk

    def chunks(self, silence_s: float) -> Iterator[bytes]:
        """Stdout as it comes, to its end.

        Raises TimedOutError when nothing came for ``silence_s``, SourceError when the connection broke.
        """
        while (chunk := self.read(silence_s)) != b"":
            if chunk is None:
                raise TimedOutError(f"{self._command} has said nothing for {silence_s:g} s.")
            yield chunk

    @property
    def stderr(self) -> str:
        """The end of what it complained, as text; complete once the process has ended."""
        return bytes(self._stderr).decode("utf-8", errors="replace")

    def exit_code(self, wait_s: float) -> int | None:
        """How it ended; None when a signal ended it or it did not end within ``wait_s``. Raises SourceError.

        One whose output nobody reads may wait for that, and not end.
        """
        if not self._channel.status_event.wait(wait_s):
            self._raise_lost()
            return None
        code: int = self._channel.recv_exit_status()
        if code < 0:
            self._raise_lost(_SOON_S)
            return None
        return code

    def close(self) -> None:
        """End it if it still runs. Never raises; may be repeated."""
        with suppress(*VENDOR):
            self._channel.close()
        self._thread.join(_ENDING_S)

    def _raise_lost(self, soon_s: float = 0.0) -> None:
        failure = self._lost(f"run {self._command}", soon_s)
        if failure is not None:
            raise failure

    def _drain(self) -> None:
        with suppress(*VENDOR):
            while chunk := self._channel.recv_stderr(_CHUNK):
                self._stderr += chunk
                del self._stderr[:-_KEPT_OF_STDERR]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
