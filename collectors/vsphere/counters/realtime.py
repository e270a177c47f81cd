"""Records realtime counters of hosts and VMs: one round of queries for each sampling
interval of the server.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import numpy as np

from collectors.axis import Rank, SourceClock, clock_jump_message
from collectors.feed import PAUSED, Controls, Feed, State
from collectors.vsphere.counters.counter_selection import CounterSelection
from collectors.vsphere.counters.coverage import Coverage
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.polling import Polling
from collectors.vsphere.counters.reasons import Reasons
from collectors.vsphere.counters.sampled_source import NO_SAMPLES, SampledSource
from collectors.vsphere.counters.watermarks import Mask
from connections.failures import ClosedError
from connections.vsphere.retry import MAX_BACKOFF_S
from connections.vsphere.session import VSphere
from resources.failures import NoCountersError, SourceError
from resources.vcenter_limits import QueryLimits
from sessions.model import EntityRef, Event
from sessions.times import iso

_FIRST_LAG = 0.1
"""How long after an instant the first round asks, in intervals; it moves with what the server needs."""
_LATE_SHARE = 0.1
_SHORTEST_REST_S = 0.02
_PAUSE_S = 0.5
_SILENT_ROUNDS = 3
_OFFSET_MS = 500

_log = logging.getLogger(__name__)

AWAY = "nobody recorded"
STOPPED = "the recording was stopped before these samples were read"


class Realtime:
    """The realtime loop of one connection. ``run`` runs it in the calling thread until it ends.

    ``objects`` returns the selected hosts and VMs by moid, as the inventory knows them now; returning the
    same mapping object as before means that nothing has changed.
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
        backfill: bool = True,
    ) -> None:
        interval_s = selection.interval_s
        self._limits, self._backfill = limits, backfill
        self._state = state = SampledSource(vsphere, feed, source, interval_s, _FIRST_LAG * interval_s)
        self._hour = max(1, int(limits.realtime_s // interval_s))
        self._coverage = Coverage(
            state.series,
            state.book,
            state.watermarks,
            look_back=max(1, int(limits.look_back_s // interval_s)),
            hour=self._hour,
            backfill=backfill,
        )
        self._polling = Polling(state, self._coverage, selection, limits, objects)
        self._reasons = Reasons(self._hour)
        is_vcenter = vsphere.about.api_type == "VirtualCenter"
        self._rank = Rank.VCENTER if is_vcenter else Rank.HOST
        self._clock = SourceClock(limits.clock_jump_s * 1000)
        self._offset_ms: int | None = None
        self._jumped = ""
        self._failures = 0
        self._silent_rounds = 0

    def run(self, controls: Controls) -> None:
        """Record until asked to stop. Raises HyperscopeError for failures that are not transient."""
        try:
            while not controls.is_set():
                if controls.paused:
                    self._pause(controls)
                    continue
                try:
                    more = self.round()
                except SourceError as error:
                    self._survive(error, controls)
                    continue
                self._failures = 0
                if not more:
                    self._require_samples()
                    controls.wait(self._rest_s())
            self.finish()
        except SourceError:
            self._close_books(self._state.due_slot())
            raise
        finally:
            self.close()

    def close(self) -> None:
        """End the threads that send queries."""
        self._polling.close()

    # one round

    def round(self) -> bool:
        """Query and store all samples that are due; return True if more slots remain to be caught up.

        Raises SourceError.
        """
        self._check_clock()
        state = self._state
        high = state.due_slot()
        if state.cursor is None:
            state.cursor = high - (self._hour if self._backfill else 1)
        low = self._reachable(state.cursor, high)
        self._polling.update_plan(high)
        until = min(high, low + state.slots_at_once(self._polling.series))
        if until < low:
            state.message = f"{self._jumped}." if self._jumped else ""
        if until > low:
            self._jumped = ""
            state.message = self._polling.fetch(low, until)
            self._settle(low, until)
        self._report("recording")
        return until < high

    def _check_clock(self) -> None:
        clock, before = self._state.read_clock()
        self._clock.add(clock)
        best = self._clock.best or clock
        offset = round(best.ahead_ms)
        if self._offset_ms is None or abs(offset - self._offset_ms) > _OFFSET_MS:
            self._offset_ms = offset
            self._state.feed.update_source(self._state.source, clock_offset_ms=offset)
        jump_ms = clock.jumped_ms(before, self._limits.clock_jump_s * 1000) if before else 0
        if axis := self._state.feed.axis:
            axis.refer(self._rank, self._state.vsphere.address.place, best, was_set=bool(jump_ms))
        if jump_ms:
            self._report_jump(jump_ms, round(clock.now_ms()))

    def _report_jump(self, jump_ms: int, now_ms: int) -> None:
        """A clock that was set is an event; what it jumps over was never measured, and for what it goes
        through again the session has samples: these remain.
        """
        slots = self._state.slots
        text = clock_jump_message(self._state.vsphere.address.place, jump_ms)
        cursor, last = self._state.cursor or 0, slots.reached(now_ms)
        if jump_ms > 0:
            self._reasons.set(cursor + 1, last, text)
        elif last < cursor:
            text += f"; it is recorded again from {iso(slots.instant(cursor) // 1000 * 1000)} on"
        self._jumped = text if jump_ms < 0 else ""
        _log.warning("%s.", text)
        self._state.feed.add_events([Event(now_ms, "clock", text)])

    def _reachable(self, cursor: int, high: int) -> int:
        """The slot to go on after: what lies before the hosts' hour is a gap."""
        low = max(cursor, high - self._hour)
        if low > cursor and self._state.book.newest_ms:
            self._state.watermarks.count_dropped((low - cursor) * self._coverage.due_series())
            self._state.gaps.add_missed(None, cursor + 1, low, self._reasons.reason_at(low, NO_SAMPLES))
        return low

    def _settle(self, low: int, until: int) -> None:
        """Store what came, see what is missing, tell of gaps."""
        state = self._state
        first = not state.book.newest_ms
        if first and self._learn_phase():
            low, until = low - 1, until - 1  # the last slot's instant is later now
        state.book.store()
        if first and state.book.resumed:
            self._resume(low)
        self._coverage.note_answers(until)
        self._coverage.expect(low + 1, until)
        state.cursor = until
        for slot, lost in self._coverage.review(until):
            self._lose(slot, lost)
        state.report_gaps()
        self._adjust_lag(until)

    def _learn_phase(self) -> bool:
        """Take over when in the interval the server samples; whether that is not at its start."""
        slots = self._state.slots
        slots.phase_ms = self._state.book.phase_ms(slots.interval_ms)
        return slots.phase_ms != 0

    def _resume(self, low: int) -> None:
        """The time between an earlier run's last sample and what can still be had."""
        last = self._state.slots.of(self._state.book.resumed)
        if last < low:
            self._state.gaps.add_missed(None, last + 1, low, AWAY)

    def _adjust_lag(self, until: int) -> None:
        """Ask later where much was not there yet at the first time, a little earlier where all was."""
        state, marks = self._state, self._state.watermarks
        missing = marks.missing(until)
        share = np.count_nonzero(missing) / max(1, marks.size) if missing is not None else 0.0
        most = min(self._limits.max_lag_s, 0.75 * state.interval_s)
        if share > _LATE_SHARE:
            state.lag_s = min(most, state.lag_s + 0.1 * state.interval_s)
        elif share == 0.0:
            state.lag_s = max(_FIRST_LAG * state.interval_s, state.lag_s * 0.98)

    def _require_samples(self) -> None:
        """Raise NoCountersError when running hosts and VMs never gave a sample."""
        if self._state.book.newest_ms or not self._coverage.active:
            self._silent_rounds = 0
            return
        self._silent_rounds += 1
        if self._silent_rounds > _SILENT_ROUNDS:
            raise NoCountersError(
                f"{self._state.vsphere.address.place} gives no samples of any of its "
                f"{self._coverage.active} running hosts and VMs.",
                meaning="Its performance service is not running, or hosts do not send their statistics.",
                advice="See whether the performance charts of the vSphere Client show the last hour.",
            )

    def _rest_s(self) -> float:
        cursor = self._state.cursor
        if cursor is None:
            return self._state.interval_s
        return self._state.seconds_until(cursor + 1, _SHORTEST_REST_S)

    # what is missing, and why

    def _lose(self, slot: int, lost: Mask) -> None:
        usual = self._reasons.reason_at(slot, NO_SAMPLES)
        refused = {one.ref: error.happened for one, error in self._polling.refused()}

        def reason(ref: EntityRef | None) -> str:
            return refused.get(ref, usual) if ref is not None else usual

        self._state.add_lost(slot, lost, reason)

    def _survive(self, error: SourceError, controls: Controls) -> None:
        """Wait until the server answers again; what was missed meanwhile is asked for then."""
        if controls.is_set():
            return
        first_s = min(MAX_BACKOFF_S, 2.0 ** min(self._failures, 5))
        self._failures += 1
        self._state.retry(
            error,
            controls,
            first_s=first_s,
            refused_s=self._limits.refused_s,
            on_hold=lambda: self._report("reconnecting"),
        )
        self._excuse(error.happened)

    def _excuse(self, reason: str) -> None:
        """Remember why the slots since the last good round may be missing."""
        if self._state.cursor is not None:
            self._reasons.set_where_unset(self._state.cursor, self._state.reached_slot(), reason)

    def _pause(self, controls: Controls) -> None:
        """Leave the server alone; what is missed is a gap."""
        self._report("paused")
        state, first = self._state, self._state.cursor
        while controls.paused and not controls.wait(_PAUSE_S):
            pass
        if first is None or state.clock is None:
            return
        last = state.reached_slot()
        if last > first:
            state.watermarks.exclude_slots(range(first + 1, last + 1))
            state.gaps.add_missed(None, first + 1, last, PAUSED)
            state.report_gaps()
            state.cursor = last

    def finish(self) -> None:
        """Query missing samples once more, then give up what is still missing as lost."""
        state = self._state
        due = state.due_slot()
        try:
            if state.cursor is not None and state.cursor < due:
                while self.round():
                    pass
            elif state.cursor is not None and self._coverage.has_missing_samples:
                state.message = self._polling.fetch(state.cursor, state.cursor)
                state.book.store()
        except SourceError as error:
            _log.info("The last samples were not to be had: %s", error.happened)
            if not isinstance(error, ClosedError):  # that is our own doing
                self._excuse(error.happened)
        self._close_books(due)
        self._report("ended")

    def _close_books(self, due: int) -> None:
        """What is missing is lost: single samples so far, and everything from the last round to ``due``."""
        state = self._state
        for slot, lost in self._coverage.close():
            self._lose(slot, lost)
        if state.cursor is not None and state.book.newest_ms and state.cursor < due:
            state.watermarks.count_dropped((due - state.cursor) * self._coverage.due_series())
            reason = self._reasons.first_reason(state.cursor + 1, due, STOPPED)
            for slot in range(state.cursor + 1, due + 1):
                reason = self._reasons.reason_at(slot, reason)
                state.gaps.add_missed(None, slot, slot, reason)
            state.cursor = due
        state.report_gaps()

    def _report(self, state: State) -> None:
        source = self._state
        source.report(state, self._coverage.active, source.behind_s(), self._polling.details())
