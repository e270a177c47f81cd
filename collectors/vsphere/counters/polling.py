"""Plans and sends the QueryPerf calls of each round of realtime counters."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from collectors.vsphere.counters.counter_selection import REALTIME, CounterSelection
from collectors.vsphere.counters.coverage import Coverage
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.plan import BatchLimits, Member, batches
from collectors.vsphere.counters.query_calls import Call, QueryCalls
from collectors.vsphere.counters.sampled_source import SampledSource
from connections.vsphere.faults import SoapFault
from resources.failures import SourceError
from resources.vcenter_limits import QueryLimits

_NAMED = 20  # objects in a detail, at most


@dataclass(slots=True)
class _Plan:
    """Who is asked in which calls, for one state of inventory and limits."""

    calls: list[Call] = field(default_factory=list)
    limits: BatchLimits | None = None
    inventory: object = None
    made_at: float = -1e9


class Polling:
    """Makes a new plan of calls when the inventory, the limits or the counters have changed, and
    sends the calls.
    """

    def __init__(
        self,
        state: SampledSource,
        coverage: Coverage,
        selection: CounterSelection,
        limits: QueryLimits,
        objects: Callable[[], Mapping[str, Subject]],
    ) -> None:
        self._state, self._coverage = state, coverage
        self._selection, self._limits, self._objects = selection, limits, objects
        self._queries: QueryCalls | None = None
        self._plan = _Plan()
        self._now: Mapping[str, Subject] = {}

    def close(self) -> None:
        """End the threads that send calls."""
        if self._queries is not None:
            self._queries.close()

    @property
    def series(self) -> int:
        """The number of series that the planned calls return, by their last replies or by estimate."""
        return sum(member.series for call in self._plan.calls for member in call)

    def update_plan(self, slot: int) -> None:
        """Take over the inventory as of ``slot``, and make a new plan if the present one is out of date."""
        objects = self._objects()
        if objects is not self._now:
            self._take_in(objects)
            self._coverage.update(objects.values(), slot)
        if self._is_stale(objects):
            self._make_plan(objects)

    def _take_in(self, objects: Mapping[str, Subject]) -> None:
        """Forget what was known of objects that are gone or changed."""
        series = self._state.series
        for moid in self._now.keys() - objects.keys():
            series.forget(moid)
            self._selection.forget(moid)
        for moid, subject in objects.items():
            if self._now.get(moid) is not subject:
                series.forget(moid)
                self._selection.forget(moid)
                series.change_vcpus(subject)
        self._now = objects

    def _is_stale(self, objects: Mapping[str, Subject]) -> bool:
        if self._queries is not None and self._queries.limits is not self._plan.limits:
            return True
        old = time.monotonic() - self._plan.made_at >= self._limits.join_s
        return old or (not self._plan.calls and self._plan.inventory is not objects)

    def _make_plan(self, objects: Mapping[str, Subject]) -> None:
        queries, series = self._queries or self._open(objects), self._state.series
        if self._selection.refresh(objects, queries.bad):
            series.set_metric_sets(self._selection.sets)
        queries.retry_refused()  # what was refused once a minute ago may have been the server's mishap
        same = self._plan.inventory is objects and self._plan.limits is queries.limits
        if not same:
            answered = self._answered()
            members = (
                self._selection.member(one, answered.get(series.number(one.ref), 0))
                for one in objects.values()
                if one.type in REALTIME and self._coverage.is_polled(one)
            )
            there = [member for member in members if member is not None]
            self._plan = _Plan(batches(there, queries.limits), queries.limits, objects)
        self._plan.made_at = time.monotonic()

    def _answered(self) -> dict[int, int]:
        """How many series each object has."""
        counts = np.bincount(self._state.series.owner)
        return {number: int(count) for number, count in enumerate(counts.tolist()) if count}

    def _open(self, objects: Mapping[str, Subject]) -> QueryCalls:
        many = sum(one.type in REALTIME for one in objects.values())
        workers = max(2, min(self._limits.workers, 1 + many // self._limits.entities_per_worker))
        limits = BatchLimits(self._limits.elements, self._limits.entities)
        state = self._state
        self._queries = QueryCalls(
            state.vsphere.post, self._selection.manager, state.interval_s, limits, workers
        )
        return self._queries

    def fetch(self, low: int, until: int) -> str:
        """Query the samples after slot ``low`` up to ``until`` and put them into the sample book.

        Returns one sentence about what failed, empty for success. Raises SourceError when no call returned
        any samples.
        """
        assert self._queries is not None
        slots, book = self._state.slots, self._state.book
        end = slots.instant(until)
        starts = {
            moid: self._coverage.start(one, low, until)
            for moid, one in self._now.items()
            if one.type in REALTIME
        }

        def window(member: Member) -> tuple[int, int]:
            return slots.instant(starts.get(member.moid, low)), end

        failed: list[SourceError] = []
        nothing: list[SourceError] = []
        for answer in self._queries.ask(self._plan.calls, window):
            for reply in answer.replies:
                book.take(reply, self._now.get)
            if answer.error is not None:
                failed.append(answer.error)
            if (why := answer.complete_failure) is not None:
                nothing.append(why)
        if nothing and len(nothing) == len(self._plan.calls):
            book.store()
            raise nothing[0]
        return failed[0].happened if failed else self._refusal_message()

    def refused(self) -> list[tuple[Subject, SourceError]]:
        """Return the objects whose counters the server refuses even in a call of their
        own, with the error.
        """
        found = dict(self._queries.refused) if self._queries is not None else {}
        return [(one, error) for moid, error in found.items() if (one := self._now.get(moid)) is not None]

    def _refusal_message(self) -> str:
        refused = self.refused()
        if not refused:
            return ""
        one, error = refused[0]
        others = f" and of {len(refused) - 1} more" if len(refused) > 1 else ""
        place = self._state.vsphere.address.place
        return f"{place} gives no counters of {one.name}{others} ({_word(error)})."

    def details(self) -> Iterator[tuple[str, str]]:
        """Yield (label, text) rows for the source's status: what can't be read, and why."""
        if self._state.book.refused:
            yield "unreadable series", str(self._state.book.refused)
        if refused := self.refused():
            yield (
                "refused objects",
                ", ".join(f"{one.name} ({_word(error)})" for one, error in refused[:_NAMED]),
            )
        if self._selection.undefined:
            yield "undefined counters", ", ".join(map(str, sorted(self._selection.undefined)))


def _word(error: SourceError) -> str:
    return error.type_name if isinstance(error, SoapFault) else "NoPermission"
