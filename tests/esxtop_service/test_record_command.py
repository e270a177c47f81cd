"""``hyperscope record esxtop://…``: the whole way from a host's service into a session, and its findings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.store import SessionReader
from tests.esxtop_service.service_files import HOSTS
from tests.recorder.conftest import record
from tests.recorder.running import Event, Recorder
from tests.vcenter.running import PASSWORD, TestVCenter

__all__ = ["record"]

pytestmark = pytest.mark.slow


def address(server: TestVCenter, hosts: str = "*") -> str:
    return f"{server.address.replace('vcenter://', 'esxtop://')}/{hosts}"


def recorded(event: Event, samples: int) -> bool:
    return bool(event["event"] == "status" and event["samples"] > samples)


def test_two_hosts_in_one_session(
    server: TestVCenter, record: Callable[..., Recorder], tmp_path: Path
) -> None:
    session = tmp_path / "S.hscope"
    recorder = record(
        session, address(server), "--interval", "2s", "--thumbprint", server.thumbprint, "--password-stdin",
        "--attached", "--keep-free", "0",
    )  # fmt: skip
    recorder.write(PASSWORD + "\n")
    recorder.wait_for(lambda event: recorded(event, 40_000))
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    with SessionReader.open(session) as reader:
        sources = {source.spec.name: source for source in reader.sources()}
        assert set(sources) == set(HOSTS)
        assert {source.spec.kind for source in sources.values()} == {"esxtop"}
        assert all("collection time" in dict(source.spec.attributes) for source in sources.values())
        kinds = {ref.kind for ref in reader.entities()}
        assert kinds >= {"host", "vm", "vcpu", "world", "device", "adapter", "path", "nic", "port", "vdisk"}
    requests = server.stats()["requests"]
    assert [requests[f"FreeStats:{host}"] for host in HOSTS] == [1, 1]


def test_a_killed_parent_ends_the_recording_and_frees_the_hosts(
    server: TestVCenter, record: Callable[..., Recorder], tmp_path: Path
) -> None:
    """Stdin closes, as when the window dies."""
    recorder = record(
        tmp_path / "S.hscope", address(server, HOSTS[0]), "--interval", "2s", "--thumbprint",
        server.thumbprint, "--password-stdin", "--attached", "--keep-free", "0",
    )  # fmt: skip
    recorder.write(PASSWORD + "\n")
    recorder.wait_for(lambda event: recorded(event, 5_000))
    recorder.close_stdin()
    recorder.end()
    assert server.stats()["requests"][f"FreeStats:{HOSTS[0]}"] == 1
