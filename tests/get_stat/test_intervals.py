"""A file of all intervals, over a change of the clocks, as each culture exports it: no sample is another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from collectors.vsphere.get_stat.importing import StatOptions, import_get_stat
from sessions.clock import clock_named
from sessions.store import SessionReader
from tests.get_stat.exports import COLUMNS, Form

ZONE = "Europe/Berlin"
COUNTS = {20: 200, 300: 60, 1800: 40, 7200: 30, 86400: 12}
"""Samples of each interval (s)."""
START = datetime(2026, 10, 24, 22, 0, tzinfo=UTC)
"""Three hours before the clocks of Berlin are set back, so that an hour comes twice."""
Known = dict[tuple[int, str, int], float]
FORMS = (
    Form("de-DE", ";", "utf-16", is_typed=True),
    Form("fr-FR", "\t", "utf-8-sig", quotes=False),
    Form("en-US", is_typed=True, line_end="\n"),
    Form("en-GB", ";", quotes=False),
    Form("ISO 8601 with its zone"),
    Form("sv-SE", ";", "utf-16"),
    Form("ko-KR", encoding="utf-16", is_typed=True),
)


def exported(form: Form) -> tuple[bytes, Known]:
    """A file, newest sample first within each series, and what it holds in canonical units."""
    rows, known = [], Known()
    for interval, count in COUNTS.items():
        for name, unit, instance in (
            ("cpu.usage.average", "%", ""),
            ("cpu.ready.summation", "millisecond", "0"),
        ):
            for number in reversed(range(count)):
                at = START + timedelta(seconds=interval * number)
                value = 0.25 + number % 97 if unit == "%" else 10.0 * (number % 89)
                rows.append({
                    "Value": form.number(value), "Timestamp": form.stamp(at.astimezone(ZoneInfo(ZONE))),
                    "MetricId": name, "Unit": unit, "Description": 'In "words"; with, signs',
                    "Entity": "Büro 1", "EntityId": "VirtualMachine-vm-7", "IntervalSecs": str(interval),
                    "Instance": instance,
                })  # fmt: skip
                counter, share = ("cpu.used", 1.0) if unit == "%" else ("cpu.ready", 0.1 / interval)
                known[interval, counter, round(at.timestamp() * 1000)] = value * share
    return form.write(rows), known


def imported(path: Path, out: Path, notes: tuple[str, ...] = ()) -> Known:
    assert import_get_stat([path], out, StatOptions(clock_named(ZONE))).notes == notes
    with SessionReader.open(out) as reader:
        intervals = {one.id: round(one.spec.interval_s or 0) for one in reader.sources()}
        series = {one.id: one for one in reader.series()}
        return {
            (intervals[series[number].source], series[number].counter, int(t_ms)): float(value)
            for frame in reader.read(np.array(list(series)))
            for column, number in enumerate(frame.ids.tolist())
            for t_ms, value in zip(frame.times, frame.values[:, column], strict=True)
            if not np.isnan(value)
        }


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.culture)
def test_every_interval_in_every_form(form: Form, tmp_path: Path) -> None:
    path = tmp_path / "stats.csv"
    content, known = exported(form)
    path.write_bytes(content)
    found = imported(path, tmp_path / "out.hscope")
    assert found.keys() == known.keys()
    assert found == pytest.approx(known)


WITHOUT = tuple(name for name in COLUMNS if name != "IntervalSecs")


def test_without_their_length_samples_are_known_by_their_steps(tmp_path: Path) -> None:
    """One series after another under one name, as a script writes them that asks for one interval after
    another and keeps no IntervalSecs.
    """
    path = tmp_path / "stats.csv"
    content, known = exported(Form("ISO 8601 with its zone", columns=WITHOUT))
    path.write_bytes(content)
    steps = "stats.csv has no column IntervalSecs: each series was taken by its own steps ({})."
    told = steps.format("20 s, 300 s, 1800 s, 7200 s, 86400 s")
    assert imported(path, tmp_path / "out.hscope", (told,)) == pytest.approx(known)


@pytest.mark.parametrize("order", [1, -1, 7])
def test_a_day_of_rollups_that_goes_on_in_real_time(order: int, tmp_path: Path) -> None:
    """Sorted by time, newest first, and in no order; the rollups have a hole, and so has the real time."""
    noon = datetime(2026, 3, 4, 12, tzinfo=UTC)
    ago = {
        300: [300 * n for n in range(13, 60) if n != 30],
        20: [20 * n for n in range(190) if n not in (50, 51)],
    }
    rows = [
        (noon - timedelta(seconds=seconds), length, 10 * length) for length in ago for seconds in ago[length]
    ]
    rows = sorted(rows)[::order] if abs(order) == 1 else [rows[n * 7 % len(rows)] for n in range(len(rows))]
    path = tmp_path / "stats.csv"
    lines = [f"cpu.ready.summation,{at:%Y-%m-%dT%H:%M:%SZ},{value},vm7,0" for at, _, value in rows]
    path.write_text("\n".join(["MetricId,Timestamp,Value,Entity,Instance", *lines, ""]), encoding="utf-8")
    notes = (
        "vm7 was taken for a vm, by its counters: the files have no EntityId.",
        "stats.csv has no column IntervalSecs: each series was taken by its own steps (20 s, 300 s).",
    )
    assert imported(path, tmp_path / "out.hscope", notes[::-1]) == {
        (length, "cpu.ready", round(at.timestamp() * 1000)): pytest.approx(1.0) for at, length, _ in rows
    }
