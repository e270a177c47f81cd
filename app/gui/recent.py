"""The sessions that were open lately, newest first, with what the start page shows of each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.gui.settings import read_json, write_json

_MAX_ENTRIES = 12


class RecentSession(msgspec.Struct, frozen=True):
    """A session as it was when last seen. ``worst`` is its worst severity, "" when nothing was found.

    ``spark`` is a load curve of at most 48 values from 0 to 1; ``opened`` is seconds since 1970.
    """

    path: str
    title: str
    opened: float
    worst: str = ""
    summary: str = ""
    spark: tuple[float, ...] = ()


class RecentSessions:
    """Keeps the list in ``recent.json``; sessions whose file has gone are not shown."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "recent.json"

    def entries(self) -> Sequence[RecentSession]:
        """The sessions that are still there, newest first."""
        try:
            found = msgspec.convert(read_json(self._path).get("sessions", []), list[RecentSession])
        except msgspec.ValidationError:
            return []
        return [one for one in found if Path(one.path).is_file()]

    def remember(
        self, path: Path, title: str, *, worst: str = "", summary: str = "", spark: tuple[float, ...] = ()
    ) -> None:
        """Put a session on top of the list."""
        whole = str(path.resolve())
        new = RecentSession(whole, title, time.time(), worst, summary, spark)
        kept = [one for one in self.entries() if one.path != whole][: _MAX_ENTRIES - 1]
        write_json(self._path, {"sessions": msgspec.to_builtins([new, *kept])})

    def forget(self, path: str) -> None:
        """Take a session off the list; its file stays."""
        kept = [one for one in self.entries() if one.path != path]
        write_json(self._path, {"sessions": msgspec.to_builtins(kept)})
