"""What a test is set up with before anybody has chosen anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resources.guided_tests import load_guided_tests
from wizards.flows.checks import checks_of
from wizards.flows.choices import choice_of, first_choice, offer_of
from wizards.flows.planning import make_plan
from wizards.flows.surroundings import look
from workloads.lab.environment import LabEnvironment


@pytest.fixture(scope="module")
def lab() -> Iterator[LabEnvironment]:
    environment = LabEnvironment("lab:default")
    yield environment
    environment.close()


@pytest.mark.parametrize("test", sorted(load_guided_tests().tests))
def test_every_test_of_the_lab_can_start_as_it_is_offered(lab: LabEnvironment, test: str) -> None:
    known = load_guided_tests()
    of, around = known.require(test), look(lab)
    plan = make_plan(of, around, choice_of(of, first_choice(of, around, offer_of(of, around))))
    assert [
        one.title for one in checks_of(plan, around, lab, known) if one.state in ("block", "unknown")
    ] == []
    if of.one_host:
        assert len({one.host for one in plan.workers}) == 1
