"""Shows the pinned moment in the window's frame: the pill beside the scope bar, the action that lets go."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.navigation import show_moment
from app.gui.window import Window

_DAY_S = 86_400


class MomentFrame(QObject):
    """Keeps pill, action and the meaning of Escape in step with the pinned moment."""

    def __init__(self, window: Window, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._desk = window, desk
        desk.moment.changed.connect(self._show)
        desk.times.changed.connect(self._show)
        window.top.moment.wanted.connect(lambda: show_moment(desk))
        self._show()

    def _show(self) -> None:
        at, clock, whole = self._desk.moment.at, self._desk.times.clock, self._desk.session.whole
        is_pinned = at is not None
        self._window.actions_by_id["go.release"].setEnabled(is_pinned)
        self._window.actions_by_id["go.moment"].setEnabled(is_pinned)
        self._window.messages.take_escape(on=not is_pinned)  # a key has one meaning at a time
        if at is None or whole is None or whole.span is None:
            self._window.top.moment.show_moment("")
            return
        is_long = whole.span.seconds > _DAY_S
        self._window.top.moment.show_moment(
            clock.day_time(at) if is_long else clock.time(at), clock.stamp(at)
        )
