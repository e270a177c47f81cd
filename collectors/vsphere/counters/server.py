"""The server's PerformanceManager: its counters, intervals, limits, and which metrics an entity has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyVmomi import vim

from collectors.vsphere.counters.metrics import KINDS, Definition
from collectors.vsphere.inventory.elements import tidy
from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from resources.failures import NoCountersError, PrivilegeError

_LIMIT = "config.vpxd.stats.maxQueryMetrics"
_TYPES: Mapping[str, Callable[..., Any]] = {
    "HostSystem": vim.HostSystem,
    "VirtualMachine": vim.VirtualMachine,
    "ClusterComputeResource": vim.ClusterComputeResource,
    "Datastore": vim.Datastore,
}
assert set(_TYPES) == set(KINDS)


@dataclass(frozen=True, slots=True)
class HistoricalInterval:
    """A historical interval of vCenter: one sample every ``period_s`` seconds, kept for
    ``length_s`` seconds.
    """

    period_s: int
    length_s: int


@dataclass(frozen=True, slots=True)
class PerfServer:
    """The server's PerformanceManager, called through the shared connection. All calls raise SourceError."""

    vsphere: VSphere

    def manager(self) -> str:
        """Return the id of the PerformanceManager. Raises NoCountersError where there is none."""

        def question(connection: Connection) -> str | None:
            manager = connection.content.perfManager
            return str(manager._moId) if manager is not None else None

        found = self.vsphere.ask("its performance manager", question)
        if found is None:
            raise _nothing(self.vsphere)
        return found

    def definitions(self) -> list[Definition]:
        """Return the server's counter catalogue; of two counters with one name the first.

        Raises NoCountersError if empty.
        """

        def question(connection: Connection) -> list[Definition]:
            counters = connection.content.perfManager.perfCounter or ()
            return [_definition(counter) for counter in counters]

        found: dict[str, Definition] = {}
        for definition in self.vsphere.ask("the list of its counters", question):
            found.setdefault(definition.name, definition)
        if not found:
            raise _nothing(self.vsphere)
        return list(found.values())

    def refresh_s(self, kind: str, moid: str) -> int | None:
        """Return the realtime interval of an entity in seconds; None if it has no realtime
        counters or is gone.
        """

        def question(connection: Connection) -> int | None:
            manager = connection.content.perfManager
            summary = manager.QueryPerfProviderSummary(_TYPES[kind](moid, connection.stub))
            return summary.refreshRate if summary.currentSupported else None

        try:
            rate = self.vsphere.ask("how often it samples", question)
        except SoapFault:
            return None
        return rate if rate is not None and rate > 0 else None

    def query_metrics(self) -> object:
        """Return ``config.vpxd.stats.maxQueryMetrics``; None if it is not set or may not be read."""

        def question(connection: Connection) -> object:
            found = connection.content.setting.QueryOptions(_LIMIT) if connection.content.setting else ()
            return next((option.value for option in found or () if option.key == _LIMIT), None)

        try:
            return self.vsphere.ask("its limit of query metrics", question)
        except (SoapFault, PrivilegeError):
            return None

    def available(self, kind: str, moid: str, interval_s: int) -> list[tuple[int, str]]:
        """Return the (counter id, instance) pairs that an entity has at an interval; empty for an
        entity that is gone.
        """

        def question(connection: Connection) -> list[tuple[int, str]]:
            manager = connection.content.perfManager
            entity = _TYPES[kind](moid, connection.stub)
            found = manager.QueryAvailablePerfMetric(entity=entity, intervalId=interval_s)
            return [(metric.counterId, metric.instance or "") for metric in found or ()]

        try:
            return self.vsphere.ask("the counters of an object", question)
        except (SoapFault, PrivilegeError):
            return []

    def sampled(self, objects: Iterable[tuple[str, str]], interval_s: int) -> set[tuple[int, bool]]:
        """Return the metrics that any of ``objects`` (type, moid) has, as pairs (counter id, whether of a
        named instance).
        """
        return {
            (counter, bool(instance))
            for kind, moid in objects
            for counter, instance in self.available(kind, moid, interval_s)
        }

    def history(self) -> list[HistoricalInterval]:
        """Return the historical intervals that the server keeps, finest first."""

        def question(connection: Connection) -> Sequence[HistoricalInterval]:
            found = connection.content.perfManager.historicalInterval or ()
            return [HistoricalInterval(one.samplingPeriod, one.length) for one in found if one.enabled]

        return sorted(self.vsphere.ask("what history it keeps", question), key=lambda one: one.period_s)


def _definition(counter: Any) -> Definition:
    name = tidy(f"{counter.groupInfo.key}.{counter.nameInfo.key}.{counter.rollupType}")
    return Definition(
        counter.key,
        name,
        str(counter.unitInfo.key),
        tidy(counter.nameInfo.summary or ""),
        tidy(counter.nameInfo.label or ""),
        str(counter.statsType or ""),
        counter.level or 0,
        counter.perDeviceLevel or 0,
    )


def _nothing(vsphere: VSphere) -> NoCountersError:
    return NoCountersError(
        f"{vsphere.address.place} has no performance data.",
        meaning="Its list of counters is empty: its performance service is not running.",
        advice="See whether the performance charts of the vSphere Client show anything.",
    )
