"""Plans: made from what there is, written as a file, read back strictly; costs are known before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.failures import BadInputError, TooNewError, UsageError
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from tests.wizards.memory_environment import STORE, MemoryEnvironment, disk_in_use, host_object, vm_object
from wizards.flows.costs import cost_of, job_text
from wizards.flows.inputs import typed_input
from wizards.flows.plan import Plan, PlannedChange
from wizards.flows.plan_file import parse_plan, plan_text, read_plan
from wizards.flows.plan_rules import require_runnable
from wizards.flows.planning import Choice, make_plan
from wizards.flows.surroundings import look

KNOWN, JOBS = load_guided_tests(), load_fio_jobs()


def planned(around: MemoryEnvironment, test: str, **choice: Any) -> Plan:
    plan = make_plan(KNOWN.require(test), look(around), Choice(test, **choice))
    require_runnable(plan, KNOWN, JOBS)
    return plan


SWEEP, SHARES = planned(MemoryEnvironment(), "io-sweep"), planned(MemoryEnvironment(), "sioc-shares")


def test_a_plan_of_shares_says_everything_that_will_happen() -> None:
    plan = planned(MemoryEnvironment(), "sioc-shares", critical="perf-w02")
    assert [(one.name, one.role) for one in plan.workers] == [
        ("perf-w01", "competing"),
        ("perf-w02", "critical"),
        ("perf-w03", "competing"),
    ]
    assert plan.order == (
        "fill",
        *("alone perf-w01", "alone perf-w02", "alone perf-w03"),
        *("off", "equal", "weighted", "weighted", "equal", "off", "off", "equal", "weighted"),
        *("bursts", "streams"),
    )
    assert plan.phase("weighted").changes == (
        PlannedChange(STORE.id, "iorm.enabled", True),
        PlannedChange(STORE.id, "iorm.threshold_ms", 30),
        PlannedChange("vm-2", "disk.shares:Hard disk 2", 2000),
        PlannedChange("vm-1", "disk.shares:Hard disk 2", 500),
        PlannedChange("vm-3", "disk.shares:Hard disk 2", 500),
    )
    assert plan.worker("perf-w01").disks[0].uuid == "6000c29f-0001"
    assert {one.id for one in plan.objects} == {STORE.id, "vm-1", "vm-2", "vm-3", "host-1", "host-2"}
    cost = cost_of(plan, KNOWN, JOBS)
    assert cost.fill_bytes == 3 << 30
    assert 4700 < cost.seconds < 5500
    assert [one.setting for one in cost.settings] == ["iorm.enabled", "iorm.threshold_ms", "disk.shares"]
    assert "rw=randrw" in job_text(plan, plan.phase("off"), "perf-w01", JOBS)


def test_no_two_workers_have_a_seed_in_common() -> None:
    names = tuple(f"perf-w{number:02}" for number in range(1, 41))
    plan = planned(MemoryEnvironment(count=40), "io-sweep", workers=names)
    phase = plan.phase("depth 16")
    texts = [job_text(plan, phase, one.name, JOBS) for one in plan.workers]
    seeds = [line for text in texts for line in text.splitlines() if line.startswith("randseed=")]
    assert len(set(seeds)) == len(seeds) == 40


def test_a_sweep_is_shuffled_and_repeats_its_first_point() -> None:
    plan = planned(
        MemoryEnvironment(), "io-sweep", inputs={"depths": (1, 4, 16), "fill": False}, length="quick"
    )
    assert len(plan.order) == 4
    assert plan.order[0] == plan.order[-1]
    assert set(plan.order) == {"depth 1", "depth 4", "depth 16"}
    assert plan.phase("depth 4").setting == 4
    assert plan == planned(
        MemoryEnvironment(), "io-sweep", inputs={"depths": (1, 4, 16), "fill": False}, length="quick"
    ), "the same seed, the same plan"


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    for test in ("io-sweep", "sioc-shares"):
        plan = planned(MemoryEnvironment(), test)
        path = tmp_path / "plan.toml"
        path.write_text(plan_text(plan), encoding="utf-8")
        assert read_plan(path) == plan


@given(name=st.text(min_size=1, max_size=60), uuid=st.text(max_size=40))
def test_hostile_names_stay_names(name: str, uuid: str) -> None:
    plan = SWEEP
    first, *others = plan.workers
    disk = first.disks[0]
    hostile = _with(first, name=name, disks=(_with(disk, uuid=uuid),))
    phases = tuple(
        _with(one, work=tuple(_with(work, workers=(name,)) for work in one.work)) for one in plan.phases
    )
    changed = _with(plan, workers=(hostile, *others), phases=phases)
    assert parse_plan(plan_text(changed)) == changed


def _with(one: Any, **new: Any) -> Any:
    from msgspec.structs import replace  # noqa: PLC0415 - named like dataclasses.replace

    return replace(one, **new)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "measure_s = 240.0",
            'measure_s = "long"',
            r"^PLAN.toml: phases\[1\].measure_s: expected `float`, got `str`",
        ),
        ("measure_s = 240.0", "measure_s = -1.0", "expected `float` >= 0.0"),
        ("measure_s = 240.0", "measure_s = nan", "expected `float`"),
        (
            'test = "sioc-shares"',
            'test = "sioc-shares"\nsurprise = 1',
            "it contains unknown field `surprise`",
        ),
        ('test = "sioc-shares"', "test = ", "is not TOML"),
        ('test = "sioc-shares"', "test" + ".a" * 50_000 + " = 1", "a key of it has too many parts"),
        ('test = "sioc-shares"', 'test = "rm"', "There is no test rm"),
        ('order = ["fill"', 'order = ["fill", "nothing"', "order: there is no phase nothing"),
        ("depth = 48", "depth = 4800000", "Outstanding I/Os a disk can't be 4800000"),
        ("depth = 48", "deepth = 48", "This job has no input deepth"),
        ("depth = 48", "runtime = 48", "runtime follows from the phase's own times"),
        ('job = "database"', 'job = "format"', "there is no job format"),
        ('setting = "iorm.enabled"', 'setting = "attribute:vpw.lock"', "no setting that a plan may change"),
        ('setting = "iorm.enabled"', 'setting = "disk:x"', "no setting that a plan may change"),
        ('setting = "iorm.enabled"', 'setting = "drs.rate"', "a setting of ClusterComputeResource"),
        ("value = 2000", "value = 4001", "it is a whole number from 200 to 4000"),
        ("value = true", "value = 1", "it is true or false"),
        ("value = 2000\n", "", "it needs a value"),
        ('path = "/dev/disk/by-id/wwn-1"', 'path = "/dev/sda; rm -rf /"', "is no path of a disk"),
        ('path = "/dev/disk/by-id/wwn-1"', 'path = "/dev/../etc/passwd"', "is no path of a disk"),
        ('vm = "vm-1"', 'vm = "vm-9"', "no object vm-9"),
        ('name = "perf-w02"', 'name = "perf-w01"', "Two workers are called perf-w01"),
        ("size_bytes = 1073741824", "size_bytes = -5", "expected `int` >= 0"),
        ('uuid = "6000c29f-0002"', 'uuid = "6000C29F0001"', "perf-w01 and perf-w02 have the same disk"),
    ],
)
def test_what_an_admin_gets_wrong_is_said_in_a_sentence(old: str, new: str, sentence: str) -> None:
    text = plan_text(SHARES)
    assert old in text
    with pytest.raises(BadInputError, match=sentence):
        require_runnable(parse_plan(text.replace(old, new), "PLAN.toml"), KNOWN, JOBS)


def test_a_newer_plan_is_refused() -> None:
    text = plan_text(planned(MemoryEnvironment(), "io-sweep")).replace("format = 1", "format = 2")
    with pytest.raises(TooNewError, match="written by a newer Hyperscope"):
        parse_plan(text)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInputError, match="is not UTF-8 at byte 0"):
        read_plan(path)


def test_a_disk_that_is_in_use_is_never_planned() -> None:
    around = MemoryEnvironment()
    disk_in_use(around.all_workers[0], "It has a partition table.")
    plan = planned(around, "io-sweep")
    assert [one.name for one in plan.workers] == ["perf-w02", "perf-w03"]
    plan = planned(around, "io-sweep", workers=("perf-w01", "perf-w02"))
    assert plan.worker("perf-w01").disks[0].is_made
    assert plan.worker("perf-w01").disks[0].datastore == STORE.id
    assert not plan.worker("perf-w01").disks[0].path


def test_a_worker_that_does_not_answer_is_left_out() -> None:
    around = MemoryEnvironment()
    around.all_workers[1].alive = False
    assert [one.name for one in planned(around, "io-sweep").workers] == ["perf-w01", "perf-w03"]


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"workers": ("perf-w09",)}, "There is no worker perf-w09 here"),
        ({"objects": {"datastore": "lun-x"}}, "There is no datastore lun-x here"),
        ({"critical": "perf-w09"}, "perf-w09 is none of the workers"),
        ({"inputs": {"threshold_ms": 500}}, "Congestion threshold can't be 500: it is from 5 to 100"),
        ({"inputs": {"colour": 1}}, "has no input colour"),
    ],
)
def test_a_choice_that_is_not_there(choice: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        planned(MemoryEnvironment(), "sioc-shares", **choice)


def test_inputs_as_they_are_typed() -> None:
    test = KNOWN.require("io-sweep")
    assert typed_input(test, "depths=1,8,64") == ("depths", (1, 8, 64))
    assert typed_input(test, "fill=no") == ("fill", False)
    assert typed_input(test, "sweep=block") == ("sweep", "block")
    assert typed_input(test, "reads=100") == ("reads", 100)
    for text in ("depths=1,x", "reads=-3", "nothing=1", "fill=maybe", "reads"):
        with pytest.raises(UsageError):
            typed_input(test, text)


def test_the_vm_is_the_one_of_the_worker() -> None:
    plan = planned(MemoryEnvironment(), "io-sweep")
    assert [plan.object(one.vm).changed for one in plan.workers] == [vm_object(n) for n in (1, 2, 3)]


def test_a_placement_is_one_of_the_study_the_clusters_own_or_written() -> None:
    around = MemoryEnvironment(count=4)
    now = {vm_object(n).id: host_object(1 + n % 2).id for n in range(1, 5)}
    for cases in (("own",), ("1H1L|1H1L",)):
        plan = planned(around, "drs-balance", inputs={"cases": cases})
        by_hand = next(one for one in plan.phases if one.step == f"hand {cases[0]}")
        hosts = {one.object: one.value for one in by_hand.changes if one.setting == "host"}
        assert hosts == now
    moved = planned(around, "drs-balance", inputs={"cases": ("2H|2L",)}).phases[0].changes
    heavy = [one.value for one in moved if one.object in (vm_object(1).id, vm_object(2).id)]
    assert len(set(heavy)) == 1
    for wrong in ("4X", "owner", "1H;2L", "3H|1L"):
        with pytest.raises(UsageError):
            planned(around, "drs-balance", inputs={"cases": (wrong,)})
