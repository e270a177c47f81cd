"""Runs tests as recordings of this window, goes on with interrupted ones, and puts back what they left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.recorder_process import TestRequest
from app.gui.recording import Recordings, ignore_result
from app.gui.restoring import RESTORE, Restoring
from app.gui.session_files import recordings_folder, session_for
from app.gui.views import Views
from app.gui.window import Window
from recorder.protocol import Ended
from recorder.shortfalls import shortfalls
from resources.failures import HyperscopeError
from resources.foreign_text import shown
from resources.units import format_count, format_duration
from sessions.store.lock import real_path
from widgets.messages import Level, MessageAction

_LEVELS: tuple[Level, ...] = ("ok", "info", "warning", "critical")
_LONGEST = 560


class TestRuns(QObject):
    """Starts the runs. ``stop`` ends the window's recording, which one run at a time may wait for."""

    __test__ = False  # pytest: this is none of its tests

    def __init__(
        self,
        desk: Desk,
        window: Window,
        recordings: Recordings,
        views: Views,
        stop: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._desk, self._window, self._recordings, self._views = desk, window, recordings, views
        self._stop = stop
        self._restoring = Restoring(desk, self)
        self._waiting: TestRequest | None = None
        desk.tests.places.recorded_address = self._recorded_address
        recordings.over.connect(self._start_waiting)
        recordings.test_ended.connect(self._say_end)

    def run(self, plan: Path, name: str, sources: tuple[str, ...], confirmed: tuple[str, ...]) -> None:
        """Run the test of a plan into a new session, whose file begins with ``name``.

        ``confirmed`` are the ends of the UUIDs of disks that were typed.
        """
        folder = recordings_folder(self._desk.settings.text("record.folder"))
        session = session_for(name, folder, datetime.now().astimezone())
        request = TestRequest(str(plan), sources, str(session), confirmed)
        running = self._recordings.process
        if running is None or running.is_test:  # a test is ended by its user only
            ignore_result(self._recordings.start(request))
        elif all(one.startswith("lab:") for one in (*running.request.sources, *sources)):
            self._give_way(request)  # one lab gives way to another; a real recording is stopped by its user
        else:
            self._window.messages.show_message(
                "This window records already. The test records the same counters, into a session of its own.",
                "warning",
                button="Stop recording, start the test",
                act=lambda: self._give_way(request),
            )

    def act(self, act: str) -> None:
        """Go on with the open session's run (``resume``), or put back what it left (``restore``)."""
        path = self._desk.session.path
        if path is None:
            return
        if act == "restore":
            self._restoring.begin(path)
        else:
            self._ask_to_resume(path)

    def _say_end(self, session: Path, ended: Ended) -> None:
        """Say what a test came to and what it left changed, with what can be done about it."""
        end = ended.test
        if end is None:
            return
        level: Level = next((one for one in _LEVELS if one == end.state), "warning")
        text = shown(" ".join(filter(None, (end.text, _samples_text(ended)))), _LONGEST)
        show = MessageAction("Show the result", lambda: self._show_result(session))
        if end.open:
            restore = MessageAction(RESTORE, lambda: self._restoring.begin(session))
            self._window.messages.notify(text, level, action=restore, more=[show])
        else:
            self._window.messages.notify(text, level, action=show if end.state != "ok" else None)

    def _show_result(self, session: Path) -> None:
        """Show the result of the newest run of a session, which is opened if it is not."""
        tests, path = self._desk.tests, self._desk.session.path
        if path is None or real_path(path) != real_path(session):
            self._desk.session.open(session)
            self._window.show_panel("tests")
        elif tests.records.runs:
            self._window.show_panel("tests")
            tests.look_at(tests.records.runs[-1].id)

    def _ask_to_resume(self, session: Path) -> None:
        """Go on with the session's run, when the disks that it overwrites were typed anew."""
        from app.gui.plan_files import ask_to_overwrite  # noqa: PLC0415 - what it is about takes long to load
        from wizards.flows.plan_file import parse_plan  # noqa: PLC0415

        def resume(confirmed: tuple[str, ...]) -> None:
            ignore_result(self._recordings.start(TestRequest("", (), str(session), confirmed)))

        runs = self._desk.tests.records.runs
        try:
            plan = parse_plan(runs[-1].plan) if runs else None
        except HyperscopeError as error:
            self._desk.notify(str(error), "critical")
            return
        if plan is None:
            resume(())
        else:
            ask_to_overwrite(self._desk.theme, plan, None, self._window, resume)

    def shutdown(self) -> None:
        """Wait for what is being put back."""
        self._restoring.shutdown()

    def _give_way(self, request: TestRequest) -> None:
        """Start a test when the recording has ended."""
        self._waiting = request
        self._stop()

    def _start_waiting(self) -> None:
        request, self._waiting = self._waiting, None
        if request is not None:
            ignore_result(self._recordings.start(request))

    def _recorded_address(self) -> str:
        """Return the address of the vCenter from which the open session was recorded, with its user."""
        process, request = self._recordings.process, self._views.request()
        sources: tuple[str, ...] = ()
        if process is not None and self._recordings.is_recording(self._desk.session.path):
            sources += process.request.sources
        if request is not None:
            sources += request.sources
        return next((one for one in sources if one.startswith("vcenter:")), "")


def _samples_text(ended: Ended) -> str:
    """Return the sentence on what a run recorded, and what of it did not come."""
    samples = f"{format_count(ended.samples)} samples in {format_duration(ended.seconds)}"
    return f"{'; '.join((samples, *shortfalls(ended)))}."
