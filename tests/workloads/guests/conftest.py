"""Fixtures of the guests' tests: known hosts of their own, no folder, process or thread left behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from connections.known_hosts import KnownHosts
from tests.workloads.guests.machines import Machine, machines
from tests.workloads.guests.running import needs_fio


@pytest.fixture
def known(tmp_path: Path) -> KnownHosts:
    return KnownHosts(tmp_path / "data" / "known_hosts")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    needs_fio()
    with machines(tmp_path, 1) as made:
        yield made[0]


@pytest.fixture
def eight(tmp_path: Path) -> Iterator[list[Machine]]:
    needs_fio()
    with machines(tmp_path, 8) as made:
        yield made


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in left:
        thread.join(5)
    assert not [thread for thread in left if thread.is_alive()]
