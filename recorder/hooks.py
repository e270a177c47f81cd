"""Where log messages and unexpected exceptions of the recorder's threads go: to the log, never to stderr."""

from __future__ import annotations

import logging
import sys
import threading

from recorder.log import RecorderLog
from resources.crash_reports import save_crash


class _Places(logging.Handler):
    """Notes where in our code a message came from, and not what it says."""

    def __init__(self, log: RecorderLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """One message."""
        self._log.log_place(record.levelno, record.name, record.lineno)


def install_hooks(log: RecorderLog) -> None:
    """Log the place (not the text) of each module's message; write a crash report for an
    exception in a thread.
    """
    logging.getLogger().addHandler(_Places(log))

    def hook(caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None and not isinstance(caught.exc_value, SystemExit):
            sys.stderr.write(f"hyperscope: {save_crash(caught.exc_value)}\n")

    threading.excepthook = hook
