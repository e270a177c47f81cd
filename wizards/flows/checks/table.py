"""Which check is done by what, and running those that a test needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from resources.failures import HyperscopeError
from wizards.flows.check_result import CheckResult
from wizards.flows.checks import places, special, workers
from wizards.flows.checks.context import CheckContext, Found

CHECKS: Mapping[str, Callable[[CheckContext], Found | None]] = {
    "C1": places.privileges,
    "C2": workers.answering,
    "C3": workers.undisturbed,
    "C4": workers.unlimited,
    "C5": places.drs,
    "C6": places.hosts,
    "C6b": places.alike,
    "C7": places.power,
    "C8": places.space,
    "C9": workers.clocks,
    "C10": places.counters_flow,
    "C11": places.quiet,
    "C12": places.locks,
    "C13": workers.disks,
    "C14": workers.fio,
    "S1": special.managed,
    "S2": special.version,
    "S3": special.spread,
    "S4": special.together,
    "D1": special.movable,
    "D2": special.drs_on,
    "V1": special.vsan,
    "V2": special.vsan_at_rest,
    "W1": workers.enough,
}
"""None is returned by a check that has nothing to look at there, such as hosts where only guests are
known."""


def run_checks(context: CheckContext) -> list[CheckResult]:
    """Do the checks that the plan's test needs, in its order; those that don't apply are left out."""
    test = context.known.require(context.plan.test)
    found = [(name, _found(name, context)) for name in test.checks]
    return [_result(name, one, context) for name, one in found if one is not None]


def _found(name: str, context: CheckContext) -> Found | None:
    try:
        return CHECKS[name](context)
    except HyperscopeError as error:
        return Found("unknown", str(error))


def _result(name: str, found: Found, context: CheckContext) -> CheckResult:
    described = context.known.checks[name]
    state = found.state
    if state == "unknown":  # what could not be looked at is not well
        state = described.severity
    is_bad = state in ("warn", "block")
    why, mend = (described.why, described.mend) if is_bad else ("", "")
    return CheckResult(name, state, described.title, found.text, why, mend, found.objects, found.leave_out)
