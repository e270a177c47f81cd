"""The recorder's log: what happened when, for support; built so that no secret can get into it.

A line is an event with fields, and a field can only be harmless: a number, or a word of a fixed list. No text
from outside (a message, an address, a name, a path) is accepted, so no text has to be checked for secrets.
Sources appear by their number.
"""

from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path
from typing import get_args

from collectors.feed import State
from recorder.limits import LogLimits
from resources import failures
from sessions.model import SourceKind

_EVENTS = frozenset(
    (
        "started",
        "resumed",
        "source",
        "mark",
        "unmark",
        "remark",
        "acted",
        "added",
        "removed",
        "paused",
        "unpaused",
        "rotated",
        "detached",
        "status",
        "failed",
        "ended",
    )
)
_FIELDS = frozenset(
    ("source", "kind", "state", "error", "code", "samples", "bytes", "gaps", "behind_s", "rate", "queue")
) | {"entities", "series", "expected", "received", "seconds", "collectors", "pid", "part"}
_WORDS = frozenset(
    (
        "bug",
        *get_args(State),
        *get_args(SourceKind),
        *(name for name, kind in vars(failures).items() if isinstance(kind, type)),
    )
)
_OURS = "app|collectors|connections|lab|recorder|resources|sessions|workloads"
_PLACE = re.compile(rf"(?:{_OURS})(?:\.[a-z_]+)+")  # of our own modules, as they are


class RecorderLog:
    """Appends lines to ``record.log`` in a folder; older ones are in ``record.log.1`` …
    Never raises OSError.
    """

    def __init__(self, folder: Path, limits: LogLimits) -> None:
        self.path = folder / "record.log"
        self._max_bytes = round(limits.megabytes * (1 << 20))
        self._older = limits.older
        self._lock = threading.Lock()

    def write(self, event: str, **fields: float | str | None) -> None:
        """Append a line. Raises ValueError for an event, a field or a word that is not on the list."""
        self._append(" ".join((_stamp(), *_checked(event, fields))) + "\n")

    def _append(self, line: str) -> None:
        with self._lock:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._rotate(len(line))
                with self.path.open("a", encoding="utf-8", newline="\n") as file:
                    file.write(line)
            except OSError:  # no home, no permission, or a full disk, which ends the recording by itself
                return

    def log_place(self, level: int, name: str, line: int) -> None:
        """Log that a module had a message, with its place in the code but without its text."""
        if _PLACE.fullmatch(name):
            self._append(f"{_stamp()} note level={level} at={name}:{line}\n")

    def _rotate(self, more: int) -> None:
        if not self.path.exists() or self.path.stat().st_size + more <= self._max_bytes:
            return
        for number in range(self._older, 0, -1):
            newer = self._numbered(number - 1)
            if newer.exists():
                newer.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}") if number else self.path


def failure_name(error: BaseException | None) -> str:
    """Return the class name of an expected failure; "bug" for any other exception."""
    name = type(error).__name__
    return name if name in _WORDS else "bug"


def _stamp() -> str:
    return f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {os.getpid()}"


def _checked(event: str, fields: dict[str, float | str | None]) -> list[str]:
    if event not in _EVENTS:
        raise ValueError("an event that the log does not know")
    parts = [event]
    for name, value in fields.items():
        if name not in _FIELDS or (isinstance(value, str) and value not in _WORDS):
            raise ValueError("a field or a word that the log does not know")
        if value is not None:
            parts.append(f"{name}={round(value, 3) if isinstance(value, float) else value}")
    return parts
