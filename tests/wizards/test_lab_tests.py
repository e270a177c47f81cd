"""Every guided test in the lab: planned from what is there, runnable, costed, checked."""

from __future__ import annotations

import pytest

from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from wizards.flows.checks import checks_of
from wizards.flows.costs import cost_of, job_text
from wizards.flows.plan_file import parse_plan, plan_text
from wizards.flows.plan_rules import require_runnable
from wizards.flows.planning import Choice, make_plan
from wizards.flows.surroundings import look
from workloads.lab import LabEnvironment

KNOWN, JOBS = load_guided_tests(), load_fio_jobs()


@pytest.mark.parametrize("name", sorted(KNOWN.tests))
def test_each_can_be_planned_and_started(name: str) -> None:
    environment = LabEnvironment("lab:imbalanced" if name == "drs-balance" else "lab:default")
    try:
        around = look(environment)
        plan = make_plan(KNOWN.require(name), around, Choice(name, "lab"))
        require_runnable(plan, KNOWN, JOBS)
        assert parse_plan(plan_text(plan)) == plan
        cost = cost_of(plan, KNOWN, JOBS)
        assert cost.seconds > 60
        assert cost.steps[-1].start_s < cost.seconds
        for phase, _ in plan.steps():
            for work in phase.work:
                assert job_text(plan, phase, work.workers[0], JOBS).startswith("# ")
        blocks = [
            one for one in checks_of(plan, around, environment, KNOWN) if one.state in ("block", "unknown")
        ]
        assert not blocks
    finally:
        environment.close()


def test_a_placement_moves_only_whom_it_must() -> None:
    environment = LabEnvironment("lab:balanced")
    try:
        around = look(environment)
        choice = Choice("drs-balance", "lab", {"cases": ("1", "0")})
        plan = make_plan(KNOWN.require("drs-balance"), around, choice)
    finally:
        environment.close()
    now = {one.object.id: one.parent for one in around.of_kind("VirtualMachine")}
    for name, apart in (("hand 1", {(4, 0), (0, 4)}), ("hand 0", {(2, 2)})):
        hosts = {one.object: str(one.value) for one in plan.phase(name).changes if one.setting == "host"}
        assert len(hosts) == 16
        roles = {one.vm: one.role for one in plan.workers}
        found = {
            (
                sum(roles[vm] == "heavy" for vm in hosts if hosts[vm] == host),
                sum(roles[vm] == "light" for vm in hosts if hosts[vm] == host),
            )
            for host in hosts.values()
        }
        assert found == apart
    stay = sum(now[vm] == host for vm, host in hosts.items())
    assert stay == 16, "the balanced lab is the balanced placement"
