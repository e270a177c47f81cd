"""The heat map page: one counter of all entities of a kind over the scope's window, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.gui.actions import ActionSpec
from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.units import format_value
from resources.views import CounterLimits
from sessions.model import FloatArray, Frame, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.buckets import Buckets
from viewmodels.chart_sets import lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.snapshot import Change, Snapshot, is_own
from viewmodels.time_labels import clock_of
from widgets.heatmap import Heat, HeatmapView, HeatRow
from widgets.theme import Health

KEYS: tuple[ActionSpec, ...] = (
    ActionSpec("heatmap.rows", "Choose a row", keys=("Up", "Down"), context="heatmap"),
    ActionSpec("heatmap.chart", "Chart the row", keys=("Return",), context="heatmap"),
)

_BUCKETS = 240
KIND_WORDS = {"vm": "VM", "vcpu": "vCPU", "vdisk": "virtual disk", "nic": "uplink"}
_AT_ONCE = 256
_MOST_ROWS = 4_000
_WAIT_MS = 150
_LIVE_MS = 3_000
_MEASURES = ("Highest value", "Share over the limit")


@dataclass(frozen=True, slots=True)
class _Choice:
    """A counter of a kind of entity that has limits: what a map can be made of."""

    counter: str
    kind: str
    label: str
    unit: str
    limits: CounterLimits


class HeatmapPanel(HeatmapView):
    """Works the map out in a worker, a few hundred series at a time."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.theme, clock_of(desk.settings.text("look.times")))
        self._desk = desk
        self._choices: list[_Choice] = []
        self._stale = self._is_offered = False
        self._wait = QTimer(self, singleShot=True, interval=_WAIT_MS)
        self._wait.timeout.connect(self._read)
        self.counter_chosen.connect(lambda _number: self._read())
        self.measure_chosen.connect(lambda _number: self._read())
        self.chosen.connect(self._chosen)
        desk.session.opened.connect(self._opened)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(self._closed)
        desk.scope.changed.connect(lambda _scope: self._wait.start(_WAIT_MS))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """What changed while it was hidden is read now."""
        super().showEvent(event)
        if self._stale:
            self._read()

    def _opened(self) -> None:
        self._is_offered = False
        self._read()

    def _grown(self, change: Change) -> None:
        if change.inventory:
            self._is_offered = False
        if (change.samples or change.inventory) and not self._wait.isActive():
            self._wait.start(_LIVE_MS)

    def _closed(self) -> None:
        self._choices = []
        self.show_heat(Heat())
        self.say_empty("Open a session to see which entities were worst, and when.")

    def _offer(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        present = {(one.counter, one.entity.kind) for one in snapshot.series if is_own(one)}
        self._choices = []
        for (counter, kind), limits in self._desk.limits.items():
            known = self._desk.catalogue.get(counter)
            if known is not None and (counter, kind) in present:
                self._choices.append(
                    _Choice(
                        counter,
                        kind,
                        f"{known.label} of each {KIND_WORDS.get(kind, kind)}",
                        known.unit,
                        limits,
                    )
                )
        self.set_choices([choice.label for choice in self._choices], _MEASURES)

    def _read(self) -> None:
        snapshot = self._desk.session.snapshot
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        if not self._is_offered:
            self._is_offered = True
            self._offer()
        number = self.counters.currentIndex()
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        if snapshot is None:
            return
        if window is None or not 0 <= number < len(self._choices):
            self.show_heat(Heat())
            self.say_empty("This session has no counter that a heat map could show: none with a limit.")
            return
        choice, share = self._choices[number], self.measures.currentIndex() == 1
        series = _series(choice, snapshot)

        def work(reader: SessionReader, job: Job) -> Heat:
            return heat_of(reader, job, choice, series, snapshot, window, share=share)

        self._desk.session.query("heatmap", work, self.show_heat, title="Working out the heat map")

    def _chosen(self, row: HeatRow, when: int | None) -> None:
        snapshot = self._desk.session.snapshot
        series = snapshot.by_id.get(row.series) if snapshot else None
        if snapshot is None or series is None:
            return
        scope = self._desk.scope.scope
        window = scope.window_in(snapshot.span)
        if when is not None and window is not None and snapshot.span is not None:
            half = max((window.end - window.start) // 8, 60_000)
            window = TimeRange(when - half, when + half).intersect(snapshot.span)
        self._desk.scope.set(scope.on([row.ref]).during(window))
        known = self._desk.catalogue.get(series.counter)
        title = f"{known.label if known else series.counter} of {row.name}"
        self._desk.charts.choose(
            [ChartSpec(title, series.spec.unit, (series.id,), "", lines_of([series], self._desk.limits))],
            [row.ref],
        )


def heat_of(
    reader: SessionReader,
    job: Job,
    choice: _Choice,
    series: Sequence[Series],
    snapshot: Snapshot,
    window: TimeRange,
    *,
    share: bool,
) -> Heat:
    """The map of some series over a window: each bucket's highest value, or its share over the limit in %."""
    values = np.full((len(series), _BUCKETS), np.nan)
    buckets = Buckets(window, _BUCKETS)
    at = {one.id: number for number, one in enumerate(series)}
    limit = choice.limits.warning.value
    for begin in range(0, len(series), _AT_ONCE):
        ids = np.array([one.id for one in series[begin : begin + _AT_ONCE]], np.int64)
        for frame in reader.read(ids, window):
            job.check()
            rows = [at[number] for number in frame.ids.tolist()]
            values[rows] = _buckets(frame, buckets, limit if share else None)
        job.progress(begin / max(len(series), 1))
    worst = np.array([np.nanmax(row) if np.isfinite(row).any() else np.nan for row in values])
    order = [
        number
        for number in np.argsort(-np.nan_to_num(worst, nan=-1.0), kind="stable").tolist()
        if np.isfinite(worst[number])
    ]
    unit = "%" if share else choice.unit
    rows_shown = [
        HeatRow(
            series[number].entity,
            f"{snapshot.name(series[number].entity)} {series[number].spec.instance}".rstrip(),
            format_value(float(worst[number]), unit),
            _state(float(worst[number]), choice.limits, share=share),
            series[number].id,
        )
        for number in order
    ]
    critical = choice.limits.critical.value if choice.limits.critical else limit * 2
    top = 100.0 if share else max(critical, limit * 2)
    return Heat(choice.label, unit, window, rows_shown, values[order], np.nan if share else limit, top)


def _buckets(frame: Frame, buckets: Buckets, limit: float | None) -> FloatArray:
    """(series, buckets) of a frame: highest value, or per cent of samples over ``limit``."""
    if limit is None:
        found = buckets.highest(frame.times, frame.values)
    else:
        found = buckets.share_over(frame.times, frame.values, limit)
    return buckets.held(frame.times, found)


def _series(choice: _Choice, snapshot: Snapshot) -> list[Series]:
    found = [
        one
        for one in snapshot.series
        if one.counter == choice.counter and one.entity.kind == choice.kind and is_own(one)
    ]
    return found[:_MOST_ROWS]


def _state(value: float, limits: CounterLimits, *, share: bool) -> Health:
    if share:
        return "warning" if value > 0 else "ok"
    return limits.state(value) or "ok"


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return HeatmapPanel(desk)
