"""Joins the lab that this window records with the troubleshooting: there a fix can be made with a click."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.palette import Entry
from app.gui.recorder_process import RecorderProcess, RecordRequest
from app.gui.recording import Recordings, ignore_result
from app.gui.session_files import recordings_folder, session_for
from recorder.protocol import Acted
from resources.lab_acts import LabCase, load_lab_acts
from sessions.times import now_ms, parse_time

_LAB = "lab:"


class LabHands(QObject):
    """Knows whether the open session is a lab that our recorder writes, and starts cases to practise on."""

    def __init__(self, desk: Desk, recordings: Recordings, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._recordings = desk, recordings
        self._lab = desk.troubleshooting.lab
        self._lab.follow(self._process)
        desk.troubleshooting.fix.now = self._now
        desk.session.opened.connect(lambda _snapshot: self._lab.look())
        desk.session.closed.connect(self._lab.look)
        recordings.began.connect(self._began)
        recordings.over.connect(self._lab.look)

    def cases(self) -> list[Entry]:
        """Return an entry of the palette for each case to practise on."""
        icon = self._desk.theme.icons.get("lab")
        return [
            Entry(f"Lab: {one.title}", "a case to practise on", icon, lambda one=one: self.practise(one))  # type: ignore[misc]
            for one in self.known()
        ]

    def known(self) -> Sequence[LabCase]:
        """Return the cases to practise on."""
        return load_lab_acts().cases

    def practise(self, case: LabCase) -> None:
        """Record a case into a new session, at the speed of the settings, until somebody stops it."""
        settings = self._desk.settings
        folder = recordings_folder(settings.text("record.folder"))
        session = session_for(f"Lab {case.scenario}", folder, datetime.now().astimezone())
        source = load_lab_acts().address_of(case, settings.text("lab.fields"))
        request = RecordRequest((source,), str(session), speed=float(settings.number("lab.speed")))
        ignore_result(self._recordings.start(request))

    def _process(self) -> RecorderProcess | None:
        process = self._recordings.process
        if process is None or process.is_test or not self._recordings.is_recording(self._desk.session.path):
            return None
        sources = process.request.sources
        return process if len(sources) == 1 and sources[0].startswith(_LAB) else None

    def _began(self, process: RecorderProcess) -> None:
        process.acted.connect(self._acted)
        process.warned.connect(lambda _warning: self._lab.refused.emit())
        process.changed.connect(lambda _state: self._lab.look())

    def _acted(self, act: Acted) -> None:
        if not act.is_seen:  # it was done in a guest: the admin knows, no source does
            self._desk.troubleshooting.fix.expect(act.text, parse_time(act.at))
        self._desk.troubleshooting.fix.is_made = True
        self._desk.session.check_now()
        self._lab.acted.emit(act)

    def _now(self) -> int:
        """The time on the clock of what is recorded: a lab has a calendar of its own."""
        whole = self._desk.session.whole
        if whole is None or self._recordings.is_recording(whole.path):
            return self._recordings.mark_time()
        is_lab = any(one.spec.kind == "lab" for one in whole.sources)
        return whole.span.end if is_lab and whole.span is not None else now_ms()
