"""Says wherever the user is that a run was interrupted, and offers to put back what it left."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.recording import DIED, Recordings
from app.gui.restoring import RESTORE
from app.gui.window import Window
from widgets.messages import MessageAction
from wizards.flows.gallery import Interrupted


class InterruptedNotice(QObject):
    """Shows a message for each run that ended without putting everything back, once for each opening of its
    session, unless a message offers that already. It stays until it is closed, or everything is put back.
    """

    def __init__(self, desk: Desk, window: Window, recordings: Recordings, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window, self._recordings = desk, window, recordings
        self._left: Interrupted | None = None
        self._is_said = False
        self._offers: list[str] = []
        desk.tests.changed.connect(self._look)
        desk.session.closed.connect(self._forget)
        window.pages.currentChanged.connect(lambda _page: self._say())
        recordings.over.connect(self._say)

    def _forget(self) -> None:
        self._left, self._is_said = None, False

    def _look(self) -> None:
        left = self._desk.tests.interrupted(self._desk.times.clock.stamp)
        if left == self._left:
            return
        for text in self._offers:
            self._window.messages.dismiss(text)
        if left is None:
            self._dismiss_death()  # all is put back meanwhile: nothing is left to be shown, or to go on
        self._offers = []
        self._left, self._is_said = left, False
        self._say()

    def _is_seen(self) -> bool:
        """Return True while the page of the tests is in front, which has a bar for it."""
        page = self._window.pages.currentWidget()
        return page is not None and page.objectName() == "panel-tests"

    def _say(self) -> None:
        left = self._left
        if left is None or self._is_said or self._is_seen():
            return
        if self._recordings.is_recording(self._desk.session.path):
            return  # it is still being written, and says by itself how it ended
        self._is_said = True
        messages, act = self._window.messages, self._desk.recording.act_on_run
        self._offers = [one.text for one in messages.shown if RESTORE in [each.title for each in one.actions]]
        if self._offers:
            return  # the run has just ended, and says it
        self._dismiss_death()  # it says less of the same
        more = [MessageAction("Details", lambda: self._show(left.run))]
        if left.can_resume:
            more.insert(0, MessageAction("Resume", lambda: act("resume")))
        self._offers = [_text(left)]
        messages.notify(
            _text(left), "critical", action=MessageAction(RESTORE, lambda: act("restore")), more=more
        )

    def _dismiss_death(self) -> None:
        messages = self._window.messages
        for one in messages.shown:
            if one.text.startswith(DIED):
                messages.dismiss(one.text)

    def _show(self, run: str) -> None:
        self._window.show_panel("tests")
        self._desk.tests.look_at(run)


def _text(left: Interrupted) -> str:
    return f"{left.title}. {left.text}"
