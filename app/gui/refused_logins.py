"""Passwords that are refused while other sources are recorded: only what was refused begins again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.profile_check import address_of, login_of, refused_login
from app.gui.recorder_process import RecorderProcess, RecordRequest
from app.gui.recording import Recordings
from app.gui.source_labels import place_of, refused_sources
from recorder.protocol import AddSource, StatusReport

AskForPassword = Callable[[RecorderProcess, str, str], None]
"""Asks for another password: for which recorder, of which source, and with what message it was refused."""


class RefusedLogins(QObject):
    """Asks for the password of a source that was refused when the user says so, and has it recorded again."""

    def __init__(self, desk: Desk, recordings: Recordings, ask: AskForPassword, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._recordings, self._ask = desk, recordings, ask
        desk.sources.login_wanted.connect(self._wanted)

    def begin_again(self, process: RecorderProcess, login: str, password: str) -> bool:
        """Have what was refused with this login recorded again, beside what is recorded; return False if
        nothing else is.
        """
        request = process.request
        if process is not self._recordings.process or not isinstance(request, RecordRequest):
            return False
        if not _others_go_on(process.status):
            return False
        for one in refused_sources(process.status):
            asked = refused_login(one.name, one.message)
            if login_of(address_of(asked)) == login_of(address_of(login)):
                process.give_password(str(address_of(asked)), password)
                process.change_sources(AddSource(one.name, request.interval_s))
        return True

    def _wanted(self, source: str) -> None:
        process = self._recordings.process
        refused = refused_sources(process.status) if process is not None else []
        message = next((one.message for one in refused if one.name == source), "")
        if process is None or not message:
            self._desk.notify(f"{place_of(source)} does not wait for a password.", "ok")
        else:
            self._ask(process, source, message)


def _others_go_on(status: StatusReport) -> bool:
    return any(not one.is_over for one in status.collectors)
