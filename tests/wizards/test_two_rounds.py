"""Two rounds give no interval anywhere: one of theirs may reach over a hundred million times the value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from resources.study_numbers import load_studies
from sessions.journal import Figure, TestRun
from tests.wizards import storage_rounds as storage
from tests.wizards import test_drs_verdict as drs
from tests.wizards import test_sioc_verdict as sioc
from tests.wizards.test_result_sheet import page, source
from wizards.flows.earlier_verdicts import TWO_ROUNDS
from wizards.flows.measured import Measured
from wizards.flows.raw_numbers import raw_table
from wizards.flows.result import result_json, result_lines
from wizards.flows.result_charts import changes_of, points_of, shares_of, steps_of
from wizards.flows.results import result_sheet
from wizards.flows.run_details import details_text, read_verdict
from wizards.flows.verdicts.judging import judge

STUDIES = load_studies()
PAIR = (10_000.0, 10_300.0)


def measured(rounds: int) -> Mapping[str, Measured]:
    return {
        "io-sweep": storage.sweep(rounds),
        "storage-ab": storage.pair(("a", "b"), PAIR, rounds),
        "cache-pair": storage.pair(("baseline", "accelerated"), PAIR, rounds),
        "vm-density": storage.density({1: 20.0, 2: 9.0, 3: 30.0}, rounds),
        "sioc-shares": sioc.run(rounds),
        "drs-balance": drs.run({"1": 43.0, "5": 9.0}, rounds),
    }


@pytest.mark.parametrize("test", sorted(measured(1)))
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_an_interval_is_told_from_three_rounds_on(test: str, rounds: int) -> None:
    given = measured(rounds)[test]
    verdict = judge(test, given, STUDIES)
    assert verdict.valid, verdict.why
    details = details_text(given, verdict)
    run = TestRun("r", test, "", 0, 1, True, "", verdict.line, (), verdict.figures, details)
    bounds = [one.interval for one in verdict.figures]
    written = json.loads(json.dumps(result_json(run, given, {}, [])))
    bounds += [one["interval"] for one in written["figures"]]
    bounds += [column.interval for chart in steps_of(verdict, given) for column in chart.columns]
    bounds += [
        point.interval for chart in points_of(verdict, STUDIES) for row in chart.rows for point in row.points
    ]
    bounds += [one.interval for one in shares_of(verdict, STUDIES)]
    changes = changes_of(verdict, STUDIES)
    bounds += [one.interval for one in changes.bars] if changes is not None else []
    table = raw_table(verdict, given, run)
    assert table is not None
    cells = [cell.text for row in table.rows for cell in row]
    texts = [verdict.sentence, *verdict.notes, *result_lines(run, []), changes.note if changes else ""]
    words = " ".join(texts)
    if rounds == 3:
        assert any(bounds)
        assert " CI " in words
        return
    assert not any(bounds), bounds
    assert " CI " not in words
    assert not any("±" in cell or " – " in cell for cell in cells), cells
    if changes is not None:
        assert f"{('one round', 'two rounds')[rounds - 1]}" in changes.note
        assert "no interval" in words


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("test", ["storage-ab", "sioc-shares"])
def test_the_page_names_no_interval_that_it_does_not_have(rounds: int, test: str) -> None:
    found = page(measured(rounds)[test], test)
    assert ("95 % CI" in found.steps_title[1]) == (rounds == 3)
    assert found.changes is not None
    for bar in found.changes.bars:
        is_no_difference = rounds == 3 and bar.state == "none"
        assert bar.text.startswith("~") == is_no_difference, "of one or two rounds nobody knows"


def test_two_rounds_say_what_each_gave() -> None:
    found = judge("storage-ab", storage.pair(("a", "b"), (10_000.0, 12_000.0), rounds=2), STUDIES)
    assert "two rounds, +" in found.sentence
    assert found.confidence == "indicative"
    gain = judge("sioc-shares", sioc.run(2), STUDIES)
    assert "against SIOC off (two rounds, +6" in gain.sentence
    assert gain.confidence == "indicative"


def as_an_earlier_version_wrote_it(rounds: int) -> TestRun:
    """A run whose figures, sentence and notes tell an interval, of whatever rounds."""
    given = measured(rounds)["sioc-shares"]
    now = judge("sioc-shares", given, STUDIES)
    figures = (
        Figure("IOPS, weighted to off", "db", 66.0, "%", (-98.9, 104_000.0), rounds),
        Figure("share got", "db", 44.0, "%", (3.1, 620.0), rounds),
        Figure("active", "all", 80.0, "%", None, 0),
    )
    said = "db got 44 % (95\u202f% CI 3.1 to 620\u202f%); its IOPS +66 % (95 % CI −98.9 to 104,000 %)."
    earlier = replace(now, sentence=said, figures=figures, notes=("Price: +1 % IOPS (95 % CI −9 to 12 %).",))
    return TestRun("41", "sioc-shares", "", 0, 1, True, "", now.line, (), figures,
                   details_text(given, earlier))  # fmt: skip


def test_an_interval_that_an_earlier_version_told_of_two_rounds_is_left_out_with_a_note() -> None:
    run = as_an_earlier_version_wrote_it(2)
    verdict = read_verdict(run.details, run)
    assert verdict is not None
    assert [one.interval for one in verdict.figures] == [None, None, None]
    assert [one.value for one in verdict.figures] == [66.0, 44.0, 80.0]
    assert (
        verdict.sentence == "db got 44 % (two rounds, no interval); its IOPS +66 % (two rounds, no interval)."
    )
    assert verdict.notes == ("Price: +1 % IOPS (two rounds, no interval).", TWO_ROUNDS)
    of = source(measured(2)["sioc-shares"], "sioc-shares", verdict=verdict)
    shown = result_sheet(replace(of, run=run))
    assert shown.notes is not None
    assert TWO_ROUNDS.partition(": ")[0] + ":" in [one.title for one in shown.notes.lines]
    without_details = result_sheet(replace(of, run=replace(run, details=""), verdict=None))
    assert all(one.interval is None for one in without_details.shares)


def test_an_interval_of_three_rounds_of_an_earlier_version_stays() -> None:
    run = as_an_earlier_version_wrote_it(3)
    verdict = read_verdict(run.details, run)
    assert verdict is not None
    assert [one.interval for one in verdict.figures] == [(-98.9, 104_000.0), (3.1, 620.0), None]
    assert "95 % CI −98.9 to 104,000 %" in verdict.sentence
    assert TWO_ROUNDS not in verdict.notes
