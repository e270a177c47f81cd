"""The commands say of a session what its tests left changed, and how it is put back."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.journal import ChangedObject, ChangeState, JournalEntry, Phase, TestRun
from sessions.model import Entity, EntityRef, SourceSpec
from sessions.store import SessionWriter
from tests.app.test_commands import Hyperscope, hyperscope

__all__ = ["hyperscope"]

LUN = ChangedObject("vcenter://a@vc", "Datastore", "datastore-1", "perf-lun-02")


def session_with(path: Path, *states: ChangeState) -> Path:
    host = EntityRef("host", "h")
    with SessionWriter.create(path) as writer:
        writer.add_source(SourceSpec("vcenter", "vc", 20.0))
        writer.add_entities([Entity(host, "esx01")])
        run = TestRun(
            "r1", "io-sweep", "", 1_000, 4_000, True, "", "The knee is at 8.", (Phase("a", "done"),)
        )
        writer.add_test_runs([run])
        writer.add_journal(
            [
                JournalEntry(str(n), "r1", LUN, f"s{n}", False, True, "vsphere", state, 1_000, 2_000)
                for n, state in enumerate(states)
            ]
        )
    return path


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (("undone", "failed"), "The knee is at 8; 1 of 2 changes is not put back"),
        (("undone", "left"), "The knee is at 8; 1 of 2 changes is left as somebody else set it"),
        (("undone",), "The knee is at 8"),
    ],
)  # fmt: skip
def test_info_says_what_a_test_came_to_and_left(
    hyperscope: Hyperscope, tmp_path: Path, states: tuple[ChangeState, ...], words: str
) -> None:
    path = session_with(tmp_path / "s.hscope", *states)
    text = hyperscope("info", path).out
    (line,) = [one for one in text.splitlines() if one.startswith("test ")]
    assert line.split("io-sweep, ")[1].partition(": ")[2] == words
    assert ("hyperscope restore " in text) == ("failed" in states)
    (told,) = hyperscope("info", path, "--json").json()["tests"]
    assert (told["test"], told["verdict"], told["valid"]) == ("io-sweep", "The knee is at 8.", True)
    assert told["changes"] == {
        "all": len(states),
        "back": 1,
        "left": states.count("left"),
        "open": states.count("failed"),
    }


def test_a_diagnosis_says_that_a_test_left_changes(hyperscope: Hyperscope, tmp_path: Path) -> None:
    path = session_with(tmp_path / "s.hscope", "applied", "failed")
    said = hyperscope("diagnose", path).err
    assert f"2 of 2 changes are not put back. Put them back: hyperscope restore {path}" in said
    assert "restore" not in hyperscope("diagnose", session_with(tmp_path / "t.hscope", "undone")).err
