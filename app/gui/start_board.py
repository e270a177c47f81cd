"""What the start page shows of recent sessions, and what is kept of each: worst finding and load."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.recent import RecentSession, RecentSessions
from resources.units import format_bytes, format_count
from sessions.findings import Finding
from sessions.model import FloatArray, Overview
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.snapshot import Snapshot, is_own
from widgets.start import RecentEntry, StartPage
from widgets.theme import Health

_SPARK = 48
_MOST_LOADS = 8
_WORST: tuple[Health, ...] = ("critical", "warning", "info")
_KNOWN: tuple[Health, ...] = (*_WORST, "ok")


class StartBoard(QObject):
    """Fills the start page, and remembers each session with its worst finding and a curve of its load."""

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
        """Show the list as it is now."""
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
        """Put the session on top of the list, with what is known of it now; the curve comes later."""
        snapshot = self._desk.session.whole
        if snapshot is None:
            return
        findings = self._desk.findings.findings
        if self._desk.findings.diagnosis is None:
            known = next((one for one in self._recent.entries() if self._is_open(one)), None)
            worst, summary = (known.worst, known.summary) if known else ("", size_words(snapshot))
        else:
            worst, summary = worst_of(findings), summary_of(findings, snapshot)
            self._read_spark(snapshot)
        self._recent.remember(snapshot.path, snapshot.title, worst=worst, summary=summary, spark=self._spark)

    def _read_spark(self, snapshot: Snapshot) -> None:
        chosen = _loads(self._desk, snapshot)
        span = snapshot.span
        if not chosen or span is None:
            return

        def work(reader: SessionReader, job: Job) -> tuple[float, ...]:
            found = []
            for number in chosen:
                job.check()
                found.append(reader.overview(number, span, _SPARK))
            return spark_of(found, span)

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


def _loads(desk: Desk, snapshot: Snapshot) -> list[int]:
    """Series whose mean is the load of the session: the headline counter of its hosts."""
    headline = desk.headlines.get("host")
    hosts = [ref for ref in snapshot.entities if ref.kind == "host"]
    for counter in headline.counters if headline else ():
        found = [
            series.id
            for ref in hosts
            for series in snapshot.series_of.get(ref, ())
            if series.counter == counter and is_own(series)
        ]
        if found:
            return found[:_MOST_LOADS]
    return []


def spark_of(curves: Sequence[Overview], span: TimeRange) -> tuple[float, ...]:
    """The mean of curves at 48 instants, scaled to 0 … 1 of its highest; () without a value.

    A thumbnail: gaps are bridged in it.
    """
    at = np.linspace(span.start, span.end, _SPARK)
    rows = [_at(curve, at) for curve in curves]
    known = [row for row in rows if row is not None]
    if not known:
        return ()
    means = np.mean(known, axis=0)
    top = float(means.max())
    return tuple(round(float(value) / top, 3) for value in means) if top > 0 else ()


def _at(curve: Overview, at: FloatArray) -> FloatArray | None:
    there = np.isfinite(curve.mean)
    if not there.any():
        return None
    middle = (curve.start[there] + curve.end[there]) / 2
    values: FloatArray = np.interp(at, middle, curve.mean[there])
    return values


def worst_of(findings: Sequence[Finding]) -> str:
    """The worst severity, "ok" when nothing was found."""
    there = {finding.severity for finding in findings}
    return next((severity for severity in _WORST if severity in there), "ok")


def summary_of(findings: Sequence[Finding], snapshot: Snapshot) -> str:
    """The worst finding in words, and how many more; or that there is none."""
    roots = [finding for finding in findings if finding.consequence_of is None] or list(findings)
    if not roots:
        return f"No problem found · {size_words(snapshot)}"
    first = f"{roots[0].title}: {roots[0].entity_name}"
    more = f" and {format_count(len(roots) - 1)} more" if len(roots) > 1 else ""
    return f"{first}{more}"


def size_words(snapshot: Snapshot) -> str:
    """``3 hosts · 41 VMs · 12 MB``."""
    kinds = [ref.kind for ref in snapshot.entities]
    parts = [
        f"{format_count(kinds.count(kind))} {word}{'' if kinds.count(kind) == 1 else 's'}"
        for kind, word in (("host", "host"), ("vm", "VM"))
        if kind in kinds
    ]
    return " · ".join([*parts, format_bytes(snapshot.bytes)])


def entry_of(one: RecentSession, now: datetime) -> RecentEntry:
    """A remembered session as the page shows it."""
    worst: Health = next((health for health in _KNOWN if health == one.worst), "none")
    return RecentEntry(one.path, one.title, when_words(one.opened, now), worst, one.summary, one.spark)


def when_words(opened: float, now: datetime) -> str:
    """``today 14:21``, ``yesterday 09:02``, ``12 Nov``, ``12 Nov 2024``."""
    then = datetime.fromtimestamp(opened, now.tzinfo)
    days = (now.date() - then.date()).days
    if days == 0:
        return f"today {then:%H:%M}"
    if days == 1:
        return f"yesterday {then:%H:%M}"
    return f"{then.day} {then:%b}" + (f" {then:%Y}" if then.year != now.year else "")
