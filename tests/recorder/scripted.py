"""Collectors that do what a test tells them, and recordings of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from collectors.feed import Controls, Feed, Health, Layout, Tick
from recorder.board import SourceStatus
from recorder.limits import RecorderLimits, load_recorder_limits
from recorder.recording import Outcome, Recording
from recorder.writing import SpaceRules
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec

T0 = 1_700_000_000_000
HOST = EntityRef("host", "esx01")
RULES = SpaceRules(keep_free=0, rotate_after_s=0, rotate_after_bytes=0)
SERIES = 50

Work = Callable[[Feed, Controls, int, Layout], None]


class Scripted:
    """A collector that adds a source and a layout, and then does what it is told."""

    def __init__(self, name: str, work: Work) -> None:
        self.name, self._work = name, work

    def run(self, feed: Feed, controls: Controls) -> None:
        source = feed.add_source(SourceSpec("vcenter", self.name, 20.0))
        feed.add_entities([Entity(HOST, "esx01")])
        layout = feed.add_layout(source, [SeriesSpec(HOST, f"c{i}", "") for i in range(SERIES)])
        self._work(feed, controls, source, layout)


def ticks(count: int, first: int = 0) -> Work:
    def work(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        for at in range(first, first + count):
            feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.full(SERIES, float(at)))])
        health = Health("recording", 20.0, 1, SERIES, count * SERIES, count * SERIES, last_ms=T0)
        feed.report(source, health)

    return work


def ticks_then(error: Exception) -> Work:
    def work(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        ticks(3)(feed, controls, source, layout)
        raise error

    return work


def until_stopped(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
    ticks(3)(feed, controls, source, layout)
    controls.wait()


def play(
    path: Path,
    *collectors: Scripted,
    rules: SpaceRules = RULES,
    limits: RecorderLimits | None = None,
    stop: bool = True,
    changes: list[SourceStatus] | None = None,
) -> Outcome:
    over = threading.Event()
    recording = Recording(
        collectors,
        path,
        limits or load_recorder_limits(),
        rules,
        on_over=over.set,
        on_change=(changes if changes is not None else []).append,
    )
    recording.start()
    if not stop:
        assert over.wait(600), "the collectors are still at work"
    recording.stop()
    return recording.finish()
