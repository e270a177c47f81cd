"""What a growing session has gained between two looks at it: new instants, or samples written anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sessions.model import IntArray, SourceSpec
from sessions.store.database import Database, state_on_disk
from sessions.store.lock import is_written
from sessions.store.opening import close_reader, open_for_reading
from sessions.store.records import RecordReader
from sessions.store.rewriting import Rewriter, copy_rewritten
from sessions.store.samples import Samples
from sessions.store.segments import Segment
from sessions.store.sources import UNFINISHED, load
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source at one look: its last instant (ms, None without samples) and its number of stored samples."""

    spec: SourceSpec
    state: str
    end: int | None = None
    samples: int = 0

    @property
    def is_growing(self) -> bool:
        """True while somebody records or imports it."""
        return self.state in UNFINISHED


@dataclass(frozen=True, slots=True)
class Growth:
    """A session at one look, and how it differs from the look before.

    ``rewritten`` are the sources of which samples up to the earlier end may differ: late ones came, or a
    block holds old and new ones. Of all other sources every new sample is after the earlier end, and the
    earlier ones are the same, whether compacted meanwhile or not.
    """

    newest: int = 0
    entities: int = 0
    series: int = 0
    sources: Mapping[int, SourceState] = field(default_factory=dict)
    rewritten: frozenset[int] = frozenset()


class FollowingReader(RecordReader):
    """The part of SessionReader that sees what a writer adds."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._samples = Samples(database)

    def has_changed(self) -> bool:
        """Return True if anything was written to the file since this reader last looked; takes 20 µs."""
        return self._samples.is_outdated

    @contextmanager
    def let_go(self) -> Iterator[Callable[[], bool]]:
        """Have the file closed during the block, in which the reader can't be used: whoever closes it last
        merges the log of a writer that has gone. Gives what says whether it was written meanwhile. The file
        is opened again at the end of the block, which raises as ``open``.
        """
        path = self._database.path
        close_reader(self._database)
        before = state_on_disk(path)
        try:
            yield lambda: state_on_disk(path) != before
        finally:
            self._database = open_for_reading(path)
            self._samples = self._samples.for_another(self._database)

    def growth(self, before: Growth | None = None) -> Growth:
        """Return the session's present size, and how its samples differ from an earlier look at it."""
        with self._state():
            specs = {
                number: (spec, self._state_of(state))
                for number, (spec, state) in load(self._database).items()
            }
            return growth_of(self._samples, specs, before)

    def written_since(self, ids: IntArray, newest: int) -> tuple[list[TimeRange], int]:
        """Return the time ranges in which samples of these series were written since an earlier call, to
        follow a session.

        ``newest`` is the second result of that earlier call, 0 at first. Late samples and compacted ones
        count, too; outside of the ranges the samples are the same as before.
        """
        with self._state():
            return self._samples.written_since(np.asarray(ids, np.int64), newest)

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Let all calls within the block see the same state of the file, also while it is written."""
        with self._state():
            yield

    @contextmanager
    def read_repeatedly(self) -> Iterator[None]:
        """Let all calls within the block see the same state of the file, and keep what they decode, as far as
        memory allows: for whoever reads the same samples several times.
        """
        with self.one_state(), self._samples.contents.keeping():
            yield

    def copy_rewritten(self, out: Path, rewrite: Rewriter, step: Callable[[float], None]) -> None:
        """Write a copy with other texts to ``out``, which must not exist; ``step`` may raise to stop."""
        with self._state():
            copy_rewritten(self._database, self._samples.inventory, out, rewrite, step)

    @contextmanager
    def _state(self) -> Iterator[None]:
        with self._database.snapshot():
            self._samples.refresh()
            yield

    def _state_of(self, stored: str) -> str:
        unfinished = stored in UNFINISHED
        return "interrupted" if unfinished and not is_written(self._database.path) else stored


def growth_of(samples: Samples, specs: Mapping[int, tuple[SourceSpec, str]], before: Growth | None) -> Growth:
    """Compare the session's index with an earlier look at it."""
    segments: dict[int, list[Segment]] = {number: [] for number in specs}
    for segment in samples.segments:
        segments[segment.layout.source].append(segment)
    states = {
        number: SourceState(
            spec,
            state,
            max((one.end for one in segments[number]), default=None),
            sum(one.samples for one in segments[number]),
        )
        for number, (spec, state) in specs.items()
    }
    rewritten = frozenset(
        number
        for number in states
        if before is not None and _is_rewritten(segments[number], before.sources.get(number), before.newest)
    )
    inventory = samples.inventory
    newest = max((one.id for one in samples.segments), default=0)
    return Growth(newest, len(inventory.entities), inventory.count, states, rewritten)


def _is_rewritten(segments: list[Segment], before: SourceState | None, newest: int) -> bool:
    """Whether samples up to the earlier end may differ: compaction alone keeps the number of samples."""
    if before is None or before.end is None:
        return False
    later = sum(one.samples for one in segments if one.start > before.end)
    straddles = any(one.id > newest and one.start <= before.end < one.end for one in segments)
    return straddles or sum(one.samples for one in segments) - later != before.samples
