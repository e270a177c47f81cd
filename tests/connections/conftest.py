"""The servers that connections are tried on: those of the vSphere collector's tests, and an sshd."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from connections.known_hosts import KnownHosts
from tests.connections.ssh_servers import Sshd, sshd
from tests.left_threads import no_thread_left
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

__all__ = [
    "bare_vcsim", "certificates", "connect", "front", "no_thread_left", "start_vcenter", "store", "vcenter",
    "vcsim",
]  # fmt: skip


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    folder = tmp_path / "sshd"
    folder.mkdir()
    with sshd(folder) as running:
        yield running


@pytest.fixture
def known(tmp_path: Path) -> KnownHosts:
    return KnownHosts(tmp_path / "data" / "known_hosts")
