"""The esxtop page: esxtop's screens and keys, at any moment of the session."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject
from PySide6.QtWidgets import QWidget

from app.gui.actions import ActionSpec, view_actions
from app.gui.desk import Desk
from app.gui.panels.esxtop_actions import EsxtopActions
from app.gui.panels.esxtop_numbers import EsxtopNumbers
from app.gui.panels.esxtop_options import EsxtopOptions
from resources.views import Screen
from sessions.model import EntityRef
from sessions.scope import Scope
from viewmodels.esxtop_rows import NO_ROWS, grid_of
from viewmodels.snapshot import Change
from widgets.esxtop import EsxtopModel, EsxtopView, key_rows
from widgets.esxtop.selection import chosen_rows, kept_place, restore_place


def keys(screens: Sequence[Screen]) -> tuple[ActionSpec, ...]:
    """Return esxtop's own keys, for the shortcut sheet."""
    return view_actions("esxtop", key_rows(screens))


class EsxtopPanel(QObject):
    """Shows rows and columns of the chosen screen, filtered by the user's options and the scope."""

    def __init__(self, desk: Desk) -> None:
        self._model = EsxtopModel()
        self.view = EsxtopView(self._model, desk.theme, desk.screens, self._series_of)
        super().__init__(self.view)
        self._model.setParent(self)
        self._desk = desk
        self._options = EsxtopOptions(desk, self.view)
        self._grid = NO_ROWS
        self._is_stale, self._is_new = False, True
        self._selected: Sequence[EntityRef] = ()
        self._numbers = EsxtopNumbers(desk, self.view, self._model)
        view = self.view
        view.appeared.connect(self._appeared)
        self._options.changed.connect(lambda other_screen: self._rebuild(is_new=other_screen))
        view.table.charted.connect(self._chart)
        self._actions = EsxtopActions(desk, view, self._model, self._options, self._series_of)
        desk.session.opened.connect(self._opened)
        desk.session.changed.connect(self._grown)
        desk.session.closed.connect(self._closed)
        desk.scope.changed.connect(self._scoped)
        desk.thresholds.changed.connect(self._rebuild)
        self._closed()

    def _appeared(self) -> None:
        if self._is_stale or self._numbers.is_stale:
            self._rebuild()

    def _chart(self, index: QModelIndex) -> None:
        """Chart a cell, or the selected rows with it; on the name of one row, look at its entity."""
        rows = sorted({*chosen_rows(self.view.table), index.row()})
        if len(rows) > 1:
            self._actions.chart(rows, self.view.menu.counter_column(index.column()))
        elif not self._actions.chart_cells([index]):
            self._actions.look_at(index.row())

    def _series_of(self, indexes: Sequence[QModelIndex]) -> list[int]:
        found = [
            int(self._grid.ids[self._model.row_at(index.row())[0], index.column() - EsxtopModel.FIXED])
            for index in indexes
            if index.column() >= EsxtopModel.FIXED
        ]
        return [number for number in dict.fromkeys(found) if number]

    def _opened(self) -> None:
        self._numbers.forget()
        self._rebuild(is_new=True)

    def _grown(self, change: Change) -> None:
        if change.inventory:
            self._rebuild()
        elif change.samples:
            self._numbers.follow()

    def _scoped(self, scope: Scope) -> None:
        """Show the rows of the scope, select its entities, and show the end of its window."""
        snapshot = self._desk.session.snapshot
        window = scope.window_in(snapshot.span) if snapshot else None
        if snapshot is None or window is None or snapshot.span is None:
            return
        is_at_end = scope.follow or window.end >= snapshot.span.end
        self._numbers.time.show_end(None if is_at_end else window.end)
        if self._options.set_scope(frozenset(scope.entities), window if snapshot.records.has_moves else None):
            return
        if self.view.isVisible():
            self._select_scope()
        else:
            self._is_stale = True

    def _select_scope(self) -> None:
        """Select the scope's first entity, unless the user went on from it to other cells."""
        entities = self._desk.scope.scope.entities
        if entities == self._selected and self.view.table.currentIndex().isValid():
            return
        self._selected = entities
        rows = [self._model.place_of(ref) for ref in entities if ref.kind != "host"]
        shown_rows = [row for row in rows if row >= 0]
        if shown_rows:
            self.view.table.setCurrentIndex(self._model.index(shown_rows[0], 0))
            self._numbers.seek_selection()

    def _closed(self) -> None:
        self._grid = NO_ROWS
        self._model.set_table((), ())
        self._numbers.forget()
        self.view.show_empty(
            "Open a session, or record one: its hosts' counters appear here as esxtop shows them."
        )

    def _rebuild(self, *, is_new: bool = False) -> None:
        """Recompute rows and columns if the page is visible; ``is_new``: for another screen or session."""
        snapshot, desk = self._desk.session.snapshot, self._desk
        if snapshot is None:
            return
        self._is_new = self._is_new or is_new
        self._is_stale = not self.view.isVisible()
        if self._is_stale:
            return
        screen = self.view.chosen_screen
        self._grid = grid_of(screen, snapshot, self._options.current, desk.catalogue, desk.entity_limits)
        self.view.show_empty(*(("", "") if self._grid.rows else self._options.why_empty()))
        self._numbers.show_grid(self._grid)  # before the table: sorting it asks for its sparklines
        place = kept_place(self.view.table, self._model)
        self._numbers.show_known()
        restore_place(self.view.table, self._model, place)
        if self._is_new:
            self._is_new = False
            self.view.table.widths.use(self._options.layout.widths)
            self._options.sort()
            self.view.table.scroll_to_start()
        self._select_scope()


def make(desk: Desk) -> QWidget:
    """Return the view of the esxtop panel; the view owns the panel."""
    return EsxtopPanel(desk).view
