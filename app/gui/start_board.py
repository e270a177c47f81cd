"""Fills the start page with the recent sessions, and stores each session's worst finding and load curve."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.recent import RecentSession, RecentSessions, missing_reason
from resources.foreign_text import shown
from resources.units import format_bytes, format_duration
from sessions.store import SessionReader
from sessions.store.lock import real_path
from viewmodels.headlines import common_headline
from viewmodels.health import Health
from viewmodels.session_summary import session_size, session_summary, sparkline
from viewmodels.snapshot import Snapshot
from viewmodels.time_labels import Clock
from viewmodels.verdict_words import CLEAR, verdict_health
from widgets.messages import MessageAction
from widgets.start import RecentEntry, StartPage
from wizards.flows.change_count import left_words

_MAX_SERIES = 8
_LOOK = "start.look"
_KNOWN: tuple[Health, ...] = ("critical", "warning", "ok", "partly")
_LEFT_S = 60
"""A verdict that ends so many seconds before the session is said to."""


class StartBoard(QObject):
    """Fills the start page, and updates the open session's entry in the list of recent sessions."""

    def __init__(self, page: StartPage, recent: RecentSessions, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._page, self._recent, self._desk = page, recent, desk
        self._missing: dict[str, str] = {}
        self._spark: tuple[float, ...] = ()
        self._entry: RecentSession | None = None
        page.forgotten.connect(self._forget)
        page.pinned.connect(self._pin)
        page.revealed.connect(lambda path: desk.reveal(Path(path)))
        page.copied.connect(lambda text: desk.notify(text, "ok"))
        desk.session.opened.connect(self._opened)
        desk.session.closed.connect(self._closed)
        desk.judging.changed.connect(self._note)
        desk.tests.changed.connect(self._note)
        self.renew()

    def renew(self) -> None:
        """Show the current list, and look in a worker which files are there."""
        self._show()
        paths, jobs = [one.path for one in self._recent.entries()], self._desk.jobs
        if paths and not jobs.busy(_LOOK):
            jobs.start(_LOOK, "Looking for sessions", lambda _job: _missing(paths), self._show_missing)

    def _show(self) -> None:
        now = datetime.now().astimezone()
        clock = self._desk.times.clock
        self._page.show_recent(
            [entry_of(one, now, clock, self._missing.get(one.path, "")) for one in self._recent.entries()]
        )

    def _show_missing(self, missing: dict[str, str]) -> None:
        if missing != self._missing:
            self._missing = missing
            self._show()

    def _pin(self, path: str, on: bool) -> None:
        self._recent.pin(path, on=on)
        self._show()

    def drop(self, session: Path) -> None:
        """Take a session off the list whose file was discarded."""
        self._recent.forget(str(real_path(session)))
        self._show()

    def _forget(self, path: str) -> None:
        gone = self._recent.forget(path)
        self._show()
        if gone is not None:
            text = f"{shown(gone.title)} is off the list; its file stays."
            undo = MessageAction("Undo", lambda: self._restore(gone))
            self._desk.notify(text, "info", action=undo)

    def _restore(self, session: RecentSession) -> None:
        self._recent.restore(session)
        self._show()

    def _opened(self) -> None:
        known = self._known()
        self._spark = known.spark if known is not None else ()
        self._entry = None
        self._note()

    def _closed(self) -> None:
        """Write up to when the session was judged: that is not worth writing at every verdict."""
        entry, self._entry = self._entry, None
        if entry is not None:
            self._write(entry)
        self.renew()

    def _known(self) -> RecentSession | None:
        """Return what is stored of the open session."""
        path = self._desk.session.path
        whole = str(real_path(path)) if path is not None else ""
        return next((one for one in self._recent.entries() if one.path == whole), None)

    def _note(self) -> None:
        """Put the open session at the top of the list, with what was judged of it; the load curve is added
        later.
        """
        snapshot, model = self._desk.session.whole, self._desk.findings
        if snapshot is None:
            return
        judged = msgspec.structs.replace(self._judged(snapshot), left=self._left())
        before, self._entry = self._entry, judged
        is_news = before is None or _result(before) != _result(self._entry)
        if is_news or (model.is_complete and before != self._entry):
            self._write(self._entry)
            if model.verdict.is_judged:
                self._read_spark(snapshot)

    def _left(self) -> str:
        """Return how many changes of the session's tests are to be put back, empty for none; until that is
        read what was known before.
        """
        tests = self._desk.tests
        if tests.is_read:
            changes = tests.records.changes(tests.live)
            return left_words(changes) if changes.open else ""
        known = self._known()
        return known.left if known is not None else ""

    def _judged(self, snapshot: Snapshot) -> RecentSession:
        model, until = self._desk.findings, snapshot.span.end if snapshot.span else 0
        health = verdict_health(model.verdict)
        entry = RecentSession(
            str(real_path(snapshot.path)),
            snapshot.title,
            0.0,
            "",
            session_size(snapshot),
            self._spark,
            0,
            until,
            snapshot.span.start if snapshot.span else 0,
            snapshot.bytes,
        )
        if model.verdict.is_judged and (health not in CLEAR or model.is_complete):
            summary = session_summary(model.findings, snapshot, model.verdict)
            to = model.verdict.judged_to or 0
            return msgspec.structs.replace(entry, worst=health, summary=summary, judged_to=to)
        if model.verdict.state == "could not be judged":
            return msgspec.structs.replace(entry, worst="none")
        known = None if model.verdict.is_judged else self._known()
        if known is None or known.until != until:  # it went on since it was judged
            return entry
        return msgspec.structs.replace(known, spark=self._spark, start=entry.start, size=entry.size)

    def _write(self, one: RecentSession) -> None:
        self._recent.remember(
            Path(one.path),
            one.title,
            worst=one.worst,
            summary=one.summary,
            spark=self._spark,
            judged_to=one.judged_to,
            until=one.until,
            start=one.start,
            size=one.size,
            left=one.left,
        )

    def _read_spark(self, snapshot: Snapshot) -> None:
        hosts = [ref for ref in snapshot.entities if ref.kind == "host"]
        series = common_headline(hosts, snapshot, self._desk.headlines)[:_MAX_SERIES]
        span = snapshot.span
        if not series or span is None:
            return

        def work(reader: SessionReader, job: Job) -> tuple[float, ...]:
            return sparkline(reader, series, span, job)

        def done(spark: tuple[float, ...]) -> None:
            if spark != self._spark:
                self._spark = spark
                if self._entry is not None:
                    self._write(self._entry)

        self._desk.session.query("start.spark", work, done, title="Drawing a sparkline")


def _result(one: RecentSession) -> tuple[str, str, str]:
    return one.worst, one.summary, one.left


def entry_of(one: RecentSession, now: datetime, clock: Clock, missing: str = "") -> RecentEntry:
    """Return a recent session as the start page shows it; ``missing`` says why its file can't be opened."""
    worst: Health = next((health for health in _KNOWN if health == one.worst), "none")
    summary = " · ".join(part for part in (one.left, one.summary, reach_label(one, clock)) if part)
    return RecentEntry(
        one.path,
        one.title,
        opened_label(one.opened, now),
        "critical" if one.left else worst,
        summary,
        one.spark,
        size_label(one),
        one.pinned,
        missing,
    )


def size_label(one: RecentSession) -> str:
    """Return how long a session is and how large: ``45 min · 7.8 MB``; empty if that is not known."""
    length = format_duration((one.until - one.start) / 1000) if one.until > one.start > 0 else ""
    return " · ".join(part for part in (length, format_bytes(one.size) if one.size else "") if part)


def _missing(paths: Sequence[str]) -> dict[str, str]:
    """Return why some of these files can't be opened, by path."""
    reasons = {path: missing_reason(Path(path)) for path in paths}
    return {path: reason for path, reason in reasons.items() if reason}


def reach_label(one: RecentSession, clock: Clock) -> str:
    """Return how far a recent session was judged: ``judged to 02:43:20, 7 min before its end``."""
    if one.worst == "none":
        return "could not be judged"
    if not one.judged_to:
        return "not judged to its end" if one.worst else "not judged yet"
    left = (one.until - one.judged_to) / 1000
    late = f", {format_duration(left)} before its end" if left >= _LEFT_S else ""
    return f"judged to {clock.moment(one.judged_to)}{late}"


def opened_label(opened: float, now: datetime) -> str:
    """Return when a session was opened: ``today 14:21``, ``yesterday 09:02``, ``12 Nov``, ``12 Nov 2024``."""
    then = datetime.fromtimestamp(opened, now.tzinfo)
    days = (now.date() - then.date()).days
    if days == 0:
        return f"today {then:%H:%M}"
    if days == 1:
        return f"yesterday {then:%H:%M}"
    return f"{then.day} {then:%b}" + (f" {then:%Y}" if then.year != now.year else "")
