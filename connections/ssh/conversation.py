"""A command on another machine that reads what it is told on its stdin, and answers on its stdout."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Self

from paramiko import Channel

from connections.address import Address
from connections.ssh.faults import VENDOR, translated
from resources.failures import SourceError

_CHUNK = 1 << 16
_SOON_S = 1.0


class Conversation:
    """A started command with an open stdin; ``close`` closes that, which is its sign to end.

    It has no thread: the caller reads. What the command writes to stderr waits until ``stderr`` is asked.
    ``lost`` returns the error if the connection is broken, or breaks within so many seconds; ``name`` names
    the command in messages.
    """

    def __init__(
        self,
        channel: Channel,
        name: str,
        address: Address,
        lost: Callable[[str, float], SourceError | None],
    ) -> None:
        self._channel, self._name, self._address, self._lost = channel, name, address, lost

    def send(self, data: bytes, within_s: float) -> None:
        """Write to the command's stdin. Raises TimedOutError if it does not take it in time, SourceError."""
        what = f"take what {self._name} is told"
        failure = self._lost(what, 0.0)
        if failure is not None:
            raise failure
        self._channel.settimeout(within_s)
        with translated(what, self._address):
            self._channel.sendall(data)

    def end_input(self) -> None:
        """Close the command's stdin; its output can still be read."""
        with suppress(*VENDOR):
            self._channel.shutdown_write()

    def read(self, wait_s: float) -> bytes | None:
        """Return the next bytes of stdout: ``b""`` at its end, None if none came within ``wait_s`` seconds.

        With 0 seconds it returns at once. Raises SourceError when the connection broke.
        """
        if wait_s <= 0 and not self._channel.recv_ready() and not self._channel.eof_received:
            self._raise_lost()
            return None
        self._channel.settimeout(max(wait_s, 0.001))
        try:
            chunk: bytes = self._channel.recv(_CHUNK)
        except TimeoutError:
            self._raise_lost()
            return None
        if not chunk and not self._channel.eof_received:
            self._raise_lost(_SOON_S)
        return chunk

    def stderr(self) -> str:
        """Return what stderr got, as text; for a command that has ended."""
        said = bytearray()
        with suppress(*VENDOR):
            self._channel.settimeout(_SOON_S)
            while len(said) < _CHUNK and (chunk := self._channel.recv_stderr(_CHUNK)):
                said += chunk
        return bytes(said).decode("utf-8", errors="replace")

    def exit_code(self, wait_s: float) -> int | None:
        """Wait for the end and return the exit code; None if a signal ended it or it runs on."""
        if not self._channel.status_event.wait(wait_s):
            self._raise_lost()
            return None
        code: int = self._channel.recv_exit_status()
        return code if code >= 0 else None

    def close(self) -> None:
        """Close the command's stdin and forget it. Never raises; may be repeated."""
        with suppress(*VENDOR):
            self._channel.close()

    def _raise_lost(self, soon_s: float = 0.0) -> None:
        failure = self._lost(f"run {self._name}", soon_s)
        if failure is not None:
            raise failure

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
