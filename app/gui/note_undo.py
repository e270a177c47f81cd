"""Undoes what the user did to the notes of a guided run: written ones go, removed ones come back."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand

from app.gui.troubleshooting_model import TroubleshootingModel
from app.gui.undoing import Undoing
from resources.foreign_text import shown
from sessions.troubleshooting import Note

_QUOTED = 60


class NoteUndo(QObject):
    """Keeps a step for each change of the notes, and offers to undo a removal."""

    def __init__(self, model: TroubleshootingModel, undoing: Undoing, parent: QObject) -> None:
        super().__init__(parent)
        self._model, self._undoing = model, undoing
        model.notes.changed.connect(self._keep)

    def _keep(self, before: tuple[Note, ...], after: tuple[Note, ...]) -> None:
        self._undoing.push(_Notes(self._model, before, after))
        for gone in before:
            if gone not in after:
                self._undoing.offer(f"Note removed: “{shown(gone.text, _QUOTED)}”.")


class _Notes(QUndoCommand):
    """The step of changing the notes of the run that is shown, which was done already when it is pushed.

    While another run is shown it does nothing.
    """

    def __init__(
        self, model: TroubleshootingModel, before: tuple[Note, ...], after: tuple[Note, ...]
    ) -> None:
        super().__init__("write note" if len(after) > len(before) else "remove note")
        self._model, self._before, self._after = model, before, after
        self._question = model.question
        self._is_done = True

    def redo(self) -> None:
        """Change the notes again."""
        if not self._is_done:
            self._set(self._after)
        self._is_done = False

    def undo(self) -> None:
        """Have the notes as they were."""
        self._set(self._before)

    def _set(self, notes: tuple[Note, ...]) -> None:
        if self._model.question == self._question:
            self._model.set_notes(notes)
