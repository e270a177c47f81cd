"""Goes to the gaps of a source, one after the other, and says what is missing."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from viewmodels.source_gaps import gap_text, gaps_of, window_around


class GapWalk(QObject):
    """Shows the next gap of a source each time that ``go`` is called: its time, and why, as a message."""

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._last: tuple[int, int] = (0, -1)
        desk.session.closed.connect(self._forget)

    def go(self, source: int) -> None:
        """Show the first gap of the source, or the one after that which was shown last."""
        snapshot = self._desk.session.whole
        gaps = gaps_of(source, snapshot) if snapshot is not None else ()
        if snapshot is None or not gaps:
            return
        before, number = self._last
        number = (number + 1) % len(gaps) if before == source else 0
        self._last = source, number
        window = window_around(gaps[number], snapshot)
        if window is None:
            return
        scope = self._desk.scope
        scope.set(scope.scope.during(window))
        self._desk.moment.pin(gaps[number].start)
        self._desk.notify(gap_text(number, gaps, snapshot, self._desk.times.clock))

    def _forget(self) -> None:
        self._last = 0, -1
