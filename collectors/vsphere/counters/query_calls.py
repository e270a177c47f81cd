"""Sends QueryPerf calls, several at a time; splits calls that are refused, and repeats half answered ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from collectors.vsphere.counters.plan import BatchLimits, Member, halves
from collectors.vsphere.counters.reply import Reply, decode
from collectors.vsphere.counters.request import QuerySpec, metric_list, query_perf
from connections.failures import ClosedError
from connections.vsphere.faults import NotAllowedError, SoapFault
from resources.failures import DisconnectedError, SourceError, TimedOutError

Post = Callable[[bytes], bytes]
"""Posts an envelope and returns the raw reply. Raises SourceError."""

Call = tuple[Member, ...]
Window = Callable[[Member], tuple[int, int]]
"""From when (exclusive) and until when a member is asked, in ms of the server's clock."""

_RESTRICTED = "maxquerymetrics"
_TOO_LARGE = ("element count", "exceeds configured maximum", "too large")
_DIVISIBLE = ("InvalidArgument", "ManagedObjectNotFound", "NotFound", "InvalidType", "SystemError")
_OF_OBJECT = ("entity", "interval", "starttime", "endtime")
"""What InvalidArgument names that no choice of metrics mends: ``querySpec.interval`` of a host, say."""
_MAX_DENIED = 64
"""Objects that the account may not read are left out one by one; with more of them that is no exception."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one call: its replies, and errors.

    ``error`` is why part of the call failed; ``left_out`` maps members that the server refuses even in a call
    of their own to the error.
    """

    call: Call
    replies: tuple[Reply, ...]
    error: SourceError | None = None
    left_out: tuple[tuple[Member, SourceError], ...] = ()

    @property
    def complete_failure(self) -> SourceError | None:
        """The error if no object of the call returned samples, None if at least one did."""
        if self.error is None and len(self.left_out) == len(self.call):
            return self.left_out[0][1]
        return self.error


class QueryCalls:
    """A pool of threads that send calls and decode the replies.

    ``limits`` shrink when the server refuses calls.

    ``refused`` maps members that the server refuses even in a call of their own to the error; ``bad`` holds
    the (object type, counter id) pairs that it refuses although it returns the members' other metrics.
    """

    def __init__(self, post: Post, manager: str, interval_s: int, limits: BatchLimits, workers: int) -> None:
        self._post, self._manager, self._interval_s = post, manager, interval_s
        self.limits = limits
        self.refused: dict[str, SourceError] = {}
        self.bad: set[tuple[str, int]] = set()
        self._hopeless: set[str] = set()
        self._lock = threading.Lock()
        self._workers = workers
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="vsphere-counters")

    def ask(self, calls: Sequence[Call], window: Window) -> Iterator[Answer]:
        """Send ``calls`` and yield their answers as they arrive; only a few calls are in
        progress at a time.
        """
        waiting = list(reversed(calls))
        under_way: set[Future[Answer]] = set()
        try:
            while waiting or under_way:
                while waiting and len(under_way) <= self._workers:
                    under_way.add(self._pool.submit(self._answer, waiting.pop(), window))
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            for future in under_way:
                future.cancel()

    def close(self) -> None:
        """End the threads; a caller must first close the connection if a thread may be blocked in a call."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def retry_refused(self) -> None:
        """Include the members in calls again that were refused before."""
        with self._lock:
            self.refused.clear()

    def _answer(self, call: Call, window: Window) -> Answer:
        replies: list[Reply] = []
        failure: SourceError | None = None
        try:
            self._fetch(call, window, replies)
        except SourceError as error:
            failure = error
        with self._lock:
            left_out = [(one, self.refused[one.moid]) for one in call if one.moid in self.refused]
        return Answer(call, tuple(replies), failure, tuple(left_out))

    def _fetch(self, call: Call, window: Window, into: list[Reply]) -> None:
        call = self._without_bad(tuple(member for member in call if member.moid not in self.refused))
        if not call:
            return
        try:
            into.append(self._once_more(call, window))
            self._hopeless.difference_update([member.moid for member in call])
        except TimedOutError:
            if len(call) > 1:
                self._learn(self.limits.halved(call))
            raise
        except NotAllowedError as error:
            self._leave_out(call, window, into, error)
        except SoapFault as fault:
            self._divide(call, window, into, fault)

    def _once_more(self, call: Call, window: Window) -> Reply:
        specs = [QuerySpec(one.moid, one.type, one.metrics, *window(one)) for one in call]
        envelope = query_perf(self._manager, specs, self._interval_s)
        try:
            return decode(self._post(envelope))
        except ClosedError:
            raise
        except DisconnectedError:  # a connection that idled was cut, or half a reply came
            return decode(self._post(envelope))

    def _divide(self, call: Call, window: Window, into: list[Reply], fault: SoapFault) -> None:
        without = self._without_bad(call)
        if without != call:
            self._fetch(without, window, into)
            return
        self._note(call, fault)
        if not _divisible(fault):
            raise fault
        if len(call) == 1:
            self._search(call[0], window, into, fault)
            return
        gone = _named(fault, call)
        rest = tuple(member for member in call if member.moid != gone)
        for part in [rest] if gone else halves(call):
            self._fetch(part, window, into)

    def _leave_out(self, call: Call, window: Window, into: list[Reply], error: NotAllowedError) -> None:
        """Ask for all but the members that the account may not read."""
        denied = call if len(call) == 1 else tuple(one for one in call if one.moid == error.moid)
        with self._lock:
            self.refused |= {one.moid: error for one in denied}
            many = sum(isinstance(why, NotAllowedError) for why in self.refused.values())
        if many > _MAX_DENIED:
            raise error
        for part in [call] if denied else halves(call):
            self._fetch(part, window, into)

    def _search(self, member: Member, window: Window, into: list[Reply], fault: SoapFault) -> None:
        """Get from a member that is refused alone what it gives; see whether it or a metric is to blame."""
        before, bad = len(into), set[int]()
        if member.moid not in self._hopeless and not _is_of_object(fault):
            self._ask_parts(member, window, into, bad)
        with self._lock:
            if len(into) > before:
                self.bad |= {(member.type, counter) for counter in bad}
            else:
                self.refused[member.moid] = fault
                self._hopeless.add(member.moid)

    def _ask_parts(self, member: Member, window: Window, into: list[Reply], bad: set[int]) -> None:
        """Ask for its metrics in halves; those that are refused one by one are ``bad``."""
        for part in halves((member,)):
            try:
                into.append(self._once_more(part, window))
            except SoapFault as fault:
                if not _divisible(fault):
                    raise
                if len(part[0].metrics) > 1:
                    self._ask_parts(part[0], window, into, bad)
                elif fault.type_name == "InvalidArgument":
                    bad.add(part[0].metrics.ids[0][0])

    def _note(self, call: Call, fault: SoapFault) -> None:
        words = f"{fault.text} {fault.happened}".lower()
        if _RESTRICTED in words:
            self._learn(self.limits.fewer_metrics(call))
        elif any(sign in words for sign in _TOO_LARGE) and len(call) > 1:
            self._learn(self.limits.halved(call))

    def _learn(self, limits: BatchLimits) -> None:
        with self._lock:
            self.limits = replace(
                limits,
                elements=min(limits.elements, self.limits.elements),
                entities=min(limits.entities, self.limits.entities),
            )

    def _without_bad(self, call: Call) -> Call:
        with self._lock:
            bad = set(self.bad)
        if not bad:
            return call
        # One without metrics would be asked for all that it has.
        return tuple(pruned for member in call if len((pruned := _pruned(member, bad)).metrics))


def _pruned(member: Member, bad: set[tuple[str, int]]) -> Member:
    pairs = [pair for pair in member.metrics.ids if (member.type, pair[0]) not in bad]
    if len(pairs) == len(member.metrics):
        return member
    return replace(member, metrics=metric_list(pairs))


def _divisible(fault: SoapFault) -> bool:
    return fault.type_name in _DIVISIBLE or _is_too_much(fault)


def _is_too_much(fault: SoapFault) -> bool:
    words = f"{fault.text} {fault.happened}".lower()
    return any(sign in words for sign in (_RESTRICTED, *_TOO_LARGE))


def _is_of_object(fault: SoapFault) -> bool:
    """Whether it is the object's, whatever is asked of it."""
    words = f"{fault.detail.get('invalidProperty', '')} {fault.text}".lower()
    if fault.type_name == "InvalidArgument":
        return any(sign in words for sign in _OF_OBJECT) and "metric" not in words
    return not _is_too_much(fault)


def _named(fault: SoapFault, call: Call) -> str | None:
    """The member that the fault names as gone."""
    if fault.type_name != "ManagedObjectNotFound":
        return None
    values = set(fault.detail.values())
    return next((member.moid for member in call if member.moid in values), None)
