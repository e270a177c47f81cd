"""The user's options of the esxtop page: filter, VMs only, expanded rows, columns, and the scope."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.gui.desk import Desk
from sessions.model import EntityRef
from sessions.times import TimeRange
from viewmodels.esxtop_columns import field_choices
from viewmodels.esxtop_rows import ScreenOptions, why_no_rows
from widgets.esxtop import EsxtopView, FieldsDialog


class EsxtopOptions(QObject):
    """Holds the ``current`` options; ``changed`` carries True if they are now for another screen.

    Chosen columns are remembered for each screen.
    """

    changed = Signal(bool)

    def __init__(self, desk: Desk, view: EsxtopView) -> None:
        super().__init__(view)
        self._desk, self._view = desk, view
        self._columns: dict[str, tuple[str, ...]] = {}
        self.current = ScreenOptions()
        view.screen_chosen.connect(lambda _number: self._choose_columns())
        view.filtered.connect(lambda text: self._choose(replace(self.current, name_filter=text)))
        view.vms_toggled.connect(lambda on: self._choose(replace(self.current, only_vms=on)))
        view.expanded.connect(self._expand)
        view.fields.connect(self._ask_columns)
        view.cleared.connect(self._show_all)

    def set_scope(self, chosen: frozenset[EntityRef], window: TimeRange | None) -> bool:
        """Show only rows of these entities (empty: all) in the window; returns True if that is a change."""
        changed = replace(self.current, chosen=chosen, window=window if chosen else None)
        if changed == self.current:
            return False
        self._choose(changed)
        return True

    def why_empty(self) -> tuple[str, str]:
        """Return why there are no rows, and the text of a button if removing a filter would show some."""
        if self.current.is_filter:
            return "No row of this screen fits the filter and the scope.", "Show all rows"
        snapshot = self._desk.session.snapshot
        kinds = {source.spec.kind for source in snapshot.sources} if snapshot is not None else ()
        return why_no_rows(self._view.chosen_screen, kinds, self._desk.catalogue), ""

    def _choose(self, options: ScreenOptions, *, other_screen: bool = False) -> None:
        self.current = options
        self.changed.emit(other_screen)

    def _choose_columns(self) -> None:
        chosen = self._columns.get(self._view.chosen_screen.id, ())
        self._choose(replace(self.current, counters=chosen), other_screen=True)

    def _expand(self, refs: frozenset[EntityRef]) -> None:
        self._choose(replace(self.current, expanded=self.current.expanded ^ refs))

    def _ask_columns(self) -> None:
        screen = self._view.chosen_screen
        choices = field_choices(screen, self.current.counters, self._desk.catalogue)
        dialog = FieldsDialog(screen.title, choices, self._view)
        dialog.accepted.connect(lambda: self._set_columns(dialog.chosen()))
        dialog.open()

    def _set_columns(self, counters: tuple[str, ...]) -> None:
        self._columns[self._view.chosen_screen.id] = counters
        self._choose_columns()

    def _show_all(self) -> None:
        """Remove everything that hides rows: filter, VMs only, and the scope's entities."""
        self._view.filter.clear()
        self._view.only_vms.setChecked(False)
        if self.current.chosen:
            self._desk.scope.set(self._desk.scope.scope.on(()))
