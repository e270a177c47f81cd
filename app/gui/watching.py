"""Watching hosts with esxtop while their vCenter is recorded: the menu entries, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.profile_check import kinds_offered
from app.gui.recorder_process import RecorderProcess
from app.gui.recording import Recordings
from app.gui.watched_hosts import WatchedHost, hosts_around, is_watched, watched_host
from app.gui.window import Window
from recorder.protocol import AddSource, CollectorReport, RemoveSource, StatusReport
from resources.failures import CancelledError, NoCountersError, PrivilegeError
from resources.foreign_text import shown
from resources.units import format_duration
from sessions.model import EntityRef
from widgets.connect import Place
from widgets.context_menu import Entries, MenuEntry
from widgets.messages import MessageAction

_MOST_HOSTS = 8
_LONGEST = 40
_REFUSED = (PrivilegeError.exit_code, NoCountersError.exit_code)


class Watching(QObject):
    """Adds the esxtop service of hosts to the running recording, and takes it out again.

    ``ask_more`` asks for a source that is added, with a place filled in: ssh, where the service is refused.
    """

    def __init__(
        self,
        desk: Desk,
        window: Window,
        recordings: Recordings,
        ask_more: Callable[[Place], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._desk, self._window, self._recordings, self._ask_more = desk, window, recordings, ask_more
        self._begun: dict[str, WatchedHost] = {}
        self._leaving: set[str] = set()
        recordings.began.connect(self._began)

    def entries(self, refs: Sequence[EntityRef]) -> Entries:
        """Return the entries about the hosts among these entities, or around them: none while nothing is
        recorded through which they could be asked.
        """
        hosts = self._hosts(refs)
        process = self._process
        if not hosts or len(hosts) > _MOST_HOSTS or process is None:
            return ()
        idle = [
            one for one in hosts if not self._is_ours(one) and not is_watched(one, process.status.sources)
        ]
        ours = [one for one in hosts if self._is_ours(one)]
        entries = []
        if idle:
            entries.append(
                MenuEntry(
                    f"Watch {_names(idle)} with esxtop",
                    partial(self.watch, idle),
                    why=f"Its own counters, every few seconds, through {shown(idle[0].server, _LONGEST)}; "
                    "each question costs the host some time.",
                )
            )
        if ours:
            entries.append(MenuEntry(f"Stop watching {_names(ours)} with esxtop", partial(self.leave, ours)))
        return entries

    def watch(self, hosts: Sequence[WatchedHost]) -> None:
        """Record the esxtop service of these hosts, too."""
        process = self._process
        if process is None:
            return
        for host in hosts:
            self._begun[host.address] = host
            self._leaving.discard(host.address)
            process.change_sources(AddSource(host.address))

    def leave(self, hosts: Sequence[WatchedHost]) -> None:
        """Record the esxtop service of these hosts no longer; what was recorded stays."""
        process = self._process
        if process is None:
            return
        for host in hosts:
            self._leaving.add(host.address)
            process.change_sources(RemoveSource(host.address))

    def remove(self, source: str) -> None:
        """Record a source (its address) no longer; the others go on."""
        process = self._process
        if process is not None:
            self._leaving.add(source)
            process.change_sources(RemoveSource(source))

    @property
    def _process(self) -> RecorderProcess | None:
        """The recorder, if sources can be added: it records the session that is shown, and is no test."""
        process, path = self._recordings.process, self._desk.session.path
        if process is None or process.is_test or process.state not in {"recording", "paused"}:
            return None
        return process if self._recordings.is_recording(path) else None

    def _hosts(self, refs: Sequence[EntityRef]) -> list[WatchedHost]:
        process, snapshot = self._process, self._desk.session.whole
        if process is None or snapshot is None:
            return []
        found = (watched_host(ref, snapshot, process.request.sources) for ref in hosts_around(refs, snapshot))
        return [one for one in found if one is not None]

    def _is_ours(self, host: WatchedHost) -> bool:
        """True if the host's service is a source by itself, which records or is about to."""
        process = self._recordings.process
        if process is None or host.address in self._leaving:
            return False
        names = {one.name for one in process.status.collectors if not one.is_over}
        return host.address in names or host.address in self._begun

    def _began(self, process: RecorderProcess) -> None:
        self._begun.clear()
        self._leaving.clear()
        process.reported.connect(self._reported)

    def _reported(self, status: StatusReport) -> None:
        """Say what became of the hosts that are to be watched, once it is known."""
        for one in status.collectors:
            host = self._begun.get(one.name)
            if one.name in self._leaving and one.is_over:
                self._leaving.discard(one.name)
                self._begun.pop(one.name, None)
            elif host is not None and one.is_over:
                del self._begun[one.name]
                self._say_why_not(host, one)
            elif host is not None:
                self._say_when_it_records(host, status)

    def _say_when_it_records(self, host: WatchedHost, status: StatusReport) -> None:
        for source in status.sources:
            if source.state == "recording" and source.received and is_watched(host, [source]):
                self._begun.pop(host.address, None)
                every = f" every {format_duration(source.interval_s)}" if source.interval_s else ""
                self._desk.notify(
                    f"{shown(host.name, _LONGEST)} is watched with esxtop{every}.",
                    "ok",
                    action=MessageAction("Show esxtop", partial(self._window.show_panel, "esxtop")),
                )

    def _say_why_not(self, host: WatchedHost, end: CollectorReport) -> None:
        if not end.code or end.code == CancelledError.exit_code:
            return
        action = MessageAction("Try again", partial(self.watch, [host]))
        if end.code in _REFUSED and any(kind.id == "ssh" for kind in kinds_offered(adds=True)):
            action = MessageAction("Over ssh…", partial(self._ask_more, Place("ssh", host.name, "root")))
        self._desk.notify(end.message, "critical", action=action)


def _names(hosts: Sequence[WatchedHost]) -> str:
    return shown(hosts[0].name, _LONGEST) if len(hosts) == 1 else f"these {len(hosts)} hosts"
