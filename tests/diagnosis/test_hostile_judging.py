"""Judging what no datacenter has: forged samples, facts, events and names, on top of several faults."""

from __future__ import annotations

import pytest

from benchmarks.fuzz_judging import SITES, judge, mutant
from tests.some_of_many import one_in

MUTANTS = 120


@pytest.mark.parametrize("number", one_in(16, range(MUTANTS)))
def test_what_is_forged_is_judged_without_nonsense(number: int) -> None:
    """Each fails with what was said that should not be; ``mutant(number)`` tells what was done."""
    done, site = mutant(number)
    assert done.split("+")[1] in SITES[number % len(SITES)]
    judge(site)
