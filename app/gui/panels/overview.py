"""The overview page: the session in ten seconds, within the scope's window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.units import format_duration, format_value
from resources.views import Overview
from sessions.model import EntityRef, Event, FloatArray, IntArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.chart_sets import curve_name, lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.snapshot import Change, Snapshot, is_own
from viewmodels.time_labels import clock_of
from widgets.overview import Line, OverviewView, TalkerList

_Known = Mapping[tuple[str, str], Sequence[Series]]
"""Series by the kind of their entity and their counter."""

_WAIT_MS = 150
_LIVE_MS = 2_000
_CURVES = 4
_LINES = 6


@dataclass(frozen=True)
class _Found:
    """What the worker read: samples of the charts, and the best of each list."""

    curves: dict[int, tuple[IntArray, FloatArray]]
    charts: list[list[int]]
    lists: list[list[tuple[int, float]]]


class OverviewPanel(OverviewView):
    """Reads everything of the page in one query."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.theme, clock_of(desk.settings.text("look.times")))
        self._desk = desk
        self._stale = False
        self._wait = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._wait.timeout.connect(self._read)
        self.wanted.connect(desk.show_finding)
        self.chosen.connect(lambda ref: desk.scope.set(desk.scope.scope.on([ref])))
        self.windowed.connect(
            lambda window, passing: desk.scope.set(desk.scope.scope.during(window), passing=passing)
        )
        self.unzoomed.connect(lambda: desk.scope.set(desk.scope.scope.during(None)))
        self.opened.connect(lambda spec: desk.charts.choose([spec], desk.scope.scope.entities))
        self.copied.connect(lambda text: desk.notify(text, "ok"))
        desk.session.opened.connect(lambda _snapshot: self._opened())
        desk.session.changed.connect(self._grown)
        desk.scope.changed.connect(lambda _scope: self._wait.start(_WAIT_MS))
        desk.findings.changed.connect(self._show_findings)
        desk.settings.changed.connect(self._settings_changed)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """What changed while it was hidden is read now."""
        super().showEvent(event)
        if self._stale:
            self._read()

    def _opened(self) -> None:
        self.clear()  # what stood here is of another session
        self._read()

    def _grown(self, change: Change) -> None:
        if change and not self._wait.isActive():
            self._wait.start(_LIVE_MS)

    def _show_findings(self) -> None:
        self.show_findings(self._desk.findings.findings, self._desk.findings.note)

    def _read(self) -> None:
        snapshot = self._desk.session.snapshot
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        self._wait.stop()  # what it waits for is read now
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        self._show_findings()
        if snapshot is None or window is None:
            return
        self.show_changes(self._lately(snapshot, window))
        spec, chosen = self._desk.overview, frozenset(self._desk.scope.scope.entities)

        def work(reader: SessionReader, job: Job) -> _Found:
            known = _headlines(snapshot.series, spec)
            job.check()
            charts = [
                (of := _of_scope(snapshot, known, chosen, chart.counters), _weights(of, known, chart.by))
                for chart in spec.chart
            ]
            lists = [(known.get((one.kind, one.counter), ()), one.statistic) for one in spec.talkers]
            return _find(reader, job, charts, lists, window)

        def done(found: _Found) -> None:
            self._show(found, snapshot, window)

        self._desk.session.query("overview", work, done)

    def _show(self, found: _Found, snapshot: Snapshot, window: TimeRange) -> None:
        charts = []
        for spec, ids in zip(self._desk.overview.chart, found.charts, strict=True):
            series = [snapshot.by_id[number] for number in ids if number in snapshot.by_id]
            if not series:
                continue
            curves = [
                NamedCurve(
                    curve_name(one, series, snapshot, self._desk.catalogue),
                    one.spec.unit,
                    Curve(*found.curves[one.id]),
                    series=one.id,
                )
                for one in series
                if one.id in found.curves
            ]
            limits = lines_of(series, self._desk.limits)
            charts.append((ChartSpec(spec.title, series[0].spec.unit, tuple(ids), "", limits), curves))
        self.show_charts(charts, window)
        lists = []
        for talkers, best in zip(self._desk.overview.talkers, found.lists, strict=True):
            if best:
                title = f"{talkers.title} ({talkers.statistic})"
                lists.append(TalkerList(title, [self._talker(snapshot, *one) for one in best]))
        self.show_lists(lists)

    def _talker(self, snapshot: Snapshot, number: int, value: float) -> Line:
        series = snapshot.by_id[number]
        limits = self._desk.limits.of(series.counter, series.entity.kind)
        state = (limits.state(value) if limits else "") or "none"
        return Line(
            snapshot.name(series.entity),
            format_value(value, series.spec.unit),
            state,
            series.entity,
            number,
        )

    def _lately(self, snapshot: Snapshot, window: TimeRange) -> list[Line]:
        at = clock_of(self._desk.settings.text("look.times"))
        moments = [
            (event.at, event.text + _took(event), event.entity)
            for event in snapshot.events
            if event.at <= window.end and event.until >= window.start
        ]
        moments += [(mark.at, f"⚑ {mark.text}", None) for mark in snapshot.marks if window.contains(mark.at)]
        inside = sorted(moments, key=lambda one: -one[0])
        return [Line(text, f"{at(when):%H:%M:%S}", "none", ref) for when, text, ref in inside[:_LINES]]

    def _settings_changed(self, key: str) -> None:
        if key == "look.times":
            self.set_clock(clock_of(self._desk.settings.text(key)))


def _took(event: Event) -> str:
    return f" ({format_duration((event.until - event.at) / 1000)})" if event.until > event.at else ""


def _headlines(series: Sequence[Series], spec: Overview) -> _Known:
    """The series of the page's counters, in one go: there may be 40,000 others."""
    wanted = {(kind, counter) for chart in spec.chart for kind, counter in chart.counters}
    wanted |= {(one.kind, one.counter) for one in spec.talkers}
    wanted |= {(kind, chart.by) for chart in spec.chart for kind, _ in chart.counters if chart.by}
    counters = {counter for _, counter in wanted}
    found: dict[tuple[str, str], list[Series]] = {}
    for one in series:
        own = one.spec
        if own.counter not in counters or (own.entity.kind, own.counter) not in wanted:
            continue
        if is_own(one):
            found.setdefault((own.entity.kind, own.counter), []).append(one)
    return found


def _of_scope(
    snapshot: Snapshot,
    known: _Known,
    chosen: frozenset[EntityRef],
    counters: Sequence[tuple[str, str]],
) -> Sequence[Series]:
    """Series of the first counter that the session has: of the chosen entities, else of all."""
    for which in counters:
        found = known.get(which, ())
        if found:
            return [one for one in found if _belongs(one.entity, chosen, snapshot)] or found
    return []


def _weights(series: Sequence[Series], known: _Known, by: str) -> Sequence[int]:
    """The series of ``by`` beside each series: of the same entity as seen by the same host; 0 for none."""
    kinds = {one.entity.kind for one in series} if by else set()
    beside = {
        (one.source, one.entity, one.spec.instance): one.id
        for kind in kinds
        for one in known.get((kind, by), ())
    }
    return [beside.get((one.source, one.entity, one.spec.instance), 0) for one in series]


def _find(
    reader: SessionReader,
    job: Job,
    charts: Sequence[tuple[Sequence[Series], Sequence[int]]],
    lists: Sequence[tuple[Sequence[Series], str]],
    window: TimeRange,
) -> _Found:
    best_of_charts = [
        [number for number, _ in _best(reader, series, "max", window, _CURVES, weights)]
        for series, weights in charts
    ]
    job.check()
    best_of_lists = [_best(reader, series, statistic, window, _LINES) for series, statistic in lists]
    job.check()
    ids = sorted({number for numbers in best_of_charts for number in numbers})
    curves: dict[int, tuple[IntArray, FloatArray]] = {}
    for frame in reader.read(np.array(ids, np.int64), window):
        for number, column in zip(frame.ids.tolist(), frame.values.T, strict=True):
            curves[number] = (frame.times, np.ascontiguousarray(column))
    return _Found(curves, best_of_charts, best_of_lists)


def _best(
    reader: SessionReader,
    series: Sequence[Series],
    statistic: str,
    window: TimeRange,
    most: int,
    weights: Sequence[int] = (),
) -> list[tuple[int, float]]:
    """The series whose mean or maximum over the window is highest, from chunk statistics where they do.

    Where there are ``weights``, series whose mean their values are worth, by that.
    """
    if not series:
        return []
    ids = np.array([one.id for one in series], np.int64)
    stats = reader.stats(ids, window)
    values = stats.mean if statistic == "mean" else stats.maximum
    worth = values
    if any(weights):
        beside = np.array(weights, np.int64)
        mean = np.zeros(ids.size)
        mean[beside > 0] = reader.stats(beside[beside > 0], window).mean
        worth = values * np.nan_to_num(mean)
    order = np.argsort(-np.nan_to_num(worth, nan=-np.inf), kind="stable")[:most]
    return [(int(ids[at]), float(values[at])) for at in order if np.isfinite(values[at])]


def _belongs(ref: EntityRef, chosen: frozenset[EntityRef], snapshot: Snapshot) -> bool:
    """Whether an entity is one of the chosen ones, or below one of them."""
    while True:
        if ref in chosen:
            return True
        entity = snapshot.entities.get(ref)
        if entity is None or entity.parent is None:
            return False
        ref = entity.parent


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return OverviewPanel(desk)
