"""What is read of an environment for a measured phase: its facts, and the host on which each worker is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from wizards.flows.active_worker import ActiveWorker
from wizards.flows.checking.context import number
from wizards.flows.measured import WorkerRound
from wizards.flows.plan import Plan
from wizards.flows.surroundings import Surroundings
from workloads.environment import TestObject

TOTALS = frozenset({"migrations"})
"""Facts that count on since long before the test: a phase has what was added in it."""


class PhaseFacts:
    """The facts ``names`` of the ``chosen`` objects over one phase, which begins when this is made."""

    def __init__(
        self, names: Sequence[str], objects: Callable[[], Iterable[TestObject]], chosen: Collection[str]
    ) -> None:
        self._names, self._objects, self._chosen = names, objects, chosen
        self._before = self._now() if TOTALS & set(names) else {}

    def read(self) -> dict[str, float]:
        """Return the facts as they are now; of a total, how much was added in the phase."""
        now = self._now() if self._names else {}
        return {
            name: value - self._before.get(name, 0.0) if name in TOTALS else value
            for name, value in now.items()
        }

    def _now(self) -> dict[str, float]:
        found = {}
        for one in self._objects():
            if one.object.id in self._chosen:
                values = {name: number(one, name) for name in self._names}
                found.update({name: value for name, value in values.items() if value is not None})
        return found


def note_hosts(
    active: Collection[ActiveWorker], plan: Plan, rounds: Iterable[WorkerRound] = ()
) -> tuple[WorkerRound, ...]:
    """Note the host on which each worker is now; return the rounds with these hosts."""
    names = {one.id: one.name for one in plan.objects if one.kind == "HostSystem"}
    for one in active:
        vm = one.worker.vm
        one.host = (names.get(vm.parent, vm.parent) if vm is not None else "") or one.host
    hosts = {one.name: one.host for one in active}
    return tuple(replace(one, host=hosts.get(one.worker, one.host)) for one in rounds)


def numbers_of(around: Surroundings, chosen: Collection[str]) -> dict[str, float]:
    """Return all facts of the chosen objects that are numbers."""
    found = {}
    for one in around.objects:
        if one.object.id in chosen:
            values = {name: number(one, name) for name in one.facts}
            found.update({name: value for name, value in values.items() if value is not None})
    return found
