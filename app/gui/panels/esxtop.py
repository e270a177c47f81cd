"""The esxtop page: the screens and keys that admins know, at any moment of the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QInputDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.gui.actions import ActionSpec
from app.gui.desk import Desk
from app.gui.jobs import Job
from resources.foreign_text import shown
from resources.units import format_value
from resources.views import Screen
from sessions.model import FloatArray, IntArray
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.chart_sets import title_of
from viewmodels.esxtop_rows import Grid, Wishes, columns_of, grid_of, tails_of, why_no_rows
from viewmodels.snapshot import Change, Snapshot
from viewmodels.time_labels import clock_of
from widgets.esxtop import EsxtopModel, EsxtopView, Values, letter

_SCREENS = "c m d u v n i p"
KEYS: tuple[ActionSpec, ...] = (
    ActionSpec("esxtop.screens", "Screens: CPU, memory, adapter, device, VM disk, network, interrupts, power",
               keys=tuple(_SCREENS.split()), context="esxtop"),
    ActionSpec("esxtop.vms", "Virtual machines only", keys=("Shift+V",), context="esxtop"),
    ActionSpec("esxtop.expand", "Expand or fold the selected rows", keys=("E",), context="esxtop"),
    ActionSpec("esxtop.fields", "Choose columns", keys=("F",), context="esxtop"),
    ActionSpec("esxtop.interval", "How often the table is renewed", keys=("S",), context="esxtop"),
    ActionSpec("esxtop.sparks", "Small curves of the sorted column", keys=("K",), context="esxtop"),
    ActionSpec("esxtop.sort", "Sort by used, ready, memory, ballooning, reads, writes … as esxtop",
               keys=("Shift+U", "Shift+R", "Shift+M", "Shift+B", "R", "W", "Shift+T", "T"), context="esxtop"),
    ActionSpec("esxtop.chart", "Chart the selected cell", keys=("Return",), context="esxtop"),
)  # fmt: skip

_EVERY_S = 2
_MOST_EVERY_S = 60
_LOOK_BACK = 2.5
_SPARK_SAMPLES = 60
_SPARK_ROWS = 300
_SLIDE_MS = 60
_AT_END = 0.9995


class EsxtopPanel(EsxtopView):
    """Reads the numbers of a moment for all rows at once, in a worker; at the live end every few seconds."""

    def __init__(self, desk: Desk) -> None:
        self._table = EsxtopModel()
        super().__init__(self._table, desk.theme, self._series_of)
        self._table.setParent(self)
        self._desk = desk
        self._screens = desk.screens
        self._screen = self._screens[0]
        self._wishes = Wishes()
        self._fields: dict[str, tuple[str, ...]] = {}
        self._grid = Grid((), (), np.zeros((0, 0), np.int64))
        self._part = 1.0
        self._seek = False
        self._stale = False
        self._unsorted = True
        self._timer = QTimer(self, interval=_EVERY_S * 1000)
        self._timer.timeout.connect(self._tick)
        self._slide = QTimer(self, singleShot=True, interval=_SLIDE_MS)
        self._slide.timeout.connect(self._read)
        self.set_screens([(screen.key, screen.title) for screen in self._screens])
        self.screen_chosen.connect(self._choose_screen)
        self.moved.connect(self._move)
        self.filtered.connect(lambda words: self._wish(replace(self._wishes, words=words)))
        self.toggled.connect(self._toggle)
        self.fields.connect(self._ask_fields)
        self.cleared.connect(self._show_all)
        self.table.charted.connect(self._chart)
        self.table.horizontalHeader().sectionClicked.connect(self._clicked)
        desk.session.opened.connect(self._opened)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(self._closed)
        desk.scope.changed.connect(self._scoped)
        self._closed()

    # -- the user

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """esxtop's own keys."""
        text = letter(event)
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            super().keyPressEvent(event)
            return
        keys = [screen.key for screen in self._screens]
        if text in self._screen.sort:
            self._sort_by(self._screen.sort[text])
            self.table.reveal(self._table.sorting[0])
        elif text in keys:
            self.tabs.setCurrentIndex(keys.index(text))
        elif text in self._commands():
            self._commands()[text]()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            index = self.table.currentIndex()
            self._chart(index.row(), index.column())
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Hidden, it reads nothing; shown, it reads what it missed."""
        super().showEvent(event)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        if self._stale:
            self._rebuild()

    def _commands(self) -> dict[str, Callable[[], None]]:
        return {
            "V": self.only_vms.toggle,
            "e": self._expand,
            "f": self._ask_fields,
            "s": self._ask_interval,
            "k": self.sparks.toggle,
        }

    def _choose_screen(self, number: int) -> None:
        self._screen = self._screens[number]
        self._wishes = replace(self._wishes, fields=self._fields.get(self._screen.id, ()))
        self._rebuild(fresh=True)

    def _wish(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._rebuild()

    def _toggle(self, what: str, on: bool) -> None:
        if what == "vms":
            self._wish(replace(self._wishes, only_vms=on))
        else:
            self._read_sparks()

    def _expand(self) -> None:
        rows = {index.row() for index in self.table.selectedIndexes()} or {self.table.currentIndex().row()}
        refs = {
            self._table.row_at(row)[1].ref
            for row in rows
            if row >= 0 and self._table.row_at(row)[1].expandable
        }
        self._wish(replace(self._wishes, expanded=self._wishes.expanded ^ frozenset(refs)))

    def _ask_fields(self) -> None:
        dialog = _Fields(self._screen, self._counters(), self._desk, self)
        dialog.accepted.connect(lambda: self._set_fields(dialog.chosen()))
        dialog.open()

    def _set_fields(self, fields: tuple[str, ...]) -> None:
        self._fields[self._screen.id] = fields
        self._wishes = replace(self._wishes, fields=fields)
        self._rebuild(fresh=True)

    def _ask_interval(self) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle("How often the table is renewed")
        dialog.setLabelText("Seconds between two looks at the newest samples:")
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(_EVERY_S, _MOST_EVERY_S)
        dialog.setIntValue(self._timer.interval() // 1000)
        dialog.resize(360, dialog.sizeHint().height())
        dialog.intValueSelected.connect(lambda seconds: self._timer.setInterval(seconds * 1000))
        dialog.open()

    def _clicked(self, column: int) -> None:
        before, order = self._table.sorting
        down, up = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
        if column != before:
            order = up if column < EsxtopModel.FIXED else down
        else:
            order = up if order == down else down
        self.table.sort_by(column, order)
        self._read_sparks()

    def _sort_by(self, counter: str) -> None:
        column = self._table.column_of(counter)
        if column >= 0:
            self.table.sort_by(column, Qt.SortOrder.DescendingOrder)
            self._read_sparks()

    def _move(self, part: float) -> None:
        self._part = part
        self._slide.start()

    def _chart(self, row: int, column: int) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None or row < 0:
            return
        ids = self._series_of([self._table.index(row, column)])
        series = [snapshot.by_id[number] for number in ids if number in snapshot.by_id]
        if series:
            self._desk.charts.add(series, title_of(series[0], snapshot, self._desk.catalogue))
        else:
            self._desk.scope.set(self._desk.scope.scope.on([self._table.row_at(row)[1].ref]))

    def _series_of(self, indexes: Sequence[QModelIndex]) -> list[int]:
        found = [
            int(self._grid.ids[self._table.row_at(index.row())[0], index.column() - EsxtopModel.FIXED])
            for index in indexes
            if index.column() >= EsxtopModel.FIXED
        ]
        return [number for number in dict.fromkeys(found) if number]

    # -- the session

    def _opened(self) -> None:
        self._part = 1.0
        self._forget()
        self._rebuild(fresh=True)

    def _forget(self) -> None:
        self.say_totals((), "")
        self.show_moment("", self._part)

    def _grown(self, change: Change) -> None:
        if change.inventory:
            self._rebuild()
        elif change.samples and not self._timer.isActive() and self.isVisible():
            self._timer.start()

    def _scoped(self) -> None:
        """Hosts of the scope are a filter, other entities are selected; the moment is the window's end."""
        snapshot = self._desk.session.snapshot
        scope = self._desk.scope.scope
        window = scope.window_in(snapshot.span) if snapshot else None
        if snapshot is None or window is None or snapshot.span is None:
            return
        length = max(snapshot.span.end - snapshot.span.start, 1)
        self._part = 1.0 if scope.follow else (window.end - snapshot.span.start) / length
        hosts = frozenset(snapshot.name(ref) for ref in scope.entities if ref.kind == "host")
        if hosts != self._wishes.hosts:
            self._wish(replace(self._wishes, hosts=hosts))
            return
        if not self.isVisible():
            self._stale = True
            return
        self._select_scope()
        self._slide.start()

    def _select_scope(self) -> None:
        rows = [self._table.place_of(ref) for ref in self._desk.scope.scope.entities if ref.kind != "host"]
        shown_rows = [row for row in rows if row >= 0]
        if shown_rows:
            self.table.setCurrentIndex(self._table.index(shown_rows[0], 0))
            self._seek = True

    def _closed(self) -> None:
        self._timer.stop()
        self._grid = Grid((), (), np.zeros((0, 0), np.int64))
        self._table.set_table((), (), Values())
        self._forget()
        self.say_empty("Open a session, or record one: its hosts' counters appear here as esxtop shows them.")

    def _tick(self) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None or not snapshot.recording or not self.isVisible():
            self._timer.stop()
            self._stale = not self.isVisible()
        if snapshot is not None and self._part >= _AT_END and self.isVisible():
            self._read()

    def _counters(self) -> tuple[str, ...]:
        return self._wishes.fields or self._screen.columns

    def _rebuild(self, *, fresh: bool = False) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        self._unsorted = self._unsorted or fresh
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        screen, desk = self._screen, self._desk
        tails = tails_of(screen, snapshot, desk.catalogue)
        columns = columns_of(self._counters(), screen.kinds[0], desk.catalogue, desk.limits, tails)
        grid = grid_of(screen, snapshot, columns, self._wishes)
        some = (grid.ids > 0).any(axis=0) if grid.rows else np.zeros(len(columns), bool)
        kept = tuple(grid.columns[number] for number in np.flatnonzero(some).tolist())
        self._grid = Grid(grid.rows, kept, grid.ids[:, some])
        self.say_empty(*(("", "") if self._grid.rows else self._why_empty()))
        self._table.set_table(self._grid.rows, self._grid.columns, Values())
        if self._unsorted:
            self._unsorted = False
            self._sort_by(self._screen.default_sort)
            for bar in (self.table.horizontalScrollBar(), self.table.verticalScrollBar()):
                bar.setValue(0)
        self._select_scope()
        self._read()

    def _why_empty(self) -> tuple[str, str]:
        if self._wishes.words or self._wishes.only_vms or self._wishes.hosts:
            return "No row of this screen fits the filter and the scope.", "Show all rows"
        snapshot = self._desk.session.snapshot
        kinds = {source.spec.kind for source in snapshot.sources} if snapshot is not None else ()
        return why_no_rows(self._screen, kinds, self._desk.catalogue), ""

    def _show_all(self) -> None:
        """Take back what hides rows: filter, VMs only, and hosts of the scope."""
        self.filter.clear()
        self.only_vms.setChecked(False)
        if self._wishes.hosts:
            self._desk.scope.set(self._desk.scope.scope.on(()))

    def _moment(self, snapshot: Snapshot) -> int | None:
        span = snapshot.span
        return None if span is None else span.start + round((span.end - span.start) * self._part)

    def _read(self) -> None:
        snapshot = self._desk.session.snapshot
        moment = self._moment(snapshot) if snapshot else None
        if snapshot is None or moment is None:
            return
        grid = self._grid
        heads = _head_series(self._screen, snapshot)
        ids = np.unique(
            np.concatenate([grid.ids[grid.ids > 0], np.array([i for _, _, i in heads], np.int64)])
        )
        back = {
            source.id: round((source.spec.interval_s or 20) * 1000 * _LOOK_BACK)
            for source in snapshot.sources
        }

        def work(reader: SessionReader, job: Job) -> dict[int, float]:
            return _last_values(reader, job, ids, moment, max(back.values(), default=50_000))

        def done(last: dict[int, float]) -> None:
            if grid is self._grid:
                self._show(last, heads, moment)

        self._desk.session.query("esxtop", work, done)

    def _show(self, last: dict[int, float], heads: Sequence[tuple[str, str, int]], moment: int) -> None:
        known = np.array(sorted(last), np.int64)
        values = np.array([last[number] for number in known.tolist()])
        numbers = np.full(self._grid.ids.shape, np.nan)
        if known.size:
            at = np.minimum(np.searchsorted(known, self._grid.ids), known.size - 1)
            numbers = np.where(known[at] == self._grid.ids, values[at], np.nan)
        self._table.set_table(self._grid.rows, self._grid.columns, Values(numbers))
        if self._seek:  # the numbers have just put the selected row elsewhere
            self._seek = False
            self.table.scrollTo(self.table.currentIndex())
        found: dict[str, list[tuple[float, str]]] = {}
        for host, counter, number in heads:
            if number in last:
                found.setdefault(counter, []).append((last[number], host))
        self.say_totals(*self._totals(found))
        at_clock = clock_of(self._desk.settings.text("look.times"))
        self.show_moment(f"as of {at_clock(moment):%H:%M:%S}", self._part)
        self._read_sparks()

    def _totals(self, found: Mapping[str, Sequence[tuple[float, str]]]) -> tuple[list[str], str]:
        """Mean and highest value of each counter over the hosts; and in lines, with the host that has it."""
        totals, details = [], []
        for counter, values in found.items():
            known = self._desk.catalogue.get(counter)
            if known is None:
                continue
            highest, host = max(values)
            name, top = known.short or known.label, format_value(highest, known.unit)
            if len(values) == 1 or known.words:
                totals.append(f"{name} {known.word(highest) or top}")
                details.append(totals[-1])
                continue
            mean = format_value(sum(value for value, _ in values) / len(values), known.unit)
            totals.append(f"{name} {mean} (max {top})")
            details.append(
                f"{known.label}: {mean} in the mean of {len(values)} hosts, {top} on {shown(host)}"
            )
        if self._screen.note:
            totals.append(f"percentages of VMs {self._screen.note}")
        return totals, "\n".join(details)

    def _read_sparks(self) -> None:
        column = self._table.sorting[0] - EsxtopModel.FIXED
        snapshot = self._desk.session.snapshot
        moment = self._moment(snapshot) if snapshot else None
        if not self.sparks.isChecked() or column < 0 or moment is None or not self._grid.rows:
            self._table.set_sparks(max(column, 0), {})
            return
        grid = self._grid
        rows = [self._table.row_at(row)[0] for row in range(min(self._table.rowCount(), _SPARK_ROWS))]
        ids = grid.ids[rows, column]
        interval = max((s.spec.interval_s or 20 for s in snapshot.sources), default=20) if snapshot else 20
        window = TimeRange(moment - round(interval * 1000 * _SPARK_SAMPLES), moment)

        def work(reader: SessionReader, job: Job) -> dict[int, FloatArray]:
            curves: dict[int, FloatArray] = {}
            for frame in reader.read(np.unique(ids[ids > 0]), window):
                job.check()
                curves.update(zip(frame.ids.tolist(), frame.values.T, strict=True))
            return {
                row: curves[number]
                for row, number in zip(rows, ids.tolist(), strict=True)
                if number in curves
            }

        def done(found: dict[int, FloatArray]) -> None:
            if grid is self._grid:
                self._table.set_sparks(column, found)
                self.table.make_room_for_curves(column + EsxtopModel.FIXED)

        self._desk.session.query("esxtop.sparks", work, done)


class _Fields(QDialog):
    """Which columns a screen shows."""

    def __init__(self, screen: Screen, now: Sequence[str], desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Columns of {screen.title}")
        self._list = QListWidget()
        self._list.setAccessibleName(f"Columns of {screen.title}")
        for counter in dict.fromkeys((*screen.columns, *screen.more)):
            known = desk.catalogue.get(counter)
            if known is None:
                continue
            item = QListWidgetItem(f"{known.short or known.label}   {known.label} ({known.unit})")
            item.setData(Qt.ItemDataRole.UserRole, counter)
            item.setCheckState(Qt.CheckState.Checked if counter in now else Qt.CheckState.Unchecked)
            item.setToolTip(known.meaning)
            self._list.addItem(item)
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        title = QLabel(f"Columns of {screen.title}")
        title.setProperty("role", "display")
        words = QLabel("Space checks a column; those without samples in this session stay hidden.")
        words.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(words)
        column.addWidget(self._list)
        column.addWidget(buttons)
        self.resize(480, 520)

    def chosen(self) -> tuple[str, ...]:
        """The counters that are checked, in their order."""
        items = [self._list.item(row) for row in range(self._list.count())]
        return tuple(
            str(item.data(Qt.ItemDataRole.UserRole))
            for item in items
            if item.checkState() == Qt.CheckState.Checked
        )


def _head_series(screen: Screen, snapshot: Snapshot) -> list[tuple[str, str, int]]:
    """Host, counter and series of what the header line shows."""
    found: list[tuple[str, str, int]] = []
    for ref, entity in snapshot.entities.items():
        if ref.kind == "host":
            plain = {one.counter: one.id for one in snapshot.series_of.get(ref, ()) if not one.spec.instance}
            found += [(entity.name, counter, plain[counter]) for counter in screen.head if counter in plain]
    return found


def _last_values(
    reader: SessionReader, job: Job, ids: IntArray, moment: int, back_ms: int
) -> dict[int, float]:
    """The last value of each series at or before a moment, if it is not older than ``back_ms``."""
    last: dict[int, float] = {}
    for frame in reader.read(ids, TimeRange(moment - back_ms, moment)):
        job.check()
        there = np.isfinite(frame.values)
        if not there.size:
            continue
        newest = frame.values.shape[0] - 1 - np.argmax(there[::-1], axis=0)
        values = frame.values[newest, np.arange(frame.ids.size)]
        some = there.any(axis=0)
        last.update(zip(frame.ids[some].tolist(), values[some].tolist(), strict=True))
    return last


def make(desk: Desk) -> QWidget:
    """The panel of the table."""
    return EsxtopPanel(desk)
