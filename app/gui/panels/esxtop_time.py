"""Which moment the esxtop page shows: the pinned one, else the end of the scope's window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.gui.desk import Desk
from sessions.times import TimeRange
from widgets.esxtop import EsxtopView


class EsxtopTime(QObject):
    """Connects the page's time slider to the pinned moment; ``changed``: another moment is to be shown."""

    changed = Signal()

    def __init__(self, desk: Desk, view: EsxtopView) -> None:
        super().__init__(view)
        self._desk = desk
        self._end: int | None = None
        view.moved.connect(self._slide_to)
        view.stepped.connect(lambda count: desk.moment.step(count, self.at))
        desk.moment.changed.connect(lambda _at: self.changed.emit())

    @property
    def at(self) -> int | None:
        """The moment to show in ms; None if there is nothing to show."""
        span = self._span
        if span is None:
            return None
        chosen = self._end if self._desk.moment.at is None else self._desk.moment.at
        return span.end if chosen is None else chosen

    @property
    def is_at_end(self) -> bool:
        """True if the newest samples are shown."""
        return self._desk.moment.at is None and self._end is None

    def show_end(self, end: int | None) -> None:
        """Show the time ``end`` (ms) while no moment is pinned; None is the session's end, while it grows."""
        self._end = end
        if self._desk.moment.at is None:
            self.changed.emit()

    def forget(self) -> None:
        """Begin at the end of the next session."""
        self._end = None

    def part_of(self, at: int) -> float:
        """Return where a time is in the session, from 0 to 1 (its end)."""
        span = self._span
        if span is None or at >= span.end:
            return 1.0
        return (at - span.start) / (span.end - span.start)

    def _slide_to(self, part: float) -> None:
        """Pin the moment that the slider was moved to; at its right end go back to the newest samples."""
        span = self._span
        if part >= 1.0 and self._end is None:
            self._desk.moment.release()
        elif span is not None:
            self._desk.moment.pin(span.start + round((span.end - span.start) * part))

    @property
    def _span(self) -> TimeRange | None:
        snapshot = self._desk.session.snapshot
        return snapshot.span if snapshot is not None else None
