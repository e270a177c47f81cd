"""Fills the start page with the recent sessions, and stores each session's worst finding and load curve."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.recent import RecentSession, RecentSessions
from sessions.store import SessionReader
from viewmodels.headlines import common_headline
from viewmodels.health import Health
from viewmodels.session_summary import WORST_FIRST, session_size, session_summary, sparkline, worst_severity
from viewmodels.snapshot import Snapshot
from widgets.start import RecentEntry, StartPage

_MAX_SERIES = 8
_KNOWN: tuple[Health, ...] = (*WORST_FIRST, "ok")


class StartBoard(QObject):
    """Fills the start page, and updates the open session's entry in the list of recent sessions."""

    def __init__(self, page: StartPage, recent: RecentSessions, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._page, self._recent, self._desk = page, recent, desk
        self._spark: tuple[float, ...] = ()
        page.forgotten.connect(self._forget)
        desk.session.opened.connect(self._opened)
        desk.session.closed.connect(self.renew)
        desk.findings.changed.connect(self._note)
        self.renew()

    def renew(self) -> None:
        """Show the current list."""
        now = datetime.now().astimezone()
        self._page.show_recent([entry_of(one, now) for one in self._recent.entries()])

    def _forget(self, path: str) -> None:
        self._recent.forget(path)
        self.renew()

    def _opened(self) -> None:
        self._spark = ()
        for one in self._recent.entries():
            if self._is_open(one):
                self._spark = one.spark
        self._note()

    def _is_open(self, one: RecentSession) -> bool:
        path = self._desk.session.path
        return path is not None and Path(one.path) == path.resolve()

    def _note(self) -> None:
        """Put the open session at the top of the list with its worst finding; the load curve is added
        later.
        """
        snapshot = self._desk.session.whole
        if snapshot is None:
            return
        findings = self._desk.findings.findings
        unfinished = snapshot.recording and not findings  # what is still written is not known to be well
        if self._desk.findings.diagnosis is None or unfinished:
            known = next((one for one in self._recent.entries() if self._is_open(one)), None)
            worst, summary = (known.worst, known.summary) if known else ("", session_size(snapshot))
        else:
            worst, summary = worst_severity(findings), session_summary(findings, snapshot)
            self._read_spark(snapshot)
        self._recent.remember(snapshot.path, snapshot.title, worst=worst, summary=summary, spark=self._spark)

    def _read_spark(self, snapshot: Snapshot) -> None:
        hosts = [ref for ref in snapshot.entities if ref.kind == "host"]
        series = common_headline(hosts, snapshot, self._desk.headlines)[:_MAX_SERIES]
        span = snapshot.span
        if not series or span is None:
            return

        def work(reader: SessionReader, job: Job) -> tuple[float, ...]:
            return sparkline(reader, [one.id for one in series], span, job)

        def done(spark: tuple[float, ...]) -> None:
            if spark != self._spark:
                self._spark = spark
                self._note_spark()

        self._desk.session.query("start.spark", work, done, title="Drawing a sparkline")

    def _note_spark(self) -> None:
        for one in self._recent.entries():
            if self._is_open(one):
                self._recent.remember(
                    Path(one.path), one.title, worst=one.worst, summary=one.summary, spark=self._spark
                )


def entry_of(one: RecentSession, now: datetime) -> RecentEntry:
    """Return a recent session as the start page shows it."""
    worst: Health = next((health for health in _KNOWN if health == one.worst), "none")
    return RecentEntry(one.path, one.title, opened_label(one.opened, now), worst, one.summary, one.spark)


def opened_label(opened: float, now: datetime) -> str:
    """Return when a session was opened: ``today 14:21``, ``yesterday 09:02``, ``12 Nov``, ``12 Nov 2024``."""
    then = datetime.fromtimestamp(opened, now.tzinfo)
    days = (now.date() - then.date()).days
    if days == 0:
        return f"today {then:%H:%M}"
    if days == 1:
        return f"yesterday {then:%H:%M}"
    return f"{then.day} {then:%b}" + (f" {then:%Y}" if then.year != now.year else "")
