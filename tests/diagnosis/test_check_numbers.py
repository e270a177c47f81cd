"""The number that each check is told by: samples that a rule looked at are used again."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis import check_numbers, diagnose_session
from diagnosis.signals import Scene
from lab import Lab, find_scenario, load_scenarios
from sessions.verdicts import CheckNumber
from tests.diagnosis.recordings import Recording, catalogue, diagnosed, problems
from tests.lab.in_memory import lab_session


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Notes of each row that is taken over from what a rule looked at."""
    taken: list[int] = []
    take = Scene.take

    def noting(scene: Scene, other: Scene, row: int) -> None:
        taken.append(row)
        take(scene, other, row)

    monkeypatch.setattr(Scene, "take", noting)
    return taken


@pytest.mark.parametrize("scenario", ["lookalike-storage-spike", "cpu-limit-vm"])
def test_what_a_rule_looked_at_gives_the_same_number(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = lab_session(Lab(find_scenario(load_scenarios(), scenario), seed=3, fields="diagnosis"), 900)
    taken = counted(monkeypatch)
    found = diagnose_session(lab, problems(), catalogue())
    assert taken
    taken.clear()
    monkeypatch.setattr(check_numbers, "_MOST_HELD", 0)
    assert diagnose_session(lab, problems(), catalogue()) == found
    assert not taken


def test_the_worst_of_several_that_were_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them was over the limit for a moment: the second one the most."""
    recording = Recording(seconds=900, interval=20.0)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    for name, worst in (("one", 12.0), ("two", 19.0), ("three", 15.0)):
        ready = np.full(len(recording), 0.5)
        ready[10] = worst
        recording.vm(name, {"cpu.ready": ready, "cpu.max_limited": 0.0})
    taken = counted(monkeypatch)
    checks = {one.problem: one.number for one in diagnosed(recording).verdict.checks}
    told = checks["cpu.ready_high"]
    assert isinstance(told, CheckNumber)
    assert (told.entity_name, told.value) == ("two", 19.0)
    assert taken
