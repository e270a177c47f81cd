"""Whatever happens to a host, or on the way to it, its recording over ssh goes on: by a real sshd."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from connections.known_hosts import KnownHosts
from sessions.store import SessionReader, check_session
from tests.esxtop_ssh.cut_network import network
from tests.esxtop_ssh.fake_hosts import FakeHost
from tests.esxtop_ssh.test_moving import Watched, cut, watched
from tests.recorder.stored_gaps import gaps_are_exact

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_thread_left")]
_NOISE = '\x1b]0;owned\x07"(PDH\n"13/45/2026 99:99:99","1e999","nan"\n\x00\x01\x02 $(reboot)\n'


def plays(host: FakeHost, capture: Path, **words: object) -> None:
    """From now on its esxtop plays so: the one that runs is killed."""
    host.plan(capture, **{"every_s": 2, "stamps": "now", "then": "repeat", **words})
    for one in host.running():
        one.kill()


def healths(run: Watched) -> list[tuple[str, str]]:
    return [(one.health.state, one.health.message) for one in run.recording.status().sources]


def said(run: Watched, text: str) -> Callable[[], bool]:
    return lambda: any(text in message for _, message in healths(run))


def is_lost(run: Watched) -> bool:
    return any(state == "reconnecting" for state, _ in healths(run))


def test_the_gaps_are_exact_and_nothing_comes_twice(
    host: FakeHost, known: KnownHosts, capture: Path, tmp_path: Path
) -> None:
    session = tmp_path / "S.hscope"
    plays(host, capture)
    with (
        network(host.server.host, host.server.port) as between,
        watched([host], known, session, between.port) as run,
    ):
        run.go_on()
        threads = threading.active_count()
        for ahead_s in (600, -3000, 0):
            host.set_clock(ahead_s)
            run.go_on()
        plays(host, capture, garbage=_NOISE)
        run.until(said(run, "Between esxtop's rows stands"))
        run.go_on()
        memory = psutil.Process().memory_info().rss
        for then, message in (("half", "ended"), ("hang", "has written nothing for")):
            plays(host, capture, rows=3, then=then)
            run.until(said(run, message))
            plays(host, capture)
            run.go_on()
        cut(host)
        run.until(lambda: run.waits("", 6) and is_lost(run))
        host.server.start()
        run.go_on()
        between.cut()
        run.until(lambda: is_lost(run))
        between.mend()
        run.go_on()
        assert threading.active_count() <= threads + 1
        assert psutil.Process().memory_info().rss < memory + 40 * (1 << 20)
    assert check_session(session, thorough=True) == []
    with SessionReader.open(session) as reader:
        (source,) = reader.sources()
        gaps_are_exact(reader, source)
        times = reader.times(source.id).tolist()
        gaps = [gap for gap in reader.gaps() if gap.entity is None]
        clocks = [one.text.partition(" was set ")[2] for one in reader.events() if one.kind == "clock"]
    # Six seconds without a sshd, at a sample in two. The other outages are over within a sample or two:
    # whether one was missed depends on when between two samples they began.
    assert max(gap.ticks or 0 for gap in gaps) >= 2, gaps
    holes = {(one + 2000, later - 2000) for one, later in itertools.pairwise(times)}
    assert {(gap.start, gap.end) for gap in gaps} <= holes
    assert clocks == ["forward by 10 min", "back by 1 h", "forward by 50 min"]
