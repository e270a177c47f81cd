"""Restores a session's view (scope, charts, page, pinned moment) when it opens; stores it when it closes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.recorder_process import RecordRequest, TestRequest
from app.gui.report_choices import PutIn, WindowChoices
from app.gui.view_state import ViewState, ViewStates
from app.gui.window import Window
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.store.lock import real_path
from sessions.times import TimeRange
from viewmodels.snapshot import Snapshot


class Views(QObject):
    """Stores and restores the views of sessions.

    It must be created before any panel: its slots then run before theirs.
    """

    def __init__(self, states: ViewStates, desk: Desk, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self._states, self._desk, self._window = states, desk, window
        self._path: Path | None = None
        self._request: RecordRequest | None = None
        self._wanted: dict[Path, tuple[Scope, RecordRequest | None]] = {}
        self._moment: int | None = None
        self._report: dict[str, Any] | None = None
        desk.report.left.connect(self._take_report)
        desk.moment.changed.connect(self._take_moment)
        desk.session.opened.connect(self._opened)
        desk.session.closed.connect(self._closed)

    def set_initial_view(self, session: Path, scope: Scope, request: RecordRequest | None) -> None:
        """Set the scope in which a new recording will be opened, and remember how it is recorded."""
        self._wanted[real_path(session)] = (scope, request)
        if self._path == real_path(session):
            self._request = request

    def take_request(self, request: RecordRequest | TestRequest) -> None:
        """Remember how the open session is recorded from now on, for when that is resumed."""
        if isinstance(request, RecordRequest) and self._path == real_path(Path(request.session)):
            self._request = request

    def request(self) -> RecordRequest | None:
        """Return how the open session was recorded, None if this user's window did not record it."""
        return self._request

    def _opened(self, snapshot: Snapshot) -> None:
        path = real_path(snapshot.path)
        self._path = path
        known = self._states.of(path) or ViewState()
        scope = scope_in_session(known.scope, snapshot)
        self._request = known.request
        wanted = self._wanted.pop(path, None)
        if wanted is not None:
            scope, self._request = wanted
        self._desk.scope.reset(scope)
        self._desk.charts.release()
        if known.moment is not None and wanted is None:
            self._desk.moment.pin(known.moment)
        if known.charts is not None and wanted is None:
            self._desk.charts.choose(known.charts, known.charts_of)
        self._report = None
        if known.report is not None and wanted is None:
            self._take_up_report(known.report)
        if known.page:
            self._window.show_panel(known.page)

    def _closed(self) -> None:
        if self._path is None:
            return
        board, page = self._desk.charts, self._window.pages.currentWidget()
        view = ViewState(
            scope=self._desk.scope.scope,
            charts=board.charts if board.choice.chosen else None,
            charts_of=board.choice.of,
            page=page.objectName().removeprefix("panel-") if page is not None else "",
            request=self._request,
            moment=self._moment,
            report=self._report,
        )
        self._states.keep(self._path, view)
        self._path = self._request = self._moment = self._report = None

    def _take_report(self, choices: WindowChoices, put_in: PutIn) -> None:
        """Keep what was put into the report, which is about to be let go."""
        from app.gui.report_keeping import kept_report  # noqa: PLC0415 - few sessions have it

        self._report = kept_report(choices, put_in)

    def _take_up_report(self, kept: dict[str, Any]) -> None:
        from app.gui.report_keeping import taken_up  # noqa: PLC0415 - few sessions have it

        choices, put_in, gone = taken_up(kept)
        self._desk.report.take_up(choices, put_in)
        for text in gone:
            self._desk.notify(text, "warning")

    def _take_moment(self, at: int | None) -> None:
        if self._desk.session.snapshot is not None:  # else it is let go because the session is closed
            self._moment = at


def scope_in_session(scope: Scope, snapshot: Snapshot) -> Scope:
    """Return a stored scope without entities, sources and window that the session does not have any more."""
    entities: list[EntityRef] = [ref for ref in scope.entities if ref in snapshot.entities]
    sources = scope.sources & {source.id for source in snapshot.sources}
    window: TimeRange | None = scope.window
    if (
        window is not None
        and not scope.follow
        and (snapshot.span is None or not window.intersect(snapshot.span))
    ):
        window = None
    return Scope(tuple(entities), window, frozenset(sources), scope.follow and window is not None)
