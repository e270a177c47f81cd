"""How a client that no one here wrote (pyVmomi) talks to the simulated vCenters."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from pyVmomi import SoapStubAdapter, vim, vmodl
from pyVmomi.VmomiSupport import newestVersions

from tests.vcenter.running import PASSWORD, USER, Place

Query = vim.PerformanceManager.QuerySpec
Metric = vim.PerformanceManager.MetricId


class Peer:
    """A login, the counters by name and a few questions."""

    def __init__(self, place: Place, user: str = USER, password: str = PASSWORD) -> None:
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        self._stub = SoapStubAdapter(
            place.host, place.port, version=newestVersions.GetName("vim"), sslContext=trusting
        )
        self.instance: Any = vim.ServiceInstance("ServiceInstance", self._stub)
        self.content: Any = self.instance.RetrieveContent()
        self.perf: Any = self.content.perfManager
        sessions: Any = self.content.sessionManager
        try:
            sessions.Login(user, password, None)
        except vim.fault.VimFault:
            self.close()
            raise

    @cached_property
    def ids(self) -> dict[str, int]:
        """The counters' ids by group.name.rollup."""
        return {
            f"{one.groupInfo.key}.{one.nameInfo.key}.{one.rollupType}": one.key
            for one in self.perf.perfCounter
        }

    def close(self) -> None:
        """Leave without saying goodbye."""
        self._stub.DropConnections()

    def all(self, kind: type[Any]) -> dict[str, Any]:
        """The inventory's objects of a type, by name."""
        view = self.content.viewManager.CreateContainerView(self.content.rootFolder, [kind], True)
        try:
            return {one.name: one for one in view.view}
        finally:
            view.Destroy()

    def finish(self, task: Any) -> Any:
        """The task's info when it has ended; raises the fault with which it failed."""
        while task.info.state not in ("success", "error"):
            time.sleep(0.01)  # a wait for updates would hide what a plain read says
        if task.info.state == "error":
            raise task.info.error
        return task.info

    def until(self, true: Callable[[], bool], within: float = 10.0) -> None:
        """Ask until something is true: what no task tells of."""
        deadline = time.monotonic() + within
        while not true():
            assert time.monotonic() < deadline, "it did not become true"
            time.sleep(0.02)

    def chain(self, info: Any) -> list[Any]:
        """The events of a task, oldest first."""
        of_task = vim.event.EventFilterSpec(eventChainId=info.eventChainId)
        return sorted(self.content.eventManager.QueryEvents(of_task), key=lambda one: one.key)

    def events(self, *kinds: type[Any]) -> list[Any]:
        """All events of these types, oldest first."""
        found = self.content.eventManager.QueryEvents(vim.event.EventFilterSpec())
        return sorted((one for one in found if isinstance(one, kinds)), key=lambda one: one.key)

    def hosts_of(self, vm: Any) -> Iterator[str]:
        """The name of the VM's host now, then at each update that tells of one."""
        return (str(host.name) for host in self.watch(vm, "runtime.host"))

    def watch(self, entity: Any, name: str) -> Iterator[Any]:
        """An object's property now (None if it is unset), then at each update: WaitForUpdatesEx."""
        types: Any = vmodl.query.PropertyCollector
        collector = self.content.propertyCollector.CreatePropertyCollector()
        wanted = types.PropertySpec(type=type(entity), pathSet=[name])
        collector.CreateFilter(
            types.FilterSpec(objectSet=[types.ObjectSpec(obj=entity)], propSet=[wanted]), False
        )
        version = ""
        while True:
            update = collector.WaitForUpdatesEx(version, None)
            version = update.version
            changes = update.filterSet[0].objectSet[0].changeSet
            if not changes:
                yield None
            for change in changes:
                yield change.val

    def query(
        self, entity: Any, counters: Iterable[str | tuple[str, str]], interval: int, **options: object
    ) -> dict[tuple[str, str], dict[int, int]]:
        """Samples by counter and instance, by Unix time; in the server's order."""
        names = {number: name for name, number in self.ids.items()}
        pairs = [(one, "") if isinstance(one, str) else one for one in counters]
        metrics = [Metric(counterId=self.ids[name], instance=instance) for name, instance in pairs]
        options.setdefault("format", "csv")
        spec = Query(entity=entity, metricId=metrics, intervalId=interval, **options)
        found: dict[tuple[str, str], dict[int, int]] = {}
        for answer in self.perf.QueryPerf([spec]):
            times, rows = _read(answer)
            for key, values in rows:
                found[names[key.counterId], key.instance] = dict(zip(times, values, strict=True))
        return found


def moment(seconds: float) -> datetime:
    """A Unix time as pyVmomi wants it."""
    return datetime.fromtimestamp(seconds, UTC)


def _read(answer: Any) -> tuple[Sequence[int], list[tuple[Any, Sequence[int]]]]:
    if isinstance(answer, vim.PerformanceManager.EntityMetricCSV):
        stamps = answer.sampleInfoCSV.split(",")[1::2]
        times = [int(datetime.fromisoformat(stamp).timestamp()) for stamp in stamps]
        return times, [(one.id, [int(text) for text in one.value.split(",")]) for one in answer.value]
    times = [int(one.timestamp.timestamp()) for one in answer.sampleInfo]
    return times, [(one.id, list(one.value)) for one in answer.value]
