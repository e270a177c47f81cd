"""The timeline pane: load, findings, events, marks, sources with gaps, and the brush that sets the window."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.navigation import compare_with_before, keep_in_sight, pin_in_sight
from app.gui.timeline_events import TimelineEvents
from resources.units import format_count, format_duration
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.event_filter import EventChoice
from viewmodels.findings_in_scope import findings_in_scope
from viewmodels.scope_filter import scope_filter
from viewmodels.snapshot import Change
from viewmodels.text_table import TextTable
from viewmodels.timeline import Load, TimelineContent
from viewmodels.timeline_content import finding_bars, load_series, read_load, source_lanes
from viewmodels.view_tables import moments_table
from widgets import timeline

KEYS = view_actions("timeline", timeline.KEYS)

_LOAD_MS = 1_000
_SOON_MS = 50
_FIRST_MS = 300  # the first chart comes first


class TimelinePanel(QObject):
    """Connects the timeline to session, scope and findings; the brush sets the scope's window."""

    def __init__(self, desk: Desk) -> None:
        self.view = timeline.TimelineView(desk.theme, desk.times.clock)
        super().__init__(self.view)
        self._desk = desk
        self._entities: tuple[EntityRef, ...] = ()
        self._events = TimelineEvents()
        self._load_timer = QTimer(self, singleShot=True, interval=_LOAD_MS)
        self._load_timer.timeout.connect(self._read_load)
        desk.session.opened.connect(self._begin)
        desk.session.changed.connect(self._take_change)
        desk.session.closed.connect(lambda: self.view.show_content(TimelineContent()))
        desk.scope.changed.connect(self._take_scope)
        desk.judging.changed.connect(self._show_content)
        desk.times.changed.connect(self.view.set_clock)
        self.view.windowed.connect(self._set_window)
        self.view.unzoomed.connect(lambda: desk.scope.set(desk.scope.scope.during(None)))
        self.view.wanted.connect(desk.show_finding)
        self.view.pin.wanted.connect(lambda at: pin_in_sight(desk, at))
        self.view.pin.stepped.connect(lambda count: desk.moment.step(count, then=lambda: keep_in_sight(desk)))
        desk.moment.changed.connect(self.view.pin.show_moment)
        self.view.mark.connect(desk.drop_mark)
        self.view.mark_edited.connect(desk.marks.edit)
        self.view.mark_removed.connect(desk.marks.remove)
        self.view.menu.table = self._table
        self.view.menu.choices = self._events.choices
        self.view.menu.toggled.connect(self._toggle)
        self.view.menu.before_wanted.connect(lambda: compare_with_before(desk))
        self.view.menu.copied.connect(lambda text: desk.notify(text, "ok"))
        self.view.menu.save_wanted.connect(desk.save_file)

    def _begin(self) -> None:
        self._events.show_all()
        self.view.show_content(TimelineContent())
        self._show_content()
        self._load_timer.start(_FIRST_MS)

    def _take_change(self, change: Change) -> None:
        self._show_content()
        if change.samples and not self._load_timer.isActive():
            self._load_timer.start(_LOAD_MS)

    def _take_scope(self, scope: Scope) -> None:
        if scope.entities != self._entities:
            self._show_content()
        self._show_brush()
        self._load_timer.start(_SOON_MS)

    def _show_content(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        self._entities = self._desk.scope.scope.entities
        ever = scope_filter(Scope(self._entities), snapshot)  # the lanes show the whole session
        content = replace(
            self.view.content,
            span=snapshot.span,
            bars=finding_bars(findings_in_scope(self._desk.findings.findings, ever).inside),
            events=self._events.of(self._desk.scope.scope, snapshot),
            marks=snapshot.marks,
            sources=source_lanes(self._desk.session.whole or snapshot),
            unjudged=self._desk.findings.unjudged,
        )
        self.view.show_content(content)
        self._show_brush()

    def _toggle(self, choice: EventChoice) -> None:
        self._events.toggle(choice)
        self._show_content()

    def _table(self) -> TextTable:
        snapshot, content = self._desk.session.snapshot, self.view.content
        name_of = snapshot.name if snapshot is not None else (lambda ref: ref.key)
        return moments_table(content.events, content.marks, name_of, self._desk.times.clock)

    def _show_brush(self) -> None:
        snapshot = self._desk.session.snapshot
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        self.view.show_window(window)
        lines = [f"{format_duration(window.seconds)} shown"] if window else []
        if hidden := self._events.hidden_count:
            lines.append(f"{format_count(hidden)} {'event' if hidden == 1 else 'events'} hidden")
        self.view.note_changed.emit("\n".join(lines))

    def _set_window(self, window: TimeRange, passing: bool) -> None:
        self._desk.scope.set(self._desk.scope.scope.during(window), passing=passing)

    def _read_load(self) -> None:
        snapshot = self._desk.session.snapshot
        span = snapshot.span if snapshot else None
        if snapshot is None or span is None:
            return
        entities, desk = self._desk.scope.scope.entities, self._desk
        series = load_series(entities, snapshot, desk.headlines, desk.catalogue)
        if not series.ids:
            self._show_load(Load())
            return

        def work(reader: SessionReader, job: Job) -> Load:
            return read_load(reader, series, span, job.check)

        self._desk.session.query("timeline.load", work, self._show_load)

    def _show_load(self, load: Load) -> None:
        self.view.show_content(replace(self.view.content, load=load))


def make(desk: Desk) -> QWidget:
    """Return the view of the timeline panel; the view owns the panel."""
    return TimelinePanel(desk).view
