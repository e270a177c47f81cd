"""What a check looks at, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from resources.foreign_text import shown
from resources.guided_tests import CheckDescription, GuidedTest, GuidedTests
from resources.units import format_count
from sessions.journal import Setting
from wizards.flows.check_result import CheckState
from wizards.flows.plan import Plan, PlannedWorker
from wizards.flows.surroundings import Surroundings, WorkerSeen
from workloads.environment import Environment, TestObject


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found: ``state`` None where it could not be told, else whether it holds.

    ``text`` says what was found in one sentence. ``objects`` are the names that it is about, ``leave_out``
    the workers without which it would hold. A ``state``, ``why`` or ``mend`` of its own replaces the
    check's. ``lacking`` and ``request`` are as those of a ``CheckResult``.
    """

    holds: bool | None
    text: str
    objects: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    state: CheckState | None = None
    mend: str = ""
    why: str = ""
    lacking: tuple[tuple[str, str], ...] = ()
    request: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What the checks look at: the plan, its test, what the environment has, and the environment itself."""

    plan: Plan
    test: GuidedTest
    known: GuidedTests
    around: Surroundings
    environment: Environment

    @property
    def is_vcenter(self) -> bool:
        """True unless only guests are known."""
        return self.around.kind != "ssh"

    def seen(self) -> list[tuple[PlannedWorker, WorkerSeen | None]]:
        """Return the plan's workers with what is there now."""
        return [(one, self.around.worker(one.name)) for one in self.plan.workers]

    def vms(self) -> list[TestObject]:
        """Return the workers' VMs."""
        return [one.vm for _, one in self.seen() if one is not None and one.vm is not None]

    def hosts(self) -> list[TestObject]:
        """Return the hosts that the workers' VMs run on, each once."""
        found = {vm.parent: self.around.object(vm.parent) for vm in self.vms()}
        return [one for one in found.values() if one is not None]

    def chosen(self, what: str) -> TestObject | None:
        """Return the object that was chosen as ``datastore``, ``datastore_b`` or ``cluster``."""
        of = self.plan.chosen.get(what, "")
        return self.around.object(of) if of else None

    def datastores(self) -> list[TestObject]:
        """Return the chosen datastores."""
        both = (self.chosen("datastore"), self.chosen("datastore_b"))
        return [one for one in both if one is not None]

    def limit(self, check: str, otherwise: float) -> float:
        """Return the number that a check compares with."""
        described: CheckDescription = self.known.checks[check]
        return described.limit if described.limit is not None else otherwise


def fact(one: TestObject, name: str) -> Setting:
    """Return a fact of an object, None if it is not known."""
    return one.facts.get(name)


def number(one: TestObject, name: str) -> float | None:
    """Return a fact that is a number."""
    value = one.facts.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def names(objects: Iterable[TestObject]) -> tuple[str, ...]:
    """Return the objects' display names."""
    return tuple(one.object.name for one in objects)


def some(listed: Sequence[str]) -> str:
    """Return ``perf-w01, perf-w02 and 4 more``."""
    first = ", ".join(shown(one, 40) for one in listed[:2])
    return f"{first} and {format_count(len(listed) - 2)} more" if len(listed) > 2 else first
