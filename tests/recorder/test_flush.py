"""``Feed.flush``: once it returns, what was handed over before survives whatever happens to the recorder."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np

from collectors.feed import Controls, Feed, Layout, Tick
from resources.failures import DiskFullError, HyperscopeError
from sessions.model import Entity, EntityRef, Event
from sessions.store import SessionReader, check_session
from tests.recorder.running import ROOT, environment
from tests.recorder.scripted import SERIES, T0, Scripted, play

TICKS = 200


def flushing(feed: Feed, controls: Controls, _source: int, layout: Layout) -> None:
    """Hand over a lot, the last thing being an intent, wait until it is on disk, and say so."""
    for at in range(TICKS):
        feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.random.default_rng(at).random(SERIES))])
    feed.add_events([Event(T0, "change", "the limit of db-prod is about to be lifted")])
    feed.flush()
    sys.stdout.write("flushed\n")
    sys.stdout.flush()
    controls.wait()


def record_and_flush(path: str) -> None:
    """The process that the test kills."""
    play(Path(path), Scripted("vc01", flushing), stop=False)


def test_what_was_flushed_survives_a_kill(session_path: Path, tmp_path: Path) -> None:
    words = f"from tests.recorder.test_flush import record_and_flush; record_and_flush({str(session_path)!r})"
    recorder = subprocess.Popen(
        [sys.executable, "-c", words], cwd=ROOT, env=environment(tmp_path), stdout=subprocess.PIPE
    )
    with recorder:
        assert recorder.stdout is not None
        assert recorder.stdout.readline() == b"flushed\n"
        recorder.kill()
    with SessionReader.open(session_path) as reader:
        assert [event.text for event in reader.events()] == ["the limit of db-prod is about to be lifted"]
        (source,) = reader.sources()
        assert (source.ticks, source.samples) == (TICKS, TICKS * SERIES)
        assert source.state == "interrupted"
    assert check_session(session_path, thorough=True) == []


def test_flush_raises_when_the_writer_has_failed(tiny_disk: Path) -> None:
    failures: list[HyperscopeError] = []

    def fill(feed: Feed, _controls: Controls, _source: int, layout: Layout) -> None:
        with suppress(DiskFullError):
            for at in range(100_000):
                feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.random.default_rng(at).random(SERIES))])
        try:
            feed.flush()
        except HyperscopeError as error:
            failures.append(error)

    play(tiny_disk / "s.hscope", Scripted("vc01", fill), stop=False)
    assert [type(error) for error in failures] == [DiskFullError]


def test_flush_raises_when_something_before_it_was_refused(session_path: Path) -> None:
    failures: list[HyperscopeError] = []

    def orphan(feed: Feed, _controls: Controls, _source: int, layout: Layout) -> None:
        feed.add_ticks([Tick(layout.id, T0, np.zeros(SERIES))])
        feed.add_entities([Entity(EntityRef("vm", "x"), "x", EntityRef("host", "who?"))])
        try:
            feed.flush()
        except HyperscopeError as error:
            failures.append(error)

    play(session_path, Scripted("vc01", orphan), stop=False)
    assert len(failures) == 1
