"""Which counters are polled: the metric set of each object type, from the preset and what
the server offers.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from collectors.vsphere.counters.metrics import (
    EVERY,
    KINDS,
    Definition,
    MetricSet,
    choose_realtime,
    undefined,
)
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.plan import Member
from collectors.vsphere.counters.reply import decode
from collectors.vsphere.counters.request import MetricList, QuerySpec, metric_list, query_perf
from collectors.vsphere.counters.server import PerfServer
from connections.vsphere.faults import SoapFault
from resources.catalogue import Catalogue
from resources.failures import PrivilegeError
from resources.vcenter_limits import QueryLimits
from resources.vcenter_presets import Preset

REALTIME = ("HostSystem", "VirtualMachine")
_SERIES_GUESS = 4  # instances of a counter before any reply told
_PROBED = 3  # objects that are tried until one shows what the server makes of "*"


@dataclass(frozen=True, slots=True)
class WildcardSupport:
    """The server's treatment of the instance ``*``: a vCenter expands it, vcsim returns it as an
    instance's name.

    ``own``: the expansion contains the entity's own value (instance ""), which then need not be queried as
    well.
    """

    expands: bool
    own: bool


_UNSEEN = WildcardSupport(expands=True, own=False)


@dataclass(slots=True)
class CounterSelection:
    """The realtime metrics that are polled of hosts and VMs.

    QueryAvailablePerfMetric is called for a sample of objects of each type, spread over all of them, and
    again every half hour. What it lists differs by ESXi version and hardware, so the lists are united and
    never shrink. A server leaves a metric that an entity lacks out of the reply without a fault, but refuses
    a whole query for a counter id that it does not define: such ids are dropped here and kept in
    ``undefined``.
    """

    server: PerfServer
    catalogue: Catalogue
    preset: Preset
    limits: QueryLimits
    interval_s: int
    definitions: Sequence[Definition]
    manager: str
    undefined: set[int] = field(default_factory=set)
    _available: dict[str, set[tuple[int, bool]]] = field(default_factory=dict)
    _sets: dict[str, MetricSet] = field(default_factory=dict)
    _lists: dict[str, MetricList] = field(default_factory=dict)
    _own_lists: dict[str, MetricList] = field(default_factory=dict)
    _stars: dict[str, WildcardSupport] = field(default_factory=dict)
    _sampled_at: float | None = None

    @property
    def sets(self) -> Sequence[MetricSet]:
        """The metric set of each object type."""
        return list(self._sets.values())

    def refresh(self, subjects: Mapping[str, Subject], bad: set[tuple[str, int]]) -> bool:
        """Query which metrics are available, if the last query was long enough ago; return True if the
        metric sets changed.

        ``bad`` holds the (object type, counter id) pairs that the server refuses. Raises SourceError.
        """
        now = time.monotonic()
        if self._sampled_at is not None and now - self._sampled_at < self.limits.resample_s:
            return False
        if not any(_answers(one) for one in subjects.values()):
            return False
        before = {kind: chosen.ids for kind, chosen in self._sets.items()}
        for kind in REALTIME:
            self._sample(kind, [one for one in subjects.values() if one.type == kind and _answers(one)], bad)
        self._sampled_at = now
        return before != {kind: chosen.ids for kind, chosen in self._sets.items()}

    def _sample(self, kind: str, there: Sequence[Subject], bad: set[tuple[str, int]]) -> None:
        step = max(1, len(there) // self.limits.sampled)
        some = [(one.type, one.moid) for one in there[::step][: self.limits.sampled]]
        known = self._available.setdefault(kind, set())
        known |= self.server.sampled(some, self.interval_s)
        self.undefined |= set(undefined(self.definitions, known))
        defined = [one for one in self.definitions if (kind, one.id) not in bad]
        chosen = choose_realtime(KINDS[kind], defined, self.catalogue, self.preset, known or None)
        if kind not in self._stars:
            shown = (self._probe(one, chosen) for one in there[:_PROBED])
            if stars := next((one for one in shown if one is not None), None):
                self._stars[kind] = stars
        self._sets[kind] = chosen
        self._lists[kind] = metric_list(_pairs(chosen, self._stars.get(kind, _UNSEEN)))
        self._own_lists.clear()

    def _probe(self, subject: Subject, chosen: MetricSet) -> WildcardSupport | None:
        """Ask one object for all instances and look at what comes; None when it gives nothing."""
        stars = metric_list(pair for pair in chosen.ids if pair[1] == EVERY)
        if not len(stars):
            return None
        now_ms = round(self.server.vsphere.server_time()[0].timestamp() * 1000)
        spec = QuerySpec(subject.moid, subject.type, stars, now_ms - 10 * 1000 * self.interval_s, now_ms)
        try:
            reply = decode(self.server.vsphere.post(query_perf(self.manager, [spec], self.interval_s)))
        except (SoapFault, PrivilegeError):
            return None
        seen: dict[int, set[str]] = {}
        for entity in (entity for block in reply.blocks for entity in block.entities):
            for counter, instance in zip(entity.counters, entity.instances, strict=True):
                seen.setdefault(int(counter), set()).add(instance)
        both = seen.keys() & {counter for counter, instance in chosen.ids if not instance}
        expands = not any(EVERY in instances for instances in seen.values())
        return WildcardSupport(expands, own=all("" in seen[counter] for counter in both)) if seen else None

    def member(self, subject: Subject, series: int) -> Member | None:
        """Return the object as a member of a query plan, or None if nothing is to be queried of it.

        ``series`` is the number of series in its last reply, 0 if there was none: then the number is
        estimated.
        """
        metrics = self._list(subject)
        if metrics is None or not len(metrics):
            return None
        return Member(subject.moid, subject.type, metrics, series or _SERIES_GUESS * len(metrics))

    def _list(self, subject: Subject) -> MetricList | None:
        if self._stars.get(subject.type, _UNSEEN).expands:
            return self._lists.get(subject.type)
        if subject.moid not in self._own_lists:
            self._own_lists[subject.moid] = self._listed(subject)
        return self._own_lists[subject.moid]

    def _listed(self, subject: Subject) -> MetricList:
        """The instances that this very object lists, for a server that does not expand ``*``."""
        chosen = self._sets[subject.type]
        available = self.server.available(subject.type, subject.moid, self.interval_s)
        return metric_list(
            dict.fromkeys(pair for pair in available if chosen.meaning(str(pair[0]), pair[1]) is not None)
        )

    def forget(self, moid: str) -> None:
        """Query an object's instances again next time, because the object has changed."""
        self._own_lists.pop(moid, None)


def _pairs(chosen: MetricSet, stars: WildcardSupport) -> list[tuple[int, str]]:
    every = {counter for counter, instance in chosen.ids if instance == EVERY} if stars.own else set()
    return [(counter, instance) for counter, instance in chosen.ids if instance or counter not in every]


def _answers(subject: Subject) -> bool:
    return subject.connected and (subject.powered_on or subject.type == "HostSystem")
