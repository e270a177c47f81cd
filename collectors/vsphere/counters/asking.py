"""Asks QueryPerf, several calls at a time: refused calls are halved, half replies asked again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from collectors.vsphere.counters.plan import Limits, Member, halves
from collectors.vsphere.counters.reply import Reply, decode
from collectors.vsphere.counters.request import QuerySpec, metric_list, query_perf
from collectors.vsphere.faults import ClosedError, SoapFault
from resources.failures import DisconnectedError, SourceError, TimedOutError

Post = Callable[[bytes], bytes]
"""Posts an envelope and returns the raw reply. Raises SourceError."""

Call = tuple[Member, ...]
Window = Callable[[Member], tuple[int, int]]
"""From when (exclusive) and until when a member is asked, in ms of the server's clock."""

_RESTRICTED = "maxquerymetrics"
_TOO_LARGE = ("element count", "exceeds configured maximum", "too large")
_DIVISIBLE = ("InvalidArgument", "ManagedObjectNotFound", "NotFound", "InvalidType", "SystemError")


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a call: its replies, or why there is none for some of its members."""

    call: Call
    replies: tuple[Reply, ...]
    error: SourceError | None = None


class Asker:
    """Threads that query and decode. ``limits`` shrinks as the server refuses; close it in the end.

    ``refused`` holds members that the server refuses even alone, ``bad`` the (type, counter id) likewise.
    """

    def __init__(self, post: Post, manager: str, interval_s: int, limits: Limits, workers: int) -> None:
        self._post, self._manager, self._interval_s = post, manager, interval_s
        self.limits = limits
        self.refused: dict[str, str] = {}
        self.bad: set[tuple[str, int]] = set()
        self._lock = threading.Lock()
        self._workers = workers
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="vsphere-counters")

    def ask(self, calls: Sequence[Call], window: Window) -> Iterator[Answer]:
        """Answers as they come; few calls are under way at a time, so that replies do not pile up."""
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
        """End the threads; close the connection first if one may be waiting in a call."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def forgive(self) -> None:
        """Ask again what was refused."""
        with self._lock:
            self.refused.clear()

    def _answer(self, call: Call, window: Window) -> Answer:
        replies: list[Reply] = []
        try:
            self._fetch(call, window, replies)
        except SourceError as error:
            return Answer(call, tuple(replies), error)
        return Answer(call, tuple(replies))

    def _fetch(self, call: Call, window: Window, into: list[Reply]) -> None:
        call = self._without_bad(tuple(member for member in call if member.moid not in self.refused))
        if not call:
            return
        try:
            into.append(self._once_more(call, window))
        except TimedOutError:
            if len(call) > 1:
                self._learn(self.limits.halved(call))
            raise
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
        gone = _named(fault, call)
        rest = tuple(member for member in call if member.moid != gone)
        parts = [rest] if gone and rest else halves(call) if _divisible(fault) else []
        if not parts:
            if not _divisible(fault):
                raise fault
            self._refuse(call[0], fault)
        for part in parts:
            self._fetch(part, window, into)

    def _note(self, call: Call, fault: SoapFault) -> None:
        words = f"{fault.text} {fault.happened}".lower()
        if _RESTRICTED in words:
            self._learn(self.limits.fewer_metrics(call))
        elif any(sign in words for sign in _TOO_LARGE) and len(call) > 1:
            self._learn(self.limits.halved(call))

    def _learn(self, limits: Limits) -> None:
        with self._lock:
            self.limits = replace(
                limits,
                elements=min(limits.elements, self.limits.elements),
                entities=min(limits.entities, self.limits.entities),
            )

    def _refuse(self, member: Member, fault: SoapFault) -> None:
        with self._lock:
            if fault.type_name == "InvalidArgument" and len(member.metrics) == 1:
                self.bad.add((member.type, member.metrics.ids[0][0]))
            else:
                self.refused[member.moid] = fault.type_name

    def _without_bad(self, call: Call) -> Call:
        with self._lock:
            bad = set(self.bad)
        return tuple(_pruned(member, bad) for member in call) if bad else call


def _pruned(member: Member, bad: set[tuple[str, int]]) -> Member:
    pairs = [pair for pair in member.metrics.ids if (member.type, pair[0]) not in bad]
    if len(pairs) == len(member.metrics):
        return member
    return replace(member, metrics=metric_list(pairs))


def _divisible(fault: SoapFault) -> bool:
    words = f"{fault.text} {fault.happened}".lower()
    return fault.type_name in _DIVISIBLE or _RESTRICTED in words or any(sign in words for sign in _TOO_LARGE)


def _named(fault: SoapFault, call: Call) -> str | None:
    """The member that the fault names as gone."""
    if fault.type_name != "ManagedObjectNotFound":
        return None
    values = set(fault.detail.values())
    return next((member.moid for member in call if member.moid in values), None)
