"""The number that each check is told by: samples that a rule looked at are used again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from diagnosis import check_numbers, diagnose_session
from diagnosis.live import LiveJudge
from diagnosis.signals import Scene
from lab import Lab, find_scenario, load_scenarios
from sessions.store import SessionReader
from sessions.verdicts import CheckNumber
from tests.diagnosis.recordings import Recording, catalogue, diagnosed, problems, session
from tests.diagnosis.replaying import replay
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


@pytest.mark.parametrize("late", [0, 8])
def test_the_worst_that_bounds_allow_is_looked_up_once(
    late: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it is worse, or earlier samples are written again, as where some come late."""
    read: list[tuple[str, str]] = []
    load = check_numbers._loaded

    def noting(one: check_numbers._Candidate) -> Scene:
        read.append((one.scene.compiled.card.id, one.entity.key))
        return load(one)

    monkeypatch.setattr(check_numbers, "_loaded", noting)
    recording = Recording(seconds=900, interval=20.0)
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    recording.vm("rising", {"mem.balloon": np.where(recording.seconds < 600, 0.01, 0.02), "cpu.ready": 0.5})
    path, looks = tmp_path / "s.hscope", []
    played = replay(session(recording), path, late=late)
    next(played)
    with SessionReader.open(path) as reader:
        judge = LiveJudge(reader, problems(), catalogue())
        for _ in played:
            read.clear()
            found = judge.judge()
            looks.append(("mem.ballooning", "esx01/vm/rising") in read)
            with SessionReader.open(path) as fresh:
                assert found == diagnose_session(fresh, problems(), catalogue())
    if late:
        assert sum(looks) > 8
    else:
        assert [number for number, one in enumerate(looks) if one] == [0, 29]
