"""Charts that have nothing to draw are words: settings that do not change, windows without a sample."""

from __future__ import annotations

import numpy as np
import pytest

from resources.catalogue import load_catalogue
from sessions.model import EntityRef, Series, SeriesSpec
from sessions.times import TimeRange
from viewmodels.chart_lines import nothing_to_draw, unchanged_line
from viewmodels.curve import Curve, NamedCurve
from viewmodels.time_labels import UTC_CLOCK

T0 = 1_700_000_000_000
TIMES = T0 + np.arange(10, dtype=np.int64) * 1_000
WINDOW = TimeRange(T0 + 2_000, T0 + 6_000)
VM = EntityRef("vm", "web")


def line(counter: str, unit: str, *values: list[float]) -> str:
    """The line of a chart with one curve for each list of values."""
    series = [Series(number, 1, SeriesSpec(VM, counter, unit)) for number in range(len(values))]
    curves = [
        NamedCurve(f"c{number}", unit, Curve(TIMES, np.array(own)), series=number)
        for number, own in enumerate(values)
    ]
    return unchanged_line("Title · web", series, curves, WINDOW, load_catalogue())


@pytest.mark.parametrize(
    ("counter", "unit", "values", "expected"),
    [
        ("mem.size", "MB", [[16_384.0] * 10], "Title · web: 16 GB, unchanged"),
        ("cpu.alloc_max", "MHz", [[-1.0] * 10], "Title · web: unlimited, unchanged"),
        ("mem.size", "MB", [[1.0] * 2 + [2.0] * 8], "Title · web: 2 MB, unchanged"),  # it changed before
        ("mem.size", "MB", [[1.0] * 4 + [2.0] * 6], ""),
        ("mem.size", "MB", [[np.nan] * 10], ""),
        ("mem.size", "MB", [[1.0] * 10, [2.0] * 10], "Title · web: c0 1 MB, c1 2 MB, unchanged"),
        ("mem.size", "MB", [[1.0] * 10, list(range(10))], ""),
        ("cpu.ready", "%", [[0.0] * 10], ""),  # that nobody waits is worth a chart
        ("raw/Some/Thing", "", [[1.0] * 10], ""),
        ("mem.size", "MB", [], ""),
    ],
)
def test_settings_that_do_not_change_are_a_line(
    counter: str, unit: str, values: list[list[float]], expected: str
) -> None:
    assert line(counter, unit, *values) == expected


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (WINDOW, ""),
        (
            TimeRange(T0 + 69_000, T0 + 80_000),
            "No samples in this window.\nThe last one was at 2023-11-14 22:13:29 UTC, 1 min before it.",
        ),
        (
            TimeRange(T0 - 80_000, T0 - 5_000),
            "No samples in this window.\nThe first one is at 2023-11-14 22:13:20 UTC, 5 s after it.",
        ),
    ],
)
def test_a_window_without_samples_says_when_the_nearest_was(window: TimeRange, expected: str) -> None:
    curves = [
        NamedCurve("a", "%", Curve(TIMES, np.ones(10))),
        NamedCurve("b", "%", Curve(TIMES[:2], np.ones(2))),
    ]
    assert nothing_to_draw(curves, window, UTC_CLOCK) == expected


def test_a_chart_without_any_sample_says_so() -> None:
    empty = NamedCurve("a", "%", Curve(TIMES, np.full(10, np.nan)))
    assert nothing_to_draw([empty], WINDOW, UTC_CLOCK) == "No samples in this window."
    assert nothing_to_draw([], WINDOW, UTC_CLOCK) == "No samples in this window."
