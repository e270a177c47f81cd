"""Records rollups from vCenter's database: new 300 s rollups of clusters and datastores, and
days of history.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.feed import Controls, Feed, State
from collectors.vsphere.counters.counter_selection import CounterSelection
from collectors.vsphere.counters.metrics import KINDS, MetricSet, choose_realtime, choose_rollups
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.plan import BatchLimits, Member, historical, query_metrics
from collectors.vsphere.counters.query_calls import Call, QueryCalls
from collectors.vsphere.counters.request import MetricList, metric_list
from collectors.vsphere.counters.sampled_source import NO_SAMPLES, SampledSource
from collectors.vsphere.counters.server import HistoricalInterval
from connections.failures import ClosedError
from connections.vsphere.faults import ReplacedError
from connections.vsphere.retry import FIRST_BACKOFF_S, MAX_BACKOFF_S, is_transient
from connections.vsphere.session import VSphere
from resources.failures import SourceError
from resources.vcenter_limits import QueryLimits
from sessions.distinct import distinct

ALWAYS = ("ClusterComputeResource", "Datastore")
"""What has rollups and no realtime samples."""
HISTORY = ("HostSystem", "VirtualMachine", *ALWAYS)
_DAY_S = 86_400
_LAG = 0.2
"""How long after its end a rollup is asked for, in intervals: vCenter computes it first."""
_LOOK_BACK = 3
"""Rollups that are asked again in each round: they may come late."""

_SHORTEST_REST_S = 0.1

_log = logging.getLogger(__name__)

Failed = tuple[Call, SourceError]
"""A call that failed, and why; an empty one is everything."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the history: one sample every ``period_s`` seconds in (start, end], in ms of
    the server's clock.
    """

    period_s: int
    start_ms: int
    end_ms: int


def spans(kept: Sequence[HistoricalInterval], days: float, now_ms: int) -> list[Span]:
    """Return which interval to read for each part of the last ``days`` days: the finest that the
    server still keeps.
    """
    found: list[Span] = []
    end_ms, first_ms = now_ms, now_ms - round(days * _DAY_S * 1000)
    for one in sorted(kept, key=lambda interval: interval.period_s):
        start_ms = max(first_ms, now_ms - one.length_s * 1000)
        if start_ms < end_ms:
            found.append(Span(one.period_s, start_ms, end_ms))
            end_ms = start_ms
    return found


class Rollups:
    """One source with the rollups of one interval: first ``history`` if requested, then
    ``run`` in a thread.
    """

    def __init__(
        self,
        vsphere: VSphere,
        feed: Feed,
        source: int,
        objects: Callable[[], Mapping[str, Subject]],
        selection: CounterSelection,
        limits: QueryLimits,
        *,
        period_s: int,
    ) -> None:
        self._objects, self._selection, self._limits = objects, selection, limits
        self._state = SampledSource(vsphere, feed, source, period_s, _LAG * period_s)
        self._lists: dict[str, MetricList] = {}
        self._queries: QueryCalls | None = None

    def run(self, controls: Controls) -> None:
        """Query each rollup when it is due, until asked to stop. Raises ClosedError, ReplacedError."""
        try:
            while not controls.is_set():
                wait_s = 1.0
                try:
                    if not controls.paused:
                        wait_s = self.round()
                except ClosedError:
                    raise
                except SourceError as error:
                    self._survive(error, controls)
                controls.wait(wait_s)
            self._finish()
        finally:
            self.close()

    def close(self) -> None:
        """End the threads that send queries."""
        if self._queries is not None:
            self._queries.close()

    def _finish(self) -> None:
        """Ask once more for what is due by now; what still does not come is lost."""
        state = self._state
        if state.cursor is None:
            return
        due = state.due_slot()
        try:
            if state.cursor < due:
                self.round()
            elif any(state.watermarks.missing(slot) is not None for slot in state.watermarks.slots):
                since_ms = state.slots.instant(state.cursor - _LOOK_BACK)
                self._fetch(self._calls(ALWAYS), since_ms, state.slots.instant(state.cursor))
        except SourceError as error:
            if not isinstance(error, ClosedError):
                state.message = error.happened
        last = max(state.cursor, due)
        self._count(state.cursor + 1, last, look_back=0, reason=state.message or NO_SAMPLES)
        self._report("ended")

    def round(self) -> float:
        """Query the rollups that are due; return the seconds until the next one is. Raises SourceError."""
        state = self._state
        state.read_clock()
        high = state.due_slot()
        if state.cursor is None:
            state.cursor = high - 1
        if high > state.cursor:
            start_ms = state.slots.instant(state.cursor - _LOOK_BACK)
            calls = self._calls(ALWAYS)
            failed, left_out = self._fetch(calls, start_ms, state.slots.instant(high))
            if failed and len(failed) == len(calls):
                raise failed[0][1]
            self._count(state.cursor + 1, high)
            state.cursor = high
            state.message = next((error.happened for _, error in (*failed, *left_out)), "")
        self._report("recording", state.behind_s())
        return state.seconds_until(high + 1, _SHORTEST_REST_S)

    def history(self, start_ms: int, end_ms: int, controls: Controls) -> None:
        """Store the rollups of hosts, VMs, clusters and datastores in (start, end], in pieces.

        A piece that fails is queried again, then becomes a gap with the reason; all other pieces are still
        read. Raises SourceErrors that concern every piece and are not transient.
        """
        piece_ms = self._state.slots.interval_ms
        while start_ms < end_ms and not controls.is_set():
            stop_ms = min(end_ms, start_ms + piece_ms)
            self._piece(start_ms, stop_ms, controls)
            self._report("recording")
            start_ms = stop_ms
            piece_ms = self._state.slots_at_once() * self._state.slots.interval_ms
        self._state.cursor = self._state.slots.of(end_ms)
        self._state.message = ""

    def _piece(self, start_ms: int, stop_ms: int, controls: Controls) -> None:
        calls: list[Call] | None = None
        failed: list[Failed] = []
        for tries in range(int(self._limits.history_tries)):
            try:
                calls = self._calls(HISTORY) if calls is None else calls
                failed, left_out = self._fetch(calls, start_ms, stop_ms)
                failed += left_out
            except ClosedError:
                raise
            except SourceError as error:  # nobody knows yet what there is to ask
                failed = [((), error)]
            if not failed or controls.is_set():
                break
            calls = [call for call, _ in failed if call] or None
            passing = next((error for _, error in failed if is_transient(error)), None)
            if passing is None:
                break
            self._survive(passing, controls, first_s=min(MAX_BACKOFF_S, 2.0**tries))
        if not controls.is_set():
            self._lose(failed, start_ms, stop_ms)

    def _lose(self, failed: Sequence[Failed], start_ms: int, stop_ms: int) -> None:
        """What could not be had in (start, stop] is a gap of who was asked, or of everybody."""
        slots = self._state.slots
        first, last = slots.of(start_ms) + 1, slots.of(stop_ms)
        objects = self._objects()
        for call, error in failed if first <= last else ():
            _log.warning("Part of the history was not to be had: %s", error.happened)
            there = [one.ref for member in call if (one := objects.get(member.moid)) is not None]
            for ref in dict.fromkeys(there) or (None,):
                self._state.gaps.add_missed(ref, first, last, error.happened)
        self._state.report_gaps()

    def _calls(self, types: Sequence[str]) -> list[Call]:
        objects = self._objects()
        queries = self._queries or self._open()
        self._choose(types, objects)
        return historical(self._members(types, objects), queries.limits)

    def _fetch(self, calls: Sequence[Call], start_ms: int, end_ms: int) -> tuple[list[Failed], list[Failed]]:
        """Store what these calls give; those that failed, and objects that were left out of theirs."""
        queries = self._queries or self._open()
        queries.retry_refused()
        failed: list[Failed] = []
        left_out: list[Failed] = []
        for answer in queries.ask(calls, lambda _member: (start_ms, end_ms)):
            for reply in answer.replies:
                self._state.book.take(reply, self._objects().get)
            if isinstance(answer.error, ClosedError | ReplacedError):
                raise answer.error
            if answer.error is not None:
                failed.append((answer.call, answer.error))
            else:
                left_out += [((member,), error) for member, error in answer.left_out]
        self._state.book.store()
        return failed, left_out

    def _open(self) -> QueryCalls:
        most = query_metrics(self._selection.server.query_metrics(), self._limits.default_query_metrics)
        limits = BatchLimits(
            self._limits.elements, self._limits.entities, most, self._limits.cluster_query_metrics
        )
        self._queries = QueryCalls(
            self._state.vsphere.post, self._selection.manager, self._state.interval_s, limits, 1
        )
        return self._queries

    def _choose(self, types: Sequence[str], objects: Mapping[str, Subject]) -> None:
        """What each type has in the archive, looked up once: its level decides, and is seldom changed."""
        fresh = [kind for kind in types if kind not in self._lists]
        sets: list[MetricSet] = []
        for kind in fresh:
            there = [(one.type, one.moid) for one in objects.values() if one.type == kind]
            if there:
                step = max(1, len(there) // self._limits.sampled)
                sampled = there[::step][: self._limits.sampled]
                available = self._selection.server.sampled(sampled, self._state.interval_s)
                chosen = self._chosen(kind, available)
                self._lists[kind] = metric_list(chosen.ids)
                sets.append(chosen)
        if sets:
            self._state.series.set_metric_sets([*self._state.series.metric_sets, *sets])

    def _chosen(self, kind: str, available: set[tuple[int, bool]]) -> MetricSet:
        selection = self._selection
        if kind in ALWAYS:
            return choose_rollups(KINDS[kind], selection.definitions, selection.preset, available)
        return choose_realtime(
            KINDS[kind], selection.definitions, selection.catalogue, selection.preset, available
        )

    def _members(self, types: Sequence[str], objects: Mapping[str, Subject]) -> list[Member]:
        return [
            Member(one.moid, one.type, metrics, len(metrics))
            for one in objects.values()
            if one.type in types and len(metrics := self._lists.get(one.type, _NOTHING))
        ]

    def _count(self, first: int, last: int, look_back: int = _LOOK_BACK, reason: str = NO_SAMPLES) -> None:
        """What should have come by now; what is missing after the look-back is a gap."""
        state, marks = self._state, self._state.watermarks
        by_number = [ref.kind in ("cluster", "datastore") for ref in state.series.owners]
        followed = np.array(by_number, np.bool_)[state.series.owner]
        for slot in range(first, last + 1):
            marks.expect(slot, followed & (state.book.since <= slot))
        for slot in marks.slots:
            missing = marks.missing(slot)
            if missing is not None and last - slot >= look_back:
                marks.give_up(slot, missing)
                state.add_lost(slot, missing, lambda _ref: reason)
        marks.forget_until(last - 2 * _LOOK_BACK)
        state.report_gaps()

    def _survive(self, error: SourceError, controls: Controls, *, first_s: float = FIRST_BACKOFF_S) -> None:
        if not controls.is_set():
            self._state.retry(
                error,
                controls,
                first_s=first_s,
                refused_s=self._limits.refused_s,
                on_hold=lambda: self._report("reconnecting"),
            )

    def _report(self, state: State, behind_s: float = 0.0) -> None:
        self._state.report(state, int(distinct(self._state.series.owner).size), behind_s)


_NOTHING = metric_list(())
