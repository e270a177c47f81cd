"""Guided tests of guests over ssh, typed as a user types them: real sshds, disks of their own, real fio."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sessions.store import SessionReader
from tests.app.kills import kill_in
from tests.app.typed import Typist, confirmed, shorten
from tests.some_of_many import others
from tests.workloads.guests.running import needs_fio, wait_until
from tests.workloads.guests.separate import Guest, separate_guests

pytestmark = pytest.mark.slow

FIGURES = {"IOPS", "throughput", "mean latency", "off Little's law"}


def typist_of(folder: Path, guests: Sequence[Guest]) -> Typist:
    pins = [word for one in guests for word in ("--thumbprint", one.host_key)]
    return Typist(folder, ["--key", str(guests[0].server.user_key), "--no-agent", *pins])


@pytest.fixture
def eight(tmp_path: Path) -> Iterator[list[Guest]]:
    needs_fio()
    with separate_guests(tmp_path / "guests", 8) as made:
        yield made


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Guest]]:
    needs_fio()
    with separate_guests(tmp_path / "guests", 2) as made:
        yield made


def as_before(guests: Sequence[Guest]) -> None:
    """No file, no process of load in any guest."""
    assert [one.files() for one in guests] == [set()] * len(guests)
    assert [one.fios() for one in guests] == [[]] * len(guests)


def test_eight_guests_from_plan_to_verdict(eight: list[Guest], tmp_path: Path) -> None:
    typed, plan, session = typist_of(tmp_path, eight), tmp_path / "p.toml", tmp_path / "s.hscope"
    addresses = [one.address for one in eight]
    choice = ("--length", "quick", "--set", "depths=1,4")
    planned = typed("test", "plan", "io-sweep", *addresses, "-o", plan, *choice)
    assert planned.code == 0, planned.err
    assert "16 changes, all undone; 8 workers." in planned.out
    shorten(plan)
    checked = typed("test", "check", plan)
    assert checked.code == 0, checked
    assert "8 given disks match and are empty" in checked.out
    unconfirmed = typed("test", "run", plan, "-o", session, "--yes")
    assert unconfirmed.code != 0
    assert "would be overwritten" in unconfirmed.err
    assert not session.exists()
    assert all(not any(one.image.read_bytes()) for one in eight)

    ran = typed("test", "run", plan, "-o", session, "--yes", *confirmed(plan), "--json")
    assert ran.code == 0, ran
    result = ran.json
    assert set(result) >= {
        "test",
        "plan",
        "valid",
        "why",
        "verdict",
        "phases",
        "figures",
        "workers",
        "changes",
    }
    assert result["valid"], result["why"]
    assert result["plan"] == plan.read_text()
    assert {one["state"] for one in result["phases"]} == {"done"}
    assert {one["name"] for one in result["figures"]} >= FIGURES
    assert {one["of"] for one in result["figures"]} >= {"depth 1", "depth 4"}
    assert [one["state"] for one in result["workers"]] == ["ended"] * 8
    assert all(one["iops"] > 0 and one["p99_ms"] > 0 for one in result["workers"])
    assert [one["state"] for one in result["changes"]] == ["undone"] * 16
    as_before(eight)
    hashes = {hashlib.sha256(one.image.read_bytes()).hexdigest() for one in eight}
    assert len(hashes) == 8  # every disk was written, each with data of its own

    told = typed("info", session, "--json").json
    assert told["entities"] == {"worker": 8}
    series = typed("query", session, "--entity", "*", "--counter", "work.reads", "--json").json["series"]
    assert len(series) == 8
    assert all(sum(v or 0 for v in one["v"]) > 0 for one in series)
    assert typed("diagnose", session, "--json").json["findings"] == []
    with SessionReader.open(session) as reader:
        events = [one for one in reader.events() if one.kind == "test phase"]
        assert [one.text for one in events][:2] == [
            "Prepare: checks, locks, disks",
            "Every disk is written once",
        ]
        assert all(one.end is not None for one in events)
        assert [one.state for one in reader.journal()] == ["undone"] * 16
    again = typed("restore", session)
    assert again.code == 0
    assert again.out == "Put back: 16 of 16, read back.\n"


def a_plan(typed: Typist, guests: Sequence[Guest], folder: Path, measure: float = 6) -> Path:
    plan = folder / "p.toml"
    addresses = [one.address for one in guests]
    made = typed(
        "test", "plan", "io-sweep", *addresses, "-o", plan, "--length", "quick", "--set", "depths=1,4"
    )
    assert made.code == 0, made.err
    shorten(plan, measure=measure)
    return plan


@pytest.mark.parametrize(("phase", "after_s"), [("fill", 2.5), *others(("prepare", 0.5), ("depth", 6.0))])
def test_a_killed_run_is_restored(two: list[Guest], tmp_path: Path, phase: str, after_s: float) -> None:
    typed, session = typist_of(tmp_path, two), tmp_path / "s.hscope"
    plan = a_plan(typed, two, tmp_path)
    kill_in(
        typed.begin("test", "run", plan, "-o", session, "--yes", *confirmed(plan)), session, phase, after_s
    )
    restored = typed("restore", session, "--json")
    assert restored.code == 0, restored
    assert all(one["state"] in ("undone", "not needed") for one in restored.json["changes"])
    # A script that takes the lock ends by itself, after the client that was killed.
    wait_until(lambda: not any(one.scripts() for one in two))
    as_before(two)
    again = typed("restore", session)
    assert again.code == 0, again
    with SessionReader.open(session) as reader:
        assert not any(one.is_open for one in reader.journal())
        assert [one.end is not None for one in reader.test_runs()] == [True]


def test_a_killed_run_goes_on_to_its_verdict(two: list[Guest], tmp_path: Path) -> None:
    typed, session = typist_of(tmp_path, two), tmp_path / "s.hscope"
    plan = a_plan(typed, two, tmp_path)
    consent = ("--yes", *confirmed(plan))
    kill_in(typed.begin("test", "run", plan, "-o", session, *consent), session, "depth 4", 6.0)
    resumed = typed("test", "resume", session, *consent, "--json")
    assert resumed.code == 0, resumed
    result = resumed.json
    assert result["valid"], result["why"]
    assert {one["of"] for one in result["figures"]} >= {"depth 1", "depth 4"}
    assert {one["state"] for one in result["changes"]} <= {"undone", "not needed"}
    as_before(two)


def test_a_guest_that_another_run_holds(two: list[Guest], tmp_path: Path) -> None:
    typed, first, second = typist_of(tmp_path, two), tmp_path / "a.hscope", tmp_path / "b.hscope"
    plan = a_plan(typed, two, tmp_path, measure=2)
    consent = ("--yes", *confirmed(plan))
    kill_in(typed.begin("test", "run", plan, "-o", first, *consent), first, "fill", 1.0)
    checked = typed("test", "check", plan)
    assert checked.code == 2
    assert re.search(
        rf"{two[0].server.host}:\d+ is held by test io-sweep \(run \S+\) from \S+ since \d+", checked.out
    )
    assert "1 more object is held, too." in checked.out
    refused = typed("test", "run", plan, "-o", second, *consent)
    assert refused.code == 2
    assert "The test was not started" in refused.err
    assert "is held by test io-sweep" in refused.err
    taken = typed("test", "run", plan, "-o", tmp_path / "c.hscope", *consent, "--take-locks")
    assert taken.code == 0, taken
    assert all(one.files() and "hyperscope.lock" not in one.files() for one in two), "the first run's folders"
    assert typed("restore", first).code == 0
    as_before(two)


def test_no_load_outlives_a_controller_that_never_comes_back(two: list[Guest], tmp_path: Path) -> None:
    typed, session = typist_of(tmp_path, two), tmp_path / "s.hscope"
    plan = a_plan(typed, two, tmp_path, measure=300)
    kill_in(typed.begin("test", "run", plan, "-o", session, "--yes", *confirmed(plan)), session, "depth", 6.0)
    wait_until(lambda: not any(one.fios() for one in two), 60)
    assert typed("restore", session).code == 0
    as_before(two)
