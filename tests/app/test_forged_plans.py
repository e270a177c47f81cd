"""Plans that somebody edited into something else: refused with a sentence, before anything happens."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from app.testing.environments import exactly
from sessions.journal import TestRun
from sessions.store import SessionReader, SessionWriter
from tests.app.test_tests_command import SHORT, hyperscope, planned


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> str:
    return planned(tmp_path_factory.mktemp("plan"), "io-sweep", *SHORT).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('environment = ["lab:default"]', "environment = []", "environment: "),
        ('source = "lab:default"', 'source = "vcenter://prod@vc.corp"', "vcenter://prod@vc.corp"),
        ('source = "lab:default"', 'source = "lab:\\u001b[31mcongested"', "lab:"),
        ('kind = "VirtualMachine"', 'kind = "HostSystem"', "HostSystem"),
        ('"vm-', '"vm-999', "vm-999"),
    ],
)
def test_a_plan_for_something_else_is_refused(
    old: str, new: str, said: str, plan: str, tmp_path: Path
) -> None:
    assert old in plan
    path, session = tmp_path / "plan.toml", tmp_path / "run.hscope"
    path.write_text(plan.replace(old, new), encoding="utf-8")
    for words in (["check", str(path)], ["run", str(path), "-o", str(session), "--yes"]):
        done = hyperscope("test", *words, home=tmp_path)
        assert done.returncode in (2, 6), done.stderr
        (told,) = [line for line in done.stderr.splitlines() if line.startswith("hyperscope: ")]
        assert said in told
        assert "\x1b" not in done.stdout + done.stderr
    if session.exists():
        with SessionReader.open(session) as reader:
            assert not reader.journal()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('job = "', 'job = "no-such-', "no-such-"),
        ("changes = []", 'changes = [{object = "vm-1", setting = "attribute:Owner"}]', "attribute:Owner"),
    ],
)
def test_a_forged_sessions_plan_is_not_resumed(
    old: str, new: str, said: str, plan: str, tmp_path: Path
) -> None:
    session = tmp_path / "forged.hscope"
    forged = TestRun("20261122-130000", "io-sweep", plan.replace(old, new), 1_000)
    with SessionWriter.create(session, durable=False) as writer:
        writer.add_test_runs([forged])
    done = hyperscope("test", "resume", str(session), "--yes", home=tmp_path)
    assert done.returncode == 6, done.stderr
    assert said in done.stderr


def test_a_vm_that_is_called_like_a_pattern_is_that_vm_alone() -> None:
    names = ["*", "db[1]", "app-0?", "[", "[!a]", "plain", "a]b", "-"]
    for name in names:
        (glob,) = exactly([name])
        assert [one for one in [*names, "d", "db1", "app-01", "b"] if fnmatchcase(one, glob)] == [name]
