"""Checks now and then that a machine is still reachable, and closes the connection when it is not."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from paramiko import Transport

from connections.ssh.faults import VENDOR

_QUESTION = "keepalive@openssh.com"  # what OpenSSH's own client asks; servers that don't know it say no


class KeepAlive:
    """A thread that sends a request every ``every_s`` seconds and waits ``patience_s``
    seconds for any answer.

    Without an answer it closes the connection, which ends everything that waits for it: paramiko by itself
    waits for replies for ever.
    """

    def __init__(
        self, transport: Transport, every_s: float, patience_s: float, on_silence: Callable[[], None]
    ) -> None:
        self._transport = transport
        self._every_s, self._patience_s = every_s, patience_s
        self._on_silence = on_silence
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ssh-keepalive", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the thread; the connection must be closed before."""
        self._over.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._every_s) and self._transport.is_active():
            # In a thread of its own: paramiko's question has no time-out, and ends with the connection.
            asking = threading.Thread(target=self._ask, name="ssh-keepalive-question", daemon=True)
            asking.start()
            asking.join(self._patience_s)
            if asking.is_alive() and not self._over.is_set():
                self._on_silence()
            asking.join()

    def _ask(self) -> None:
        with contextlib.suppress(*VENDOR):  # the connection is gone, as whoever uses it notices
            self._transport.global_request(_QUESTION, wait=True)
