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
from tests.get_stat.exports import Form

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


def imported(path: Path, out: Path) -> Known:
    import_get_stat([path], out, StatOptions(clock_named(ZONE)))
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
