"""Fixtures of the simulated vCenters. Without their programs the tests are skipped, saying why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.vcenter.binaries import MissingProgramError, program
from tests.vcenter.peers import Peer
from tests.vcenter.running import PlainVcsim, TestVCenter


def _need(name: str) -> None:
    try:
        program(name)
    except MissingProgramError as error:
        pytest.skip(str(error))


@pytest.fixture
def start_vcenter() -> Iterator[Callable[..., TestVCenter]]:
    """Start test vCenters with flags of your own: ``start_vcenter(scenario, hosts=4, interval=1)``."""
    _need("testvcenter")
    with ExitStack() as running:

        def start(scenario: Path | None = None, **flags: object) -> TestVCenter:
            return running.enter_context(TestVCenter(scenario, **flags))  # type: ignore[arg-type]

        yield start


@pytest.fixture
def vcenter(start_vcenter: Callable[..., TestVCenter]) -> TestVCenter:
    """A test vCenter: a cluster of 2 hosts with 4 VMs, samples each second, those of a minute in the past."""
    return start_vcenter(hosts=2, vms=4, interval=1, history=60, rollup=10, rollup_days=0)


@pytest.fixture
def login() -> Iterator[Callable[..., Peer]]:
    """pyVmomi logins: ``login(server)``, ``login(server, user, password)``."""
    with ExitStack() as connected:

        def connect(server: TestVCenter | PlainVcsim, *words: str) -> Peer:
            peer = Peer(server.place, *words)
            connected.callback(peer.close)
            return peer

        yield connect


@pytest.fixture(scope="session")
def vcsim() -> Iterator[PlainVcsim]:
    """A plain vcsim with its usual small inventory."""
    _need("vcsim")
    with PlainVcsim() as running:
        yield running
