"""Which class each device of a session has, and why, as the preferences list it."""

from __future__ import annotations

from pathlib import Path

import pytest

import viewmodels.storage_class_rows as module
from resources.problem_cards import load_problems
from resources.threshold_sets import ChosenClass, OwnThresholds, StorageLimits
from sessions.model import Entity, EntityRef
from sessions.store import SessionWriter
from tests.viewmodels.sessions import reading
from viewmodels.scope_labels import session_label
from viewmodels.storage_class_rows import class_rows

NVME, LUN, STORE = "eui.0025385591b4a2c1", "naa.600508b4000603860000000000000001", "gold"


def rows_of(path: Path, limits: StorageLimits) -> tuple[list[tuple[str, str, str, str]], str]:
    with reading(path) as (_, snapshot):
        rows, note = class_rows(snapshot, limits)
    return [(one.name, one.of, one.storage_class, one.because) for one in rows], note


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        kinds = (("datastore", STORE), ("device", LUN), ("device", NVME), ("vm", "web01"))
        writer.add_entities([Entity(EntityRef(kind, name), name) for kind, name in kinds])  # type: ignore[arg-type]
    return tmp_path / "s.hscope"


def test_each_device_and_datastore_has_its_class_and_why(path: Path) -> None:
    shipped = load_problems().storage
    rows, note = rows_of(path, shipped)
    assert [row[:2] for row in rows] == [(NVME, "Device"), (LUN, "Device"), (STORE, "Datastore")]
    nvme, lun, store = rows
    assert (nvme[2], "NVMe" in nvme[3]) == ("NVMe", True)
    assert lun[3] == store[3] == "nothing tells: choose its class by its name"
    assert note == ""
    chosen = StorageLimits(
        shipped.classes, OwnThresholds(chosen=[ChosenClass("naa.6*", "hdd", "device", "old")])
    )
    assert rows_of(path, chosen)[0][1][2:] == ("HDD", "you chose it for names like naa.6* (old)")


def test_local_disks_of_several_hosts_that_have_one_name_are_one_row(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        disks = [EntityRef("device", f"{host}/mpx.vmhba0:C0:T5:L0") for host in ("esx01", "esx02")]
        writer.add_entities([Entity(one, "mpx.vmhba0:C0:T5:L0") for one in disks])
    rows, _ = rows_of(tmp_path / "s.hscope", load_problems().storage)
    assert [row[0] for row in rows] == ["mpx.vmhba0:C0:T5:L0"]


def test_many_are_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 2)
    rows, note = rows_of(path, load_problems().storage)
    assert (len(rows), note) == (2, "and 1 more")


def test_a_file_that_is_mostly_names_has_no_bytes_a_value(path: Path) -> None:
    with reading(path) as (_, snapshot):
        assert session_label(snapshot).endswith("0 series")
