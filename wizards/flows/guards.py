"""The guards of a run: what ends it by itself, so that nobody else is hurt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from resources.foreign_text import shown
from resources.guided_tests import GuardsOfTest
from wizards.flows.checking.context import number
from workloads.environment import TestObject

EVERY_S = 10.0
"""How often datastores are looked at while load runs (s of the environment's time)."""


@dataclass(frozen=True, slots=True)
class GuardState:
    """How near a guard is: ``value`` of ``limit``, in ``unit``; ``of`` is what it watches."""

    name: str
    of: str
    value: float | None
    limit: float
    unit: str


class Guards:
    """Watches bystanders' latency, free space, and the workers that are left."""

    def __init__(self, limits: GuardsOfTest, datastores: Sequence[str]) -> None:
        self._limits, self._datastores = limits, frozenset(datastores)
        self._high_since: dict[str, int] = {}
        self.states: tuple[GuardState, ...] = ()

    def problem(self, objects: Iterable[TestObject], now_ms: int) -> str:
        """Return why the run must end, from the datastores as they are now; empty if it may go on."""
        states, found = [], ""
        for store in objects:
            if store.object.id not in self._datastores:
                continue
            latency, space = self._latency(store, now_ms), self._space(store)
            states += [latency[0], space[0]]
            found = found or latency[1] or space[1]
        self.states = tuple(states)
        return found

    def lost(self, hosts: Mapping[str, str], lost: Mapping[str, str]) -> str:
        """Return why the run must end, from the host of each worker that is left and those that were lost."""
        if not lost:
            return ""
        what = _lost_workers(lost)
        left, on = len(hosts), len(set(hosts.values()))
        least = max(1, self._limits.workers_least)
        if left < least:
            return f"{what} Of the workers {left or 'none'} are left, and the test needs {least}."
        if any(hosts.values()) and on < self._limits.hosts_least:
            where = "1 host" if on == 1 else f"{on} hosts"
            return f"{what} Workers are left on {where}, and the test needs {self._limits.hosts_least}."
        return ""

    def _latency(self, store: TestObject, now_ms: int) -> tuple[GuardState, str]:
        limit, name = self._limits.bystander_ms, store.object.name
        value = number(store, "bystander_ms")
        state = GuardState("Latency of other VMs", name, value, limit, "ms")
        if not limit or value is None or value <= limit:
            self._high_since.pop(store.object.id, None)
            return state, ""
        since = self._high_since.setdefault(store.object.id, now_ms)
        if (now_ms - since) / 1000 < self._limits.bystander_s:
            return state, ""
        seconds = f"{self._limits.bystander_s:g} s"
        return state, f"Other VMs on {shown(name)} wait {value:.0f} ms for {seconds}, limit {limit:g} ms."

    def _space(self, store: TestObject) -> tuple[GuardState, str]:
        limit, name = self._limits.free_percent, store.object.name
        free, size = number(store, "free_bytes"), number(store, "capacity_bytes")
        share = 100 * free / size if free is not None and size else None
        state = GuardState("Free space", name, share, limit, "%")
        if not limit or share is None or share >= limit:
            return state, ""
        return state, f"{shown(name)} has {share:.1f} % left, limit {limit:g} %."


def _lost_workers(lost: Mapping[str, str]) -> str:
    name, why = next(iter(lost.items()))
    first = why if name in why else f"{shown(name)} was lost: {why}"
    more = f" {len(lost) - 1} more were lost, too." if len(lost) > 1 else ""
    return f"{first.rstrip('.')}.{more}"
