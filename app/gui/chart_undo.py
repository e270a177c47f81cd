"""Undoes what the user did to the charts: brings closed ones back, and moved ones to their places."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand

from app.gui.chart_board import ChartBoard
from app.gui.desk import Desk
from app.gui.undoing import Undoing
from resources.foreign_text import shown
from viewmodels.chart_choice import ChartChoice
from viewmodels.chart_curves import CurveLabels

_QUOTED = 60


class ChartUndo(QObject):
    """Offers to undo whenever a chart was closed; the step of moving one can be undone, too."""

    def __init__(self, desk: Desk, undoing: Undoing, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._undoing = desk, undoing
        self._is_stepping = False
        desk.charts.removed.connect(self._offer)
        desk.charts.moved.connect(self._keep_move)

    def _offer(self, before: ChartChoice, number: int) -> None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        labels = CurveLabels(self._desk.catalogue, self._desk.entity_limits)
        spec, _curves = labels.drawn(before.charts[number], {}, snapshot)
        self._undoing.push(_Reopen(self._desk.charts, before, number))
        self._undoing.offer(f"Chart closed: “{shown(spec.shown_title, _QUOTED)}”.")

    def _keep_move(self, at: int, to: int) -> None:
        if not self._is_stepping:
            self._undoing.push(_Move(self._step, at, to))

    def _step(self, at: int, to: int) -> None:
        """Move a chart as a step of the history, which is no new one."""
        if max(at, to) < len(self._desk.charts.charts):
            self._is_stepping = True
            self._desk.charts.move(at, to)
            self._is_stepping = False


class _Move(QUndoCommand):
    """The step of moving a chart, which was done already when it is pushed."""

    def __init__(self, move: Callable[[int, int], None], at: int, to: int) -> None:
        super().__init__("move chart")
        self._move, self._at, self._to = move, at, to
        self._is_done = True

    def redo(self) -> None:
        """Move the chart again."""
        if not self._is_done:
            self._move(self._at, self._to)
        self._is_done = False

    def undo(self) -> None:
        """Move the chart back."""
        self._move(self._to, self._at)


class _Reopen(QUndoCommand):
    """The step of closing a chart, which was done already when it is pushed."""

    def __init__(self, board: ChartBoard, before: ChartChoice, number: int) -> None:
        super().__init__("close chart")
        self._board, self._before, self._number = board, before, number
        self._after = board.choice
        self._is_done = True

    def redo(self) -> None:
        """Close the chart again."""
        if not self._is_done:
            self._board.drop(self._before.charts[self._number])
        self._is_done = False

    def undo(self) -> None:
        """Put the chart back: where it was, or beside those that the user has now."""
        self._board.put_back(self._before, self._number, self._after)
