"""Passwords on stdin: a line for each address, read once, however often a command logs in."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.commands.test_options import environment_options
from app.testing import restoring
from app.testing.environments import EnvironmentOptions
from recorder.parts import open_part
from recorder.stdin_lines import PasswordLines, StdinLines
from resources.failures import RefusedError
from sessions.journal import ChangedObject, JournalEntry, Phase, TestRun
from sessions.store import SessionReader
from tests.app.typed import Typist, confirmed
from tests.vcenter.running import PASSWORD, TestVCenter
from workloads.environment import Environment
from workloads.guests.contract import folder_of

RUN = "20261122-130000-0123abcd"
GUESTS = ("w02", "w03")


def interrupted(session: Path, plan: str, changed: Sequence[ChangedObject], setting: str) -> None:
    """Write what a killed run leaves: its plan, a phase that runs on, changes that were not put back."""
    undo, before, after = ("guest", None, "") if setting == "folder" else ("vsphere", False, True)
    entries = [
        JournalEntry(f"{RUN}/{number:04}", RUN, one, setting, before, after or one.id, undo, "applied", 1, 1)
        for number, one in enumerate(changed, start=1)
    ]
    writer, *_ = open_part(session, "A run")
    with writer:
        phases = (Phase("prepare", "running", 1_000),)
        writer.add_test_runs([TestRun(RUN, "io-sweep", plan, 1_000, phases=phases)])
        writer.add_journal(entries)


@pytest.mark.slow
def test_a_resumed_run_logs_in_again_with_the_line_that_the_restore_read(tmp_path: Path) -> None:
    plan, session = tmp_path / "p.toml", tmp_path / "s.hscope"
    planned = Typist(tmp_path)("test", "plan", "io-sweep", "lab:default", "-o", plan, "--set", "depths=1")
    assert planned.code == 0, planned.err
    with TestVCenter() as server:
        text = re.sub(r"lab:[a-z]+", server.address, plan.read_text(encoding="utf-8"))
        interrupted(
            session,
            text,
            [ChangedObject(server.address, "Datastore", "datastore-404", "gone")],
            "iorm.enabled",
        )
        typed = Typist(tmp_path, ["--password-stdin", "--thumbprint", server.thumbprint], [PASSWORD])
        resumed = typed("test", "resume", session, "--yes", *confirmed(plan))
    with SessionReader.open(session) as reader:
        (change,) = reader.journal()
        runs = reader.test_runs()
    assert change.state == "not needed", resumed.err
    assert "password" not in resumed.err, "the second login"
    assert "The plan is of another environment" in resumed.err, "the run looked around"
    assert len(runs) == 1


@contextmanager
def stdin_of(lines: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give this process a stdin with these lines."""
    reading, writing = os.pipe()
    os.write(writing, lines.encode())
    os.close(writing)
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield


def test_commands_stand_behind_the_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[bytes] = []
    ended = threading.Event()
    with stdin_of('one\ntwo\n{"do":"stop"}\n', monkeypatch):
        passwords = PasswordLines(StdinLines())
        passwords.read(2)
        passwords.others.hand_over(commands.append, ended.set)
        assert ended.wait(10)
        first = passwords.beginning_at(0)
        assert [first(), first(), first()] == [b"one", b"two", None]
        assert passwords.beginning_at(1)() == b"two"
    assert commands == [b'{"do":"stop"}']


def given_to(addresses: list[str], lines: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What guests get when a run in ``addresses`` is restored, of which those of ``GUESTS`` were changed."""
    plan, session = folder / "p.toml", folder / "s.hscope"
    given: dict[str, bytes | None] = {}

    def opened(sources: Sequence[str], options: EnvironmentOptions) -> Environment:
        assert options.record.next_password is not None
        given[sources[0]] = options.record.next_password()
        raise RefusedError("It is off.")

    planned = Typist(folder)("test", "plan", "io-sweep", "lab:default", "-o", plan, "--set", "depths=1")
    assert planned.code == 0, planned.err
    named = ", ".join(f'"{one}"' for one in addresses)
    text = plan.read_text(encoding="utf-8").replace(
        'environment = ["lab:default"]', f"environment = [{named}]"
    )
    folders = [folder_of(RUN, one, "linux") for one in GUESTS]
    changes = [
        ChangedObject(f"ssh://root@{name}", "guest", path, name)
        for name, path in zip(GUESTS, folders, strict=True)
    ]
    interrupted(session, text, changes, "folder")
    with monkeypatch.context() as patched, stdin_of(lines, patched):
        patched.setattr(restoring, "open_environment", opened)
        patched.setattr(restoring, "_WAIT_S", 0.0)
        restoring.restore_session(session, environment_options(password_stdin=True))
    return [given[f"ssh://root@{name}"] or b"" for name in GUESTS]


def test_a_restored_guest_gets_the_line_of_its_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = ["ssh://root@w01", "ssh://root@w02", "ssh://root@w03"]
    assert given_to(addresses, "1\n2\n3\n", tmp_path, monkeypatch) == [b"2", b"3"]


def test_guests_share_the_last_line_when_they_are_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert given_to(["ssh://root@w02", "ssh://root@w03"], "same\n", tmp_path, monkeypatch) == [b"same"] * 2
