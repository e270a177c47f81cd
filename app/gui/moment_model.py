"""The pinned moment: one instant of the session that charts, timeline, heat map and the esxtop page share."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.gui.session_model import SessionModel


class MomentModel(QObject):
    """Holds the instant that the user pinned, until the user lets go of it or the session is closed.

    ``changed`` carries the instant in ms (an int), or None when it was released.
    """

    changed = Signal(object)

    def __init__(self, session: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._at: int | None = None
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

    def release(self) -> None:
        """Let go of the pinned instant."""
        self._set(None)

    def _set(self, at: int | None) -> None:
        if at != self._at:
            self._at = at
            self.changed.emit(at)
