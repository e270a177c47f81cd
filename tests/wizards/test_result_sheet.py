"""The page of a result as values: what stands where, and what is said of runs that prove nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from resources.study_numbers import load_studies
from sessions.journal import ChangedObject, ChangeState, Figure, JournalEntry, Phase, TestRun
from tests.wizards import test_drs_verdict, test_sioc_verdict
from tests.wizards.rounds_of_tests import Storage
from wizards.flows.change_count import ChangeCount, count_changes
from wizards.flows.measured import Measured
from wizards.flows.result_sheet import ResultSheet
from wizards.flows.results import ResultSource, conditions_text, result_sheet, validity_of, verdict_state
from wizards.flows.run_details import details_text, read_verdict
from wizards.flows.verdict import Condition, Verdict
from wizards.flows.verdicts.judging import judge

STUDIES = load_studies()
CALM = {**test_sioc_verdict.PROVEN, ("datastore.size_normalized_latency", "lun-02"): [4.0]}


def change(number: int, state: ChangeState, why: str = "") -> JournalEntry:
    of = ChangedObject("vc", "Datastore", f"datastore-{number}", "perf-lun-02")
    return JournalEntry(
        str(number),
        "41",
        of,
        "iorm.enabled",
        False,
        True,
        "vsphere",
        state,
        1000 + number,
        2000 + number,
        why,
    )


def source(
    measured: Measured,
    test: str = "sioc-shares",
    journal: Sequence[JournalEntry] = (),
    verdict: Verdict | None = None,
) -> ResultSource:
    found = verdict or judge(test, measured, STUDIES)
    start, end = measured.rounds[0].window.start, measured.rounds[-1].window.end
    run = TestRun("41", test, "", start, end, found.valid, found.why, found.line, (), found.figures)
    settings = {"iorm.enabled": ("Storage I/O Control", "")}
    return ResultSource(run, "", found, measured, journal, STUDIES, lambda t: f"<{t:.0f}>", None, settings)


def page(measured: Measured, test: str = "sioc-shares", journal: Sequence[JournalEntry] = ()) -> ResultSheet:
    return result_sheet(source(measured, test, journal))


def test_shares_that_are_honoured() -> None:
    found = page(test_sioc_verdict.run())
    assert found.head.state == "ok"
    assert found.head.line.startswith("Storage I/O Control honours the shares")
    assert [(one.text, one.state) for one in found.head.chips][:2] == [
        ("confidence high", "ok"),
        ("3 rounds", "part"),
    ]
    assert found.validity.chip is not None
    assert found.validity.chip.text == f"{len(found.validity.lines)} of {len(found.validity.lines)}"
    assert [(one.worker, round(one.due or 0, 1), one.is_honoured) for one in found.shares] == [
        ("db", 44.4, True),
        ("w2", 22.2, True),
        ("w3", 22.2, True),
        ("w4", 11.1, True),
    ]
    iops, p95 = found.steps
    assert [one.label for one in iops.columns] == ["off", "equal", "weighted"]
    assert all(len(one.rounds) == 3 for one in iops.columns)
    assert (iops.state, p95.state) == ("ok", "ok"), "more IOPS and less latency are both good"
    assert iops.change.startswith("+6")
    assert p95.change.startswith("−3")
    assert found.steps_title == ("db by phase", "mean of 3 rounds, 95 % CI")


def test_the_raw_numbers_are_the_rounds_means() -> None:
    measured = test_sioc_verdict.run()
    raw = page(measured).raw
    assert raw is not None
    rows = {row[0].text: dict(zip((name for name, _ in raw.heads), row, strict=False)) for row in raw.rows}
    mean = sum(one.iops("critical") for one in measured.of_step("weighted")) / 3
    assert float(rows["db"]["IOPS weighted"].text.replace(",", "")) == pytest.approx(mean, abs=1)
    assert rows["db"]["weighted to off"].state == "ok"
    assert rows["w4"]["weighted to off"].state == "warning"
    total = sum(one.iops() for one in measured.of_step("off")) / 3
    assert float(rows["all"]["IOPS off"].text.replace(",", "")) == pytest.approx(total, abs=1)
    assert rows["all"]["shares"].text == "4,500"


def test_a_run_without_a_verdict_says_why_and_colours_nothing() -> None:
    found = page(test_sioc_verdict.run(on=CALM, off=CALM))
    assert found.head.state == "none"
    assert found.head.line == "No verdict: the datastore was never full."
    assert found.head.sentence.startswith("Was there congestion? 4 ms normalised; needed: > 30 ms.")
    assert found.head.acts[-1].act == "again"
    assert found.validity.lines[0].state == "none"
    assert all(one.is_honoured is None for one in found.shares)
    assert all(one.state == "none" for one in found.steps)


def test_one_round_is_indicative_and_says_what_it_takes() -> None:
    found = page(test_sioc_verdict.run(rounds=1))
    assert found.head.state == "none"
    assert [one.text for one in found.head.chips][:2] == ["indicative", "1 round"]
    assert any(one.text.startswith("surer with ") for one in found.head.chips)
    assert all(one.interval is None for chart in found.steps for one in chart.columns)


def test_that_a_worker_was_lost_is_no_good_news() -> None:
    of = source(test_sioc_verdict.run())
    assert of.verdict is not None
    notes = ("w3 was lost 22 s after “P3” began: it refuses connections.", "Price: none (~).")
    found = result_sheet(replace(of, verdict=replace(of.verdict, notes=notes))).notes
    assert found is not None
    assert [one.state for one in found.lines] == ["warning", "info"]


def test_a_run_that_was_stopped_says_so_beside_what_its_rounds_prove() -> None:
    of = source(test_sioc_verdict.run())
    stopped = result_sheet(replace(of, run=replace(of.run, why="The test was stopped by hand.")))
    assert (stopped.head.chips[0].text, stopped.head.chips[0].state) == (
        "The test was stopped by hand",
        "warning",
    )


def test_a_sweep_is_a_row_for_each_value_in_their_order() -> None:
    storage = Storage()
    rounds = [
        storage.measure(f"depth {depth}", 1, {"w1": 100.0 * depth}, setting=float(depth), outstanding=1.0)
        for depth in (64, 1, 16)
    ]
    found = page(Measured(tuple(rounds), 1), "io-sweep")
    assert found.raw is not None
    assert [row[0].text for row in found.raw.rows] == ["depth 1", "depth 16", "depth 64"]
    throughput, latency = found.points
    assert [one.x for one in throughput.rows[0].points] == [1.0, 16.0, 64.0]
    assert throughput.x_name == latency.x_name == "outstanding I/Os a disk"
    assert not found.steps


def test_what_does_not_hold_stands_first_among_the_conditions() -> None:
    found = page(test_sioc_verdict.run(hosts=dict.fromkeys(test_sioc_verdict.HOSTS, "esx01")))
    assert found.validity.lines[0].title == "On several hosts?"
    assert found.validity.lines[0].state == "none"


def test_what_is_not_put_back_stands_before_the_verdict() -> None:
    left = [
        change(1, "undone"),
        change(2, "failed", "esx03 does not answer."),
        change(3, "left", "By jonas."),
    ]
    found = page(test_sioc_verdict.run(), journal=left)
    assert found.head.state == "critical"
    assert found.head.line == "2 of 3 changes are not put back"
    assert found.head.sentence.startswith("esx03 does not answer. By jonas. The result: Storage I/O")
    assert found.head.acts[0].text == "Try again"
    assert found.put_back.chip is not None
    assert (found.put_back.chip.text, found.put_back.chip.state) == ("1 of 3", "critical")
    assert [one.state for one in found.put_back.lines] == ["warning", "critical", "ok"], "the newest first"
    assert found.put_back.lines[1].title == "Storage I/O Control, perf-lun-02"
    assert found.put_back.lines[1].text == "not put back: is on, was off"
    assert found.steps_by_hand.splitlines() == [
        "Storage I/O Control of perf-lun-02 (datastore-3): is on, was off. By jonas.",
        "Storage I/O Control of perf-lun-02 (datastore-2): is on, was off. esx03 does not answer.",
    ]


def test_what_a_run_made_for_itself_has_no_value_to_go_back_to() -> None:
    """It read: not put back: is made, was removed."""
    words = {
        "undone": "removed",
        "left": "left: somebody else changed it meanwhile",
        "failed": "not removed yet",
        "applied": "made; removed at the end",
        "intended": "about to be made",
    }
    for number, (state, told) in enumerate(words.items()):
        folder = replace(change(number, state), setting="folder", before=None, after="/tmp/x")  # type: ignore[arg-type]
        found = page(test_sioc_verdict.run(), journal=[folder])
        assert found.put_back.lines[0].text == told
        if state == "failed":
            assert (
                found.steps_by_hand
                == f"Folder in the guest of perf-lun-02 (datastore-{number}): to be removed."
            )


def test_what_is_set_again_and_again_is_one_change() -> None:
    """The plan says one change, however often the phases set it; a guest's two folders are one as well."""
    again = [replace(change(number, "undone"), object=change(1, "undone").object) for number in (1, 2, 3)]
    folders = [
        replace(change(4, "undone"), setting="folder", object=ChangedObject("vc", "guest", path, "perf-w01"))
        for path in ("/var/tmp/hyperscope-41", "/var/tmp/hyperscope-415c")
    ]
    found = page(test_sioc_verdict.run(), journal=[*again, *folders])
    assert found.put_back.chip is not None
    assert found.put_back.chip.text == "2 of 2"
    last = replace(again[-1], state="failed")
    assert count_changes([*again[:-1], last, *folders]) == ChangeCount(2, 1, 0, 1)


def test_a_run_that_did_not_end_by_itself_offers_to_restore_first() -> None:
    of = source(test_sioc_verdict.run(), journal=[change(1, "applied"), change(2, "undone")])
    phases = (Phase("P1", "done", 1, 2), Phase("P3, round 2", "running", 3000))
    of = replace(of, run=replace(of.run, end=None, phases=phases), newest=9000)
    found = result_sheet(replace(of, phase_titles={"P3": "P3: weighted shares"}))
    assert found.head.state == "warning"
    assert found.head.line == "This run did not end by itself"
    assert found.head.sentence == (
        "It was last heard of at <9000> in “P3: weighted shares, round 2”. "
        "Workers end by themselves after 30 s of silence. "
        "1 change is still applied."
    )
    assert [one.act for one in found.head.acts] == ["restore", "resume"]


def test_a_run_that_broke_off_says_what_is_there() -> None:
    of = source(test_sioc_verdict.run(), journal=[change(1, "applied"), change(2, "undone")])
    phases = (Phase("P1", "done", 1, 2), Phase("P3", "running", 3000))
    run = replace(of.run, end=None, verdict="", figures=(), phases=phases)
    found = result_sheet(replace(of, run=run, verdict=None))
    assert [(one.title, one.limit) for one in found.validity.lines] == [
        ("Rounds that are kept", "9"),
        ("Phases that were done", "1 of 2"),
        ("Begins again when resumed", "P3"),
        ("Changes still applied", "1 of 2"),
    ]


def test_latency_over_the_number_of_vms() -> None:
    figures = tuple(
        Figure("weighted latency", f"{word}, {count} VM{'s' if count > 1 else ''}", 2.0 * count, "ms")
        for word in ("baseline", "accelerated")
        for count in (1, 2, 4)
    )
    verdict = Verdict(True, "", "The cache carries 2 VMs.", "", "medium", (), figures)
    (chart,) = result_sheet(source(test_sioc_verdict.run(), verdict=verdict)).points
    assert [(row.name, [one.x for one in row.points]) for row in chart.rows] == [
        ("baseline", [1.0, 2.0, 4.0]),
        ("accelerated", [1.0, 2.0, 4.0]),
    ]


def test_a_run_that_goes_on_is_not_called_interrupted() -> None:
    of = source(test_sioc_verdict.run(), journal=[change(1, "applied")])
    found = result_sheet(replace(of, run=replace(of.run, end=None), is_live=True))
    assert found.head.state == "ok"


def test_a_run_that_tells_nothing_but_its_figures() -> None:
    of = source(test_sioc_verdict.run())
    found = result_sheet(replace(of, verdict=None, measured=Measured(())))
    assert found.head.line.startswith("Storage I/O Control honours the shares")
    assert len(found.shares) == 4
    assert found.raw is not None
    assert [name for name, _ in found.raw.heads] == ["Raw numbers", "of", "value", "95 % CI", "samples"]
    stopped = replace(of.run, valid=None, verdict="", why="stopped by you", figures=())
    nothing = result_sheet(replace(of, verdict=None, measured=Measured(()), run=stopped))
    assert (nothing.head.state, nothing.head.line) == ("warning", "Stopped before there was a verdict")
    assert nothing.head.sentence == "stopped by you"
    assert nothing.raw is None


def test_placements_by_hand_and_by_drs() -> None:
    found = page(test_drs_verdict.run({"1": 43.0, "2": 25.0, "0": 0.0}), "drs-balance")
    hand, drs = found.placements
    assert hand.title == "1: placed by hand", "the most unequal one"
    assert (hand.imbalance, hand.is_balanced) == ("imbalance 4.80", False)
    assert (drs.imbalance, drs.is_balanced) == ("imbalance 0.00", True)
    assert max(one.demand for one in hand.hosts) == pytest.approx(140.0)
    assert not any(vm.is_moved for row in hand.hosts for vm in row.vms)
    moved = sum(vm.is_moved for row in drs.hosts for vm in row.vms)
    assert drs.note == f"after {moved} vMotions"
    gains = found.points[0]
    assert gains.band == ((15.0, 47.0), "study: 15 to 47 %")
    assert [one.label for one in gains.rows[0].points] == ["1", "2", "0"]
    assert gains.rows[1].is_model
    assert found.raw is not None
    assert [row[0].text for row in found.raw.rows] == ["1", "2", "0"]
    assert found.raw.rows[2][6].text == "~", "a balanced placement gains nothing"
    of = source(test_drs_verdict.run({"1": 43.0, "2": 25.0, "0": 0.0}), "drs-balance")
    chosen = result_sheet(replace(of, placement="2"))
    assert [one.title for one in chosen.placements] == ["2: placed by hand", "2: placed by DRS"]
    assert chosen.placements[0].imbalance == "imbalance 3.79"


def test_a_valid_result_is_never_said_to_be_valid_in_part() -> None:
    holds, doubt = Condition("Free?", "1", "2", True), Condition("Steady?", "9", "2", False)
    valid = Verdict(True, "", "It holds.", "", "medium", (holds, doubt))
    assert conditions_text(valid) == "valid, 1 to know"
    assert conditions_text(replace(valid, valid=False)) == "1 of 2"
    assert conditions_text(replace(valid, conditions=(holds,))) == "1 of 1"


def test_what_nobody_knows_does_not_colour_the_sum_of_the_conditions() -> None:
    holds, unknown = Condition("Free?", "1", "2", True), Condition("Steady?", "–", "2", None)
    doubt = Condition("Steady?", "9", "2", False)
    verdict = Verdict(True, "", "It holds.", "", "medium", (holds, unknown))
    chips = [
        validity_of(replace(verdict, conditions=each)).chip
        for each in ((holds,), (holds, unknown), (holds, doubt))
    ]
    assert [one.state if one is not None else "" for one in chips] == ["ok", "none", "warning"]


def test_a_verdict_is_coloured_by_its_answer_not_by_words_in_its_line() -> None:
    """A VM may be called anything."""
    line = "Storage I/O Control honours the shares; vm that costs (~) does not matter."
    good = Verdict(True, "", line, "", "high", answer="good")
    assert verdict_state(good) == "ok"
    assert verdict_state(replace(good, answer="against", line="All is well.")) == "warning"
    assert verdict_state(replace(good, answer="no difference")) == "none"
    assert verdict_state(replace(good, confidence="indicative")) == "none"


def test_the_answer_of_a_verdict_is_read_back() -> None:
    measured = test_sioc_verdict.run()
    found = replace(judge("sioc-shares", measured, STUDIES), answer="against")
    run = TestRun("41", "sioc-shares", "", 0, 1, True, "", found.line)
    again = read_verdict(details_text(measured, found), run)
    assert again is not None
    assert again.answer == "against"
