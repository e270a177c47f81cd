"""The latest state of all sources and collectors, as collectors reported it, for status
lines and the window.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from collectors.feed import Health
from recorder.protocol import CollectorReport, SourceReport
from resources.failures import HyperscopeError
from sessions.model import SourceSpec
from sessions.times import now_ms


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """A source: number and name of its collector, its specification and its latest health."""

    number: int
    collector: int
    kind: str
    name: str
    health: Health
    address: str = ""

    def report(self) -> SourceReport:
        """Return the source as part of a status line."""
        health = self.health
        return SourceReport(
            source=self.number,
            kind=self.kind,
            name=self.name,
            state=health.state,
            interval_s=health.interval_s,
            entities=health.entities,
            series=health.series,
            expected=health.expected,
            received=health.received,
            behind_s=round(health.behind_s, 3) if math.isfinite(health.behind_s) else None,
            gaps=health.gaps,
            last_ms=health.last_ms,
            message=health.message,
            details=dict(health.details),
            collector=self.address,
            refusal=health.refusal,
        )


@dataclass(frozen=True, slots=True)
class CollectorStatus:
    """A collector: the name of its connection, and the error with which it ended, if any; ``number`` counts
    all collectors of the recording from 0.
    """

    name: str
    is_over: bool = False
    error: HyperscopeError | None = None
    number: int = 0

    def report(self) -> CollectorReport:
        """Return the collector as part of a status line; ``code`` is 0 and the message empty
        without an error.
        """
        error = self.error
        code, message = (error.exit_code, str(error)) if error else (0, "")
        return CollectorReport(self.name, self.is_over, code, message, self.number)


class Board:
    """The latest state of all sources and collectors; thread-safe.

    ``on_change`` is called when a state changes.
    """

    def __init__(
        self, on_change: Callable[[SourceStatus], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._collectors: list[CollectorStatus] = []
        self._sources: dict[int, SourceStatus] = {}
        self._replaced: list[SourceStatus] = []
        self._reported_at: dict[int, float] = {}
        self._lock = threading.Lock()
        self._on_change = on_change
        self._clock = clock

    def add_collector(self, name: str) -> int:
        """Add a collector that is about to begin; return its number, from 0."""
        with self._lock:
            number = len(self._collectors)
            self._collectors.append(CollectorStatus(name, number=number))
            return number

    def collector(self, number: int) -> CollectorStatus:
        """Return the state of one collector."""
        with self._lock:
            return self._collectors[number]

    def add(self, number: int, collector: int, spec: SourceSpec) -> None:
        """Add a source that is about to be recorded; one that was recorded before under its name is counted
        still, but not listed any more.
        """
        with self._lock:
            address = self._collectors[collector].name
            status = SourceStatus(number, collector, spec.kind, spec.name, Health("connecting"), address)
            for before in list(self._sources.values()):
                if (before.kind, before.name) == (spec.kind, spec.name) and before.number != number:
                    self._replaced.append(self._sources.pop(before.number))
            self._sources[number] = status
        self._on_change(status)

    def report(self, number: int, health: Health) -> None:
        """Store the latest health of a source."""
        with self._lock:
            before = self._sources.get(number)
            if before is None:  # another collector records it by now
                return
            now = replace(before, health=health)
            self._sources[number] = now
            self._reported_at[number] = self._clock()
        if (before.health.state, before.health.message) != (health.state, health.message):
            self._on_change(now)

    def end(self, collector: int, error: HyperscopeError | None) -> None:
        """Note that a collector has returned (error None) or failed; its sources end with it."""
        with self._lock:
            self._collectors[collector] = replace(self._collectors[collector], is_over=True, error=error)
            own = [one for one in self._sources.values() if one.collector == collector]
        for source in own:
            if error is not None:
                failed = replace(source.health, state="failed", message=error.happened)
                self.report(source.number, failed)
            elif source.health.state != "ended":
                self.report(source.number, replace(source.health, state="ended", message=""))

    def sources(self) -> list[SourceStatus]:
        """Return all sources in the order in which they were added."""
        now = self._clock()
        with self._lock:
            return [self._aged(one, now) for one in self._sources.values()]

    def every_source(self) -> list[SourceStatus]:
        """Return all sources, also those that were recorded again later: for what is counted over the run."""
        with self._lock:
            return [*self._replaced, *self._sources.values()]

    def _aged(self, source: SourceStatus, now: float) -> SourceStatus:
        """The source as late as it is now: while a server does not answer nobody says how late that makes it.

        The lab is left alone: its seconds are not ours.
        """
        health = source.health
        if (
            health.state not in ("recording", "reconnecting")
            or health.last_ms is None
            or source.kind == "lab"
        ):
            return source
        overdue = now - self._reported_at[source.number] - (health.interval_s or 0.0)
        if overdue <= 0.0:
            return source
        return replace(source, health=replace(health, behind_s=health.behind_s + overdue))

    def now_ms(self) -> int:
        """Return the time now in ms on the sources' clock: the lab simulates a date of its own."""
        sources = self.sources()
        lab = [one.health.last_ms or 0 for one in sources if one.kind == "lab"]
        return max(lab) if lab and len(lab) == len(sources) and any(lab) else now_ms()

    def collectors(self) -> list[CollectorStatus]:
        """Return all collectors in the order in which they came; of those with one name only the latest."""
        with self._lock:
            return list({one.name: one for one in self._collectors}.values())
