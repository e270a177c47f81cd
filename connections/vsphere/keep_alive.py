"""Keeps a session with a server alive while no requests are sent."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from resources.failures import SourceError

KEEP_ALIVE_S = 300.0
"""Rest after which the server is asked the time, lest it ends the session; ESXi does after 30 minutes."""


class KeepAlive:
    """A thread that calls ``ask`` after KEEP_ALIVE_S seconds without a request; ``closed`` ends it."""

    def __init__(self, ask: Callable[[], object], closed: threading.Event) -> None:
        self._ask, self._closed = ask, closed
        self._last_use = time.monotonic()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="vsphere-keep-alive", daemon=True)
        self._thread.start()

    def note_use(self) -> None:
        """Note that a request was sent: the wait starts again."""
        self._last_use = time.monotonic()

    def join(self) -> None:
        """Wait for the end of the thread, unless this is the thread itself."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(KEEP_ALIVE_S / 4):
            if time.monotonic() - self._last_use >= KEEP_ALIVE_S:
                with contextlib.suppress(SourceError):  # who records notices by himself
                    self._ask()
