"""Fixtures of the guests' tests: known hosts of their own, no folder, process or thread left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from connections.known_hosts import KnownHosts
from tests.left_threads import no_thread_left
from tests.workloads.guests.machines import Machine, machines
from tests.workloads.guests.running import needs_fio

__all__ = ["no_thread_left"]


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
def ends_its_threads(no_thread_left: None) -> None:
    """All tests of guests are looked at."""
