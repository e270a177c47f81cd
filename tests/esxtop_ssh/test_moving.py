"""A host goes into maintenance while it is recorded over ssh: its VM comes to another recorded host, it is
booted, its sshd lets nobody in for a while. By real sshds and the whole recorder, into a session.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

from connections.known_hosts import KnownHosts
from recorder.limits import load_recorder_limits
from recorder.recording import Recording
from recorder.writing import SpaceRules
from sessions.model import EntityRef
from sessions.store import SessionReader, check_session
from tests.connections.ssh_servers import USER, Sshd
from tests.esxtop_ssh.conftest import Recording as Streaming
from tests.esxtop_ssh.conftest import collector
from tests.esxtop_ssh.fake_hosts import FakeHost
from tests.esxtop_ssh.moving_vm import Move, after, before, moved
from tests.recorder.stored_gaps import gaps_are_exact

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_thread_left")]
_OTHER = "38393738-3334-4d32-3236-313230304b51"


@pytest.fixture(scope="session")
def move(tmp_path_factory: pytest.TempPathFactory) -> Move:
    return moved(tmp_path_factory.mktemp("moving"))


@pytest.fixture
def second(tmp_path: Path) -> Iterator[FakeHost]:
    """Another host with sshd and a fake esxtop."""
    folder = tmp_path / "second"
    (folder / "sshd").mkdir(parents=True)
    server = Sshd(folder / "sshd")
    found = FakeHost(folder, server, _OTHER)
    server.start()
    yield found
    server.stop()
    assert found.all_ended(), "a fake esxtop is left"


def test_a_vm_that_comes_is_shown_by_an_esxtop_that_is_started_anew(
    second: FakeHost, recording: Callable[..., Streaming], move: Move
) -> None:
    """esxtop enumerates what there is when it starts: a VM that comes later is in none of its columns."""
    vm = EntityRef("vm", move.uuid)
    before(second, move.entered)
    run = recording(second)
    run.until_ticks(3)
    assert vm not in run.feed.entities
    after(second, move.entered)
    run.feed.until(lambda: vm in run.feed.entities)
    run.until_ticks(len(run.ticks()) + 3)
    run.end()
    assert second.starts() == 2, "it is started anew once, however often it is looked at"
    assert run.feed.entities[vm].name == move.name
    assert run.feed.twice == []
    gaps = [gap for gap in run.feed.gaps if gap.entity is None]
    assert {gap.reason for gap in gaps} <= {"esxtop was started anew, since it shows no VM that came later"}
    steps = [(one, later) for one, later in itertools.pairwise(run.ticks()) if later - one > 2 * 2000]
    assert len(gaps) >= len(steps)
    assert {health.state for health in run.feed.history} <= {"recording", "ended"}


class Watched:
    """A recording of several hosts; ``go_on`` waits until each has so many samples more."""

    def __init__(
        self, hosts: list[FakeHost], known: KnownHosts, session: Path, port: int | None = None
    ) -> None:
        self._changed = threading.Event()
        self.recording = Recording(
            [collector(host, known, port) for host in hosts], session, load_recorder_limits(),
            SpaceRules(0, 0.0, 0), on_change=lambda _: self._changed.set(), on_over=self._changed.set,
        )  # fmt: skip
        self._count = len(hosts)

    def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            assert not self.recording.is_over, [one.health for one in self.recording.status().sources]
            self._changed.clear()
            self._changed.wait(0.2)

    def last(self) -> dict[int, int]:
        return {one.number: one.health.last_ms or 0 for one in self.recording.status().sources}

    def go_on(self, samples: int = 3) -> None:
        self.until(lambda: len(self.last()) == self._count)
        before = self.last()
        self.until(lambda: all(self.last()[one] >= last + samples * 2000 for one, last in before.items()))

    def waits(self, text: str, seconds: float) -> bool:
        """Whether a host that says so has had no sample for so long."""
        healths = [one.health for one in self.recording.status().sources]
        return any(text in one.message and one.behind_s >= seconds for one in healths)


@contextmanager
def watched(
    hosts: list[FakeHost], known: KnownHosts, session: Path, port: int | None = None
) -> Iterator[Watched]:
    """Record hosts while the context lasts; ``port``: that of a network between us and the only one."""
    found = Watched(hosts, known, session, port)
    found.recording.start()
    try:
        yield found
    finally:
        found.recording.stop()
        outcome = found.recording.finish()
    assert outcome.error is None, outcome.error


def cut(host: FakeHost) -> None:
    """Its sshd ends with all that it serves, as when a host is booted."""
    children = psutil.Process(host.server.pid).children(recursive=True)
    host.server.stop()
    for one in children:
        with suppress(psutil.NoSuchProcess):  # a question that was asked over ssh has its answer
            if one.name().startswith("sshd"):
                one.kill()
    psutil.wait_procs(host.running(), timeout=10)


def test_maintenance_lockdown_and_a_vm_that_moves(
    host: FakeHost, second: FakeHost, known: KnownHosts, move: Move, tmp_path: Path
) -> None:
    session_path = tmp_path / "S.hscope"
    before(host, move.left)
    before(second, move.entered)
    with watched([host, second], known, session_path) as run:
        run.go_on()
        after(host, move.left)
        after(second, move.entered)
        run.until(lambda: second.starts() == 2)
        moved_ms = round(time.time() * 1000)
        run.go_on()
        cut(host)  # the empty host is booted
        host.server.options.append(f"DenyUsers {USER}")  # and comes back in lockdown mode
        host.server.start()
        run.until(lambda: run.waits("In lockdown mode a host lets only its exception users in", 7))
        host.server.stop()
        host.server.options.pop()
        host.server.start()
        run.go_on()
        cut(second)
        second.server.start()
        run.go_on()
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        sources = reader.sources()
        assert len(sources) == 2
        for source in sources:
            gaps_are_exact(reader, source)
        outages = [gap for gap in reader.gaps() if gap.entity is None and (gap.ticks or 0) >= 2]
        assert outages
        vm = EntityRef("vm", move.uuid)
        ready = {one.source: one for one in reader.series(["cpu.ready"]) if one.entity == vm}
        assert ready.keys() == {one.id for one in sources}, "it is one VM on both hosts"
        own = {source: times_of(reader, one.id) for source, one in ready.items()}
        left, entered = (own[one.id] for one in sorted(sources, key=lambda one: min(own[one.id])))
        assert max(left) < moved_ms <= min(entered) + 2000, "where it is not, it has no samples"
        zeros = [gap for gap in reader.gaps() if gap.entity == vm]
        assert zeros


def times_of(reader: SessionReader, series: int) -> list[int]:
    times: list[int] = []
    for frame in reader.read(np.array([series])):
        times += frame.times[~np.isnan(frame.values[:, 0])].tolist()
    return times
