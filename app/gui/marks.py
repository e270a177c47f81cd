"""Marks: adds, changes and removes them on the user's request; each change can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QUndoCommand

from app.gui.desk import Desk
from app.gui.mark_store import MarkChange, MarkStore
from app.gui.recording import Recordings
from app.gui.undoing import Undoing
from app.gui.window import Window
from resources.failures import BusyError, HyperscopeError
from resources.foreign_text import shown
from sessions.model import Mark, Source
from widgets.marks import MarkNote

_QUOTED = 60


class Marking(QObject):
    """Asks for a mark's note, stores the mark, and hands on the steps to undo."""

    def __init__(
        self, desk: Desk, window: Window, recordings: Recordings, undoing: Undoing, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk, self._window, self._recordings = desk, window, recordings
        self._undoing = undoing
        self._store = MarkStore(desk, recordings, self)
        self._store.failed.connect(self._show_error)
        self._store.lost.connect(self._lost)
        desk.marks.edit.connect(self.edit)
        desk.marks.remove.connect(self.remove)

    def drop(self, at: int | None) -> None:
        """Ask for a note and add a mark at the time ``at`` (ms).

        None is the pinned moment; without one it is now, or the end of the shown window.
        """
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        pinned = self._desk.moment.at if at is None else at
        when = self._now() if pinned is None else pinned
        if when is None:
            self._desk.notify("A mark needs recorded samples, and there are none yet.", "info")
            return
        is_now = pinned is None and self._recordings.is_recording(snapshot.path)
        note = MarkNote(self._desk.theme, self._time(when), self._window, is_now=is_now)
        note.noted.connect(lambda text: self._do("drop mark", MarkChange(None, Mark(when, text))))
        note.show_under(self._window.top.mark)

    def edit(self, mark: Mark, place: QPoint | None = None) -> None:
        """Ask for a new note of a mark, in a popup above ``place`` on the screen."""
        note = MarkNote(self._desk.theme, self._time(mark.at), self._window, mark.text)
        note.noted.connect(lambda text: self._change(mark, text))
        note.removed.connect(lambda: self.remove(mark))
        if place is None:
            note.show_under(self._window.top.mark)
        else:
            note.show_above(place)

    def remove(self, mark: Mark) -> None:
        """Remove a mark."""
        self._do("remove mark", MarkChange(mark, None), f"Mark removed{_quoted(mark)}.")

    def _change(self, mark: Mark, text: str) -> None:
        self._do("change note", MarkChange(mark, Mark(mark.at, text)), "Note changed.")

    def _do(self, title: str, change: MarkChange, undo_text: str = "") -> None:
        self._undoing.push(_Step(title, change, self._store, lambda: self._offer_undo(undo_text)))

    def _offer_undo(self, undo_text: str) -> None:
        if undo_text:
            self._undoing.offer(undo_text)

    def _now(self) -> int | None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return None
        if self._recordings.is_recording(snapshot.path):
            return self._recordings.mark_time() + clock_offset_ms(snapshot.sources)
        window = self._desk.scope.scope.window_in(snapshot.span)
        return window.end if window else None

    def _time(self, at: int) -> str:
        return self._desk.times.clock.moment(at)

    def _lost(self) -> None:
        self._undoing.forget()
        self._desk.notify("This mark is not in the session any more; nothing was changed.", "warning")

    def _show_error(self, error: HyperscopeError) -> None:
        self._undoing.forget()
        if isinstance(error, BusyError):
            self._desk.notify(
                "The mark was not stored: another program is writing this session. "
                "Drop, change and remove marks in the window that records.",
                "warning",
            )
        else:
            self._desk.notify(f"The mark was not stored. {error}", "critical")


class _Step(QUndoCommand):
    """A change on the undo stack; ``done`` is called once, after the first time that it was made."""

    def __init__(self, title: str, change: MarkChange, store: MarkStore, done: Callable[[], None]) -> None:
        super().__init__(title)
        self._change, self._store = change, store
        self._done: Callable[[], None] | None = done

    def redo(self) -> None:
        """Make the change; Qt also calls this when the step is pushed onto the stack."""
        done, self._done = self._done, None
        self._store.change(self._change, done or _nothing)

    def undo(self) -> None:
        """Reverse the change."""
        self._store.change(self._change.reverse, _nothing)


def clock_offset_ms(sources: Sequence[Source]) -> int:
    """Return how far the clock of the source with the newest sample is ahead of this computer's, in ms."""
    given = [source for source in sources if source.end is not None]
    newest = max(given, key=lambda source: source.end or 0, default=None)
    return newest.spec.clock_offset_ms if newest is not None else 0


def _quoted(mark: Mark) -> str:
    return f": “{shown(mark.text, _QUOTED)}”" if mark.text else ""


def _nothing() -> None:
    """Do nothing: the views are updated when the session changes."""
