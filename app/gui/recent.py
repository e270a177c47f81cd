"""The recently opened sessions, newest first, with what the start page shows of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from app.gui.json_files import change_json, read_json
from sessions.store.lock import real_path
from viewmodels.session_summary import ALL_CLEAR

_MAX_ENTRIES = 60
_LAST_DAY_S = 253_402_214_400
_Second = Annotated[float, msgspec.Meta(ge=0, le=_LAST_DAY_S)]
_Instant = Annotated[int, msgspec.Meta(ge=-62_135_596_800_000, le=_LAST_DAY_S * 1000)]
"""Times of the calendar, in s and in ms: a damaged file may have any number."""


class RecentSession(msgspec.Struct, frozen=True):
    """A session as it was when last open.

    ``worst`` is its worst severity: "ok" if it was judged to its end and nothing was found, "none" if it
    could not be judged, "" if that is not known. ``judged_to`` is the time up to which it was judged,
    ``start`` and ``until`` those of its first and last sample (ms; 0: not known), ``size`` its bytes.
    ``spark`` are at most 48 values of a load curve from 0 to 1; ``opened`` is in seconds since 1970.
    ``pinned``: the user keeps it on top. ``left`` says how many changes of its tests were not put back.
    """

    path: str
    title: str
    opened: _Second
    worst: str = ""
    summary: str = ""
    spark: tuple[float, ...] = ()
    judged_to: _Instant = 0
    until: _Instant = 0
    start: _Instant = 0
    size: Annotated[int, msgspec.Meta(ge=0, le=1 << 53)] = 0
    pinned: bool = False
    left: str = ""


class RecentSessions:
    """Keeps the list in ``recent.json``, which several windows change. Pinned sessions are never dropped.

    A session whose file is not there stays listed: its drive may only be away.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "recent.json"

    def entries(self) -> Sequence[RecentSession]:
        """Return the sessions: pinned ones first, then the newest first."""
        return sorted(_sessions(read_json(self._path)), key=lambda one: (not one.pinned, -one.opened))

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
        start: int = 0,
        size: int = 0,
        left: str = "",
    ) -> None:
        """Store a session as the one opened last; it stays pinned if it is."""
        whole, now = str(real_path(path)), time.time()
        new = RecentSession(
            whole, title, now, worst, summary, spark, judged_to, until, start, size, left=left
        )

        def changed(known: list[RecentSession]) -> list[RecentSession]:
            pinned = any(one.pinned for one in known if one.path == whole)
            others = (one for one in known if one.path != whole)
            return [msgspec.structs.replace(new, pinned=pinned), *others]

        self._change(changed)

    def pin(self, path: str, *, on: bool) -> None:
        """Keep a session on top, or no longer."""

        def changed(known: list[RecentSession]) -> list[RecentSession]:
            return [msgspec.structs.replace(one, pinned=on) if one.path == path else one for one in known]

        self._change(changed)

    def forget(self, path: str) -> RecentSession | None:
        """Remove a session from the list, and return it for ``restore``; its file stays."""
        found = next((one for one in self.entries() if one.path == path), None)
        self._change(lambda known: [one for one in known if one.path != path])
        return found

    def restore(self, session: RecentSession) -> None:
        """Put back what ``forget`` removed, where it was."""
        self._change(lambda known: [session, *(one for one in known if one.path != session.path)])

    def _change(self, change: Callable[[list[RecentSession]], list[RecentSession]]) -> None:
        def changed(stored: dict[str, Any]) -> dict[str, Any]:
            latest = sorted(change(_sessions(stored)), key=lambda one: -one.opened)
            kept = [one for number, one in enumerate(latest) if one.pinned or number < _MAX_ENTRIES]
            return {"sessions": msgspec.to_builtins(kept)}

        change_json(self._path, changed)


def missing_reason(path: Path) -> str:
    """Return why a session can't be opened now, empty if its file is there. It may take seconds."""
    try:
        path.stat()
    except FileNotFoundError:
        folder = path.parent
        if not folder.exists():
            return f"The folder {folder} is not there: its drive is away, or it was renamed."
        return "The file is not there: it was moved, renamed or deleted."
    except OSError as error:
        return f"It can't be reached: {error.strerror or error}."
    except ValueError:  # a damaged list: a sign that no path can have
        return "That is no path of a file."
    return "" if path.is_file() else "That is no file."


def _sessions(stored: dict[str, Any]) -> list[RecentSession]:
    """Return the entries that can be read; what is damaged is dropped alone."""
    found = stored.get("sessions", [])
    entries = (_entry(one) for one in found) if isinstance(found, list) else ()
    return [_believable(one) for one in entries if one is not None]


def _entry(stored: object) -> RecentSession | None:
    try:
        return msgspec.convert(stored, RecentSession)
    except msgspec.ValidationError:
        return None


def _believable(one: RecentSession) -> RecentSession:
    """Return an entry without an all-clear that doesn't say how far it reaches.

    Once an unfinished verdict was stored as "no problem", and stayed.
    """
    if one.worst != "ok" or one.judged_to:
        return one
    return msgspec.structs.replace(one, worst="", summary=one.summary.removeprefix(f"{ALL_CLEAR} · "))
