"""Changes with their journal: whatever breaks off, and wherever, undoing leaves the settings as they were."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.failures import DisconnectedError, NotFoundError, TimedOutError
from sessions.journal import ChangedObject, JournalEntry, Setting, current_journal
from workloads.journal import ChangeFailedError, Changes, Wanted, changes_json

LUN = ChangedObject("vcenter://anna@vc01.corp", "Datastore", "datastore-7", "perf-lun-02")
VM = ChangedObject("vcenter://anna@vc01.corp", "VirtualMachine", "vm-42", "db-prod <b>\x1b[31m")
SIOC, THRESHOLD, SHARES = (LUN, "iorm.enabled"), (LUN, "iorm.threshold_ms"), (VM, "disk.shares:Hard disk 2")
AS_IT_WAS: dict[tuple[ChangedObject, str], Setting] = {SIOC: False, THRESHOLD: 30.0, SHARES: 1000.0}


class CrashError(BaseException):
    """The process is no more."""


@dataclass
class World:
    """Settings in memory and a journal that keeps what was written; something may happen before any step."""

    values: dict[tuple[ChangedObject, str], Setting] = field(default_factory=lambda: dict(AS_IT_WAS))
    journal: list[JournalEntry] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    before_step: Callable[[int, str], None] = lambda _number, _step: None

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        self._step("read")
        try:
            return self.values[changed, setting]
        except KeyError:
            raise NotFoundError(f"There is no {changed.name}.") from None

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        self._step("write")
        written = [entry for entry in current_journal(self.journal) if entry.is_open]
        assert any((entry.object, entry.setting) == (changed, setting) for entry in written), (
            "not in the journal"
        )
        self.values[changed, setting] = value

    def record(self, entries: Sequence[JournalEntry]) -> None:
        self._step("record")
        self.journal += entries

    def changes(self) -> Changes:
        return Changes("run-1", self, self, lambda: 1_700_000_000_000, "vsphere", self.journal)

    def _step(self, step: str) -> None:
        self.before_step(len(self.steps), step)
        self.steps.append(step)


def test_a_change_is_on_disk_before_it_is_made_and_read_back_after() -> None:
    world = World()
    change = world.changes().make(Wanted(*SIOC, True))
    assert world.steps == ["read", "record", "read", "write", "read", "record"]
    assert (change.state, change.before, change.after, change.id) == ("applied", False, True, "run-1/0001")
    assert [entry.state for entry in world.journal] == ["intended", "applied"]


def test_undoing_looks_first_and_reads_back() -> None:
    world = World()
    changes = world.changes()
    changes.make(Wanted(*SIOC, True))
    world.steps.clear()
    assert [entry.state for entry in changes.undo_all()] == ["undone"]
    assert world.steps == ["read", "write", "read", "record"]
    assert world.values == AS_IT_WAS
    world.steps.clear()
    assert [entry.state for entry in world.changes().undo_all()] == ["undone"]
    assert world.steps == [], "what is undone is not touched again"


def test_what_holds_already_is_written_down_once_and_never_undone() -> None:
    world = World()
    changes = world.changes()
    for _ in range(3):
        changes.hold([Wanted(*SIOC, False)])
    assert [entry.state for entry in changes.undo_all()] == ["not needed"]
    assert "write" not in world.steps


def test_a_setting_of_somebody_else_is_left_and_named() -> None:
    world = World()
    changes = world.changes()
    changes.make(Wanted(*SHARES, 2000.0))
    world.values[SHARES] = 500.0
    (entry,) = changes.undo_all()
    assert entry.state == "left"
    assert world.values[SHARES] == 500.0
    assert entry.why == (
        "It is 500 now, neither 1000 as before the test nor 2000 as the test set it: "
        "somebody else changed it."
    )


def test_true_is_not_one() -> None:
    world = World()
    changes = world.changes()
    changes.make(Wanted(*SIOC, True))
    world.values[SIOC] = 1.0
    assert changes.undo_all()[0].state == "left"


def test_an_object_that_is_gone_needs_nothing() -> None:
    world = World()
    changes = world.changes()
    changes.make(Wanted(*SHARES, 2000.0))
    del world.values[SHARES]
    (entry,) = changes.undo_all()
    assert (entry.state, entry.why) == ("not needed", "db-prod <b>\ufffd[31m is not there any more.")


def test_a_server_that_does_not_answer_is_asked_again() -> None:
    world = World()
    changes = world.changes()
    changes.make(Wanted(*SIOC, True))

    def down(_number: int, step: str) -> None:
        if step == "read":
            raise DisconnectedError("vc01.corp does not answer.")

    world.before_step = down
    (entry,) = changes.undo_all()
    assert (entry.state, entry.why, entry.is_open) == ("failed", "vc01.corp does not answer.", True)
    world.before_step = lambda _number, _step: None
    assert world.changes().undo_all()[0].state == "undone"
    assert world.values == AS_IT_WAS


def test_a_value_that_changes_under_our_hand_is_not_overwritten() -> None:
    world = World()

    def somebody(number: int, step: str) -> None:
        if (number, step) == (1, "record"):
            world.values[THRESHOLD] = 12.0

    world.before_step = somebody
    with pytest.raises(
        ChangeFailedError, match="It became 12 while it was about to be changed; nothing was set"
    ):
        world.changes().make(Wanted(*THRESHOLD, 10.0))
    assert world.values[THRESHOLD] == 12.0
    assert "write" not in world.steps
    assert current_journal(world.journal)[0].state == "left"


def test_a_server_that_says_yes_and_does_nothing() -> None:
    world = World()

    class Deaf(World):
        def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
            pass

    world = Deaf()
    with pytest.raises(ChangeFailedError, match="It was set to 10 and reads 30"):
        world.changes().make(Wanted(*THRESHOLD, 10.0))
    assert world.changes().undo_all()[0].state == "undone"


def test_a_disk_that_was_made_is_what_the_server_says_of_it() -> None:
    world = World()
    disk = (VM, "disk:run-1-a")
    world.values[disk] = None
    made = '{"size_bytes": 1024, "datastore": "datastore-7", "uuid": "6000C29f"}'

    class Making(World):
        def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
            super().write(changed, setting, made if value is not None else None)

    world = Making(world.values)
    entry = world.changes().make(Wanted(*disk, '{"datastore": "datastore-7", "size_bytes": 1024}'))
    assert entry.after == made
    world.values[disk] = made.replace("6000", "7000")
    assert world.changes().undo_all()[0].state == "left", "that is another disk"


def test_one_setting_changed_often_is_put_back_at_once() -> None:
    world = World()
    changes = world.changes()
    for value in (2000.0, 500.0, 4000.0):
        changes.hold([Wanted(*SHARES, value)])
    world.steps.clear()
    assert [entry.state for entry in changes.undo_all()] == ["not needed", "not needed", "undone"]
    assert world.steps.count("write") == 1
    assert world.values == AS_IT_WAS


def test_what_a_phase_does_not_name_is_put_back() -> None:
    world = World()
    changes = world.changes()
    changes.hold([Wanted(*SIOC, True), Wanted(*SHARES, 2000.0)])
    changes.hold([Wanted(*SHARES, 2000.0)])
    assert world.values == {**AS_IT_WAS, SHARES: 2000.0}


def test_the_list_for_json() -> None:
    world = World()
    changes = world.changes()
    changes.make(Wanted(*THRESHOLD, None))
    assert changes_json(changes.undo_all()) == [
        {
            "what": "iorm.threshold_ms",
            "object": "perf-lun-02",
            "before": 30.0,
            "after": None,
            "state": "undone",
            "why": "",
        }
    ]


PHASES: tuple[tuple[Wanted, ...], ...] = (
    (Wanted(*SIOC, True), Wanted(*SHARES, 2000.0)),
    (Wanted(*SIOC, True), Wanted(*THRESHOLD, None), Wanted(*SHARES, 500.0)),
    (Wanted(*SIOC, False), Wanted(*SHARES, 1000.0)),
    (Wanted(*SHARES, 4000.0), Wanted(*THRESHOLD, 5.0)),
)


def a_whole_run(world: World) -> None:
    changes = world.changes()
    for phase in PHASES:
        changes.hold(phase)
    changes.undo_all()


def steps_of_a_run() -> int:
    world = World()
    a_whole_run(world)
    assert world.values == AS_IT_WAS
    return len(world.steps)


STEPS = steps_of_a_run()


def crash_at(number: int) -> Callable[[int, str], None]:
    def crash(step: int, _name: str) -> None:
        if step == number:
            raise CrashError

    return crash


@pytest.mark.parametrize("first", range(STEPS))
def test_a_crash_before_any_step_and_before_any_step_of_the_restore(first: int) -> None:
    def crashed() -> World:
        world = World()
        world.before_step = crash_at(first)
        with pytest.raises(CrashError):
            a_whole_run(world)
        world.steps.clear()
        world.before_step = lambda _number, _step: None
        return world

    world = crashed()
    world.changes().undo_all()
    assert world.values == AS_IT_WAS
    assert not any(entry.is_open for entry in current_journal(world.journal))
    for second in range(len(world.steps)):
        world = crashed()
        world.before_step = crash_at(second)
        with pytest.raises(CrashError):
            world.changes().undo_all()
        world.before_step = lambda _number, _step: None
        world.changes().undo_all()
        assert world.values == AS_IT_WAS


@given(
    somebody=st.integers(0, STEPS - 1),
    crash=st.integers(0, STEPS - 1),
    which=st.sampled_from([SIOC, THRESHOLD, SHARES]),
)
def test_what_somebody_else_sets_stays(somebody: int, crash: int, which: tuple[ChangedObject, str]) -> None:
    """From then on nobody overwrites it."""
    world = World()
    theirs = "somebody's"

    def happen(step: int, name: str) -> None:
        if step == somebody and name != "write":
            world.values[which] = theirs
        if step == crash:
            raise CrashError

    world.before_step = happen
    with contextlib.suppress(CrashError, ChangeFailedError):
        a_whole_run(world)
    world.before_step = lambda _number, _step: None
    was_set = theirs in world.values.values()
    world.changes().undo_all()
    if was_set:
        assert world.values[which] == theirs
    others = {key: value for key, value in world.values.items() if key != which}
    assert others == {key: value for key, value in AS_IT_WAS.items() if key != which}


def test_a_source_that_hangs_holds_up_no_other() -> None:
    guests = [ChangedObject(f"ssh://root@w{n}", "guest", f"/var/tmp/hyperscope-{n}", f"w{n}") for n in (1, 2)]
    values: dict[tuple[ChangedObject, str], Setting] = {(one, "folder"): None for one in guests}
    world = World(values)
    changes = world.changes()
    for one in guests:
        changes.make(Wanted(one, "folder", one.id))
    together = threading.Barrier(2)

    def meet(_step: int, name: str) -> None:
        if name == "write":
            together.wait(20)

    world.before_step = meet
    assert [entry.state for entry in changes.undo_all()] == ["undone", "undone"]
    assert world.values == {(one, "folder"): None for one in guests}
    assert {entry.state for entry in current_journal(world.journal)} == {"undone"}


def test_a_source_that_does_not_answer_is_asked_once_each_time() -> None:
    world = World()
    well, hung = (ChangedObject(place, "guest", place, place) for place in ("ssh://a", "ssh://b"))
    wanted = [Wanted(one, setting, "/var/tmp/run") for one in (well, hung) for setting in ("folder", "lock")]
    world.values |= {(one.object, one.setting): None for one in wanted}
    world.changes().make_all(wanted)
    asked: list[str] = []
    read = world.read

    def hangs(changed: ChangedObject, setting: str) -> Setting:
        asked.append(changed.name)
        if changed == hung:
            raise TimedOutError("b did not do what it was told within 60 s.")
        return read(changed, setting)

    world.read = hangs  # type: ignore[method-assign]
    states = {(one.object.name, one.state): one.why for one in world.changes().undo_all()}
    assert set(states) == {("ssh://a", "undone"), ("ssh://b", "failed")}
    assert "within 60 s" in states["ssh://b", "failed"]
    assert asked.count("ssh://b") == 1
    world.read = read  # type: ignore[method-assign]
    assert {one.state for one in world.changes().undo_all()} == {"undone"}


def test_entries_of_an_earlier_process_are_counted_on() -> None:
    world = World()
    world.changes().make(Wanted(*SIOC, True))
    second = world.changes().make(Wanted(*SHARES, 2000.0))
    assert second.id == "run-1/0002"
    assert replace(second, id="") != second


def test_a_vm_that_stayed_where_it_was_is_put_back_when_drs_moves_it() -> None:
    world = World()
    home, other = Wanted(VM, "host", "host-1"), Wanted(VM, "host", "host-2")
    world.values[VM, "host"] = "host-1"
    changes = world.changes()
    changes.hold([home])  # by hand: it is there already
    changes.hold([], {one.id for one in changes.entries})
    world.values[VM, "host"] = "host-3"  # by DRS
    changes.hold([home])  # by hand again, in the next round
    assert world.values[VM, "host"] == "host-1"
    world.values[VM, "host"] = "host-2"
    changes.hold([other])
    changes.hold([home])
    world.values[VM, "host"] = "host-3"
    done = world.changes().undo_all()  # by another process
    assert world.values[VM, "host"] == "host-1"
    assert not any(one.is_open for one in done)


def test_a_vm_that_nobody_moved_is_said_to_be_where_it_was() -> None:
    world = World()
    world.values[VM, "host"] = "host-1"
    changes = world.changes()
    changes.hold([Wanted(VM, "host", "host-1")])
    assert "write" not in world.steps
    assert [one.state for one in changes.undo_all()] == ["not needed"]
    assert "write" not in world.steps
