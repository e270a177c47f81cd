"""``troubleshoot`` as an admin types it: on a lab recording with a CPU limit, and where it can't answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.program import run
from sessions.store import SessionReader, SessionWriter
from sessions.times import iso
from tests.wizards.acting_lab import Acted, acted, set_of


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Acted:
    path = tmp_path_factory.mktemp("troubleshoot") / "limit.hscope"
    return acted(path, "cpu-limit-vm", set_of("victim", limit=np.inf), seed=2, at_s=600, minutes=22)


@pytest.fixture
def session(recorded: Acted, tmp_path: Path) -> Path:
    copy = tmp_path / "copy.hscope"
    copy.write_bytes(recorded.path.read_bytes())
    return copy


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    code = run(["troubleshoot", *map(str, words)])
    said = capsys.readouterr()
    assert code == 0, said.err
    return said.out


def asked(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    return json.loads(printed(capsys, *words, "--json"))


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert run(["troubleshoot", *map(str, words)]) != 0
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    return said.err


def checks(document: Any) -> dict[str, Any]:
    return {one["problem"]: one for one in document["checks"]}


def test_the_checks_as_json(session: Path, recorded: Acted, capsys: pytest.CaptureFixture[str]) -> None:
    name = recorded.vm("victim")
    found = asked(capsys, session, "--entity", name, "--until", iso(recorded.at))
    assert list(found)[:3] == ["entity", "window", "checks"]
    assert found["entity"] == {"kind": "vm", "name": name}
    assert found["window"][1] == iso(recorded.at)
    limit = checks(found)["cpu.limit"]
    assert (limit["group"], limit["verdict"]) == ("probable", "problem")
    assert limit["evidence"][0]["value"] > limit["evidence"][0]["threshold"]
    assert [one["cause"] for one in limit["causes"] if one["verdict"] == "likely"] == ["vm_limit"]
    assert limit["remedies"][0].startswith(f"Set the CPU limit of {name} to unlimited")
    assert "Set-VMResourceConfiguration -CpuLimitMhz $null" in limit["steps"][0]["powercli"]
    assert checks(found)["cpu.host_saturated"]["verdict"] == "not found"
    assert checks(found)["guest.tools_not_running"]["verdict"] == "insufficient data"
    assert checks(found)["vsan.congestion"]["verdict"] == "not applicable"
    assert found["ranked"][0] == "cpu.limit"


def test_a_run_is_kept_noted_and_verified(
    session: Path, recorded: Acted, capsys: pytest.CaptureFixture[str]
) -> None:
    name = recorded.vm("victim")
    printed(capsys, session, "--entity", name, "--until", iso(recorded.at), "--note", "Saving takes 20 s.")
    printed(capsys, session, "--run", 1, "--note", "Deploy job v41 sets limits.")
    found = asked(capsys, session, "--verify", 1)
    assert (found["state"], found["outcome"], found["run"]) == ("done", "fixed", 1)
    assert [one["what"] for one in found["changes"]] == ["CPU limit: 1.85 GHz → unlimited"]
    (listed,) = asked(capsys, session, "--runs")["runs"]
    assert (listed["run"], listed["notes"], listed["outcome"]) == (1, 2, "fixed")
    again = printed(capsys, session, "--run", 1)
    assert "Saving takes 20 s." in again
    assert "Fixed, confidence" in again
    with SessionReader.open(session) as reader:
        assert len(reader.troubleshooting()) == 1


def test_text_for_a_terminal(session: Path, recorded: Acted, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, session, "--entity", recorded.vm("victim"), "--no-keep")
    assert "DEFINITELY HURTS  none of 8 found" in out
    assert "▲ Held back by a CPU limit" in out
    assert "Follows from: Held back by a CPU limit" in out
    assert "○ VMware Tools" in out
    with SessionReader.open(session) as reader:
        assert reader.troubleshooting() == []


def test_a_step_that_was_done_is_ticked(
    session: Path, recorded: Acted, capsys: pytest.CaptureFixture[str]
) -> None:
    name = recorded.vm("victim")
    found = asked(capsys, session, "--entity", name, "--no-keep")
    limit, shares = checks(found)["cpu.limit"]["steps"]
    assert (limit["seen"], limit["seen_at"]) == ("CPU limit: 1.85 GHz → unlimited", found["changes"][0]["at"])
    assert shares["seen"] == ""
    before = asked(capsys, session, "--entity", name, "--until", iso(recorded.at - 10_000), "--no-keep")
    assert checks(before)["cpu.limit"]["steps"][0]["seen"] == ""
    assert "✓ seen at" in printed(capsys, session, "--entity", name, "--no-keep")


def test_a_device_has_no_vcpus(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SessionReader.open(session) as reader:
        shared = [one.name for ref, one in reader.entities().items() if ref.key.startswith("naa.")]
    name = shared[0]
    found = checks(asked(capsys, session, "--entity", f"device:{name}", "--no-keep"))
    assert found["cpu.ready_high"]["verdict"] == "not applicable"
    assert found["cpu.ready_high"]["because"] == "Storage has no vCPUs."
    assert found["storage.device_latency"]["verdict"] == "not found"


def test_a_run_and_its_notes_are_kept_while_the_session_is_written(
    session: Path, recorded: Acted, capsys: pytest.CaptureFixture[str]
) -> None:
    name = recorded.vm("victim")
    with SessionWriter.open(session):
        assert asked(capsys, session, "--entity", name, "--note", "Saving takes 20 s.")["run"] == 1
        printed(capsys, session, "--run", 1, "--note", "Deploy job v41 sets limits.")
        listed = asked(capsys, session, "--runs")["runs"]
        assert [(one["run"], one["notes"]) for one in listed] == [(1, 2)]
    assert [path.name for path in session.parent.glob(f"{session.name}*")] == [session.name]
    with SessionReader.open(session) as reader:
        (kept,) = reader.troubleshooting()
    assert [one.text for one in kept.notes] == ["Saving takes 20 s.", "Deploy job v41 sets limits."]


def test_a_note_that_is_not_kept_is_a_failure(
    session: Path, recorded: Acted, capsys: pytest.CaptureFixture[str]
) -> None:
    name = recorded.vm("victim")
    printed(capsys, session, "--entity", name)
    beside = session.with_name(session.name + "-runs-lock")
    beside.mkdir()  # nobody can write there
    assert run(["troubleshoot", str(session), "--run", "1", "--note", "It is slow."]) != 0
    assert "is in the way" in capsys.readouterr().err
    assert run(["troubleshoot", str(session), "--entity", name, "--note", "It is slow."]) != 0
    said = capsys.readouterr()
    assert "DEFINITELY HURTS" in said.out, "the checks are told all the same"
    assert "The run is not kept in the session: " in said.err
    assert run(["troubleshoot", str(session), "--entity", name]) == 0
    beside.rmdir()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Nothing says what to look into."),
        (("--entity", "nobody"), "No VM, host, datastore or device is called 'nobody'."),
        (("--entity", "vm:x", "--runs"), "That asks for several things at once."),
        (("--run", "7"), "The session has no guided run 7."),
        (("--verify", "7"), "The session has no guided run 7."),
        (("--entity", "x", "--after", "a..b"), "--after is for --verify."),
        (("--entity", "x", "--symptom", "odd"), "'odd' is no symptom."),
    ],
)
def test_what_it_can_not_answer(
    session: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert said in refused(capsys, session, *words)


def test_a_time_outside_of_the_session(
    session: Path, recorded: Acted, capsys: pytest.CaptureFixture[str]
) -> None:
    name = recorded.vm("victim")
    assert "has nothing in that time" in refused(
        capsys, session, "--entity", name, "--since", "2001-01-01", "--until", "2001-01-02"
    )
