"""The inventory pane: the session's entities as a tree, with health and headline number."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.gui.actions import view_actions
from app.gui.counter_meaning import explain_headline
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.navigation import troubleshoot
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.store import SessionReader
from viewmodels.entity_states import EntityStates
from viewmodels.headlines import HeadlineCache, HeadlineNumbers, headline_numbers
from viewmodels.inventory_tree import Node, inventory_size, inventory_tree
from viewmodels.last_values import last_values
from viewmodels.limit_check import over_sentences
from viewmodels.snapshot import Change
from widgets import search_field
from widgets.inventory import InventoryModel, InventoryView

KEYS = view_actions("inventory", search_field.KEYS)

_VALUES_MS, _FIRST_MS = 1_000, 300  # the first chart comes first


class InventoryPanel(QObject):
    """Connects the tree to session and scope: selecting entities sets the scope, and vice versa."""

    def __init__(self, desk: Desk) -> None:
        self._model = InventoryModel()
        self.view = InventoryView(self._model, desk.theme)
        super().__init__(self.view)
        self._model.setParent(self)
        self._desk, self._headlines, self._numbers = desk, HeadlineCache(), HeadlineNumbers()
        self._being_read: Scope | None = None
        self._wait = QTimer(self, singleShot=True, interval=_VALUES_MS)
        self._wait.timeout.connect(self._read_values)
        desk.session.opened.connect(self._open)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(self._clear)
        desk.judging.changed.connect(self._show_health)
        desk.times.changed.connect(lambda _clock: self._show_health())
        desk.scope.changed.connect(self._scoped)
        desk.thresholds.changed.connect(lambda: self._wait.start(_VALUES_MS))
        self.view.chosen.connect(self._chosen)
        menu = self.view.menu
        menu.more = desk.recording.watch
        menu.scoped.connect(self._chosen)
        menu.charted.connect(self._chart)
        self.view.opened.connect(lambda ref: self._chart([ref]) if ref is not None else None)
        menu.exported.connect(lambda refs: desk.export(desk.scope.scope.on(refs)))
        menu.copied.connect(lambda text: desk.notify(text, "ok"))
        menu.save_wanted.connect(desk.save_file)
        menu.troubleshoot_wanted.connect(lambda ref: troubleshoot(desk, ref))
        menu.explain_wanted.connect(lambda ref: explain_headline(desk, self._headlines, ref))

    def _open(self) -> None:
        self.view.search.clear()  # what was looked for was of another session
        self._build()
        self.view.choose(self._desk.scope.scope.entities)

    def _build(self) -> None:
        """Show the tree; what somebody looks at in it stays where it is."""
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        self.view.show_tree(inventory_tree(snapshot))
        self._show_health()
        self._wait.start(_FIRST_MS)
        self.view.choose(self._desk.scope.scope.entities, scroll=False)
        self.view.note_changed.emit(inventory_size(snapshot.entities.values()))

    def _grown(self, change: Change) -> None:
        if change.inventory:
            self._build()
        elif change.samples and not self._wait.isActive():
            self._wait.start(_VALUES_MS)

    def _clear(self) -> None:
        self._numbers = HeadlineNumbers()
        self._desk.findings.note_over({})
        self._model.set_values({})
        self._model.set_health({})
        self._model.set_tree(Node(""))
        self.view.note_changed.emit("")

    def _show_health(self) -> None:
        """Show numbers and symbols, always together: a symbol says what its number says."""
        desk, snapshot, numbers = self._desk, self._desk.session.snapshot, self._numbers
        if snapshot is None:
            return
        states = EntityStates(
            desk.findings.judged, snapshot, desk.problems, moment=numbers.moment, over=numbers.over
        )
        at = desk.times.clock.time
        self._model.set_values(numbers.texts)
        self._model.set_health(states.symbols, states.judged, lambda ref: states.why(ref, at, self._label))
        desk.findings.note_over(over_sentences(numbers.over, snapshot.name, self._label))

    def _label(self, counter: str) -> str:
        known = self._desk.catalogue.get(counter)
        return known.label if known else counter

    def _scoped(self) -> None:
        self.view.choose(self._desk.scope.scope.entities)
        self._wait.start(_VALUES_MS)

    def _chosen(self, refs: Sequence[EntityRef]) -> None:
        self._desk.scope.set(self._desk.scope.scope.on(refs))

    def _chart(self, refs: Sequence[EntityRef]) -> None:
        """Look at these entities in the charts that suit them."""
        self._chosen(refs)
        self._desk.charts.release()
        self._desk.charts.shown.emit()

    def _read_values(self) -> None:
        snapshot = self._desk.session.snapshot
        window = self._desk.scope.scope.window_in(snapshot.span) if snapshot else None
        if snapshot is None or window is None:
            return
        scope = self._desk.scope.scope
        if self._desk.jobs.busy("inventory.values") and self._being_read == scope:
            self._wait.start(_VALUES_MS)  # or a slow machine would never come to the end of one
            return
        self._being_read = scope
        headlines, wanted, limits = self._headlines, self._desk.headlines, self._desk.entity_limits

        def work(reader: SessionReader, job: Job) -> HeadlineNumbers:
            found = headlines.of(snapshot, wanted, limits.general)
            series = [snapshot.by_id[number] for number in found.ids]
            last = last_values(reader, series, window.end, snapshot.intervals, since=window.start, work=job)
            return headline_numbers(found.chosen, found.loads, last, window.end, limits)

        self._desk.session.query("inventory.values", work, self._take_numbers)

    def _take_numbers(self, numbers: HeadlineNumbers) -> None:
        self._numbers = numbers
        self._show_health()


def make(desk: Desk) -> QWidget:
    """Return the view of the inventory panel; the view owns the panel."""
    return InventoryPanel(desk).view
