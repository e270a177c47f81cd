"""Sessions that somebody else made up: ``restore`` undoes nothing that is not provably that run's own."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from app.recording.origins import RecordOptions
from app.testing import restoring
from app.testing.environments import EnvironmentOptions
from collectors.vsphere.options import VSphereOptions
from sessions.journal import ChangedObject, JournalEntry, Setting
from sessions.store import SessionWriter
from tests.workloads.guests.test_hostile import OnThisMachine
from workloads.guests.contract import folder_of
from workloads.guests.environment import GuestSettings
from workloads.guests.folders import make_folder

GUEST = "ssh://root@perf-w01"
VCENTER = "vcenter://anna@vc01.corp"
RUN = "20261122-130000-0123abcd"
VM = ChangedObject(VCENTER, "VirtualMachine", "vm-42", "db-prod")
STORE = ChangedObject(VCENTER, "Datastore", "datastore-7", "perf-lun-02")


@dataclass
class Server:
    """A vCenter in memory: whatever is asked for is there."""

    values: dict[tuple[str, str], Setting] = field(default_factory=dict)
    writes: list[tuple[str, str, Setting]] = field(default_factory=list)

    @property
    def settings(self) -> Server:
        return self

    def close(self) -> None:
        """Nothing is open."""

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        return self.values.get((changed.id, setting))

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        self.values[changed.id, setting] = value
        self.writes.append((changed.id, setting, value))


class Guest:
    """A guest on this machine, whose scripts are those of a real one."""

    def __init__(self, folder: Path) -> None:
        self.settings = GuestSettings({GUEST: OnThisMachine(folder)})  # type: ignore[dict-item] # the part that runs scripts

    def close(self) -> None:
        """Nothing is open."""


def entry(of: ChangedObject, setting: str, before: Setting, after: Setting, **other: str) -> JournalEntry:
    words = {"undo": "guest" if of.source == GUEST else "vsphere", "run": RUN, "id": f"{RUN}/0001", **other}
    return JournalEntry(
        words["id"], words["run"], of, setting, before, after, words["undo"], "applied", 1_000, 1_000
    )


def restored(
    environment: object, monkeypatch: pytest.MonkeyPatch, folder: Path, entries: Sequence[JournalEntry]
) -> list[JournalEntry]:
    session = folder / f"{uuid.uuid4().hex}.hscope"
    with SessionWriter.create(session, durable=False) as writer:
        writer.add_journal(entries)
    monkeypatch.setattr(restoring, "open_environment", lambda _addresses, _options: environment)
    monkeypatch.setattr(restoring, "_WAIT_S", 0.0)
    return restoring.restore_session(session, EnvironmentOptions(RecordOptions(VSphereOptions())))


@pytest.fixture
def job(tmp_path: Path) -> Iterator[str]:
    """The folder of a job of this very run, made by the launcher's own script."""
    run = uuid.uuid4().hex
    folder = folder_of(run, "perf-w01", "linux")
    make_folder(OnThisMachine(tmp_path), folder, {"job.fio": "x\n"})  # type: ignore[arg-type] # as above
    yield run
    shutil.rmtree(folder, ignore_errors=True)


def test_a_runs_own_folder_is_removed(job: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(job, "perf-w01", "linux")
    place = ChangedObject(GUEST, "guest", folder, "perf-w01")
    (one,) = restored(Guest(tmp_path), monkeypatch, tmp_path, [entry(place, "folder", None, folder, run=job)])
    assert one.state == "undone"
    assert not Path(folder).exists()


def test_a_folder_of_another_run_is_left(job: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(job, "perf-w01", "linux")
    place = ChangedObject(GUEST, "guest", folder, "perf-w01")
    for setting in ("folder", "process"):
        (one,) = restored(Guest(tmp_path), monkeypatch, tmp_path, [entry(place, setting, None, folder)])
        assert one.state == "left"
        assert "is none of run" in one.why
        assert Path(folder, "hyperscope").exists()
        assert not Path(folder, "stop").exists(), "its job was told to end"


@pytest.mark.parametrize(
    "path",
    [
        "/", "/etc", "", ".", "..", "{home}/hyperscope-0123456789abcdef0123", "{home}/link",
        "/var/tmp/../..{home}/hyperscope-0123456789abcdef0123",
        "/var/tmp/hyperscope-0123456789abcdef0123\nremove",
        "{home}/hyperscope-0123456789abcdef0123\nremove\n", "/var/tmp/hyperscope-$(id)", "{home}",
    ],
)  # fmt: skip
def test_a_folder_elsewhere_is_neither_looked_at_nor_removed(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "hyperscope-0123456789abcdef0123"
    mine.mkdir()
    (mine / "hyperscope").write_text("")
    (mine / "thesis.txt").write_text("years of work")
    (tmp_path / "link").symlink_to(mine)
    place = ChangedObject(GUEST, "guest", path.replace("{home}", str(tmp_path)), "perf-w01")
    for setting in ("folder", "process"):
        forged = entry(place, setting, None, place.id)
        (one,) = restored(Guest(tmp_path), monkeypatch, tmp_path, [forged])
        assert one.state == "left"
        assert sorted(one.name for one in mine.iterdir()) == ["hyperscope", "thesis.txt"]
    for changed in (place, replace(place, name=os.sep)):  # the settings themselves refuse it, too
        with pytest.raises(Exception, match="is no folder of a job"):
            Guest(tmp_path).settings.write(changed, "folder", None)


def test_a_disk_of_another_run_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = json.dumps({"run": "another", "size_bytes": 1 << 30})
    for after in (theirs, json.dumps({"size_bytes": 1 << 30}), json.dumps({"run": ["another"]}), "{}", 5.0):
        server = Server({(VM.id, "disk:test"): theirs})
        (one,) = restored(server, monkeypatch, tmp_path, [entry(VM, "disk:test", None, after)])
        assert one.state == "left", after
        assert not server.writes, after


def test_a_disk_is_never_made_by_restoring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({"run": RUN, "size_bytes": 1 << 30})
    server = Server({(VM.id, "disk:test"): None})
    (one,) = restored(server, monkeypatch, tmp_path, [entry(VM, "disk:test", text, None)])
    assert one.state == "left"
    assert not server.writes


@pytest.mark.parametrize(
    ("of", "setting", "before", "after"),
    [
        (VM, "attribute:Owner", "nobody", "Anna"),
        (VM, "attribute:vpw.lock", None, json.dumps({"run": "another"})),
        (VM, "iorm.enabled", False, True),
        (STORE, "iorm.enabled", "$(reboot)", True),
        (STORE, "iorm.enabled", 0.0, True),
        (STORE, "iorm.threshold_ms", "5", 30.0),
        (VM, "disk.shares", 200.0, 1000.0),
        (VM, "no.such", None, "x"),
        (ChangedObject(VCENTER, "ClusterComputeResource", "c1", "c"), "drs.behaviour", "off", "manual"),
        (ChangedObject(VCENTER, "guest", "vm-42:/etc", "db-prod"), "folder", None, "vm-42:/etc"),
        (ChangedObject(VCENTER, "guest", "/etc", "db-prod"), "process", None, '{"pid": 1}'),
    ],
)
def test_what_no_test_changes_is_left(
    of: ChangedObject,
    setting: str,
    before: Setting,
    after: Setting,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Server({(of.id, setting): after})
    (one,) = restored(server, monkeypatch, tmp_path, [entry(of, setting, before, after)])
    assert one.state == "left"
    assert one.why.endswith(".")
    assert not server.writes


@pytest.mark.parametrize("undo", ["", "ssh", "guest", "lab", "rm -rf /"])
def test_a_way_of_undoing_that_is_none_of_the_source_is_left(
    undo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server({(STORE.id, "iorm.enabled"): True})
    (one,) = restored(server, monkeypatch, tmp_path, [entry(STORE, "iorm.enabled", False, True, undo=undo)])
    assert one.state == "left"
    assert not server.writes


def test_a_runs_own_settings_disk_and_lock_are_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, disk = (
        json.dumps({"run": RUN, "test": "sioc-shares"}),
        json.dumps({"run": RUN, "size_bytes": 1 << 30}),
    )
    made: list[tuple[ChangedObject, str, Setting, Setting]] = [
        (VM, "attribute:vpw.lock", None, lock),
        (VM, "disk:test", None, disk),
        (STORE, "iorm.enabled", False, True),
    ]
    server = Server({(of.id, setting): after for of, setting, _, after in made})
    entries = [entry(*one, id=f"{RUN}/{number}") for number, one in enumerate(made)]
    assert {one.state for one in restored(server, monkeypatch, tmp_path, entries)} == {"undone"}
    assert server.writes == [
        (STORE.id, "iorm.enabled", False), (VM.id, "disk:test", None), (VM.id, "attribute:vpw.lock", None)
    ]  # fmt: skip


def test_what_another_run_holds_now_waits_for_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = json.dumps({"run": "another", "test": "sioc-shares", "by": "elsewhere"})
    server = Server({(STORE.id, "iorm.enabled"): True, (STORE.id, "attribute:vpw.lock"): lock})
    (one,) = restored(server, monkeypatch, tmp_path, [entry(STORE, "iorm.enabled", False, True)])
    assert one.is_open
    assert "run another" in one.why
    assert not server.writes


def test_a_vm_is_powered_off_only_with_the_runs_lock_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run, state in ((None, "failed"), ("another", "failed"), (RUN, "undone")):
        server = Server({(VM.id, "power"): True})
        if run is not None:
            server.values[VM.id, "attribute:vpw.lock"] = json.dumps({"run": run})
        (one,) = restored(server, monkeypatch, tmp_path, [entry(VM, "power", False, True)])
        assert one.state == state
        assert bool(server.writes) == (state == "undone")
