"""A lab after its process was killed: what the journal says still holds, and can be put back."""

from __future__ import annotations

import json

from sessions.journal import ChangedObject, ChangeState, JournalEntry, Setting
from tests.vsphere.feeds import Stop
from workloads.environment import TestObject
from workloads.lab import LabEnvironment

LAB = "lab:congested?seed=3"


def named(environment: LabEnvironment, name: str) -> TestObject:
    return next(one for one in environment.objects() if one.object.name == name)


def entry(
    number: int,
    of: ChangedObject,
    setting: str,
    before: Setting,
    after: Setting,
    state: ChangeState = "applied",
) -> JournalEntry:
    return JournalEntry(
        f"c{number}", "run-1", of, setting, before, after, "lab", state, number, number
    )  # fmt: skip


def changed_lab() -> tuple[LabEnvironment, list[JournalEntry]]:
    """A lab in which a run has changed six settings, and its journal."""
    environment = LabEnvironment(LAB)
    settings = environment.settings
    store, cluster = named(environment, "hybrid-ds01").object, named(environment, "Cluster-01").object
    vm, target = named(environment, "sql-01").object, named(environment, "esx03.lab.local").object
    disk = json.dumps({"datastore": store.id, "provisioning": "thin", "run": "run-1", "size_bytes": 1 << 30})
    journal = []
    made: tuple[tuple[ChangedObject, str, Setting], ...] = (
        (store, "attribute:vpw.lock", "run-1"), (store, "iorm.enabled", True),
        (cluster, "drs.behaviour", "manual"), (vm, "disk:test-1", disk),
        (vm, "disk.shares:test-1", 2000.0), (vm, "host", target.id),
    )  # fmt: skip
    for number, (of, setting, after) in enumerate(made):
        journal.append(entry(number, of, setting, settings.read(of, setting), after))
        settings.write(of, setting, after)
    return environment, journal


def test_a_new_lab_holds_what_the_journal_says() -> None:
    environment, journal = changed_lab()
    after_crash = LabEnvironment(LAB, journal=journal)
    for one in journal:
        assert after_crash.settings.read(one.object, one.setting) == one.after, one.setting
        assert after_crash.settings.read(one.object, one.setting) == environment.settings.read(
            one.object, one.setting
        )


def test_everything_can_be_put_back_newest_first() -> None:
    _, journal = changed_lab()
    after_crash, fresh = LabEnvironment(LAB, journal=journal), LabEnvironment(LAB)
    for one in reversed(journal):
        after_crash.settings.write(one.object, one.setting, one.before)
        assert after_crash.settings.read(one.object, one.setting) == one.before, one.setting
    there = {one.object.id: one.facts.get("disks") for one in after_crash.objects()}
    assert there == {one.object.id: one.facts.get("disks") for one in fresh.objects()}


def test_what_was_undone_or_only_intended_does_not_hold() -> None:
    environment = LabEnvironment(LAB)
    store, cluster = named(environment, "hybrid-ds01").object, named(environment, "Cluster-01").object
    journal = [
        entry(1, store, "iorm.enabled", False, True, "undone"),
        entry(2, cluster, "drs.rate", 3.0, 1.0, "intended"),
        entry(3, store, "iorm.threshold_ms", None, 20.0, "applied"),
        entry(3, store, "iorm.threshold_ms", None, 20.0, "undone"),
    ]
    after_crash = LabEnvironment(LAB, journal=journal)
    assert after_crash.settings.read(store, "iorm.enabled") is False
    assert after_crash.settings.read(cluster, "drs.rate") == 3.0
    assert after_crash.settings.read(store, "iorm.threshold_ms") is None


def test_processes_and_folders_died_with_the_lab() -> None:
    environment = LabEnvironment(LAB)
    place = environment.workers()[0].place("run-1")
    after_crash = LabEnvironment(LAB, journal=[entry(1, place, "folder", None, place.id)])
    assert after_crash.settings.read(place, "folder") is None
    after_crash.settings.write(place, "folder", None)


def test_the_clock_goes_on_where_the_session_ended() -> None:
    environment = LabEnvironment(LAB)
    environment.wait(600.0, Stop())
    later = environment.now_ms()
    after_crash = LabEnvironment(LAB, resumed_at=later + 1234)
    assert later + 1234 <= after_crash.now_ms() < later + 1234 + 5000
    assert not after_crash.wait(60.0, Stop())
    assert after_crash.now_ms() > later + 60_000


def test_a_journal_of_another_lab_changes_nothing_that_is_not_there() -> None:
    stranger = ChangedObject("lab:default", "VirtualMachine", "vm-99999", "gone")
    after_crash = LabEnvironment(LAB, journal=[entry(1, stranger, "power", True, False)])
    assert all(one.facts.get("powered_on") in (None, True) for one in after_crash.objects())
