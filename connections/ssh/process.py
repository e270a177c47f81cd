"""A command that runs on another machine: its output as it arrives, and its end; it does not
outlive this process.
"""

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


def ended_by_stdin(command: str, grace_s: int = 2) -> str:
    """Return a shell command that runs ``command`` and ends it when stdin is closed: TERM,
    ``grace_s`` later KILL.
    """
    return f"exec sh -c {shlex.quote(_WATCHED.format(command=command, grace=grace_s))}"


# A network that is cut tells sshd nothing, and a firewall may keep the connection of a machine that is gone
# for hours. So a watcher counts down as well, and begins anew with each line of stdin: our signs of life.
_HEARD = """\
exec 3<&0
( {command}
) </dev/null 3<&- &
work=$!
finish() {{
kill -TERM -$$ || kill -TERM $work
sleep {grace}
kill -KILL -$$ || kill -KILL $work
}}
( trap '' TERM HUP INT
left={steps}
trap 'left={steps}' USR1
while [ $left -gt 0 ]; do sleep {step}; left=$((left-1)); done
finish ) </dev/null 3<&- >/dev/null 2>&1 &
clock=$!
( trap '' TERM HUP INT
while read -r sign <&3; do kill -USR1 $clock; done
finish ) </dev/null >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait $work
code=$?
kill -KILL $watcher $clock
exit $code
"""
_STEP_S = 5


def ended_by_silence(command: str, silence_s: int, grace_s: int = 2) -> str:
    """Return a shell command that runs ``command`` and ends it when stdin is closed, or no line of it came
    for about ``silence_s`` seconds.
    """
    step = min(_STEP_S, max(1, silence_s // 2))
    steps = -(-silence_s // step)
    return f"exec sh -c {shlex.quote(_HEARD.format(command=command, grace=grace_s, step=step, steps=steps))}"


class RemoteProcess:
    """A started command. The caller reads its stdout, a thread its stderr; ``close`` ends it.

    ``lost`` returns the error if the connection is broken, or breaks within so many seconds.
    """

    def __init__(
        self, channel: Channel, command: str, lost: Callable[[str, float], SourceError | None]
    ) -> None:
        self._channel, self._command, self._lost = channel, command, lost
        self._stderr = bytearray()
        self._thread = threading.Thread(target=self._drain, name="ssh-stderr", daemon=True)
        self._thread.start()

    def read(self, wait_s: float) -> bytes | None:
        """Return the next bytes of stdout: ``b""`` at its end, None if none came within ``wait_s`` seconds.

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

    def give_sign(self) -> None:
        """Say that somebody still listens, to a command that silence ends. Never raises: reading tells."""
        self._channel.settimeout(_SOON_S)
        with suppress(*VENDOR):
            self._channel.sendall(b"\n")

    def chunks(self, silence_s: float) -> Iterator[bytes]:
        """Yield the bytes of stdout as they arrive, to its end.

        Raises TimedOutError when none came for ``silence_s`` seconds, SourceError when the connection broke.
        """
        while (chunk := self.read(silence_s)) != b"":
            if chunk is None:
                raise TimedOutError(f"{self._command} has written nothing for {silence_s:g} s.")
            yield chunk

    @property
    def stderr(self) -> str:
        """Return the last part of stderr as text; complete once the process has ended."""
        return bytes(self._stderr).decode("utf-8", errors="replace")

    def exit_code(self, wait_s: float) -> int | None:
        """Wait for the end and return the exit code; None if a signal ended it or it runs on after
        ``wait_s`` seconds.

        A command whose stdout is not read may block on its output and never end. Raises SourceError.
        """
        if not self._channel.status_event.wait(wait_s):
            self._raise_lost()
            return None
        code: int = self._channel.recv_exit_status()
        if code < 0:
            self._raise_lost(_SOON_S)
            return None
        self._thread.join(_SOON_S)  # what the command said last may still be on its way to the thread
        return code

    def close(self) -> None:
        """End the command if it still runs. Never raises; may be repeated."""
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
