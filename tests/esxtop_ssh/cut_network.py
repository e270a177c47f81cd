"""A network to a server, which can be cut: without a word, for a while, in the middle of a reply."""

from __future__ import annotations

import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

Pair = tuple[socket.socket, socket.socket]
"""Our end of a connection, and the server's."""
_RESETS = struct.pack("ii", 1, 0)


class Network:
    """Passes on what comes to ``port``, until ``cut``; connections made after ``mend`` pass again."""

    def __init__(self, host: str, port: int) -> None:
        self._there = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._lock = threading.Lock()
        self._pairs: list[Pair] = []
        self._cut: list[Pair] = []
        self._to_reset: list[Pair] = []
        self._is_down = False
        self._passes_yet: int | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._pass_on, name="network")
        self._thread.start()

    def cut(self) -> None:
        """From now on nothing passes, and nobody is told: what is open stays open."""
        with self._lock:
            self._is_down = True
            self._cut += self._pairs
            self._pairs.clear()

    def mend(self) -> None:
        """New connections pass again; those that were cut stay so, as after a firewall forgot them."""
        with self._lock:
            self._is_down = False

    def plug_in(self) -> None:
        """All passes again, also what was sent meanwhile, as when a cable was out for a moment."""
        with self._lock:
            self._is_down = False
            self._pairs += self._cut
            self._cut.clear()

    def reset(self) -> None:
        """Break all connections, and say so to both ends, as a firewall does that was started anew."""
        with self._lock:
            self._to_reset += [*self._pairs, *self._cut]
            self._pairs.clear()
            self._cut.clear()

    def break_after(self, size: int) -> None:
        """Break the connection whose reply comes next, once so many bytes of it have passed."""
        with self._lock:
            self._passes_yet = size

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        for one in [
            self._listener,
            *(end for pair in [*self._pairs, *self._cut, *self._to_reset] for end in pair),
        ]:
            one.close()

    def _pass_on(self) -> None:
        while not self._over.is_set():
            with self._lock:
                for pair in self._to_reset:
                    _reset(pair)
                self._to_reset.clear()
                ends = {end: other for a, b in self._pairs for end, other in ((a, b), (b, a))}
                waiting = [*ends, *([] if self._is_down else [self._listener])]
            ready, _, _ = select.select(waiting, [], [], 0.05)
            for one in ready:
                if one is self._listener:
                    self._accept()
                elif one in ends:
                    self._move(one, ends[one])

    def _accept(self) -> None:
        here, _ = self._listener.accept()
        try:
            there = socket.create_connection(self._there)
        except OSError:  # the server is away
            here.close()
            return
        with self._lock:
            self._pairs.append((here, there))

    def _move(self, one: socket.socket, other: socket.socket) -> None:
        try:
            data = one.recv(1 << 16)
            is_broken = self._is_broken_by(one, data)
            if data:
                other.sendall(data[: self._passes_yet] if is_broken else data)
        except OSError:
            data, is_broken = b"", False
        if not data or is_broken:
            with self._lock:
                self._pairs = [pair for pair in self._pairs if one not in pair]
            if is_broken:
                self._passes_yet = None
                _reset((one, other))
            one.close()
            other.close()

    def _is_broken_by(self, one: socket.socket, data: bytes) -> bool:
        """Whether ``data`` is of a reply that is to be broken off, and passes what still may."""
        with self._lock:
            is_reply = any(one is there for _, there in self._pairs)
            if self._passes_yet is None or not is_reply:
                return False
            if len(data) >= self._passes_yet:
                return True
            self._passes_yet -= len(data)
            return False


def _reset(pair: Pair) -> None:
    for end in pair:
        with suppress(OSError):  # it is closed by the other side's end already
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESETS)
        end.close()


@contextmanager
def network(host: str, port: int) -> Iterator[Network]:
    """A network to there, that is gone in the end."""
    found = Network(host, port)
    try:
        yield found
    finally:
        found.close()
