"""The context menu of the timeline: for a mark or a point without one, and for all events and marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, QPointF, Signal
from PySide6.QtWidgets import QWidget

from resources.foreign_text import shown
from sessions.model import Mark
from viewmodels.event_filter import EventChoice
from viewmodels.text_table import TextTable
from widgets.context_menu import ContextMenu, Entries, MenuEntry, table_entries
from widgets.copying import copy_text
from widgets.theme import Theme
from widgets.timeline.pointing import Pointing


class TimelineMenu(QObject):
    """Signals: ``edited`` and ``removed`` with a mark; ``dropped`` with the time (ms, None: asked for by the
    keyboard) at which to add one; ``unzoomed``; ``copied`` with a message; ``save_wanted`` with a FileOffer.

    ``pointing`` finds what is at a point, ``choose`` chooses a mark and ``chosen`` is the one that is;
    ``table``, which the owner sets, returns all events and marks that are shown, ``choices`` which logs and
    kinds of events can be hidden; ``toggled`` carries the choice that a click changed;
    ``before_wanted`` when the shown time is to be compared with before.
    """

    edited = Signal(object)
    removed = Signal(object)
    dropped = Signal(object)
    unzoomed = Signal()
    copied = Signal(str)
    save_wanted = Signal(object)
    toggled = Signal(object)
    before_wanted = Signal()

    def __init__(
        self,
        theme: Theme,
        view: QWidget,
        pointing: Callable[[], Pointing | None],
        choose: Callable[[Mark | None], None],
        chosen: Callable[[], Mark | None],
    ) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view
        self._pointing, self._choose, self._chosen = pointing, choose, chosen
        self.table: Callable[[], TextTable] = lambda: TextTable("Events and marks", (), ())
        self.choices: Callable[[], Sequence[EventChoice]] = tuple
        self._menu = ContextMenu(view, self._entries, self._place)

    def _entries(self, at: QPoint | None) -> Entries:
        pointing = self._pointing()
        if pointing is None:
            return []
        if at is not None:
            self._choose(pointing.mark_at(QPointF(at)))
        at_ms = pointing.scale.time(at.x()) if at is not None else None
        table = table_entries(
            self.table, self.copied.emit, self.save_wanted.emit, copy_text="Copy all events and marks"
        )
        shown_events = [
            MenuEntry(one.text, partial(self.toggled.emit, one), checked=one.is_shown)
            for one in self.choices()
        ]
        return [
            *self._of(self._chosen(), at_ms),
            None,
            *table,
            *([None] if shown_events else []),
            *shown_events,
        ]

    def _place(self) -> QPoint:
        pointing = self._pointing()
        return pointing.place_of(self._chosen()) if pointing is not None else self._view.rect().center()

    def _of(self, mark: Mark | None, at_ms: int | None) -> list[MenuEntry | None]:
        icons = self._theme.icons
        if mark is None:
            drop = lambda: self.dropped.emit(at_ms)  # noqa: E731 - used once, below
            return [
                MenuEntry("Drop a mark here…", drop, icon=icons.get("mark")),
                MenuEntry("Show the whole session", self.unzoomed.emit),
                MenuEntry("Compare the shown time with before", self.before_wanted.emit, "Ctrl+B"),
            ]
        return [
            MenuEntry("Change the note…", lambda: self.edited.emit(mark), "F2"),
            MenuEntry("Remove the mark", lambda: self.removed.emit(mark), "Del", icon=icons.get("close")),
            MenuEntry(
                "Copy the note", lambda: self.copied.emit(copy_text(shown(mark.text, 2_000), "The note was"))
            ),
        ]
