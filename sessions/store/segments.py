"""The index of a session's samples in memory: its blocks and strips, their layouts and times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from sessions.distinct import distinct
from sessions.model import IntArray
from sessions.store.blocks import MAX_BLOCK_TICKS, MIN_BLOCK_TICKS
from sessions.store.codec import BlobError, unpack_ints
from sessions.store.database import Database
from sessions.store.documents import FIRST_MS, LAST_MS
from sessions.store.schema import CHUNK_BITS
from sessions.times import TimeRange

MAX_TICKS = 1 << 26
MAX_PLACES = 1 << 24
MAX_STRIP_VALUES = 1 << 25
"""A strip is unpacked as a whole: 256 MiB. Layouts have about 50,000 series, strips less than 24 ticks."""
MAX_SAMPLES = 1 << 40
"""Of a session, present or not: 20,000 series every 5 s for eight years."""

_BLOCKS = "SELECT id, layout, t0, t1, ticks, samples FROM block WHERE id > ? ORDER BY id"
_STRIPS = "SELECT id, layout, t0, t1, ticks, samples FROM strip WHERE id > ? ORDER BY id"
_BLOCK_TIMES = "SELECT times FROM block WHERE id = ?"
_STRIP_TIMES = "SELECT times FROM strip WHERE id = ?"


@dataclass(frozen=True, eq=False)
class Layout:
    """An ordered set of series of one source that arrive together. ``ids`` are series ids by position."""

    id: int
    source: int
    ids: IntArray

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.ids, kind="stable")

    def find(self, ids: IntArray) -> tuple[IntArray, IntArray]:
        """Return which of ``ids`` are in the layout: their indices in ``ids``, and their positions here."""
        if not self.ids.size:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids, sorter=self._order), self.ids.size - 1)
        positions = self._order[at]
        here = np.flatnonzero(self.ids[positions] == ids)
        return here, positions[here]


class Places:
    """The positions of some series in each layout, looked up only once for each layout."""

    def __init__(self, ids: IntArray) -> None:
        self.ids = ids
        self._found: dict[int, tuple[IntArray, IntArray]] = {}

    def of(self, layout: Layout) -> tuple[IntArray, IntArray]:
        """Return ``layout.find(ids)``, cached."""
        if layout.id not in self._found:
            self._found[layout.id] = layout.find(self.ids)
        return self._found[layout.id]


@dataclass(frozen=True, slots=True)
class Segment:
    """Some ticks of a layout: a block, or a strip that awaits compaction. Both share one sequence of ids."""

    id: int
    layout: Layout
    start: int
    end: int
    ticks: int
    samples: int
    is_block: bool

    def within(self, window: TimeRange | None) -> bool:
        """Return True if the whole segment lies in the window."""
        return window is None or (window.start <= self.start and self.end <= window.end)

    def touches(self, window: TimeRange | None) -> bool:
        """Return True if any part of the segment may lie in the window."""
        return window is None or (self.start <= window.end and window.start <= self.end)


def load_layouts(database: Database, known: dict[int, Layout], source_of: IntArray) -> None:
    """Add the layouts that are new to ``known``; ``source_of`` gives the source of each series id."""
    last = max(known, default=0)
    places = sum(layout.ids.size for layout in known.values())
    rows = database.ordered(
        "SELECT id, source, n, series FROM layout WHERE id > ? ORDER BY id", (int, int, int, bytes), (last,)
    )
    for number, source, n, series in rows:
        places += n
        if not 0 <= n < min(source_of.size, 1 << CHUNK_BITS) or places > MAX_PLACES:
            raise BlobError("a layout that does not fit")
        ids = unpack_ints(series, n)
        if n and not 0 < ids.min() <= ids.max() < source_of.size:
            raise BlobError("a layout of series that do not exist")
        if (source_of[ids] != source).any() or distinct(ids).size != n:
            raise BlobError("a layout of series that do not belong together")
        known[number] = Layout(number, source, ids)


def load_segments(
    database: Database, layouts: dict[int, Layout], known: Sequence[Segment] = ()
) -> list[Segment]:
    """Return all blocks and strips in the order of writing.

    ``known`` are those of an earlier call: where strips were only added since, just these are read.
    """
    if known and _only_strips_were_added(database, known):
        after = known[-1].id
        return _checked([*known, *_load(database, layouts, is_block=False, after=after)])
    segments = [*_load(database, layouts, is_block=True), *_load(database, layouts, is_block=False)]
    segments.sort(key=lambda segment: segment.id)
    return _checked(segments)


def _only_strips_were_added(database: Database, known: Sequence[Segment]) -> bool:
    """Whether all known blocks and strips are still there, and no block is new."""
    blocks = [one.id for one in known if one.is_block]
    newest, count = next(database.rows("SELECT coalesce(max(id), 0), count(*) FROM block", (int, int)))
    (strips,) = next(database.rows("SELECT count(*) FROM strip WHERE id <= ?", (int,), (known[-1].id,)))
    same = (newest, count, strips) == (max(blocks, default=0), len(blocks), len(known) - len(blocks))
    return bool(same)


def _checked(segments: list[Segment]) -> list[Segment]:
    if any(a.id == b.id for a, b in pairwise(segments)):
        raise BlobError("a block and a strip with one number")
    if sum(segment.ticks for segment in segments) > MAX_TICKS:
        raise BlobError(f"more than {MAX_TICKS} ticks")
    if sum(segment.samples for segment in segments) > MAX_SAMPLES:
        raise BlobError("more samples than any session has")
    return segments


def _load(
    database: Database, layouts: dict[int, Layout], *, is_block: bool, after: int = 0
) -> Iterable[Segment]:
    rows = database.ordered(_BLOCKS if is_block else _STRIPS, (int, int, int, int, int, int), (after,))
    for number, layout, start, end, ticks, samples in rows:
        if not 0 < number < 1 << (63 - CHUNK_BITS) or layout not in layouts:
            raise BlobError("a block or strip that does not fit")
        if not (FIRST_MS <= start <= end <= LAST_MS and 0 < ticks <= MAX_BLOCK_TICKS):
            raise BlobError("a block or strip at a time that can't be")
        if not 0 <= samples <= ticks * layouts[layout].ids.size:
            raise BlobError("a block or strip with more samples than it can hold")
        if not is_block and ticks >= MIN_BLOCK_TICKS:
            raise BlobError("a strip with more ticks than one may have")
        if not is_block and ticks * layouts[layout].ids.size > MAX_STRIP_VALUES:
            raise BlobError("a strip with more values than one may have")
        yield Segment(number, layouts[layout], start, end, ticks, samples, is_block)


def read_times(database: Database, segment: Segment) -> IntArray:
    """Return the segment's sampling instants, strictly increasing, from its start to its end (ms)."""
    sql = _BLOCK_TIMES if segment.is_block else _STRIP_TIMES
    row = next(database.rows(sql, (bytes,), (segment.id,)), None)
    if row is None:
        raise BlobError("a block or strip that has gone")
    times = unpack_ints(row[0], segment.ticks)
    if times[0] != segment.start or times[-1] != segment.end or not (np.diff(times) > 0).all():
        raise BlobError("the times of a block or strip do not fit")
    return times


def overlapping(segments: Sequence[Segment], times: Callable[[Segment], IntArray]) -> frozenset[int]:
    """Return the ids of segments that share an instant and a series with another one: their
    samples must be merged.
    """
    return frozenset(number for family in _families(segments) for number in _sharing_instants(family, times))


def _sharing_instants(family: Sequence[Segment], times: Callable[[Segment], IntArray]) -> Iterable[int]:
    ordered = sorted(family, key=lambda segment: segment.start)
    if all(a.end < b.start for a, b in pairwise(ordered)):
        return ()
    instants = np.concatenate([times(segment) for segment in ordered])
    owner = np.repeat(np.arange(len(ordered)), [segment.ticks for segment in ordered])
    _, inverse, count = np.unique(instants, return_inverse=True, return_counts=True)
    return (ordered[i].id for i in distinct(owner[count[inverse] > 1]).tolist())


def _families(segments: Sequence[Segment]) -> Iterable[Sequence[Segment]]:
    """Segments grouped so that layouts of different groups have no series in common."""
    layouts = _by_layout(segments)
    last = max((int(layout.ids.max(initial=0)) for layout, _ in layouts.values()), default=0)
    family_of = np.zeros(last + 1, np.int64)  # of each series, 0 for none so far
    families: dict[int, list[Segment]] = {}
    for number, (layout, members) in enumerate(layouts.values(), 1):
        families[number] = list(members)
        for other in distinct(family_of[layout.ids]).tolist():
            if other:
                families[number] += families.pop(other)
                family_of[family_of == other] = number
        family_of[layout.ids] = number
    return list(families.values())


def _by_layout(segments: Sequence[Segment]) -> dict[int, tuple[Layout, list[Segment]]]:
    groups: dict[int, tuple[Layout, list[Segment]]] = {}
    for segment in segments:
        groups.setdefault(segment.layout.id, (segment.layout, []))[1].append(segment)
    return groups
