"""Did the fix work, in sessions as customers send them; the truth was written down before asking."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from resources.guided_flow import load_flow
from sessions.model import FloatArray
from sessions.store import SessionReader
from sessions.troubleshooting import Verification
from tests.diagnosis.recordings import START, Level, Recording
from viewmodels.snapshot import read_snapshot
from wizards.flows.troubleshooting.judging import look_into, symptom_of
from wizards.flows.troubleshooting.surroundings import entity_called
from wizards.flows.troubleshooting.verifying import Session, verify

FIX_S = 1800


def then(before: float, after: float, seed: int, spread: float = 0.08) -> Level:
    """A level that changes when the fix is made."""

    def values(t: FloatArray) -> FloatArray:
        shape = 1 + spread * np.random.default_rng(seed).standard_normal(t.size)
        return np.asarray(np.where(t < FIX_S, before, after) * shape, dtype=np.float64)

    return values


def site() -> Recording:
    return Recording("esx07", seconds=2 * FIX_S, interval=20, source="vcenter")


def verified(made: Recording, name: str, folder: Path) -> Verification:
    path = made.store(folder / "a.hscope")
    with SessionReader.open(path) as reader:
        session = Session(reader, read_snapshot(reader, path), path.name)
        ref = entity_called(session.snapshot, name, load_flow())
        symptom = symptom_of(session.snapshot, ref, until=START + FIX_S * 1000)
        return verify(session, look_into(session.samples, session.snapshot, symptom).run)


def busy_host(load: float, ready: float) -> Recording:
    made = site()
    made.on_host({
        "cpu.pcpu_util": then(96, 96 * load, 1, 0.02),
        "cpu.pcpu_used": then(96, 96 * load, 2, 0.02),
    })  # fmt: skip
    for number in range(4):
        cpu = {
            "cpu.used": then(60, 60 * load, 10 + number),
            "cpu.ready": then(14, ready, 20 + number),
        }
        vm = made.vm(f"citrix-0{number}", cpu, vcpus=8)
    made.fact(vm, "cpu.shares", 2000.0)
    made.fact(vm, "cpu.shares", 8000.0, FIX_S)
    return made


def test_shares_that_were_raised_as_people_went_home_are_no_fix(tmp_path: Path) -> None:
    """VMs that wait no longer use as much as before, or more: half of it is half of the work."""
    found = verified(busy_host(load=0.5, ready=1.5), "citrix-03", tmp_path)
    assert (found.outcome, found.confidence, found.same_load) == ("can't tell", "none", False)
    assert "It is gone, but so is the load. The load was lower: CPU used 60.4 % → 30.3 %." in found.because


def slow_lun(later: float, then_on: str = "naa.1111") -> Recording:
    """An ERP's database on a slow LUN; it is moved to another one, or not."""
    made = site()
    stays = then_on == "naa.1111"
    for lun, slow in (
        ("naa.1111", (40.0, later if stays else 4.0)),
        ("naa.2222", (4.0, 4.0 if stays else later)),
    ):
        made.shared(lun, {"disk.device_latency": then(*slow, 1), "disk.commands": then(700, 700, 2)})
    db, mail = made.vm("db-erp", {}), made.vm("mail", {})
    made.has(db, {"disk.commands": then(300, 300 if stays else 0, 3)}, "naa.1111")
    if not stays:
        made.has(db, {"disk.commands": then(0, 300, 4)}, then_on)
        made.event(db, "storage_vmotion", "Relocate virtual machine db-erp", FIX_S - 60, 50)
    made.has(mail, {"disk.commands": then(200, 200, 5)}, "naa.2222")
    return made


def test_a_database_that_is_as_slow_on_its_new_lun_is_not_better(tmp_path: Path) -> None:
    found = verified(slow_lun(later=36, then_on="naa.2222"), "db-erp", tmp_path)
    assert found.outcome == "unchanged"
    assert "It is gone from naa.1111, but naa.2222 has it now." in found.because


def test_half_of_it_is_better_and_nothing_at_all_is_unchanged(tmp_path: Path) -> None:
    better = verified(slow_lun(later=22), "db-erp", tmp_path)
    assert better.outcome == "better"
    assert "It is less, but still over the limit." in better.because
    (tmp_path / "again").mkdir()
    assert verified(slow_lun(later=40), "db-erp", tmp_path / "again").outcome == "unchanged"
