"""What a test is set up with before anybody has chosen anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from wizards.flows.checks import checks_of
from wizards.flows.choices import Chosen, choice_of, first_choice, offer_of, problem_of
from wizards.flows.planning import make_plan
from wizards.flows.sheets import sheet_of
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


@pytest.mark.parametrize(
    ("test", "order", "note"),
    [
        ("io-sweep", "each once, 64 again at the end", "1 to 64 outstanding a disk, 70 % reads"),
        ("sioc-shares", "rounds: P1 P2 P3 · P3 P2 P1 · P1 P2 P3", "48 outstanding a disk, 70 % reads"),
    ],
)
def test_the_order_and_the_load_of_a_plan(lab: LabEnvironment, test: str, order: str, note: str) -> None:
    known = load_guided_tests()
    of, around = known.require(test), look(lab)
    plan = make_plan(of, around, choice_of(of, first_choice(of, around, offer_of(of, around))))
    sheet = sheet_of(plan, known, load_fio_jobs(), lambda _seconds: "")
    assert (sheet.order, sheet.load_note) == (order, note)


def test_a_datastore_is_not_compared_with_itself() -> None:
    test = load_guided_tests().require("storage-ab")
    both = (("datastore", "lun-1"), ("datastore b", "lun-1"))
    chosen = Chosen(both, ("w1", "w2"), "", "lab", ())
    assert problem_of(test, chosen) == "lun-1 is chosen twice: there is nothing to compare it with."
    other = Chosen((both[0], ("datastore b", "lun-2")), ("w1",), "", "lab", ())
    assert problem_of(test, other) == ""
    assert problem_of(test, Chosen((), (), "", "lab", ())).startswith("No worker is chosen")
