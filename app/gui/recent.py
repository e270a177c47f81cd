"""The recently opened sessions, newest first, with what the start page shows of each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.gui.settings import read_json, write_json
from viewmodels.session_summary import ALL_CLEAR

_MAX_ENTRIES = 12


class RecentSession(msgspec.Struct, frozen=True):
    """A session as it was when last open.

    ``worst`` is its worst severity: "ok" if it was judged to its end and nothing was found, "" if that is not
    known. ``judged_to`` is the time up to which it was judged and ``until`` that of its last sample (ms; 0:
    not known). ``spark`` are at most 48 values of a load curve from 0 to 1; ``opened`` is in seconds since
    1970.
    """

    path: str
    title: str
    opened: float
    worst: str = ""
    summary: str = ""
    spark: tuple[float, ...] = ()
    judged_to: int = 0
    until: int = 0


class RecentSessions:
    """Keeps the list in ``recent.json``; sessions whose file is gone are not listed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "recent.json"

    def entries(self) -> Sequence[RecentSession]:
        """Return the sessions that still exist, newest first."""
        try:
            found = msgspec.convert(read_json(self._path).get("sessions", []), list[RecentSession])
        except msgspec.ValidationError:
            return []
        return [_believable(one) for one in found if Path(one.path).is_file()]

    def remember(
        self,
        path: Path,
        title: str,
        *,
        worst: str = "",
        summary: str = "",
        spark: tuple[float, ...] = (),
        judged_to: int = 0,
        until: int = 0,
    ) -> None:
        """Put a session at the top of the list."""
        whole = str(path.resolve())
        new = RecentSession(whole, title, time.time(), worst, summary, spark, judged_to, until)
        kept = [one for one in self.entries() if one.path != whole][: _MAX_ENTRIES - 1]
        write_json(self._path, {"sessions": msgspec.to_builtins([new, *kept])})

    def forget(self, path: str) -> None:
        """Remove a session from the list; its file stays."""
        kept = [one for one in self.entries() if one.path != path]
        write_json(self._path, {"sessions": msgspec.to_builtins(kept)})


def _believable(one: RecentSession) -> RecentSession:
    """Return an entry without an all-clear that doesn't say how far it reaches.

    Before version 0.10 an unfinished verdict was stored as "no problem", and stayed.
    """
    if one.worst != "ok" or one.judged_to:
        return one
    return msgspec.structs.replace(one, worst="", summary=one.summary.removeprefix(f"{ALL_CLEAR} · "))
