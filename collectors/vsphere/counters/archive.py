"""Rollups from a vCenter's database as sources of their own: days of history, then new
rollups as they appear.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from collectors.feed import Controls, Feed, Health
from collectors.server_clock import read_clock
from collectors.vsphere.counters.counter_selection import CounterSelection
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.rollups import ALWAYS, Rollups, Span, spans
from collectors.vsphere.counters.server import HistoricalInterval
from connections.failures import ClosedError
from connections.vsphere.retry import FIRST_BACKOFF_S, retry_until_stopped
from connections.vsphere.session import VSphere
from resources.failures import SourceError
from resources.vcenter_limits import QueryLimits
from sessions.model import SourceSpec

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Archive:
    """The rollups of one vCenter: those of the last ``history_days`` days, and new ones from
    now on if ``live``.

    The finest interval is stored as the source ``NAME rollups``. Where the history is longer than vCenter
    keeps that interval, coarser intervals follow as sources named like ``NAME rollups 1800 s``.
    """

    vsphere: VSphere
    feed: Feed
    source: SourceSpec
    objects: Callable[[], Mapping[str, Subject]]
    counter_selection: CounterSelection
    limits: QueryLimits
    history_days: float
    live: bool

    @property
    def is_wanted(self) -> bool:
        """True if there is anything to record; an ESXi host alone has no rollups of clusters."""
        return self.history_days > 0 or (self.live and self.vsphere.about.api_type == "VirtualCenter")

    def run(self, controls: Controls) -> None:
        """Read the history, then poll the finest interval until asked to stop. Raises SourceErrors."""
        begun = self._begin(controls)
        if begun is None or not begun[0]:
            return
        kept, now_ms = begun
        with contextlib.ExitStack() as made:
            self._follow(kept, now_ms, controls, made)

    def _follow(
        self, kept: Sequence[HistoricalInterval], now_ms: int, controls: Controls, made: contextlib.ExitStack
    ) -> None:
        period_s = kept[0].period_s
        finest = None
        for span in spans(kept, self.history_days, now_ms):
            rollups = self._rollups(span.period_s, finest=span.period_s == period_s)
            made.callback(rollups.close)
            self._read(rollups, span, controls)
            finest = rollups if span.period_s == period_s else finest
        if self.live and not controls.is_set() and self._has_objects():
            finest = finest or self._rollups(period_s, finest=True)
            finest.run(controls)

    def _begin(self, controls: Controls) -> tuple[Sequence[HistoricalInterval], int] | None:
        """What the server keeps, and its time (ms); None when asked to stop before it said so."""
        while not controls.is_set():
            try:
                return self.counter_selection.server.history(), round(read_clock(self.vsphere).now_ms())
            except ClosedError:
                raise
            except SourceError as error:
                refused_s = self.limits.refused_s
                retry_until_stopped(
                    error,
                    self.vsphere,
                    controls.wait,
                    first_s=FIRST_BACKOFF_S,
                    refused_s=refused_s,
                    on_failure=_report_waiting,
                )
        return None

    def _has_objects(self) -> bool:
        return any(one.type in ALWAYS for one in self.objects().values())

    def _read(self, rollups: Rollups, span: Span, controls: Controls) -> None:
        try:
            rollups.history(span.start_ms, span.end_ms, controls)
        except ClosedError:
            raise
        except SourceError as error:
            _log.warning("History of %s s was not read to its end: %s", span.period_s, error.happened)

    def _rollups(self, period_s: int, *, finest: bool) -> Rollups:
        name = f"{self.source.name} rollups" if finest else f"{self.source.name} rollups {period_s} s"
        source = self.feed.add_source(
            replace(self.source, name=name, interval_s=float(period_s), attributes=())
        )
        self.feed.report(source, Health("connecting", float(period_s)))
        return Rollups(
            self.vsphere,
            self.feed,
            source,
            self.objects,
            self.counter_selection,
            self.limits,
            period_s=period_s,
        )


def _report_waiting(error: SourceError) -> None:
    _log.info("The archive waits: %s", error.happened)
