"""Typing a scope: what the bar and the palette understand, and what happens on Enter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QIcon

from app.gui.desk import Desk
from app.gui.palette import Ask, Entry
from viewmodels.chart_sets import lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.scope_labels import scope_details, time_label
from viewmodels.scope_language import (
    Completion,
    Misunderstood,
    NameIndex,
    Surroundings,
    Understood,
    completions,
    exact_text,
    understand,
)
from viewmodels.scope_path import EVERYTHING, PathStep, scope_path
from widgets.scope_bar import ScopeBar, Suggestion
from widgets.scope_bar.path import Step

_NOTHING = "No session"
_MANY = 2_000
"""The names of so many entities are indexed in 40 ms; those of more in a worker."""


class ScopeEntry(QObject):
    """Connects the scope bar: shows the path at rest, and looks at what is typed."""

    def __init__(self, desk: Desk, bar: ScopeBar, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._bar = desk, bar
        self._steps: Sequence[PathStep] = ()
        self._around: Surroundings | None = None
        self._index: NameIndex | None = None
        bar.picked.connect(self._pick)
        bar.widened.connect(lambda: desk.scope.set(desk.scope.scope.on(())))
        bar.wanted.connect(self.begin)
        bar.typed.connect(self._understand)
        bar.entered.connect(self._enter)
        desk.session.opened.connect(self._opened)
        desk.session.closed.connect(self._closed)

    def begin(self) -> None:
        """Let the user type: the field says the present scope, all of it selected."""
        self._with_index(self._begin)

    def asking(self, icon: QIcon) -> Ask:
        """Return what tells the palette the meaning of a text; the entry looks at it."""
        self._with_index(lambda: None)

        def ask(text: str) -> Entry | str | None:
            around = self._surroundings() if self._has_index() else None
            found = understand(text, around) if around is not None else None
            if isinstance(found, Understood):
                return Entry(found.meaning, "look at", icon, lambda: look_at(self._desk, found))
            return found.sentence if found is not None else None

        return ask

    def go_up(self) -> None:
        """Look at what the present entity is in: a vCPU's VM, a VM's host, then everything."""
        above = self._steps[-2].refs if len(self._steps) > 1 else ()
        self._desk.scope.set(self._desk.scope.scope.on(above))

    def show_scope(self) -> None:
        """Show the present scope at rest."""
        snapshot, scope = self._desk.session.snapshot, self._desk.scope.scope
        if snapshot is None:
            self._bar.show_scope(
                [Step("", _NOTHING)], "connect, open, import or try the lab", "", is_all=True
            )
            return
        clock = self._desk.times.clock
        self._steps = scope_path(scope, snapshot)
        self._bar.show_scope(
            [Step(step.joint, step.text) for step in self._steps],
            time_label(scope, snapshot, clock),
            scope_details(scope, snapshot, clock),
            is_all=not scope.entities,
        )

    def _pick(self, number: int) -> None:
        step = self._steps[number]
        self._desk.scope.set(self._desk.scope.scope.on(() if step.text == EVERYTHING else step.refs))

    def _understand(self, text: str) -> None:
        around = self._around
        if around is None:
            return
        rows = [_suggestion(one) for one in completions(text, around)]
        if not text.strip():
            self._bar.show_suggestions("Type names, times and counters, in any order:", rows)
            return
        found = understand(text, around)
        if isinstance(found, Misunderstood):
            if found.nearest and all(row.text != found.nearest for row in rows):
                rows.insert(0, Suggestion(found.nearest, found.nearest, "do you mean this?"))
            self._bar.show_suggestions(found.sentence, rows, is_understood=False)
        else:
            self._bar.show_suggestions(found.meaning, rows, is_understood=True)

    def _enter(self, text: str) -> None:
        self._with_index(lambda: self._take(text))  # a live session has grown while somebody typed

    def _take(self, text: str) -> None:
        around = self._surroundings()
        found = understand(text, around) if around is not None else None
        if isinstance(found, Understood):
            self._bar.end()
            look_at(self._desk, found)
        else:
            self._understand(text)

    def _begin(self) -> None:
        self._around = self._surroundings()
        if self._around is not None:
            self._bar.begin(exact_text(self._desk.scope.scope, self._around))

    def _opened(self) -> None:
        self._bar.end()
        self._with_index(lambda: None)  # before anybody types

    def _closed(self) -> None:
        self._desk.jobs.cancel("scope.names")
        self._index = self._around = None
        self._bar.end()

    def _has_index(self) -> bool:
        snapshot = self._desk.session.snapshot
        return snapshot is not None and self._index is not None and self._index.fits(snapshot)

    def _with_index(self, act: Callable[[], None]) -> None:
        """Call ``act`` with an index of the session's names: at once, or when a worker has built it."""
        snapshot = self._desk.session.snapshot
        if snapshot is None or self._has_index():
            act()
            return
        index = NameIndex.of(snapshot)

        def done(built: NameIndex) -> None:
            self._index = built
            act()

        if len(snapshot.entities) <= _MANY:
            done(index)
        else:
            self._desk.jobs.start("scope.names", "Indexing names", lambda _job: index.built(), done)

    def _surroundings(self) -> Surroundings | None:
        """Return what a text is understood in now; None without a session."""
        desk, snapshot = self._desk, self._desk.session.snapshot
        if snapshot is None:
            return None
        times = desk.times.clock
        return Surroundings(snapshot, desk.scope.scope, times, desk.catalogue, desk.limits, self._index)


def look_at(desk: Desk, found: Understood) -> None:
    """Set the scope, pin the moment and chart the counters of a text."""
    desk.scope.set(found.scope)
    if found.moment is not None:
        desk.moment.pin(found.moment)
    units = dict.fromkeys(one.spec.unit for one in found.series)
    charts = []
    for unit in units:
        series = [one for one in found.series if one.spec.unit == unit]
        ids = tuple(dict.fromkeys(one.id for one in series))
        charts.append(ChartSpec("", unit, ids, "", lines_of(series, desk.entity_limits)))
    if charts:
        desk.charts.choose(charts)


def _suggestion(one: Completion) -> Suggestion:
    icon = one.ref.kind if one.ref is not None else ""
    return Suggestion(one.text, one.title, one.hint, icon, one.is_whole)
