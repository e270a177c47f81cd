"""The servers that connections are tried on: those of the vSphere collector's tests, and an sshd."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from connections.known_hosts import KnownHosts
from tests.connections.ssh_servers import Sshd, sshd
from tests.vsphere.conftest import (
    bare_vcsim,
    certificates,
    connect,
    front,
    start_vcenter,
    store,
    vcenter,
    vcsim,
)

__all__ = ["bare_vcsim", "certificates", "connect", "front", "start_vcenter", "store", "vcenter", "vcsim"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    folder = tmp_path / "sshd"
    folder.mkdir()
    with sshd(folder) as running:
        yield running


@pytest.fixture
def known(tmp_path: Path) -> KnownHosts:
    return KnownHosts(tmp_path / "data" / "known_hosts")


@pytest.fixture
def no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in left:
        thread.join(5)
    assert not [thread for thread in left if thread.is_alive()]
