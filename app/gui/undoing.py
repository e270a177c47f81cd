"""Undo and redo of what the user did to the open session: marks, notes, charts closed."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack
from shiboken6 import isValid

from app.gui.desk import Desk
from app.gui.window import Window
from widgets.messages import MessageAction


class Undoing(QObject):
    """Keeps the steps to undo, in one order for all kinds of them, until another session is opened."""

    def __init__(self, desk: Desk, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._stack = QUndoStack(self)
        self._offered = ""
        desk.session.opened.connect(lambda _snapshot: self.forget())
        desk.session.closed.connect(self.forget)
        for signal in (self._stack.indexChanged, self._stack.canUndoChanged, self._stack.canRedoChanged):
            signal.connect(lambda _value: self._enable())
        self._enable()

    def push(self, step: QUndoCommand) -> None:
        """Add a step; it is made now, as Qt calls its ``redo``. What an earlier message offers to undo is
        not the last step any more.
        """
        self._withdraw()
        self._stack.push(step)

    def offer(self, text: str) -> None:
        """Say what was done, with a button that undoes it."""
        self._offered = text
        self._desk.notify(text, action=MessageAction("Undo", self.undo))

    def undo(self) -> None:
        """Undo the last step."""
        self._tell("Undone", self._stack.undoText())
        self._stack.undo()

    def redo(self) -> None:
        """Make the step again that was undone last."""
        self._tell("Done again", self._stack.redoText())
        self._stack.redo()

    def forget(self) -> None:
        """Forget all steps."""
        self._withdraw()
        self._stack.clear()

    def _tell(self, word: str, what: str) -> None:
        self._withdraw()
        if what:
            self._desk.notify(f"{word}: {what}.", "info")

    def _withdraw(self) -> None:
        self._window.messages.dismiss(self._offered)
        self._offered = ""

    def _enable(self) -> None:
        if not isValid(self._stack):
            return  # it clears itself as it goes with the window, and says so
        for name, can in (("edit.undo", self._stack.canUndo()), ("edit.redo", self._stack.canRedo())):
            self._window.actions_by_id[name].setEnabled(can)
