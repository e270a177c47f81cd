"""The charts page: draws what the chart board asks for, over the scope's window, while the session grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from app.gui.actions import ActionSpec
from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.units import format_value
from sessions.model import EntityRef, Event, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.chart_sets import charts_of, curve_name, title_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.snapshot import Change, Snapshot
from viewmodels.time_labels import clock_of
from widgets.charts.stack import ChartStack
from widgets.dragging import unpacked
from widgets.empty_state import EmptyState

KEYS: tuple[ActionSpec, ...] = (
    ActionSpec("charts.left", "Move in time", keys=("Left", "Right"), context="charts"),
    ActionSpec("charts.zoom", "Zoom in and out", keys=("+", "-"), context="charts"),
    ActionSpec(
        "charts.statistics", "Last, min, mean, max and p95 of each curve", keys=("S",), context="charts"
    ),
)

_REDRAW_MS = 40
_PREPARE_MS = 150
_MOST_ENTITIES = 12
_MARGIN = 0.25


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Samples of the series that charts show, over a stretch that may be longer than the window."""

    ids: frozenset[int]
    span: TimeRange | None
    curves: dict[int, Curve]


class ChartsPanel(QWidget):
    """Reads the samples of the charts' series once, and again when the session has grown."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._loaded = _Loaded(frozenset(), None, {})
        self._stale = False
        self._stack = ChartStack(desk.theme, clock_of(desk.settings.text("look.times")))
        self.setFocusProxy(self._stack)
        self._empty = EmptyState()
        self._empty.say(
            "Nothing to draw for this scope.\n\nChoose a VM, host, datastore or device in the inventory, "
            "or drag a counter here from the esxtop view."
        )
        self._pinned = _Pinned()
        self._pinned.released.connect(self._release)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._pinned)
        self._pages = QStackedLayout()
        column.addLayout(self._pages, 1)
        self._pages.addWidget(self._stack)
        self._pages.addWidget(self._empty)
        self._redraw = QTimer(self, singleShot=True, interval=_REDRAW_MS)
        self._redraw.timeout.connect(self._draw)
        self._reading = QTimer(self, singleShot=True, interval=0)
        self._reading.timeout.connect(self._read)
        self._idle = QTimer(self, interval=_PREPARE_MS)
        self._idle.timeout.connect(self._prepare)
        self._idle.start()
        self._stack.windowed.connect(self._windowed)
        self._stack.unzoomed.connect(self._unzoomed)
        self._stack.closed.connect(desk.charts.remove)
        self._stack.dropped.connect(self._dropped)
        self._stack.copied.connect(lambda text: desk.notify(text, "ok"))
        self._stack.show_statistics(on=desk.settings.flag("look.statistics"))
        self._stack.statistics.connect(lambda on: desk.settings.set("look.statistics", on))
        key = QShortcut(QKeySequence("S"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        key.activated.connect(self._switch_statistics)
        desk.session.opened.connect(self._opened)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(self._closed)
        desk.scope.changed.connect(self._scoped)
        desk.charts.changed.connect(self._load)
        desk.charts.changed.connect(lambda: self._pinned.setVisible(desk.charts.pinned))
        desk.findings.changed.connect(self._follow)
        desk.settings.changed.connect(self._settings_changed)

    @property
    def stack(self) -> ChartStack:
        """The view."""
        return self._stack

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """What changed while it was hidden is drawn now."""
        super().showEvent(event)
        if self._stale:
            self._load()

    def _prepare(self) -> None:
        """Make cards before the first session needs them, one at a time."""
        if not self._stack.prepare():
            self._idle.stop()

    def _opened(self) -> None:
        self._idle.stop()
        self._loaded = _Loaded(frozenset(), None, {})
        self._follow()

    def _closed(self) -> None:
        self._loaded = _Loaded(frozenset(), None, {})
        self._stack.show_charts([])

    def _grown(self, change: Change) -> None:
        if change.sources or (change.inventory and not self._desk.charts.charts):
            self._follow()
        if change.samples:
            self._load()
        elif change.records:
            self._redraw.start()

    def _scoped(self) -> None:
        self._follow()
        self._redraw.start()

    def _follow(self) -> None:
        """Let the charts suit the scope, or the worst entities where it names none."""
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        entities = list(self._desk.scope.scope.entities) or self._interesting(snapshot)
        before = self._desk.charts.charts
        charts = charts_of(entities[:_MOST_ENTITIES], snapshot, self._desk.chart_templates, self._desk.limits)
        self._desk.charts.follow(charts, self._desk.scope.scope.entities)
        if self._desk.charts.charts == before:
            self._load()

    def _interesting(self, snapshot: Snapshot) -> list[EntityRef]:
        worst = [ref for ref in self._desk.findings.worst if ref in snapshot.entities]
        return worst[:1] or [ref for ref in snapshot.entities if ref.kind == "host"][:4]

    def _release(self) -> None:
        self._desk.charts.release()
        self._follow()

    def _load(self) -> None:
        """Read the samples soon: scope, findings and board often ask for it in one breath."""
        self._reading.start()

    def _read(self) -> None:
        """Read the samples, in a worker."""
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        ids = sorted({number for chart in self._desk.charts.charts for number in chart.series})
        if not ids:
            self._loaded = _Loaded(frozenset(), None, {})
            self._redraw.start()
            return

        def work(reader: SessionReader, job: Job) -> _Loaded:
            span = reader.span()
            curves: dict[int, Curve] = {}
            for frame in reader.read(np.array(ids, np.int64)):
                job.check()
                for column, number in enumerate(frame.ids.tolist()):
                    curves[number] = Curve(frame.times, np.ascontiguousarray(frame.values[:, column]))
            return _Loaded(frozenset(ids), span, curves)

        self._desk.session.query("charts", work, self._take, title="Reading the charts")

    def _take(self, loaded: _Loaded) -> None:
        self._loaded = loaded
        self._draw()

    def _draw(self) -> None:
        self._redraw.stop()
        snapshot = self._desk.session.snapshot
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        if snapshot is None or not self.isVisible():
            return
        charts = self._desk.charts.charts
        self._pages.setCurrentWidget(self._stack if charts and window is not None else self._empty)
        if window is None:
            return
        drawable = [chart for chart in charts if set(chart.series) <= self._loaded.ids]
        if len(drawable) < len(charts):
            return  # samples of a newer set of charts are on their way
        self._stack.show_window(window)
        self._stack.show_events(self._events(snapshot), snapshot.marks)
        self._stack.show_charts([(chart, self._curves(chart, snapshot)) for chart in charts])

    def _curves(self, chart: ChartSpec, snapshot: Snapshot) -> Sequence[NamedCurve]:
        series = [
            snapshot.by_id[number]
            for number in chart.series
            if number in self._loaded.curves and number in snapshot.by_id
        ]
        return [self._named(one, series, snapshot) for one in series]

    def _named(self, one: Series, among: Sequence[Series], snapshot: Snapshot) -> NamedCurve:
        catalogue = self._desk.catalogue
        known = catalogue.get(one.counter)
        limits = self._desk.limits.of(one.counter, one.entity.kind)
        about = [known.meaning] if known else []
        if limits is not None:
            about.append(
                f"limit {format_value(limits.warning.value, one.spec.unit)} ({limits.warning.source})"
            )
        return NamedCurve(
            curve_name(one, among, snapshot, catalogue),
            one.spec.unit,
            self._loaded.curves[one.id],
            "\n".join(about),
            one.id,
        )

    def _events(self, snapshot: Snapshot) -> Sequence[Event]:
        """Those of the scope; of entities that it names and of none."""
        chosen = {None, *self._desk.scope.scope.entities}
        if len(chosen) == 1:
            return snapshot.events
        return [event for event in snapshot.events if event.entity in chosen]

    def _windowed(self, window: TimeRange, passing: bool) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None or snapshot.span is None:
            return
        span = snapshot.span
        length = min(window.end - window.start, span.end - span.start)
        margin = round(length * _MARGIN)
        start = min(
            max(window.start, span.start - margin), max(span.end + margin - length, span.start - margin)
        )
        whole = length >= span.end - span.start
        scope = self._desk.scope.scope
        self._desk.scope.set(
            scope.during(None if whole else TimeRange(start, start + length)), passing=passing
        )
        self._draw()

    def _unzoomed(self) -> None:
        self._desk.scope.set(self._desk.scope.scope.during(None))

    def _dropped(self, number: int, data: bytes) -> None:
        snapshot = self._desk.session.snapshot
        ids = unpacked(data)
        series = [snapshot.by_id[one] for one in ids if one in snapshot.by_id] if snapshot else []
        if snapshot is not None and series:
            title = title_of(series[0], snapshot, self._desk.catalogue)
            self._desk.charts.add(series, title, None if number < 0 else number)

    def _switch_statistics(self) -> None:
        settings = self._desk.settings
        settings.set("look.statistics", not settings.flag("look.statistics"))

    def _settings_changed(self, key: str) -> None:
        if key == "look.statistics":
            self._stack.show_statistics(on=self._desk.settings.flag(key))
        if key == "look.times":
            self._stack.set_clock(clock_of(self._desk.settings.text(key)))


class _Pinned(QWidget):
    """Says that the charts are the user's own and follow no selection; ``released`` to change that."""

    released = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = QLabel("Charts of your own choice: they stay when you select something else.")
        words.setProperty("role", "muted")
        follow = QPushButton("Follow the selection")
        follow.clicked.connect(self.released)
        row = QHBoxLayout(self)
        row.setContentsMargins(13, 8, 10, 0)
        row.addWidget(words)
        row.addStretch(1)
        row.addWidget(follow)
        self.hide()


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return ChartsPanel(desk)
