"""The notes of the guided run that is shown: the user writes them and removes them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from sessions.times import now_ms
from sessions.troubleshooting import Note, TroubleshootingRun

Notes = tuple[Note, ...]


class RunNotes(QObject):
    """Signals: ``changed`` with the notes before and after the user wrote or removed one.

    ``run`` returns the run that is shown, ``keep`` keeps it with other notes.
    """

    changed = Signal(object, object)

    def __init__(
        self, run: Callable[[], TroubleshootingRun | None], keep: Callable[[Notes], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._run, self._keep = run, keep

    def add(self, text: str) -> None:
        """Add a note to the run."""
        from wizards.flows.troubleshooting.keeping import noted  # noqa: PLC0415 - not at the start

        run = self._run()
        if run is not None and text.strip():
            self._change(run.notes, noted(run, Note(now_ms(), text.strip())).notes)

    def remove(self, note: Note) -> None:
        """Remove a note from the run."""
        run = self._run()
        if run is not None and note in run.notes:
            self._change(run.notes, tuple(one for one in run.notes if one != note))

    def _change(self, before: Notes, after: Notes) -> None:
        self._keep(after)
        self.changed.emit(before, after)
