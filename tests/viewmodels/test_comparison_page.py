"""The Compare page as values: the answer in a sentence, rows, whiskers, confidence, what else differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from diagnosis.comparison import Choice, Comparison, Side, compare
from resources.comparison_rules import load_comparison_rules
from sessions.clock import UTC_CLOCK
from sessions.model import Event
from sessions.times import TimeRange
from tests.diagnosis.recordings import START, Recording, catalogue, problems, session
from tests.viewmodels.test_comparison_views import IOPS, READY, window
from viewmodels.comparison_charts import nearest, overlay_charts
from viewmodels.comparison_curves import thinned
from viewmodels.comparison_page import (
    ComparisonPage,
    RowFilter,
    area_of,
    charted,
    comparison_page,
    confidence,
    other_rows,
    row_shapes,
    rows_table,
    whisker,
)
from viewmodels.comparison_surroundings import surroundings_of
from viewmodels.comparison_texts import counted, headline
from viewmodels.text_table import as_csv

LIMITS = load_comparison_rules(catalogue()).confidence


def noise(mean: float, sigma: float, count: int = 240, seed: int = 1) -> np.ndarray:
    return np.abs(np.random.default_rng(seed).normal(mean, sigma, count))


def fixed(left_out: tuple[TimeRange, ...] = (), seconds: int = 600) -> Comparison:
    """``db`` loses its limit after ten minutes: it waits less, does more; ``backup`` runs only before."""
    recording = Recording(seconds=1200)
    ready, used, load = noise(32, 1), noise(50, 2, seed=2), np.zeros(240)
    ready[120:], used[120:] = noise(0.6, 0.1, 120), noise(92, 2, 120, seed=3)
    load[40:80] = 9000
    recording.vm("db", {"cpu.ready": ready, "cpu.used": used, "disk.commands": noise(400, 10, seed=4)})
    recording.vm("web", {"cpu.ready": noise(2, 0.3, seed=5)})
    recording.vm("backup", {"disk.commands": load})
    made = session(recording)
    rules = (catalogue(), problems(), load_comparison_rules(catalogue()))
    sides = Side(made, window(0, seconds - 5), left_out), Side(made, window(600, 1195), left_out)
    return compare(*sides, Choice(), rules)


def page_of(found: Comparison) -> ComparisonPage:
    return comparison_page(found, catalogue())


def test_the_head_says_first_what_got_better_and_whether_anything_got_worse() -> None:
    head = page_of(fixed()).head
    assert head.line.startswith("CPU ready of db: 31.9 % → 0.59")
    assert head.line.endswith("%. Nothing is known to be worse; 1 (20 %) is undecided."), "backup ran once"
    assert (head.state, head.better, head.worse) == ("ok", 1, 0)
    assert head.limits == ""


def test_swapped_it_got_worse() -> None:
    found = fixed()
    back = compare(*found.sides[::-1], Choice(), (catalogue(), problems(), found.importance.rules))
    head = page_of(back).head
    assert (head.state, head.worse) == ("critical", 1)
    assert "CPU ready of db" in head.line
    assert head.line.endswith("Nothing else got worse, nothing better.")


def test_few_samples_are_said() -> None:
    head = page_of(fixed(seconds=100)).head
    assert head.limits == "Indicative: A has 20 samples, 30 tell more."


def test_many_samples_of_which_few_are_independent_are_indicative() -> None:
    recording = Recording(seconds=1200)
    slow = 5 + np.repeat(np.random.default_rng(7).normal(0, 1, 12), 20)  # a level lasts for 100 s
    recording.vm("db", {"cpu.ready": np.concatenate([slow[:120], 30 + slow[120:]])})
    made = session(recording)
    rules = (catalogue(), problems(), load_comparison_rules(catalogue()))
    page = page_of(compare(Side(made, window(0, 595)), Side(made, window(600, 1195)), Choice(), rules))
    assert [(one.judged, one.confidence) for one in page.rows] == [("worse", "indicative")]
    assert page.head.limits == (
        "Indicative: what got worse has too few independent samples; longer windows tell more."
    )
    assert page.head.line.startswith("Indicative only: CPU ready of db: ")
    assert (page.head.state, page.head.sure) == ("warning", frozenset())


def mostly_indicative() -> Comparison:
    """Of four VMs that wait longer, one has noise without memory; the others' levels last for 100 s each."""
    recording = Recording(seconds=1200)
    for number in range(3):
        slow = 5 + np.repeat(np.random.default_rng(number).normal(0, 1, 12), 20)
        recording.vm(f"slow{number}", {"cpu.ready": np.concatenate([slow[:120], 60 + slow[120:]])})
    recording.vm("fast", {"cpu.ready": np.concatenate([noise(5, 1, 120), noise(20, 1, 120, seed=9)])})
    made = session(recording)
    rules = (catalogue(), problems(), load_comparison_rules(catalogue()))
    return compare(Side(made, window(0, 595)), Side(made, window(600, 1195)), Choice(), rules)


def test_the_head_is_no_surer_than_the_rows() -> None:
    """It named the first row as if it were sure, and only spoke up when every single row was indicative."""
    found = mostly_indicative()
    page = page_of(found)
    assert page.rows[0].confidence == "indicative"
    assert (page.head.worse, found.indicative) == (4, {"worse": 3})
    assert page.head.line.startswith("CPU ready of fast: ")
    assert page.head.limits == (
        "3 of 4 that got worse are only indicative: too few independent samples; longer windows tell more."
    )
    assert counted(found).endswith(page.head.limits)
    assert page.head.state == "critical"
    assert page.head.sure == frozenset({"worse"})


@pytest.mark.parametrize(
    ("samples", "state", "line"),
    [
        (21, "none", "No difference is seen in so few samples: 1 series are the same, 0 undecided."),
        (120, "ok", "Nothing differs beyond the noise: 1 series are the same, 0 undecided."),
    ],
)
def test_no_difference_in_a_few_samples_is_not_green(samples: int, state: str, line: str) -> None:
    recording = Recording(seconds=1200)
    recording.vm("db", {"cpu.ready": noise(32, 0.2)})
    made = session(recording)
    rules = (catalogue(), problems(), load_comparison_rules(catalogue()))
    a, b = window(0, 5 * (samples - 1)), window(600, 595 + 5 * samples)
    head = page_of(compare(Side(made, a), Side(made, b), Choice(), rules)).head
    assert (head.state, head.line) == (state, line)


def test_no_difference_is_no_all_clear_while_much_is_undecided() -> None:
    recording = Recording(seconds=1200)
    recording.vm("db", {"cpu.ready": noise(32, 0.2)})
    slow = 5 + np.repeat(np.random.default_rng(3).normal(0, 1, 12), 20)
    recording.vm("slow", {"cpu.ready": slow})
    made = session(recording)
    rules = (catalogue(), problems(), load_comparison_rules(catalogue()))
    found = compare(Side(made, window(0, 595)), Side(made, window(600, 1195)), Choice(), rules)
    head = page_of(found).head
    assert (head.state, head.line) == (
        "none",
        "What can be told does not differ: 1 series are the same, 1 (50 %) is undecided.",
    )
    assert headline(found) == "What can be told does not differ; 1 (50 %) is undecided."


def test_a_reconfiguration_without_a_known_setting_is_not_green() -> None:
    found = fixed()
    events = [Event(START + 590_000 + at, "reconfigure", "CPU limit removed", None) for at in range(2)]

    def settings(events: list[Event]) -> tuple[str, str]:
        lines = surroundings_of(replace(found, events=events), UTC_CLOCK).load.lines
        line = next(one for one in lines if one.title == "Settings changed")
        return line.text, line.state

    assert settings([]) == ("0", "ok")
    assert settings(events[:1]) == ("0 known, 1 reconfiguration", "info")
    assert settings(events) == ("0 known, 2 reconfigurations", "info")


def test_rows_are_ranked_with_texts_and_area() -> None:
    first, second, *_ = page_of(fixed()).rows
    assert (first.place, first.name, first.counter, first.area, first.judged) == (
        1, "db", "CPU ready", "CPU", "better",
    )  # fmt: skip
    assert first.change.startswith("−31.")
    assert (second.name, second.counter, second.judged) == ("db", "CPU used", "to know")


def test_undecided_and_same_rows_come_when_they_are_asked_for() -> None:
    same = other_rows(fixed(), "same", catalogue())
    assert {one.change for one in same} == {"~"}
    assert ("web", "cpu.ready") in {(one.name, one.counter_key) for one in same}


def test_shapes_are_parts_of_each_sides_most_frequent_value() -> None:
    found = fixed()
    first = page_of(found).rows[0]
    shape = row_shapes(found, [first])[first.rank]
    assert shape.effect == pytest.approx(-1.0), "no sample of B is above one of A"
    assert (shape.a.max(), shape.b.max()) == (1.0, 1.0)
    assert not np.any((shape.a > 0) & (shape.b > 0)), "they do not overlap"


def test_charts_lie_over_each_other_and_tell_the_value_at_a_minute() -> None:
    found = fixed(left_out=(window(200, 400),))
    chart = overlay_charts(found, [page_of(found).rows[0]])[0]
    assert chart.minutes == pytest.approx(595 / 60)
    low, high = chart.values
    assert low < 1 < 30 < high
    assert nearest(chart.a, 1.0) == pytest.approx(32, abs=5)
    assert np.isnan(nearest(chart.a, 99.0))
    assert [len(parts) for parts in chart.left_out] == [1, 0]


@pytest.mark.parametrize(
    ("row", "ends"),
    [
        (READY, (-0.982, -0.9815, -0.981)),
        (IOPS, (0.75, 0.8239, 0.9)),
        (replace(IOPS, ratio=5.0, ratio_interval=(4.0, 6.0)), (1.0, 1.0, 1.0)),
        (
            replace(IOPS, a=replace(IOPS.a, mean=0.0), ratio=None, ratio_interval=None),
            (0.4247, 0.4517, 0.4788),
        ),
    ],
    ids=[
        "points are drawn in percent of A, too",
        "percent of A",
        "beyond the axis",
        "of the larger side where A is nothing",
    ],
)
def test_the_whisker_is_a_part_of_a(row: object, ends: tuple[float, float, float]) -> None:
    found = whisker(row)  # type: ignore[arg-type]
    assert found is not None
    assert (found.low, found.middle, found.high) == pytest.approx(ends, abs=1e-3)
    assert whisker(replace(READY, interval=None)) is None


def test_confidence_needs_independent_samples_and_a_small_chance() -> None:
    sure = replace(READY, corrected=0.0005)
    assert [confidence(replace(sure, corrected=one), LIMITS) for one in (0.0005, 0.005, 0.04)] == [
        "high", "medium", "low",
    ]  # fmt: skip
    assert confidence(replace(sure, b=replace(sure.b, effective=12.0)), LIMITS) == "indicative"


def test_a_filter_takes_words_areas_and_verdicts() -> None:
    rows = page_of(fixed()).rows
    assert [one.counter for one in rows if RowFilter(words="READY db").has(one)] == ["CPU ready"]
    ready = next(one for one in rows if one.counter == "CPU ready" and one.name == "db")
    for typed in (ready.a, ready.change, ready.change.split()[0].replace("−", "-"), f"db {ready.b}"):
        assert ready in [one for one in rows if RowFilter(words=typed).has(one)], typed
    assert ready not in [one for one in rows if RowFilter(words=ready.a[:1]).has(one)], "a part is no number"
    assert [one for one in rows if RowFilter(areas=frozenset({"Network"})).has(one)] == []
    assert {one.judged for one in rows if RowFilter(judged=frozenset({"to know"})).has(one)} == {"to know"}
    assert area_of("vdisk.latency_read") == "Storage"
    assert area_of("raw/vcenter/x") == "Other"


def test_charts_are_the_pinned_ones_the_chosen_one_and_others_of_its_entity() -> None:
    rows = page_of(fixed()).rows
    last = rows[-1]
    assert charted(rows, rows[0], [last], 2) == [last, rows[0]]
    assert charted(rows, rows[0], [], 4)[0] == rows[0]
    assert len({one.rank for one in charted(rows, rows[0], [last], 4)}) == min(4, len(rows))


def test_the_load_of_one_window_is_offered_and_settings_and_events_are_told() -> None:
    found = fixed()
    around = surroundings_of(found, UTC_CLOCK)
    assert [one.title for one in around.load.once] == ["backup was busy in A only"]
    assert around.load.state in {"warning", "none"}
    event = Event(START + 590_000, "reconfigure", "CPU limit removed", None)
    told = surroundings_of(replace(found, events=[event]), UTC_CLOCK)
    assert [(one.what.split()[-1], one.text) for one in told.events] == [("reconfigure", "CPU limit removed")]


def test_a_long_curve_keeps_its_peaks_and_its_gaps() -> None:
    minutes = np.arange(100_000) / 12.0
    values = np.sin(minutes)
    values[50_000], values[70_000:70_100] = 9.0, np.nan
    away = np.delete(np.arange(100_000), np.arange(20_000, 20_500))
    times, kept = thinned((minutes[away], values[away]), 600)
    assert times.size < 2_000
    assert np.nanmax(kept) == 9.0
    gaps = times[np.isnan(kept)]
    assert np.any((gaps > minutes[19_990]) & (gaps < minutes[20_500])), "where no tick came"
    assert np.any((gaps > minutes[69_990]) & (gaps < minutes[70_110])), "where samples were absent"
    assert np.all(np.diff(times) >= 0)


def test_rows_leave_as_a_table() -> None:
    found = fixed()
    rows = page_of(found).rows
    lines = as_csv(rows_table(rows, row_shapes(found, rows[:1]), "before against after")).splitlines()
    assert lines[0] == "rank,entity,counter,key,A,B,change,interval,effect,confidence,judged,because"
    assert lines[1].startswith("1,db,CPU ready,cpu.ready,31.9 %,0.59 %,")
    assert len(lines) == len(rows) + 1
