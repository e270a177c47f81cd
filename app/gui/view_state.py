"""Stores scope, charts and page of each session, to restore them when it is opened again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import msgspec

from app.gui.json_files import change_json, read_json
from app.gui.recorder_process import RecordRequest
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.store.lock import real_path
from viewmodels.chart_spec import ChartSpec

_MAX_SESSIONS = 200
_NEVER_S = 1e12
_Instant = Annotated[int, msgspec.Meta(ge=-62_135_596_800_000, le=253_402_300_799_999)]
"""Times of the calendar in ms: a damaged file may have any number."""


class ViewState(msgspec.Struct, frozen=True):
    """The view of a session. ``charts`` None: they follow the scope; ``charts_of``: entities that they stay
    with.

    ``moment`` is the pinned moment in ms; ``report`` what was chosen for the report and put into it
    (``report_keeping``), None if nothing was. ``request`` is how this window recorded the session, None if it
    did not.
    """

    scope: Scope = Scope()
    charts: tuple[ChartSpec, ...] | None = None
    page: str = ""
    request: RecordRequest | None = None
    charts_of: tuple[EntityRef, ...] | None = None
    moment: _Instant | None = None
    report: dict[str, Any] | None = None


class _Kept(msgspec.Struct, frozen=True):
    at: float
    view: ViewState


class ViewStates:
    """Keeps the views of the latest 200 sessions in ``views.json``, by path; invalid entries are ignored."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "views.json"

    def of(self, session: Path) -> ViewState | None:
        """Return the last view of a session; None if it was not open before."""
        found = read_json(self._path).get(_name(session))
        try:
            return msgspec.convert(found, _Kept).view
        except msgspec.ValidationError:
            return None

    def keep(self, session: Path, view: ViewState) -> None:
        """Store the view of a session."""
        own = {"at": time.time(), "view": msgspec.to_builtins(view)}

        def changed(stored: dict[str, Any]) -> dict[str, Any]:
            known = {name: one for name, one in stored.items() if name != _name(session)}
            latest = sorted(known.items(), key=_when, reverse=True)[: _MAX_SESSIONS - 1]
            return {_name(session): own, **dict(latest)}

        change_json(self._path, changed)


def _name(session: Path) -> str:
    return str(real_path(session))


def _when(entry: tuple[str, Any]) -> float:
    at = entry[1].get("at") if isinstance(entry[1], dict) else None
    return float(at) if isinstance(at, int | float) and 0 <= at < _NEVER_S else 0.0
