"""Realtime counters of hosts and VMs: a round at each instant of the server's clock, nothing lost."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from collectors.feed import Controls, Feed, Health, State
from collectors.vsphere.counters.clock import Clock, clock_jump_message, read_clock
from collectors.vsphere.counters.counter_selection import REALTIME, CounterSelection
from collectors.vsphere.counters.coverage import Coverage
from collectors.vsphere.counters.gaps import GapBook, subjects
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.plan import Limits, Member, batches
from collectors.vsphere.counters.query_calls import Call, QueryCalls
from collectors.vsphere.counters.sample_book import SampleBook
from collectors.vsphere.counters.series_index import SeriesIndex
from collectors.vsphere.counters.watermarks import Mask, Slots, Watermarks
from collectors.vsphere.wording import iso
from connections.failures import ClosedError
from connections.vsphere.faults import SoapFault
from connections.vsphere.retry import MAX_BACKOFF_S, retry_until_stopped
from connections.vsphere.session import VSphere
from resources.failures import NoCountersError, SourceError
from resources.vcenter_limits import QueryLimits
from sessions.model import Event

_MAX_SAMPLES = 1 << 25
"""Samples that are held at once while a long time is caught up: 256 MB."""
_MAX_SLOTS = 256
_FIRST_LAG = 0.1
"""How long after an instant the first round asks, in intervals; it moves with what the server needs."""
_LATE_SHARE = 0.1
_PAUSE_S = 0.5
_SILENT_ROUNDS = 3
_NAMED = 20  # objects in a detail, at most

_log = logging.getLogger(__name__)

NO_SAMPLES = "no samples came"
PAUSED = "paused"
AWAY = "nobody recorded"
STOPPED = "the recording was stopped before these samples were read"


@dataclass(slots=True)
class _Plan:
    """Who is asked in which calls, for one state of inventory and limits."""

    calls: list[Call] = field(default_factory=list)
    limits: Limits | None = None
    inventory: object = None
    made_at: float = -1e9


class Realtime:
    """The realtime loop of one connection, run in one thread; it ends with ``run``.

    ``objects`` gives the selected hosts and VMs by moid, as the inventory knows them now; the same mapping
    object as before means that nothing changed.
    """

    def __init__(
        self,
        vsphere: VSphere,
        feed: Feed,
        source: int,
        objects: Callable[[], Mapping[str, Subject]],
        asked: CounterSelection,
        limits: QueryLimits,
        *,
        backfill: bool = True,
    ) -> None:
        self._vsphere, self._feed, self._source = vsphere, feed, source
        self._objects, self._selection, self._limits = objects, asked, limits
        self._interval_s = asked.interval_s
        self._backfill = backfill
        self._slots = Slots(self._interval_s * 1000)
        self._watermarks = Watermarks()
        self._series = SeriesIndex(self._interval_s)
        self._book = SampleBook(feed, source, self._series, self._watermarks, self._slots)
        self._hour = max(1, int(limits.realtime_s // self._interval_s))
        self._coverage = Coverage(
            self._series,
            self._book,
            self._watermarks,
            look_back=max(1, int(limits.look_back_s // self._interval_s)),
            hour=self._hour,
            backfill=backfill,
        )
        self._gaps = GapBook(source, self._slots)
        self._queries: QueryCalls | None = None
        self._plan = _Plan()
        self._now: Mapping[str, Subject] = {}
        self._lag_s = _FIRST_LAG * self._interval_s
        self._clock: Clock | None = None
        self._offset_ms: int | None = None
        self._cursor: int | None = None
        self._reasons: dict[int, str] = {}
        self._message = ""
        self._jumped = ""
        self._failures = 0
        self._silent_rounds = 0

    def run(self, controls: Controls) -> None:
        """Record until told to stop. Raises HyperscopeError for what does not pass by itself."""
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
            self._finish()
        except SourceError:
            self._close_books(self._due_slot())
            raise
        finally:
            if self._queries is not None:
                self._queries.close()

    # one round

    def round(self) -> bool:
        """Ask for what is due and store it; whether there is more to catch up. Raises SourceError."""
        self._read_clock()
        assert self._clock is not None
        high = self._slots.reached(self._clock.now_ms() - self._lag_s * 1000)
        if self._cursor is None:
            self._cursor = high - (self._hour if self._backfill else 1)
        low = self._reachable(high)
        self._look(high)
        until = min(high, low + self._slice())
        if until < low:
            self._message = f"{self._jumped}." if self._jumped else ""
        if until > low:
            self._jumped = ""
            self._fetch(low, until)
            self._settle(low, until)
        self._report("recording")
        return until < high

    def _read_clock(self) -> None:
        before, self._clock = self._clock, read_clock(self._vsphere)
        self._report_offset()
        jump_ms = self._clock.jumped_ms(before, self._limits.clock_jump_s * 1000) if before else 0
        if jump_ms:
            self._report_jump(jump_ms, round(self._clock.now_ms()))

    def _report_jump(self, jump_ms: int, now_ms: int) -> None:
        """A clock that was set is an event; what it jumps over was never measured, and for what it goes
        through again the session has samples: these remain.
        """
        text = clock_jump_message(self._vsphere.address.place, jump_ms)
        cursor, last = self._cursor or 0, self._slots.reached(now_ms)
        if jump_ms > 0:
            self._reasons |= dict.fromkeys(range(max(cursor + 1, last - self._hour), last + 1), text)
        elif last < cursor:
            text += f"; it is recorded again from {iso(self._slots.instant(cursor))} on"
        self._jumped = text if jump_ms < 0 else ""
        _log.warning("%s.", text)
        self._feed.add_events([Event(now_ms, "clock", text)])

    def _slice(self) -> int:
        guess = sum(member.series for call in self._plan.calls for member in call)
        return max(1, min(_MAX_SLOTS, _MAX_SAMPLES // max(1, len(self._series), guess)))

    def _reachable(self, high: int) -> int:
        """The slot to go on after: what lies before the hosts' hour is a gap."""
        assert self._cursor is not None
        low = max(self._cursor, high - self._hour)
        if low > self._cursor and self._book.newest_ms:
            lost = low - self._cursor
            self._watermarks.forgo(lost * self._coverage.due_series())
            reason = self._reasons.get(low, NO_SAMPLES)
            self._gaps.miss(None, self._cursor + 1, low, reason)
        return low

    def _look(self, slot: int) -> None:
        """See the inventory, and make a new plan when it is time for one."""
        objects = self._objects()
        if objects is not self._now:
            self._take_in(objects)
            self._coverage.update(objects.values(), slot)
        if self._is_stale(objects):
            self._make_plan(objects)

    def _take_in(self, objects: Mapping[str, Subject]) -> None:
        """Forget what was known of objects that are gone or changed."""
        for moid in self._now.keys() - objects.keys():
            self._series.forget(moid)
            self._selection.forget(moid)
        for moid, subject in objects.items():
            if self._now.get(moid) is not subject:
                self._series.forget(moid)
                self._selection.forget(moid)
                self._series.change_vcpus(subject)
        self._now = objects

    def _is_stale(self, objects: Mapping[str, Subject]) -> bool:
        if self._queries is not None and self._queries.limits is not self._plan.limits:
            return True
        old = time.monotonic() - self._plan.made_at >= self._limits.join_s
        return old or (not self._plan.calls and self._plan.inventory is not objects)

    def _make_plan(self, objects: Mapping[str, Subject]) -> None:
        queries = self._queries or self._open(objects)
        if self._selection.refresh(objects, queries.bad):
            self._series.mean(self._selection.sets)
        queries.forgive()  # what was refused once a minute ago may have been the server's mishap
        same = self._plan.inventory is objects and self._plan.limits is queries.limits
        if not same:
            answered = self._answered()
            members = (
                self._selection.member(one, answered.get(self._series.number(one.ref), 0))
                for one in objects.values()
                if one.type in REALTIME and self._coverage.is_asked(one)
            )
            there = [member for member in members if member is not None]
            self._plan = _Plan(batches(there, queries.limits), queries.limits, objects)
        self._plan.made_at = time.monotonic()

    def _answered(self) -> dict[int, int]:
        """How many series each object has."""
        counts = np.bincount(self._series.owner)
        return {number: int(count) for number, count in enumerate(counts.tolist()) if count}

    def _open(self, objects: Mapping[str, Subject]) -> QueryCalls:
        many = sum(one.type in REALTIME for one in objects.values())
        workers = min(self._limits.workers, 1 + many // self._limits.entities_per_worker)
        limits = Limits(self._limits.elements, self._limits.entities)
        self._queries = QueryCalls(
            self._vsphere.post, self._selection.manager, self._interval_s, limits, max(2, workers)
        )
        return self._queries

    def _fetch(self, low: int, until: int) -> None:
        assert self._queries is not None
        end = self._slots.instant(until)
        starts = {
            moid: self._coverage.start(one, low, until)
            for moid, one in self._now.items()
            if one.type in REALTIME
        }

        def window(member: Member) -> tuple[int, int]:
            return self._slots.instant(starts.get(member.moid, low)), end

        failed: list[SourceError] = []
        nothing: list[SourceError] = []
        for answer in self._queries.ask(self._plan.calls, window):
            for reply in answer.replies:
                self._book.take(reply, self._now.get)
            if answer.error is not None:
                failed.append(answer.error)
            if (why := answer.why_nothing) is not None:
                nothing.append(why)
        if nothing and len(nothing) == len(self._plan.calls):
            self._book.store()
            raise nothing[0]
        self._message = failed[0].happened if failed else self._said_of_refused()

    def _settle(self, low: int, until: int) -> None:
        """Store what came, see what is missing, tell of gaps."""
        first = not self._book.newest_ms
        if first and self._learn_phase():
            low, until = low - 1, until - 1  # the last slot's instant is later now
        self._book.store()
        if first and self._book.resumed:
            self._resume(low)
        self._coverage.note(until)
        self._coverage.expect(low + 1, until)
        self._cursor = until
        for slot, lost in self._coverage.review(until):
            self._lose(slot, lost)
        self._tell_gaps()
        self._adjust_lag(until)

    def _learn_phase(self) -> bool:
        """Take over when in the interval the server samples; whether that is not at its start."""
        self._slots.phase_ms = self._book.phase_ms(self._interval_s * 1000)
        return self._slots.phase_ms != 0

    def _resume(self, low: int) -> None:
        """The time between an earlier run's last sample and what can still be had."""
        last = self._slots.of(self._book.resumed)
        if last < low:
            self._gaps.miss(None, last + 1, low, AWAY)

    def _adjust_lag(self, until: int) -> None:
        """Ask later where much was not there yet at the first time, a little earlier where all was."""
        missing = self._watermarks.missing(until)
        share = np.count_nonzero(missing) / max(1, self._watermarks.size) if missing is not None else 0.0
        most = min(self._limits.max_lag_s, 0.75 * self._interval_s)
        if share > _LATE_SHARE:
            self._lag_s = min(most, self._lag_s + 0.1 * self._interval_s)
        elif share == 0.0:
            self._lag_s = max(_FIRST_LAG * self._interval_s, self._lag_s * 0.98)

    def _require_samples(self) -> None:
        """Raise NoCountersError when running hosts and VMs never gave a sample."""
        if self._book.newest_ms or not self._coverage.active:
            self._silent_rounds = 0
            return
        self._silent_rounds += 1
        if self._silent_rounds > _SILENT_ROUNDS:
            raise NoCountersError(
                f"{self._vsphere.address.place} gives no samples of any of its {self._coverage.active} "
                "running hosts and VMs.",
                meaning="Its performance service is not running, or hosts do not send their statistics.",
                advice="See whether the performance charts of the vSphere Client show the last hour.",
            )

    # gaps

    def _lose(self, slot: int, lost: Mask) -> None:
        owners = list(self._series.owners)
        specs = self._series.specs
        due = self._watermarks.due_at(slot)
        reason = self._reasons.get(slot, NO_SAMPLES)
        refused = {one.ref: error.happened for one, error in self._refused()}
        for subject in subjects(lost, due, self._series.owner, owners, lambda column: specs[column].entity):
            self._gaps.miss(subject, slot, slot, refused.get(subject, reason) if subject else reason)

    def _tell_gaps(self) -> None:
        news = self._gaps.news()
        if news:
            self._feed.add_gaps(news)

    # what goes wrong

    def _survive(self, error: SourceError, controls: Controls) -> None:
        """Wait until the server answers again; what was missed meanwhile is asked for then."""
        if controls.is_set():
            return
        first_s = min(MAX_BACKOFF_S, 2.0 ** min(self._failures, 5))
        self._failures += 1
        retry_until_stopped(
            error,
            self._vsphere,
            controls.wait,
            first_s=first_s,
            refused_s=self._limits.refused_s,
            on_failure=self._hold,
        )
        self._excuse(error.happened)

    def _excuse(self, reason: str) -> None:
        """Remember why the slots since the last good round may be missing."""
        if self._cursor is not None:
            self._reasons = {
                slot: why for slot, why in self._reasons.items() if slot > self._cursor - 2 * self._hour
            }
            for slot in range(
                max(self._cursor + 1, self._server_slot() - self._hour), self._server_slot() + 1
            ):
                self._reasons.setdefault(slot, reason)

    def _hold(self, error: SourceError) -> None:
        _log.info("Counters wait: %s", error.happened)
        self._message = error.happened
        self._report("reconnecting")

    def _server_slot(self) -> int:
        return self._slots.reached(self._clock.now_ms()) if self._clock is not None else 0

    def _pause(self, controls: Controls) -> None:
        """Leave the server alone; what is missed is a gap."""
        self._report("paused")
        first = self._cursor
        while controls.paused and not controls.wait(_PAUSE_S):
            pass
        if first is None or self._clock is None:
            return
        last = self._server_slot()
        if last > first:
            self._watermarks.close(range(first + 1, last + 1))
            self._gaps.miss(None, first + 1, last, PAUSED)
            self._tell_gaps()
            self._cursor = last

    def _due_slot(self) -> int:
        """The last slot whose samples a round would have asked for by now."""
        if self._clock is None:
            return 0
        return self._slots.reached(self._clock.now_ms() - self._lag_s * 1000)

    def _finish(self) -> None:
        """Ask once more for what is missing by now; what still does not come is lost."""
        due = self._due_slot()
        try:
            if self._cursor is not None and self._cursor < due:
                while self.round():
                    pass
            elif self._cursor is not None and self._coverage.is_lacking:
                self._fetch(self._cursor, self._cursor)
                self._book.store()
        except SourceError as error:
            _log.info("The last samples were not to be had: %s", error.happened)
            if not isinstance(error, ClosedError):  # that is our own doing
                self._excuse(error.happened)
        self._close_books(due)
        self._report("ended")

    def _close_books(self, due: int) -> None:
        """What is missing is lost: single samples so far, and everything from the last round to ``due``."""
        for slot, lost in self._coverage.close():
            self._lose(slot, lost)
        if self._cursor is not None and self._book.newest_ms and self._cursor < due:
            self._watermarks.forgo((due - self._cursor) * self._coverage.due_series())
            slots = range(self._cursor + 1, due + 1)
            reason = next((self._reasons[slot] for slot in slots if slot in self._reasons), STOPPED)
            for slot in slots:
                reason = self._reasons.get(slot, reason)
                self._gaps.miss(None, slot, slot, reason)
            self._cursor = due
        self._tell_gaps()

    # what is said

    def _refused(self) -> list[tuple[Subject, SourceError]]:
        """Objects that the server gives no counters of even when asked for them alone."""
        found = dict(self._queries.refused) if self._queries is not None else {}
        return [(one, error) for moid, error in found.items() if (one := self._now.get(moid)) is not None]

    def _said_of_refused(self) -> str:
        refused = self._refused()
        if not refused:
            return ""
        one, error = refused[0]
        others = f" and of {len(refused) - 1} more" if len(refused) > 1 else ""
        return f"{self._vsphere.address.place} gives no counters of {one.name}{others} ({_word(error)})."

    def _rest_s(self) -> float:
        if self._clock is None or self._cursor is None:
            return self._interval_s
        due_ms = self._slots.instant(self._cursor + 1) + self._lag_s * 1000
        return float(np.clip((due_ms - self._clock.now_ms()) / 1000, 0.02, self._interval_s))

    def _report_offset(self) -> None:
        offset = self._vsphere.clock_offset_ms
        if self._offset_ms is None or abs(offset - self._offset_ms) > 500:
            self._offset_ms = offset
            self._feed.update_source(self._source, clock_offset_ms=offset)

    def _report(self, state: State) -> None:
        newest = self._book.newest_ms
        now = self._clock.now_ms() if self._clock is not None else 0.0
        self._feed.report(
            self._source,
            Health(
                state,
                float(self._interval_s),
                self._coverage.active,
                len(self._series),
                self._watermarks.due,
                self._watermarks.come,
                max(0.0, (now - newest) / 1000) if newest else 0.0,
                self._gaps.count,
                newest or None,
                self._message,
                tuple(self._details()),
            ),
        )

    def _details(self) -> Iterator[tuple[str, str]]:
        if self._book.refused:
            yield "unreadable series", str(self._book.refused)
        if refused := self._refused():
            yield (
                "refused objects",
                ", ".join(f"{one.name} ({_word(error)})" for one, error in refused[:_NAMED]),
            )
        if self._selection.undefined:
            yield "undefined counters", ", ".join(map(str, sorted(self._selection.undefined)))


def _word(error: SourceError) -> str:
    return error.type_name if isinstance(error, SoapFault) else "NoPermission"
