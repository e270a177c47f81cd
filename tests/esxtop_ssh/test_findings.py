"""A scenario that is streamed by sshd and esxtop: its truth is found, and what an import of it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.judging import judge
from collectors.esxtop.importing import import_captures
from diagnosis import diagnose_session
from lab import Lab, load_scenarios
from lab.esxtop_export import export_lab
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.findings import Finding
from sessions.store import SessionReader
from tests.connections.ssh_servers import Sshd, keygen_fingerprint
from tests.esxtop_ssh.fake_hosts import UUID, FakeHost
from tests.recorder.conftest import record
from tests.recorder.running import Recorder
from tests.some_of_many import others

__all__ = ["record"]

pytestmark = pytest.mark.slow
SEED = 2


@pytest.fixture
def start_hosts(tmp_path: Path) -> Iterator[Callable[[int], list[FakeHost]]]:
    """Start so many hosts, each with its sshd; all let in who has one key."""
    with ExitStack() as running:

        def start(count: int) -> list[FakeHost]:
            hosts = []
            for number in range(count):
                folder = tmp_path / f"host{number}"
                (folder / "sshd").mkdir(parents=True)
                server = Sshd(folder / "sshd")
                hosts.append(FakeHost(folder, server, f"{UUID[:-1]}{number}"))
                server.user_key = hosts[0].server.user_key
                server.start()
                running.callback(server.stop)
            return hosts

        yield start


def findings_of(path: Path) -> list[Finding]:
    with SessionReader.open(path) as session:
        return list(diagnose_session(session, load_problems(), load_catalogue()).findings)


def summary(found: list[Finding]) -> list[tuple[str, str, str, str, int, int]]:
    return sorted(
        (
            one.problem, one.entity.key, one.severity, one.causes[0].cause if one.causes else "",
            one.windows[0].start, one.windows[-1].end,
        )
        for one in found
    )  # fmt: skip


@pytest.mark.parametrize(
    "scenario", ["cpu-ready-low-shares", *others("storage-queue-lun-depth", "mem-compressing-overcommit")]
)
def test_the_findings_are_the_scenarios_truth_and_those_of_an_import(
    scenario: str,
    start_hosts: Callable[[int], list[FakeHost]],
    record: Callable[..., Recorder],
    tmp_path: Path,
) -> None:
    lab = Lab(load_scenarios()[scenario], seed=SEED, fields="all")
    captures = export_lab(lab, tmp_path / "capture.csv", split=True)
    hosts = start_hosts(len(lab.hosts))
    for host, capture in zip(hosts, captures, strict=True):
        host.plan(capture, every_s=0.02, then="hang")
    pins = [word for one in hosts for word in ("--thumbprint", keygen_fingerprint(one.server.host_keys[0]))]
    session = tmp_path / "S.hscope"
    sources = [str(host.server.address) for host in hosts]
    key = str(hosts[0].server.user_key)
    recorder = record(session, *sources, *pins, "--key", key, "--attached", "--keep-free", "0")
    last_ms = lab.start_ms + round((lab.duration_s - lab.interval_s) * 1000)
    recorder.wait_for(
        lambda event: (
            event["event"] == "status"
            and len(event["sources"]) == len(hosts)
            and all((one["last_ms"] or 0) >= last_ms for one in event["sources"])
        )
    )
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    found = findings_of(session)
    scores = judge(lab.truth().seen_in("esxtop"), found, lab.start_ms, scenario, 5.0)
    assert [miss for score in scores.values() for miss in score.misses] == []
    import_captures(captures, tmp_path / "imported.hscope")
    assert summary(found) == summary(findings_of(tmp_path / "imported.hscope")) != []
