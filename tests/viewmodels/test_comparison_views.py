"""What a page shows of a comparison: words, cells, overlaid curves, offers of windows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diagnosis.comparison import Choice, Comparison, Row, Sample, Side, compare
from resources.catalogue import load_catalogue
from resources.comparison_rules import load_comparison_rules
from sessions.model import EntityRef, Event, Mark
from sessions.times import TimeRange
from tests.diagnosis.recordings import START, Recording, catalogue, problems, session
from viewmodels.comparison_curves import histograms, overlaid, pair_of
from viewmodels.comparison_offers import offers
from viewmodels.comparison_texts import (
    cells,
    change_text,
    counted,
    distinct_ranks,
    entity_text,
    headline,
    interval_text,
    judged_text,
    same_load,
)

READY = Row(
    rank=1, entity=EntityRef("vm", "x"), name="db-prod", name_in_b="db-prod", owner="", counter="cpu.ready",
    instance="", unit="%", source="esx01", joined_by="identity",
    a=Sample(360, 300, 32.4, 32, 37, 38), b=Sample(360, 300, 0.6, 0.6, 0.9, 1), difference=-31.8,
    interval=(-32.1, -31.5), ratio=0.0185, ratio_interval=(0.018, 0.019), chance=0.0, corrected=0.0,
    effect=-1.0, verdict="lower", judged="better", margin=3.24, why="",
)  # fmt: skip
IOPS = replace(
    READY, counter="disk.commands", unit="/s", a=Sample(9, 9, 1420, 1, 1, 1), b=Sample(9, 9, 2590, 1, 1, 1),
    difference=1170.0, interval=(1100, 1240), ratio=1.8239, ratio_interval=(1.75, 1.9), verdict="higher",
    judged="to know",
)  # fmt: skip


def window(first_s: float, last_s: float) -> TimeRange:
    return TimeRange(START + round(first_s * 1000), START + round(last_s * 1000))


def compared(left_out: tuple[TimeRange, ...] = ()) -> Comparison:
    recording = Recording(seconds=1200)
    waiting = 30 + recording.seconds % 7
    waiting[120:] = 1 + recording.seconds[120:] % 3
    recording.vm("db", {"cpu.ready": waiting, "cpu.used": 50.0})
    made = session(recording)
    knowledge = (catalogue(), problems(), load_comparison_rules(catalogue()))
    return compare(
        Side(made, window(0, 595), left_out), Side(made, window(600, 1195), left_out), Choice(), knowledge
    )


def test_an_entity_without_a_name_is_told_by_its_key() -> None:
    assert entity_text(replace(READY, name=" ", name_in_b="")) == "x"


def test_percentages_change_by_points_and_others_by_percent() -> None:
    assert change_text(READY) == "−31.8 points"
    assert interval_text(READY) == "−32.1 … −31.5 points"
    assert change_text(IOPS) == "+82.4 %"
    assert interval_text(IOPS) == "+75 … +90 %"


def test_no_real_difference_is_a_tilde_and_undecided_is_not() -> None:
    assert change_text(replace(READY, verdict="same")) == "~"
    assert change_text(replace(READY, verdict="undecided")) == "?"
    assert judged_text(replace(READY, verdict="same", judged="")) == "same"
    assert interval_text(replace(READY, interval=None)) == "–"


def test_a_counter_that_was_nothing_changes_by_its_amount() -> None:
    born = replace(IOPS, a=Sample(9, 9, 0.0, 0, 0, 0), ratio=None, ratio_interval=None, difference=250.0)
    assert change_text(born) == "+250 /s"
    assert change_text(replace(born, difference=-250.0)) == "−250 /s"
    assert interval_text(replace(born, interval=(240.0, 260.0))) == "+240 /s … +260 /s"


def test_what_stands_for_unlimited_is_no_amount() -> None:
    """A removed limit is no change of −100 %."""
    known = load_catalogue()
    limit = replace(
        READY, counter="cpu.alloc_max", unit="MHz", a=Sample(9, 9, 3530.0, 1, 3530.0, 1), judged="to know",
        b=Sample(9, 9, -1.0, -1, -1.0, -1), ratio=None, ratio_interval=None, difference=-3531.0,
    )  # fmt: skip
    told = cells(limit, known)
    assert (told.a, told.b, told.p95) == ("3.53 GHz", "unlimited", "3.53 GHz → unlimited")
    assert (told.change, told.interval) == ("–", "–")
    same = cells(replace(limit, a=limit.b, difference=0.0, verdict="same"), known)
    assert (same.a, same.b, same.change) == ("unlimited", "unlimited", "~")
    other = cells(replace(limit, b=Sample(9, 9, 2000.0, 1, 2000.0, 1), difference=-1530.0), known)
    assert (other.b, other.change) == ("2 GHz", "−1.53 GHz")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (READY, "db-prod"),
        (replace(READY, name_in_b="db-old"), "db-prod → db-old"),
        (replace(READY, name="vCPU 2", name_in_b="vCPU 2", owner="db-prod"), "db-prod › vCPU 2"),
        (replace(READY, name="esx01/vmnic2", name_in_b="esx01/vmnic2", owner="esx01"), "esx01/vmnic2"),
        (
            replace(READY, entity=EntityRef("device", "naa.1"), name="naa.1", name_in_b="naa.1"),
            "naa.1 on esx01",
        ),
        (replace(READY, name="a\x1b[1m\n", name_in_b="a\x1b[1m\n"), "a�[1m"),
    ],
)
def test_names_say_whose_part_it_is_and_are_safe(row: Row, text: str) -> None:
    assert entity_text(row) == text


def test_the_headline_counts_and_says_how_it_was_corrected() -> None:
    found = compared()
    assert headline(found) == "1 better, 0 worse, 0 to know."
    assert "Of 2 series 1 are the same, 0 undecided." in counted(found)
    assert "at most 5 % is chance" in counted(found)
    assert same_load(found) == "yes"
    first = cells(next(found.rows([0])), catalogue())
    assert (first.name, first.counter, first.judged) == ("db", "CPU ready", "better")
    assert first.a.endswith("%")


def test_the_very_same_numbers_take_one_line() -> None:
    recording = Recording(seconds=1200)
    waiting = 30 + recording.seconds % 7
    waiting[120:] -= 25
    vm = recording.vm("db", {"cpu.ready": waiting, "cpu.used": 50.0})
    recording.add("vcpu", "vCPU 0", {"cpu.ready": waiting}, parent=vm)
    made = session(recording)
    knowledge = (catalogue(), problems(), load_comparison_rules(catalogue()))
    found = compare(Side(made, window(0, 595)), Side(made, window(600, 1195)), Choice(), knowledge)
    ranks = distinct_ranks(found, 20, 3)
    assert (list(ranks.changed), list(ranks.undecided), dict(ranks.alike)) == ([0], [], {0: 1})


def test_both_sides_lie_over_each_other_in_minutes() -> None:
    found = compared(left_out=(window(120, 240),))
    curves = overlaid(found, pair_of(found, next(found.outline_of([0]))))
    assert curves.a[0][[0, -1]].tolist() == curves.b[0][[0, -1]].tolist() == [0.0, 595 / 60]
    assert curves.left_out == ([(2.0, 4.0)], [])
    assert curves.a[1].size == 120, "what was left out is drawn, hatched"
    a, b, edges = histograms(curves)
    assert [float(a.sum()), float(b.sum())] == pytest.approx([1.0, 1.0])
    assert edges[0] == 1.0
    assert not (a * b).any(), "they have no value in common"


HOUR = 3600


def test_the_likeliest_windows_are_offered() -> None:
    span, b = window(0, 30 * HOUR), window(28 * HOUR, 29 * HOUR)
    assert [one.why for one in offers(span, b)] == ["right before", "same time a day before", "all before"]
    before, day, rest = offers(span, b)
    assert before.a.end == b.start - 1
    assert day.a == window(4 * HOUR, 5 * HOUR)
    assert (rest.a.start, rest.a.end) == (span.start, b.start - 1)


def test_a_change_within_the_window_parts_it() -> None:
    span = window(0, HOUR)
    removed = Event(START + 1_800_000, "reconfigure", "CPU limit removed")
    (first,) = offers(span, span, [removed, Event(START + 2_000_000, "alarm", "x")])
    assert (first.a.end + 1, first.b.start) == (removed.at, removed.at)
    assert "CPU limit removed" in first.why
    (marked,) = offers(span, span, [], [Mark(START + 900_000, "fixed it")])
    assert "fixed it" in marked.why
    assert offers(span, span, [Event(START, "power", "on")]) == []
