"""Broken looks idle: a block device that takes commands and answers none, if only for some seconds."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import FloatArray
from tests.diagnosis.recordings import Level, Recording, during, findings, only

LUN = "naa.600508b4000603860000000000000001"
PROBLEM = "storage.device_latency"


def gone(first_s: float, last_s: float, level: float, otherwise: float) -> Level:
    """A level in samples from one moment to another (the last one included)."""
    return during(first_s, last_s, level, otherwise)


def site(*, active: Level, iops: Level, queued: Level = 0.0, interval: float = 5.0) -> Recording:
    recording = Recording(interval=interval)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 40.0})
    recording.shared(LUN, {
        "disk.commands": iops, "disk.device_latency": 1.0, "disk.kernel_latency": 0.02, "disk.active": active,
        "disk.queued": queued, "disk.aborts": 0.0,
    })  # fmt: skip
    return recording


@pytest.mark.parametrize(
    ("last_s", "severity"),
    [(500, ""), (505, "warning"), (510, "warning"), (525, "critical"), (640, "critical")],
)
def test_some_seconds_without_an_answer_are_told_with_their_time(last_s: float, severity: str) -> None:
    """One sample of 5 s may be a moment; two are ten seconds in which every VM on it stood still."""
    recording = site(active=gone(500, last_s, 24.0, 2.0), iops=gone(500, last_s, 0.0, 400.0))
    found = findings(recording, problem=PROBLEM)
    assert [one.severity for one in found] == ([severity] if severity else [])


def test_it_says_what_stood_still_and_what_is_usual() -> None:
    recording = site(active=gone(500, 510, 24.0, 2.0), iops=gone(500, 510, 0.0, 400.0))
    told = only(recording, problem=PROBLEM)
    assert f"{LUN} stood still for esx01 (15 s): 24 commands were in flight" in told.conclusion
    assert "not one came back, where 400 /s usually do" in told.conclusion
    window = told.windows[0]
    assert (window.end - window.start) // 1000 <= 20


def test_commands_that_wait_behind_a_stuck_one_count() -> None:
    recording = site(active=1.0, queued=gone(500, 510, 31.0, 0.0), iops=gone(500, 510, 0.0, 400.0))
    assert only(recording, problem=PROBLEM).severity == "warning"


@pytest.mark.parametrize(
    ("active", "iops"),
    [
        (gone(500, 520, 0.0, 2.0), gone(500, 520, 0.0, 400.0)),  # nothing was asked
        (gone(500, 520, 24.0, 2.0), gone(500, 520, 0.0, 4.0)),  # hardly used: one command may be counted late
        (gone(500, 520, 24.0, 2.0), gone(500, 520, 60.0, 400.0)),  # slow, but it answers
    ],
)
def test_what_is_idle_or_answers_does_not_stand_still(active: Level, iops: Level) -> None:
    assert findings(site(active=active, iops=iops), problem=PROBLEM) == []


def test_lone_seconds_of_a_fine_recording_are_no_standstill() -> None:
    """In samples of 2 s a moment without a completion is nothing: four seconds of it, too."""

    def iops(seconds: FloatArray) -> FloatArray:
        return np.where((seconds < 500) | (seconds >= 504), 400.0, 0.0)

    recording = site(active=gone(500, 503, 24.0, 2.0), iops=iops, interval=2.0)
    assert findings(recording, problem=PROBLEM) == []
