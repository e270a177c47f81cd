"""The user's options of the esxtop page: filter, VMs only, expanded rows, columns, and the scope."""

from __future__ import annotations

from dataclasses import replace

from msgspec.structs import replace as replace_struct
from PySide6.QtCore import QObject, Signal

from app.gui.desk import Desk
from app.gui.esxtop_layouts import EsxtopLayouts
from sessions.model import EntityRef
from sessions.times import TimeRange
from viewmodels.esxtop_columns import field_choices
from viewmodels.esxtop_layout import ScreenLayout, reordered
from viewmodels.esxtop_rows import ScreenOptions, why_no_rows
from widgets.esxtop import EsxtopView, FieldsDialog


class EsxtopOptions(QObject):
    """Holds the ``current`` options; ``changed`` carries True if they are now for another screen.

    Columns, widths and sorting of each screen are kept in the user's settings.
    """

    changed = Signal(bool)

    def __init__(self, desk: Desk, view: EsxtopView) -> None:
        super().__init__(view)
        self._desk, self._view = desk, view
        self._layouts = EsxtopLayouts(desk.settings.folder)
        self.current = ScreenOptions()
        self._choose_columns(silently=True)
        view.screen_chosen.connect(lambda _number: self._choose_columns())
        view.filtered.connect(lambda text: self._choose(replace(self.current, name_filter=text)))
        view.vms_toggled.connect(lambda on: self._choose(replace(self.current, only_vms=on)))
        view.expanded.connect(self._expand)
        view.fields.connect(self._ask_columns)
        view.cleared.connect(self._show_all)
        view.table.order.changed.connect(lambda shown: self.set_columns(reordered(self.columns, shown)))
        view.table.widths.changed.connect(
            lambda widths: self._keep(replace_struct(self.layout, widths=widths))
        )
        view.table.sorted.connect(self._keep_sorting)

    @property
    def layout(self) -> ScreenLayout:
        """What the user made of the shown screen."""
        return self._layouts.of(self._view.chosen_screen.id)

    @property
    def columns(self) -> tuple[str, ...]:
        """The counters of the shown screen's columns, in their order."""
        return self.current.counters or self._view.chosen_screen.standard

    def set_columns(self, columns: tuple[str, ...]) -> None:
        """Show these counters' columns on this screen, now and later."""
        standard = columns == self._view.chosen_screen.standard
        self._keep(replace_struct(self.layout, columns=() if standard else columns))
        self._choose(replace(self.current, counters=self.layout.columns))

    def reset(self) -> None:
        """Give the screen its standard columns, widths and sorting."""
        self._keep(ScreenLayout())
        self._choose_columns()

    def sort(self) -> None:
        """Sort as the user last sorted this screen; by default its standard column, largest on top."""
        layout, table = self.layout, self._view.table
        table.sort_by_id(layout.sort or self._view.chosen_screen.default_sort, descending=layout.descending)

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

    def _choose_columns(self, *, silently: bool = False) -> None:
        options = replace(self.current, counters=self.layout.columns)
        if silently:
            self.current = options
        else:
            self._choose(options, other_screen=True)

    def _keep(self, layout: ScreenLayout) -> None:
        self._layouts.keep(self._view.chosen_screen.id, layout)

    def _keep_sorting(self) -> None:
        column, descending = self._view.table.sorting
        standard = (column, descending) == (self._view.chosen_screen.default_sort, True)
        self._keep(replace_struct(self.layout, sort="" if standard else column, descending=descending))

    def _expand(self, refs: frozenset[EntityRef]) -> None:
        self._choose(replace(self.current, expanded=self.current.expanded ^ refs))

    def _ask_columns(self) -> None:
        screen = self._view.chosen_screen
        choices = field_choices(screen, self.current.counters, self._desk.catalogue)
        dialog = FieldsDialog(screen.title, choices, screen.standard, screen.classic, self._view)
        dialog.accepted.connect(lambda: self.set_columns(dialog.chosen()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _show_all(self) -> None:
        """Remove everything that hides rows: filter, VMs only, and the scope's entities."""
        self._view.filter.clear()
        self._view.only_vms.setChecked(False)
        if self.current.chosen:
            self._desk.scope.set(self._desk.scope.scope.on(()))
