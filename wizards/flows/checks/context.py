"""What the checks look at: the plan, and what there is now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from resources.fio_jobs import FioJobs
from resources.foreign_text import shown
from resources.guided_tests import GuidedTests
from sessions.journal import Setting
from wizards.flows.check_result import CheckState
from wizards.flows.plan import Plan, PlannedWorker
from wizards.flows.surroundings import Surroundings, WorkerSeen
from workloads.environment import Environment, TestObject

_LISTED = 3


@dataclass(frozen=True, slots=True)
class Found:
    """What one check found. ``objects`` are the names that it concerns, ``leave_out`` workers without
    which it would be well.
    """

    state: CheckState
    text: str
    objects: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckContext:
    """The plan and the environment as it is now. ``run`` is the id of a run that holds the locks already."""

    plan: Plan
    around: Surroundings
    environment: Environment
    known: GuidedTests
    jobs: FioJobs
    run: str = ""
    pairs: tuple[tuple[PlannedWorker, WorkerSeen | None], ...] = field(init=False)

    def __post_init__(self) -> None:
        pairs = tuple((one, self.around.worker(one.name)) for one in self.plan.workers)
        object.__setattr__(self, "pairs", pairs)

    def vms(self) -> Iterator[TestObject]:
        """Yield the VMs of the workers that are there."""
        for _, seen in self.pairs:
            if seen is not None and seen.vm is not None:
                yield seen.vm

    def hosts(self) -> list[TestObject]:
        """Return the hosts that run workers, each once."""
        found = {vm.parent: self.around.object(vm.parent) for vm in self.vms()}
        return [host for host in found.values() if host is not None]

    def chosen(self, what: str) -> TestObject | None:
        """Return an object that was chosen: ``datastore``, ``cluster``."""
        return self.around.object(self.plan.chosen.get(what, ""))

    def datastores(self) -> list[TestObject]:
        """Return the datastores that were chosen."""
        found = [self.chosen("datastore"), self.chosen("datastore_b")]
        return [one for one in found if one is not None]

    def cluster(self) -> TestObject | None:
        """Return the cluster that was chosen, else that of the first worker's host."""
        parents = [self.around.object(host.parent) for host in self.hosts()]
        return self.chosen("cluster") or next((one for one in parents if one is not None), None)

    def limit(self, check: str) -> float:
        """Return the limit of a check."""
        limit = self.known.checks[check].limit
        assert limit is not None  # a check that asks for it has one
        return limit


def names(objects: Iterable[TestObject]) -> tuple[str, ...]:
    """Return display names."""
    return tuple(one.object.name for one in objects)


def listed(texts: Sequence[str]) -> str:
    """Return names in a sentence, the first few of many."""
    first = ", ".join(shown(one) for one in texts[:_LISTED])
    return f"{first} and {len(texts) - _LISTED} more" if len(texts) > _LISTED else first


def is_true(one: TestObject, fact: str) -> bool:
    """Return True if a fact is known and true."""
    return one.facts.get(fact) is True


def number(one: TestObject, fact: str) -> float | None:
    """Return a fact as a number, None if it is not known."""
    return as_number(one.facts.get(fact))


def as_number(value: Setting | None) -> float | None:
    """Return a value as a number, None if it is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
