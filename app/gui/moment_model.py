"""The pinned moment: one instant of the session that charts, timeline, heat map and the esxtop page share."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.gui.jobs import Job
from app.gui.session_model import SessionModel
from sessions.store import SessionReader
from viewmodels.sample_steps import session_step
from viewmodels.snapshot import USUAL_INTERVAL_S


class MomentModel(QObject):
    """Holds the instant that the user pinned, until the user lets go of it or the session is closed.

    ``changed`` carries the instant in ms (an int), or None when it was released.
    """

    changed = Signal(object)

    def __init__(self, session: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._at: int | None = None
        self._steps = 0
        session.closed.connect(self.release)

    @property
    def at(self) -> int | None:
        """The pinned instant in ms, None if none is pinned."""
        return self._at

    def pin(self, at: int) -> None:
        """Pin the instant ``at`` (ms), or the nearest one within the session; nothing without samples."""
        whole = self._session.whole
        span = whole.span if whole is not None else None
        if span is not None:
            self._set(min(max(at, span.start), span.end))

    def step(self, count: int, start: int | None = None, *, then: Callable[[], None] | None = None) -> None:
        """Pin the sample ``count`` samples of the session later (earlier, if negative).

        Steps are counted from the pinned moment, else from ``start`` (ms). The sample is looked for in a
        worker; further steps meanwhile are added to these. ``then`` is called when it is pinned.
        """
        snapshot, before = self._session.snapshot, self._at
        base = start if before is None else before
        if snapshot is None or snapshot.span is None or base is None:
            return
        self._steps += count
        steps, span, intervals = self._steps, snapshot.span, snapshot.intervals
        sources = [source.id for source in snapshot.sources]
        interval = min((intervals.get(one, USUAL_INTERVAL_S) for one in sources), default=USUAL_INTERVAL_S)

        def work(reader: SessionReader, _job: Job) -> int | None:
            return session_step(reader, sources, base, steps, interval * 1000, span) if steps else base

        def done(at: int | None) -> None:
            self._steps = 0
            if at is not None and self._at == before:
                self.pin(at)
                if then is not None:
                    then()

        self._session.query("moment.step", work, done)

    def release(self) -> None:
        """Let go of the pinned instant."""
        self._set(None)

    def _set(self, at: int | None) -> None:
        if at != self._at:
            self._at, self._steps = at, 0
            self.changed.emit(at)
