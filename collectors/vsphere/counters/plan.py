"""The query planner: which entities go into which QueryPerf call. Pure functions, without I/O.

Realtime samples come from the hosts' memory and are limited only by the size of the reply; historical rollups
come from vCenter's database and are limited by ``config.vpxd.stats.maxQueryMetrics``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from collectors.vsphere.counters.request import MetricList, metric_list

UNLIMITED = -1
"""What maxQueryMetrics says for no limit."""

_REQUEST_ELEMENTS = 7  # querySpec, entity, startTime, endTime, intervalId, format, and the reply's returnval
_METRIC_ELEMENTS = 3  # metricId, counterId, instance
_SERIES_ELEMENTS = 5  # value, id, counterId, instance, value


@dataclass(frozen=True, slots=True)
class Member:
    """An entity in the plan. ``series`` is the number of series it returned last, or an estimate."""

    moid: str
    type: str
    metrics: MetricList
    series: int

    @property
    def elements(self) -> int:
        """The number of XML elements of its part of the request or of the reply, whichever is larger."""
        queried = _REQUEST_ELEMENTS + _METRIC_ELEMENTS * len(self.metrics)
        return max(queried, _REQUEST_ELEMENTS + _SERIES_ELEMENTS * self.series)


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The limits of one call.

    ``metrics`` applies to historical queries, counted as the server counts; −1: no limit.
    """

    elements: int
    entities: int
    metrics: int = UNLIMITED
    cluster_metrics: int = UNLIMITED

    def halved(self, members: Sequence[Member]) -> BatchLimits:
        """Return smaller limits after the server refused a call with these members: half of
        that call's size.
        """
        return replace(
            self,
            elements=min(self.elements, max(1, sum(member.elements for member in members) // 2)),
            entities=min(self.entities, max(1, len(members) // 2)),
        )

    def fewer_metrics(self, members: Sequence[Member]) -> BatchLimits:
        """Return smaller limits after the server said that a call with these members exceeds
        ``maxQueryMetrics``.
        """
        queried = sum(len(member.metrics) for member in members)
        known = queried if self.metrics == UNLIMITED else min(queried, self.metrics)
        return replace(self, metrics=max(1, known // 2))


def batches(members: Iterable[Member], limits: BatchLimits) -> list[tuple[Member, ...]]:
    """Divide members into realtime calls, in order, each within the limits of XML elements and entities.

    A single member that exceeds the limits gets a call of its own. ``limits.metrics`` is observed only after
    the server has refused a realtime call because of it.
    """
    calls: list[tuple[Member, ...]] = []
    call: list[Member] = []
    elements = queried = 0
    for member in members:
        full = elements + member.elements > limits.elements or len(call) >= limits.entities
        over = limits.metrics != UNLIMITED and queried + len(member.metrics) > limits.metrics
        if call and (full or over):
            calls.append(tuple(call))
            call, elements, queried = [], 0, 0
        call.append(member)
        elements += member.elements
        queried += len(member.metrics)
    return [*calls, tuple(call)] if call else calls


def historical(members: Iterable[Member], limits: BatchLimits) -> list[tuple[Member, ...]]:
    """Divide members into calls for rollups, each with metrics × entities within ``limits.metrics``.

    An entity with too many metrics is split over several calls. A cluster gets a call of its own, with at
    most ``cluster_metrics`` metrics, because vCenter counts the cluster's hosts and VMs, too.
    """
    calls: list[tuple[Member, ...]] = []
    call: list[Member] = []
    queried = 0
    for member in members:
        is_cluster = member.type == "ClusterComputeResource"
        most = _smaller(limits.metrics, limits.cluster_metrics) if is_cluster else limits.metrics
        for part in _parts(member, most):
            if is_cluster:
                calls.append((part,))
                continue
            over = limits.metrics != UNLIMITED and queried + len(part.metrics) > limits.metrics
            if call and (over or len(call) >= limits.entities):
                calls.append(tuple(call))
                call, queried = [], 0
            call.append(part)
            queried += len(part.metrics)
    return [*calls, tuple(call)] if call else calls


def _smaller(one: int, other: int) -> int:
    known = [limit for limit in (one, other) if limit != UNLIMITED]
    return min(known) if known else UNLIMITED


def _parts(member: Member, most: int) -> list[Member]:
    if most == UNLIMITED or len(member.metrics) <= most:
        return [member]
    pairs = member.metrics.ids
    return [
        replace(member, metrics=metric_list(pairs[at : at + most]), series=min(most, member.series))
        for at in range(0, len(pairs), most)
    ]


def halves(members: Sequence[Member]) -> list[tuple[Member, ...]]:
    """Split a refused call in two: its members, or the metrics of its only member.

    Empty if it can't be split.
    """
    if len(members) > 1:
        middle = len(members) // 2
        return [tuple(members[:middle]), tuple(members[middle:])]
    parts = _parts(members[0], max(1, len(members[0].metrics) // 2))
    return [(part,) for part in parts] if len(parts) > 1 else []


def query_metrics(option: object, default: int) -> int:
    """Return the limit set by ``config.vpxd.stats.maxQueryMetrics``; ``default`` if it is
    absent or no number.
    """
    try:
        value = int(str(option))
    except ValueError:
        return default
    return UNLIMITED if value < 0 else value or default
