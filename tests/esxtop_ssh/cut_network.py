"""A network between us and a host, which can be cut without a word: nobody is told, and nothing passes."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Network:
    """Passes on what comes to ``port``, until ``cut``; connections made after ``mend`` pass again."""

    def __init__(self, host: str, port: int) -> None:
        self._there = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._cut: list[tuple[socket.socket, socket.socket]] = []
        self._is_down = False
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

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        for one in [self._listener, *(end for pair in [*self._pairs, *self._cut] for end in pair)]:
            one.close()

    def _pass_on(self) -> None:
        while not self._over.is_set():
            with self._lock:
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
        there = socket.create_connection(self._there)
        with self._lock:
            self._pairs.append((here, there))

    def _move(self, one: socket.socket, other: socket.socket) -> None:
        try:
            data = one.recv(1 << 16)
            if data:
                other.sendall(data)
        except OSError:
            data = b""
        if not data:
            with self._lock:
                self._pairs = [pair for pair in self._pairs if one not in pair]
            one.close()
            other.close()


@contextmanager
def network(host: str, port: int) -> Iterator[Network]:
    """A network to there, that is gone in the end."""
    found = Network(host, port)
    try:
        yield found
    finally:
        found.close()
