"""A run that is repeated takes over what the earlier one had chosen, and says what."""

from __future__ import annotations

from dataclasses import replace

from resources.guided_tests import load_guided_tests
from tests.wizards.memory_environment import MemoryEnvironment
from wizards.flows.choices import Chosen, choice_of, first_choice, offer_of
from wizards.flows.planning import Choice, make_plan
from wizards.flows.run_again import Again, again_of, taken_over, taken_text
from wizards.flows.surroundings import Surroundings, look

KNOWN = load_guided_tests()
SWEEP, SIOC = KNOWN.require("io-sweep"), KNOWN.require("sioc-shares")
AROUND = look(MemoryEnvironment(3))


def repeated(again: Again, around: Surroundings) -> tuple[Chosen, str]:
    offer = offer_of(SWEEP, around)
    chosen = taken_over(again, SWEEP, around, offer, first_choice(SWEEP, around, offer))
    return chosen, taken_text(again, SWEEP, offer, chosen)


def sweep_of(*workers: str, **inputs: object) -> Again:
    choice = Choice("io-sweep", "full", inputs, {}, workers)  # type: ignore[arg-type]
    return again_of(make_plan(SWEEP, AROUND, choice), SWEEP, "14:02:11")


def test_workers_length_and_inputs_are_taken_over() -> None:
    again = sweep_of("perf-w01", "perf-w03", depths=(1, 4, 32), reads=100)
    chosen, said = repeated(again, AROUND)
    assert chosen.workers == ("perf-w01", "perf-w03")
    assert chosen.length == "full"
    assert dict(chosen.inputs)["depths"] == (1, 4, 32)
    assert chosen == again.chosen
    assert said.startswith("Taken over from the run of 14:02:11: 2 workers; perf-lun-02; length Full, ")
    assert "Outstanding I/Os a disk 1, 4, 32" in said
    assert "100" in said
    plan = make_plan(SWEEP, AROUND, choice_of(SWEEP, chosen))
    assert plan.inputs["depths"] == (1, 4, 32)


def test_inputs_that_nobody_changed_are_not_listed() -> None:
    assert repeated(sweep_of("perf-w01"), AROUND)[1].endswith("; inputs as by default.")


def test_what_is_not_there_any_more_is_named() -> None:
    again = sweep_of("perf-w01", "perf-w03")
    smaller = look(MemoryEnvironment(2))
    chosen, said = repeated(again, smaller)
    assert chosen.workers == ("perf-w01",)
    assert said.endswith("Not there now: perf-w03.")
    gone = replace(again, chosen=replace(again.chosen, workers=("a", "b"), objects=(("datastore", "x"),)))
    chosen, said = repeated(gone, smaller)
    assert chosen.workers == ("perf-w01", "perf-w02"), "as a new run would choose"
    assert said.endswith("Not there now: a, b, x.")
    assert "workers;" not in said


def test_the_critical_worker_is_taken_over() -> None:
    offer = offer_of(SIOC, AROUND)
    plan = make_plan(SIOC, AROUND, Choice("sioc-shares", "quick", critical="perf-w02"))
    again = again_of(plan, SIOC, "14:02:11")
    chosen = taken_over(again, SIOC, AROUND, offer, first_choice(SIOC, AROUND, offer))
    assert chosen.critical == "perf-w02"
    assert "perf-w02 critical" in taken_text(again, SIOC, offer, chosen)


def test_inputs_that_this_version_does_not_have_are_left_out() -> None:
    again = sweep_of("perf-w01")
    old = replace(again, chosen=replace(again.chosen, inputs=(("no longer", 3), ("depths", (1, 2)))))
    assert repeated(old, AROUND)[0].inputs == (("depths", (1, 2)),)
