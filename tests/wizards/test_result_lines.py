"""What a terminal shows after a run: the verdict never without how sure it is and whether it is valid."""

from __future__ import annotations

from resources.study_numbers import load_studies
from sessions.journal import TestRun
from tests.wizards.storage_rounds import sweep
from wizards.flows.result import result_json, result_lines
from wizards.flows.run_details import details_text, read_conditions
from wizards.flows.verdicts.judging import judge

STUDIES = load_studies()


def ended(rounds: int) -> TestRun:
    measured = sweep(rounds)
    verdict = judge("io-sweep", measured, STUDIES)
    details = details_text(measured, verdict)
    return TestRun(
        "run-1", "io-sweep", "", 0, 1, verdict.valid, verdict.why, verdict.line, (), verdict.figures, details
    )


def test_a_single_round_is_indicative_in_the_terminal_too() -> None:
    lines = list(result_lines(ended(1), []))
    assert lines[0].startswith("The knee is at 8")
    assert lines[1].startswith("8 outstanding I/Os a disk")
    assert lines[2].startswith("Indicative; surer with 3 rounds, ")
    assert any(line.startswith("  ● Did all workers take part? 2 of 2; needed: all") for line in lines)
    assert any(line.startswith("  ○ Do rounds repeat? one round each") for line in lines)
    assert any("R1: Keep outstanding I/Os at the knee" in line for line in lines)


def test_three_rounds_say_their_confidence() -> None:
    run = ended(3)
    assert "Confidence high." in list(result_lines(run, []))
    found = result_json(run, sweep(3), {}, [])
    assert found["confidence"] == "high"
    assert found["conditions"]


def test_a_condition_that_refuses_a_verdict_still_does_so_in_a_session_that_is_opened_again() -> None:
    measured = sweep(1, curve={1: 1000.0})
    verdict = judge("cache-pair", measured, STUDIES)
    again = read_conditions(details_text(measured, verdict))
    assert [one.forbids_a_verdict for one in again] == [one.forbids_a_verdict for one in verdict.conditions]
    assert any(one.forbids_a_verdict for one in again)
