"""A guest whose fio is missing or too old: it is said, or one is copied there where the plan allows."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from connections.known_hosts import KnownHosts
from resources.failures import SourceError
from resources.guest_limits import guest_limits
from tests.workloads.guests.machines import Machine, machines, mixed, opened
from tests.workloads.guests.running import needs_fio, wait_until
from workloads.guests.worker import GuestOptions

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' guests are Linux"),
    pytest.mark.slow,
]


@pytest.fixture
def outdated(tmp_path: Path) -> Iterator[Machine]:
    """A guest whose PATH has a program first that calls itself an old fio."""
    needs_fio()
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "fio").write_text("#!/bin/sh\necho fio-3.16\n")
    (programs / "fio").chmod(0o755)
    with machines(tmp_path, 1, f"SetEnv PATH={programs}:/usr/sbin:/usr/bin:/sbin:/bin") as made:
        yield made[0]


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[tuple[Machine, Path]]:
    """A guest whose fio notes each time that it is asked for its version, and the file of these notes."""
    needs_fio()
    programs, notes = tmp_path / "programs", tmp_path / "notes"
    programs.mkdir()
    fio = f'#!/bin/sh\n[ "$1" = --version ] && echo asked >> {notes}\nexec {shutil.which("fio")} "$@"\n'
    (programs / "fio").write_text(fio)
    (programs / "fio").chmod(0o755)
    with machines(tmp_path, 1, f"SetEnv PATH={programs}:/usr/sbin:/usr/bin:/sbin:/bin") as made:
        yield made[0], notes


def test_a_guest_is_inspected_once_for_all_its_jobs(counted: tuple[Machine, Path], known: KnownHosts) -> None:
    machine, notes = counted
    environment = opened([machine], known)
    worker = environment.workers()[0]
    assert [one.object.name for one in environment.objects()] == [worker.name]
    assert not notes.exists(), "naming the guests asks none of them"
    worker.inspect()
    for _ in range(2):
        worker.prepare("run-1", mixed(machine.file()))
    assert notes.read_text().split() == ["asked"]
    worker.clean_up()
    environment.close()


def test_an_old_fio_is_refused_before_anything_is_made(outdated: Machine, known: KnownHosts) -> None:
    environment = opened([outdated], known)
    worker = environment.workers()[0]
    assert worker.inspect().fio == "3.16"
    with pytest.raises(SourceError, match=r"has fio 3\.16, which is too old"):
        worker.prepare("run-1", mixed(outdated.file()))
    assert not Path(worker.place("run-1").id).exists()
    environment.close()


def test_a_fio_is_copied_where_it_may(outdated: Machine, known: KnownHosts) -> None:
    mine = Path(str(shutil.which("fio")))
    environment = opened([outdated], known, GuestOptions(fio_binary=mine))
    worker = environment.workers()[0]
    worker.prepare("run-1", mixed(outdated.file(), runtime=1))
    copy = Path(worker.place("run-1").id) / "fio"
    assert copy.read_bytes() == mine.read_bytes()
    worker.start(environment.now_ms())
    wait_until(lambda: worker.poll().state in ("ended", "failed"))
    assert worker.poll().state == "ended", worker.poll().why
    assert worker.fetch()[-1].workers[0].read.total_ios > 0
    worker.clean_up()
    assert not copy.parent.exists()
    environment.close()


@pytest.mark.parametrize(
    ("version", "is_old"),
    [
        ("fio-3.27", True),
        ("2.99", True),
        ("", True),
        ("3.28", False),
        ("fio-3.42-135-gf5344384", False),
        ("10.1", False),
    ],
)
def test_versions(version: str, is_old: bool) -> None:
    assert guest_limits().is_old(version) is is_old


@pytest.mark.parametrize(
    ("workers", "seconds", "every"), [(1, 60, 1), (8, 600, 2), (100, 600, 5), (1, 3600, 12), (1, None, 1)]
)
def test_how_often_a_guest_tells(workers: int, seconds: float | None, every: int) -> None:
    assert guest_limits().interval_s(workers, seconds) == every
