"""What the window does with sessions: opening, importing, recording, marks, the start page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from app.gui.actions import action
from app.gui.another_window import open_another
from app.gui.chart_undo import ChartUndo
from app.gui.closing import Closing
from app.gui.connecting import Connecting
from app.gui.crash_dialog import CrashReports
from app.gui.desk import Desk, RecordingControl
from app.gui.exporting import Exporting
from app.gui.importing import Importing
from app.gui.interrupted import InterruptedNotice
from app.gui.lab_hands import LabHands
from app.gui.marks import Marking
from app.gui.navigation import pin_worst_moment
from app.gui.note_undo import NoteUndo
from app.gui.opening import Opening
from app.gui.profiles import Profiles
from app.gui.recent import RecentSessions
from app.gui.recorder_process import RecordRequest, Request
from app.gui.recording import Recordings, ignore_result
from app.gui.saving import Saving
from app.gui.session_files import recordings_folder, session_for
from app.gui.shortcut_sheet import key_text
from app.gui.start_board import StartBoard
from app.gui.test_runs import TestRuns
from app.gui.undoing import Undoing
from app.gui.unfinished_tests import UnfinishedTests
from app.gui.view_state import ViewStates
from app.gui.views import Views
from app.gui.watching import Watching
from app.gui.window import Window
from sessions.findings import Finding
from sessions.scope import Scope
from sessions.store.lock import real_path
from viewmodels.chart_sets import charts_of_finding, window_around
from viewmodels.snapshot import Snapshot
from widgets.start import StartPage
from widgets.theme import Theme

_LAB = "lab:demo"
_CHOICES = {"connect": "file.connect", "open": "file.open", "import": "file.import", "lab": "file.lab"}


class Workbench(QObject):
    """Creates and connects the parts that work with sessions. ``join`` gives it the window."""

    def __init__(self, theme: Theme, recent: RecentSessions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._recent = recent
        keys = {name: key_text(action(identity).keys[0]) for name, identity in _CHOICES.items()}
        self.start_page = StartPage(theme, keys)

    @property
    def recording_control(self) -> RecordingControl:
        """What pages do with the recording."""
        return RecordingControl(
            pause=self._toggle_pause,
            stop=self._stop,
            is_paused=self._is_paused,
            act_on_run=self._act_on_run,
            forget_password=self._forget_password,
            connect=partial(self.start_page.chosen.emit, "connect"),  # as its choice on the start page
            watch=lambda refs: self._watching.entries(refs),  # noqa: PLW0108 - it is made later
        )

    def join(self, desk: Desk, window: Window, saving: Saving) -> None:
        """Create the parts for this desk and window; call this before the panels are made."""
        self._desk, folder = desk, desk.settings.folder
        self._views = Views(ViewStates(folder), desk, window, self)
        self.importing = Importing(desk, window, self)
        self.recordings = Recordings(desk, window, self)
        self.lab_hands = LabHands(desk, self.recordings, self)
        self._opening = Opening(desk, window, self.importing, self)
        self._connecting = Connecting(desk, window, self.recordings, Profiles(folder), self)
        self._watching = Watching(desk, window, self.recordings, self._connecting.ask_more, self)
        self.recordings.began.connect(lambda one: one.sources_changed.connect(self._views.take_request))
        desk.sources.removed.connect(self._watching.remove)
        desk.sources.added.connect(self._connecting.ask_more)
        self._test_runs = TestRuns(desk, window, self.recordings, self._views, self._stop, self)
        InterruptedNotice(desk, window, self.recordings, self)
        UnfinishedTests(desk, window, self.recordings, self.open_paths, self)
        self._undoing = Undoing(desk, window, self)
        self._marking = Marking(desk, window, self.recordings, self._undoing, self)
        ChartUndo(desk, self._undoing, self)
        NoteUndo(desk.troubleshooting, self._undoing, self)
        self._exporting = Exporting(desk, window, saving, self)
        self._closing = Closing(window, self.recordings, self.importing, self)
        self._board = StartBoard(self.start_page, self._recent, desk, self)
        self.importing.discarded.connect(self._board.drop)
        self.crashes = CrashReports(window, self)
        desk.jobs.crashed.connect(self.crashes.report)
        desk.session.closed.connect(window.messages.clear)  # what it says was of that session
        self.recordings.first_samples.connect(self._show_recording)
        self.recordings.begins.connect(self.start_page.progress.show_step)
        self.start_page.progress.stopped.connect(self._stop)
        actions = window.actions_by_id
        self.start_page.cases_wanted.connect(
            lambda: self.start_page.show_cases([one.title for one in self.lab_hands.known()])
        )
        self.start_page.practised.connect(lambda at: self.lab_hands.practise(self.lab_hands.known()[at]))
        self.start_page.chosen.connect(lambda name: actions[_CHOICES[name]].trigger())
        self.start_page.windowed.connect(lambda path: open_another(desk.jobs, Path(path)))
        self.start_page.opened.connect(lambda path: self.open_paths([Path(path)]))

    def handlers(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of the actions for files, recordings and marks, by action id."""
        return {
            "file.connect": self._connecting.ask,
            "file.open": self._opening.ask_session,
            "file.import": self._opening.ask_captures,
            "file.lab": self.try_lab,
            "file.export": lambda: self.export(None),
            "file.export_scope": lambda: self.export(self._desk.scope.scope),
            "file.another": lambda: open_another(self._desk.jobs, self._desk.session.path),
            "file.reveal": self._reveal,
            "record.mark": lambda: self.drop_mark(None),
            "edit.undo": self._undoing.undo,
            "edit.redo": self._undoing.redo,
            "record.add": self._connecting.ask_more,
            "record.pause": self.recordings.toggle_pause,
            "record.stop": self._stop,
            "record.resume": self.resume,
            "record.detach": self.recordings.detach,
        }

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open sessions, and import other files."""
        self._opening.open_paths(paths)

    def try_lab(self) -> None:
        """Record the lab's demonstration into a new session, at the speed of the settings."""
        folder = recordings_folder(self._desk.settings.text("record.folder"))
        session = session_for("Lab demo", folder, datetime.now().astimezone())
        speed = float(self._desk.settings.number("lab.speed"))
        fields = self._desk.settings.text("lab.fields")
        source = _LAB if fields == "all" else f"{_LAB}?fields={fields}"
        ignore_result(self.recordings.start(RecordRequest((source,), str(session), speed=speed)))

    def run_test(
        self, plan: Path, name: str, sources: tuple[str, ...], confirmed: tuple[str, ...] = ()
    ) -> None:
        """Run the test of a plan into a new session, whose file begins with ``name``.

        ``confirmed`` are the ends of the UUIDs of disks that were typed.
        """
        self._test_runs.run(plan, name, sources, confirmed)

    def _is_paused(self) -> bool:
        process = self.recordings.process
        return process is not None and process.state == "paused"

    def _toggle_pause(self) -> None:
        self.recordings.toggle_pause()

    def _act_on_run(self, act: str) -> None:
        self._test_runs.act(act)

    def _forget_password(self, source: str, then: Callable[[], None]) -> None:
        self._connecting.forget_password(source, then)

    def resume(self) -> None:
        """Record into the open session again, from the same sources."""
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        request = self._views.request() or self._request_of(snapshot)
        if request is None:
            self._desk.notify(
                "This window does not know how the session was recorded. Connect again: "
                "that makes a new session.",
                "warning",
            )
        else:
            ignore_result(self.recordings.start(request.with_session(snapshot.path)))

    def show_finding(self, finding: Finding) -> None:
        """Show a finding's entity over its windows, with its evidence in the charts, and pin its worst
        moment.
        """
        desk, snapshot = self._desk, self._desk.session.whole
        if snapshot is None:
            return
        window = window_around(finding, snapshot.span)
        desk.scope.set(desk.scope.scope.on([finding.entity]).during(window).of_sources(()))
        charts = charts_of_finding(finding, snapshot, desk.chart_templates, desk.entity_limits)
        desk.charts.choose(charts, [finding.entity])
        pin_worst_moment(desk, finding)

    def drop_mark(self, at: int | None) -> None:
        """Ask for a note and add a mark at the time ``at`` (ms; None: now or the end of the window)."""
        self._marking.drop(at)

    def export(self, scope: Scope | None) -> None:
        """Ask how to export a scope (None: the whole session)."""
        self._exporting.ask(scope)

    def _reveal(self) -> None:
        path = self._desk.session.path
        if path is not None:
            self._desk.reveal(path)

    def shutdown(self) -> None:
        """End the import and the recorder that run."""
        self.importing.shutdown()
        self.recordings.shutdown()
        self._test_runs.shutdown()

    def _stop(self) -> None:
        self._connecting.forget_restart()
        self.recordings.stop()

    def _show_recording(self, session: Path, request: Request) -> None:
        desk, scope = self._desk, self.recordings.live_scope()
        recorded = request if isinstance(request, RecordRequest) else None
        self._views.set_initial_view(session, scope, recorded)
        shown = desk.session.path
        if shown is not None and real_path(shown) == real_path(session):
            desk.scope.set(desk.scope.scope.during(scope.window, follow=True))
        else:
            desk.session.open(session)

    def _request_of(self, snapshot: Snapshot) -> RecordRequest | None:
        """Return how to record a lab's session again; None for other sources, whose user is unknown."""
        attributes = [
            dict(source.spec.attributes) for source in snapshot.sources if source.spec.kind == "lab"
        ]
        if not attributes or len(attributes) != len(snapshot.sources) or "scenario" not in attributes[0]:
            return None
        options = {"seed": "1", "fields": "all", **attributes[0]}
        source = f"lab:{options['scenario']}?seed={options['seed']}&fields={options['fields']}"
        speed = float(self._desk.settings.number("lab.speed"))
        return RecordRequest((source,), str(snapshot.path), speed=speed)
