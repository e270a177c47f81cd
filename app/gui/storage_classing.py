"""Has a worker find the classes of storage of a session, before a view asks for limits by class."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from viewmodels.entity_limits import EntityLimits
from viewmodels.snapshot import Change


class StorageClassing(QObject):
    """Begins when a session is opened, and anew when what tells a class, or what judges it, has changed.

    A session of 5,000 devices takes 30 ms, which the window then does not stand still for.
    """

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._begun: EntityLimits | None = None
        desk.session.opened.connect(self._begin)
        desk.session.changed.connect(self._renew)
        desk.session.closed.connect(self._forget)
        desk.thresholds.changed.connect(self._begin)

    def _begin(self) -> None:
        whole, limits = self._desk.session.whole, self._desk.entity_limits
        if whole is None or limits is self._begun:
            return
        self._begun = limits

        def work(job: Job) -> None:
            limits.find_classes(whole.entities, job.check)

        self._desk.jobs.start("storage-classes", "Finding classes of storage", work, lambda _none: None)

    def _renew(self, change: Change) -> None:
        if change.inventory:
            self._begin()

    def _forget(self) -> None:
        self._begun = None
        self._desk.jobs.cancel("storage-classes")
