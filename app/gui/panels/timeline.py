"""The timeline pane: load of the scope, findings, events, marks, sources with their gaps, and the brush."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.gui.actions import ActionSpec
from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.units import format_duration
from sessions.model import Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.snapshot import Change, Snapshot, is_own
from viewmodels.time_labels import clock_of
from widgets.timeline import Bar, Load, SourceLane, TimelineContent, TimelineView

KEYS: tuple[ActionSpec, ...] = (
    ActionSpec("timeline.move", "Move the window", keys=("Left", "Right"), context="timeline"),
    ActionSpec(
        "timeline.widen", "Move the window's end", keys=("Shift+Left", "Shift+Right"), context="timeline"
    ),
    ActionSpec("timeline.marks", "Go from mark to mark", keys=("Up", "Down"), context="timeline"),
    ActionSpec("timeline.note", "Change the note of the mark", keys=("Return", "F2"), context="timeline"),
    ActionSpec("timeline.unmark", "Remove the mark", keys=("Del", "Backspace"), context="timeline"),
)

_BUCKETS = 400
_MOST_LOADS = 16
_LOAD_MS = 1_000
_FIRST_MS = 300  # the first chart comes first


class TimelinePanel(TimelineView):
    """Follows session, scope and findings; the brush sets the scope's window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.theme, clock_of(desk.settings.text("look.times")))
        self._desk = desk
        self._loads = QTimer(self, singleShot=True, interval=_LOAD_MS)
        self._loads.timeout.connect(self._read_load)
        desk.session.opened.connect(self._opened)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(lambda: self.show_content(TimelineContent()))
        desk.scope.changed.connect(self._scoped)
        desk.findings.changed.connect(self._renew)
        desk.settings.changed.connect(self._settings_changed)
        self.windowed.connect(self._windowed)
        self.unzoomed.connect(lambda: desk.scope.set(desk.scope.scope.during(None)))
        self.wanted.connect(desk.show_finding)
        self.mark.connect(desk.drop_mark)
        self.mark_edited.connect(desk.marks.edit)
        self.mark_removed.connect(desk.marks.remove)

    def _opened(self) -> None:
        self.show_content(TimelineContent())
        self._renew()
        self._loads.start(_FIRST_MS)

    def _grown(self, change: Change) -> None:
        self._renew()
        if change.samples and not self._loads.isActive():
            self._loads.start(_LOAD_MS)

    def _scoped(self) -> None:
        self._show_brush()
        self._loads.start(50)

    def _renew(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        self.show_content(
            replace(
                self.content,
                span=snapshot.span,
                bars=self._bars(),
                events=snapshot.events,
                marks=snapshot.marks,
                sources=_lanes(self._desk.session.whole or snapshot),
            )
        )
        self._show_brush()

    def _show_brush(self) -> None:
        snapshot = self._desk.session.snapshot
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        self.show_window(window)
        self.note_changed.emit(f"{format_duration(window.seconds)} shown" if window else "")

    def _bars(self) -> list[Bar]:
        return [
            Bar(window, finding.severity, f"{finding.title}: {finding.entity_name}", finding)
            for finding in self._desk.findings.findings
            if finding.severity != "info" and finding.consequence_of is None
            for window in finding.windows
        ]

    def _windowed(self, window: TimeRange, passing: bool) -> None:
        self._desk.scope.set(self._desk.scope.scope.during(window), passing=passing)

    def _read_load(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None or snapshot.span is None:
            return
        series, words = self._load_series(snapshot)
        if not series:
            self.show_content(replace(self.content, load=Load()))
            return
        span, chosen, unit = snapshot.span, series[:_MOST_LOADS], series[0].spec.unit

        def work(reader: SessionReader, job: Job) -> tuple[np.ndarray, np.ndarray]:
            return _mean_load(reader, job, [one.id for one in chosen], span)

        def done(found: tuple[np.ndarray, np.ndarray]) -> None:
            self.show_content(replace(self.content, load=Load(words, unit, *found)))

        self._desk.session.query("timeline.load", work, done)

    def _load_series(self, snapshot: Snapshot) -> tuple[list[Series], str]:
        """The headline counter of the scope's entities, of all hosts where it names none."""
        chosen = self._desk.scope.scope.entities or tuple(
            ref for ref in snapshot.entities if ref.kind == "host"
        )
        for ref in chosen:
            headline = self._desk.headlines.get(ref.kind)
            for counter in headline.counters if headline else ():
                known = self._desk.catalogue.get(counter)
                same = [
                    one
                    for other in chosen
                    for one in snapshot.series_of.get(other, ())
                    if one.counter == counter and is_own(one)
                ]
                if same and known is not None:
                    return same, known.label
        return [], ""

    def _settings_changed(self, key: str) -> None:
        if key == "look.times":
            self.set_clock(clock_of(self._desk.settings.text(key)))


def _mean_load(
    reader: SessionReader, job: Job, ids: list[int], span: TimeRange
) -> tuple[np.ndarray, np.ndarray]:
    """The mean of some series in buckets over the session; NaN where none has a sample."""
    edges = np.linspace(span.start, span.end, _BUCKETS + 1)
    total, count = np.zeros(_BUCKETS), np.zeros(_BUCKETS)
    for number in ids:
        job.check()
        found = reader.overview(number, span, _BUCKETS)
        at = np.clip(np.searchsorted(edges, found.start, "right") - 1, 0, _BUCKETS - 1)
        there = np.isfinite(found.mean)
        np.add.at(total, at[there], found.mean[there] * found.count[there])
        np.add.at(count, at[there], found.count[there])
    mean = np.divide(total, count, out=np.full(_BUCKETS, np.nan), where=count > 0)
    return _bridged((edges[:-1] + edges[1:]) / 2, mean)


def _bridged(times: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leave out buckets that are empty only because samples come less often than buckets."""
    there = np.flatnonzero(np.isfinite(mean))
    if there.size < 2:
        return times, mean
    usual = int(np.median(np.diff(there)))
    keep = np.isfinite(mean)
    for a, b in pairwise(there.tolist()):
        if b - a > 2 * max(usual, 1):
            keep[a + 1] = True
    return times[keep], mean[keep]


def _lanes(snapshot: Snapshot) -> list[SourceLane]:
    return [
        SourceLane(
            source.spec.name,
            TimeRange(source.start, source.end),
            [
                (TimeRange(gap.start, max(gap.end, gap.start)), gap.reason)
                for gap in snapshot.gaps
                if gap.source == source.id and gap.entity is None
            ],
        )
        for source in snapshot.sources
        if source.start is not None and source.end is not None
    ]


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return TimelinePanel(desk)
