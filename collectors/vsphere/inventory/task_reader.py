"""Reads the server's tasks: those that ended since the last reading, and those in progress."""

from __future__ import annotations

import time
from datetime import datetime

from collectors.vsphere.inventory import requests
from collectors.vsphere.inventory.event_reader import truncation_note
from collectors.vsphere.inventory.history_reader import HistoryReader, has_no_history
from collectors.vsphere.inventory.tasks import RawTask, read_tasks
from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from resources.failures import PrivilegeError
from resources.vcenter_events import EventKnowledge

_WHAT = "its tasks"
_OVER, _UNDER_WAY = ("success", "error"), ("running", "queued")


class TaskReader:
    """Tasks that ended at or after ``begin`` (ms, server's clock), and those in progress. Not thread-safe.

    Tasks are read by the time of their end, so that none is lost however long it took or however long we were
    disconnected; a reading costs three small calls. ``refused`` is the reason why the server gives no tasks,
    empty otherwise.
    """

    def __init__(self, vsphere: VSphere, known: EventKnowledge, begin: int) -> None:
        self._vsphere = vsphere
        self._reading = known.reading
        self._from = begin
        self._look_back = round(known.reading.look_back_s * 1000)
        self._read: dict[str, int] = {}
        self._next_running = 0.0
        self._labels: dict[str, str] | None = None
        self._over = self._past(_OVER)
        self._running = self._past(_UNDER_WAY)
        self.refused = ""

    def _past(self, states: tuple[str, ...]) -> HistoryReader[RawTask]:
        def make(begin: datetime | None, end: datetime | None) -> bytes:
            return requests.create_task_collector(self._manager(), states, begin, end)

        return HistoryReader(
            self._vsphere, _WHAT, self._reading, "TaskHistoryCollector", "ReadNextTasks", make, read_tasks
        )

    def _manager(self) -> str:
        return self._vsphere.ask(_WHAT, lambda connection: str(connection.content.taskManager._moId))

    @property
    def cut(self) -> str:
        """A sentence on older tasks that were not read because there are too many; empty for none."""
        return truncation_note("tasks", self._over.cut, self._reading.max_count)

    def read(self, now: int, *, running: bool = False) -> list[RawTask]:
        """Return the tasks that ended since the last call, oldest first, and those in
        progress if that is due.

        ``running`` makes the tasks in progress due; ``now`` is the server's time (ms). Raises SourceError.
        """
        if self.refused:
            return []
        if now < self._from:
            self._from = now - self._look_back
        try:
            over = self._over.between(self._from, now)
            under_way: list[RawTask] = []
            if running or time.monotonic() >= self._next_running:
                under_way = self._running.all()
                self._next_running = time.monotonic() + self._reading.running_s
            if (over or under_way) and self._labels is None:
                self._labels = self._vsphere.ask(_WHAT, _labels)
        except (PrivilegeError, SoapFault) as error:
            if isinstance(error, SoapFault) and not has_no_history(error):
                raise
            self.refused = error.happened
            return []
        return self._new(over, now) + under_way  # nothing is taken for read before all has come

    def label(self, task: RawTask) -> str:
        """Return the name of the task in the vSphere Client."""
        return (self._labels or {}).get(task.id) or task.name or task.id

    def _new(self, tasks: list[RawTask], now: int) -> list[RawTask]:
        new = {
            task.key: task
            for task in tasks
            if task.end is not None and task.key not in self._read and task.end >= self._from
        }
        self._from = max(self._from, now - self._look_back)
        self._read |= {key: task.end or 0 for key, task in new.items()}
        self._read = {key: end for key, end in self._read.items() if end >= self._from}
        return sorted(new.values(), key=lambda task: task.end or 0)


def _labels(connection: Connection) -> dict[str, str]:
    described = connection.content.taskManager.description
    return {str(one.key): str(one.label or "") for one in described.methodInfo or ()}
