"""Phases that wait until an environment has settled: DRS moves nothing more, vSAN has destaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wizards.flows.checking.context import number
from wizards.flows.plan import PlannedPhase
from workloads.environment import TestObject

SETTLED_S = 180.0
"""DRS has settled when nothing moved for three of its runs (W3; one a minute from 7.0 on)."""
DESTAGED_PERCENT = 95.0
"""The write buffer is empty again (W5: wait for 95 % free)."""
LOOK_EVERY_S = 15.0


def wait_until_settled(
    phase: PlannedPhase,
    objects: Callable[[], Sequence[TestObject]],
    now_ms: Callable[[], int],
    pause: Callable[[], None],
) -> None:
    """Wait for what the phase waits for, at most for its ``measure_s``."""
    begun, looked = now_ms(), 0
    settled = DrsSettling(objects, now_ms)
    while (now_ms() - begun) / 1000 < phase.measure_s:
        pause()
        if phase.wait == "drs settled" and settled():
            return
        if phase.wait == "destaged" and (now_ms() - looked) / 1000 >= LOOK_EVERY_S:
            looked = now_ms()
            clusters = [one for one in objects() if one.object.kind == "ClusterComputeResource"]
            free = [number(one, "write_buffer_free_percent") for one in clusters]
            if all(one is not None and one >= DESTAGED_PERCENT for one in free):
                return


class DrsSettling:
    """Whether DRS has settled: nothing moved, and nothing was recommended, for a while."""

    def __init__(self, objects: Callable[[], Sequence[TestObject]], now_ms: Callable[[], int]) -> None:
        self._objects, self._now_ms = objects, now_ms
        self._quiet_since, self._looked, self._moved = now_ms(), 0, -1.0

    def __call__(self) -> bool:
        """Look again, if it is time; return True once it has settled."""
        now = self._now_ms()
        if (now - self._looked) / 1000 >= LOOK_EVERY_S:
            self._looked = now
            clusters = [one for one in self._objects() if one.object.kind == "ClusterComputeResource"]
            moves = sum(number(one, "migrations") or 0.0 for one in clusters)
            waiting = sum((number(one, "drs_recommendations") or 0.0) + _tasks(one) for one in clusters)
            if moves != self._moved or waiting:
                self._quiet_since, self._moved = now, moves
        return (now - self._quiet_since) / 1000 >= SETTLED_S


def _tasks(one: TestObject) -> float:
    return number(one, "running_tasks") or 0.0
