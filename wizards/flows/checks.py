"""Checks everything that a plan needs before it starts: a table from the checks' ids to what looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from resources.failures import HyperscopeError, UsageError
from resources.foreign_text import shown
from resources.guided_tests import CheckDescription, GuidedTests
from wizards.flows.check_result import CheckResult, CheckState
from wizards.flows.checking import hosts, storage, workers
from wizards.flows.checking.context import Found, Look
from wizards.flows.plan import Plan
from wizards.flows.surroundings import Surroundings
from workloads.environment import Environment

CHECKS: Mapping[str, Callable[[Look], Found]] = {
    "C1": hosts.privileges,
    "C2": workers.answer,
    "C3": workers.no_snapshot,
    "C4": workers.no_limit,
    "C5": hosts.drs_stands_still,
    "C6": hosts.connected,
    "C6b": hosts.alike,
    "C7": hosts.power_policy,
    "C8": storage.space,
    "C9": workers.clocks,
    "C10": hosts.counters_flow,
    "C11": storage.quiet,
    "C12": storage.no_lock,
    "C13": workers.disks,
    "C14": workers.fio,
    "S1": storage.can_be_managed,
    "S2": storage.version,
    "S3": hosts.several_hosts,
    "S4": hosts.one_host,
    "D1": hosts.vms_can_move,
    "D2": hosts.drs_is_on,
    "D3": hosts.others_may_move,
    "V1": storage.vsan_dedup,
    "V2": storage.vsan_at_rest,
    "W1": workers.enough,
}
"""What looks, by the id of the check in resources/tests/checks.toml."""


def checks_of(
    plan: Plan, around: Surroundings, environment: Environment, known: GuidedTests
) -> Iterator[CheckResult]:
    """Yield the results of all checks of a plan's test, in their order, each as it is made.

    They change nothing. A check that fails to read what it needs could not be made: it blocks where a real
    problem would. Raises UsageError for a plan whose objects are none of this environment.
    """
    _require_same_objects(plan, around)
    test = known.require(plan.test)
    look = Look(plan, test, known, around, environment)
    for check in test.checks:
        described = known.checks[check]
        try:
            found = CHECKS[check](look)
        except HyperscopeError as error:
            found = Found(None, shown(str(error)))
        yield _result(described, found)


def _require_same_objects(plan: Plan, around: Surroundings) -> None:
    """The journal names objects as the plan does, and 'restore' goes to where it says that they are."""
    present = {one.object.id: one.object for one in around.objects}
    for planned in plan.objects:
        found = present.get(planned.id)
        if found is not None and (found.source, found.kind) == (planned.source, planned.kind):
            continue
        here = (
            f"{shown(found.id)} is a {shown(found.kind)} of {shown(found.source)}"
            if found
            else "it is not there"
        )
        raise UsageError(
            f"The plan is of another environment: it has {shown(planned.name)}, the {shown(planned.kind)} "
            f"{shown(planned.id)} of {shown(planned.source)}; {here}.",
            advice="Make the plan again with 'hyperscope test plan'.",
        )


def _result(described: CheckDescription, found: Found) -> CheckResult:
    state = _state(described, found)
    says_why = state not in ("ok", "note")
    return CheckResult(
        described.id,
        state,
        described.title,
        found.text,
        (found.why or described.why) if says_why else "",
        (found.mend or described.mend) if says_why else "",
        found.objects,
        found.leave_out if state in ("block", "unknown") else (),
        found.lacking,
        found.request,
    )


def _state(described: CheckDescription, found: Found) -> CheckState:
    if found.holds:
        return "ok"
    if found.state is not None:
        return found.state
    if found.holds is None:
        return "unknown" if described.severity == "block" else "warn"
    return described.severity
