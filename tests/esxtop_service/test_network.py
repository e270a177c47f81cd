"""A network between the recorder and a vCenter whose hosts' esxtop it records, which breaks in every way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from sessions.store import SessionReader, check_session
from tests.esxtop_service.service_files import HOSTS
from tests.esxtop_ssh.cut_network import network
from tests.recorder.conftest import record
from tests.recorder.running import Event, Recorder
from tests.recorder.stored_gaps import gaps_are_exact
from tests.vcenter.running import PASSWORD, USER, TestVCenter

__all__ = ["record"]

pytestmark = pytest.mark.slow


def until(recorder: Recorder, holds: Callable[[Event], bool]) -> Event:
    """Wait until each host's source is so, however long that takes."""
    while True:
        seen = recorder.wait_for(lambda event: event["event"] == "status")
        if len(seen["sources"]) == len(HOSTS) and all(map(holds, seen["sources"])):
            return seen


def go_on(recorder: Recorder, samples: int = 2) -> None:
    last = {
        one["name"]: one["last_ms"] for one in until(recorder, lambda one: bool(one["last_ms"]))["sources"]
    }
    until(recorder, lambda one: one["last_ms"] >= last[one["name"]] + samples * 2000)


def is_behind(source: Event) -> bool:
    return bool(source["behind_s"] >= 9)


def test_the_gaps_are_exact_and_nothing_comes_twice(
    server: TestVCenter, record: Callable[..., Recorder], tmp_path: Path
) -> None:
    session = tmp_path / "S.hscope"
    with network(server.place.host, server.place.port) as between:
        recorder = record(
            session, f"esxtop://{USER}@127.0.0.1:{between.port}/*", "--interval", "2s", "--thumbprint",
            server.thumbprint, "--password-stdin", "--attached", "--keep-free", "0",
        )  # fmt: skip
        recorder.write(PASSWORD + "\n")
        go_on(recorder)
        process = psutil.Process(recorder.process.pid)
        threads = process.num_threads()
        for size in (0, 700, 20_000):
            between.break_after(size)
            go_on(recorder)
        memory = process.memory_info().rss
        between.cut()
        until(recorder, is_behind)
        between.plug_in()
        go_on(recorder)
        for _ in range(2):
            between.cut()
            between.reset()
            until(recorder, is_behind)
            between.mend()
            go_on(recorder)
        assert process.num_threads() <= threads + 2
        assert process.memory_info().rss < memory + 40 * (1 << 20)
        recorder.say(do="stop")
        assert recorder.end()["code"] == 0
    assert recorder.stderr() == ""
    assert check_session(session, thorough=True) == []
    with SessionReader.open(session) as reader:
        sources = reader.sources()
        assert {one.spec.name for one in sources} == set(HOSTS)
        for source in sources:
            gaps_are_exact(reader, source)
            gaps = [gap for gap in reader.gaps() if gap.source == source.id and gap.entity is None]
            assert sum(gap.ticks or 0 for gap in gaps) >= 4
