"""The lab that is recorded into the open session: it can be changed, in the place of the vSphere Client."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.gui.recorder_process import RecorderProcess
from app.recording.schemes import scheme_of


class LabModel(QObject):
    """Signals: ``changed`` when a lab can be changed, or not any more; ``acted`` with what was done (Acted);
    ``refused`` when it could not be done.
    """

    changed = Signal()
    acted = Signal(object)
    refused = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: Callable[[], RecorderProcess | None] = lambda: None
        self.is_there = False

    def follow(self, process: Callable[[], RecorderProcess | None]) -> None:
        """``process`` returns the recorder of a lab that writes the open session, None if there is none."""
        self._process = process

    def look(self) -> None:
        """The recording has begun or ended, or another session is open."""
        is_there = self._process() is not None
        if is_there != self.is_there:
            self.is_there = is_there
            self.changed.emit()

    def act(self, what: str, kind: str, name: str) -> None:
        """Do something about an entity (an id of ``resources.lab_acts``)."""
        process = self._process()
        if process is not None:
            address = process.request.sources[0]
            process.act(str(scheme_of(address).parse(address)), what, kind, name)  # as the recorder calls it
