"""Reads samples of any series over any window from blocks and strips: the core of the reader."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from resources.failures import NotFoundError, UsageError
from sessions.distinct import distinct
from sessions.model import FloatArray, Frame, IntArray
from sessions.store import sources
from sessions.store.contents import Contents, Decoded
from sessions.store.database import Database
from sessions.store.inventory import Inventory
from sessions.store.merging import merge
from sessions.store.segments import Layout, Places, Segment, load_layouts, load_segments, overlapping
from sessions.times import TimeRange, joined

MAX_CELLS = 1 << 28
"""Most values that one read returns: 2 GiB of them. What is more is read a window at a time."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What a segment has of some series, at those of its ticks that ``cut`` leaves."""

    times: IntArray
    rows: IntArray
    segment: Segment
    positions: IntArray
    cut: slice


class Samples:
    """The index of a session's segments; ``refresh`` updates it while a writer adds to the session."""

    def __init__(self, database: Database, decoded: Decoded | None = None) -> None:
        self.database = database
        self.decoded = decoded or Decoded()
        self.contents = Contents(database, self.decoded)
        self.inventory = Inventory()
        self.segments: Sequence[Segment] = ()
        self._layouts: dict[int, Layout] = {}
        self._overlapping: dict[int, frozenset[int]] = {}
        self._ticks: dict[int, int] = {}
        self._seen: int | None = None
        self._loading = threading.Lock()

    def for_another(self, database: Database) -> Samples:
        """Return a copy of this index for another connection to the file: its first ``refresh`` reads only
        what was written since. Any thread may call this.
        """
        other = Samples(database, self.decoded)
        with self._loading:
            other.inventory = self.inventory.copy()
            other.segments = self.segments
            other._layouts = dict(self._layouts)
        return other

    @property
    def is_outdated(self) -> bool:
        """True if something was written since the last ``refresh``."""
        return bool(self.database.pragma("data_version") != self._seen)

    def refresh(self) -> None:
        """Read what was written since the last call; cheap when there is nothing new.

        Raises NotFoundError when another session stands at the path by now.
        """
        version = self.database.pragma("data_version")
        if version == self._seen:
            return
        self._require_same_session()
        with self._loading:
            self.inventory.load(self.database)
            sources.require_all(self.database, {batch.source for batch in self.inventory.batches})
            load_layouts(self.database, self._layouts, self.inventory.source)
            self.segments = load_segments(self.database, self._layouts, self.segments)
        self._overlapping.clear()
        self._ticks.clear()
        self._seen = version

    def _require_same_session(self) -> None:
        rows = self.database.rows("SELECT value FROM meta WHERE key = 'created'", (object,))
        (created,) = next(rows, ("",))
        if self.decoded.created is None:
            self.decoded.created = created
        elif created != self.decoded.created:
            raise NotFoundError(
                f"{self.database.path.name} was replaced by another session while it was open.",
                advice="Open it again.",
            )

    def of_source(self, source: int) -> list[Segment]:
        """Return the source's blocks and strips in the order of writing."""
        return [segment for segment in self.segments if segment.layout.source == source]

    def ticks_in(self, segment: Segment, window: TimeRange | None) -> int:
        """Return how many sampling instants of a segment lie in the window."""
        times = self.contents.times(segment)
        return int(times[_cut(times, window)].size)

    def overlapping(self, source: int) -> frozenset[int]:
        """Return the ids of the source's segments whose samples overlap with those of another segment."""
        if source not in self._overlapping:
            self._overlapping[source] = overlapping(self.of_source(source), self.contents.times)
        return self._overlapping[source]

    def times(self, source: int, window: TimeRange | None) -> IntArray:
        """Return the sampling instants of a source; strictly increasing, shape (n,), int64, ms."""
        touched = [segment for segment in self.of_source(source) if segment.touches(window)]
        instants = [
            self.contents.times(segment)[_cut(self.contents.times(segment), window)] for segment in touched
        ]
        return distinct(np.concatenate(instants)) if instants else np.zeros(0, np.int64)

    def ticks(self, source: int) -> int:
        """Return how many sampling instants a source has in all."""
        if source not in self._ticks:
            self._ticks[source] = self.times(source, None).size
        return self._ticks[source]

    def written_since(self, ids: IntArray, newest: int) -> tuple[list[TimeRange], int]:
        """Return the time ranges of these series' samples in segments after ``newest``, and the newest
        segment's number.
        """
        places, found = Places(ids), []
        for segment in reversed(self.segments):
            if segment.id <= newest:
                break
            if places.of(segment.layout)[0].size:
                found.append(TimeRange(segment.start, segment.end))
        return joined(found), self.segments[-1].id if self.segments else newest

    def sources_of(self, ids: IntArray) -> IntArray:
        """Return the source of each series; raises ValueError for unknown ids."""
        if ids.size and not 0 < ids.min() <= ids.max() <= self.inventory.count:
            raise ValueError("a series id that does not exist")
        found: IntArray = self.inventory.source[ids]
        return found

    def frame(self, source: int, ids: IntArray, window: TimeRange | None) -> Frame:
        """Return the samples of series of one source, in canonical units."""
        times, values = self.collect(self.of_source(source), ids, window)
        return Frame(source, ids, times, values.T)

    def collect(
        self, segments: Sequence[Segment], ids: IntArray, window: TimeRange | None
    ) -> tuple[IntArray, FloatArray]:
        """Return times and values (len(ids), len(times)) from these segments of one source, in
        canonical units.

        Raises UsageError for more than MAX_CELLS values.
        """
        places = Places(ids)
        touched = (segment for segment in segments if segment.touches(window))
        pieces = [piece for segment in touched if (piece := self._piece(segment, places, window)) is not None]
        if sum(piece.times.size for piece in pieces) * ids.size > MAX_CELLS:
            instants = distinct(np.concatenate([piece.times for piece in pieces]))
            if instants.size * ids.size > MAX_CELLS:
                raise UsageError(
                    "That is more than 2 GiB of samples at once.", advice="Choose a shorter window."
                )
        times, values = merge(pieces, ids.size, self._load)
        scale = self.inventory.scale[ids]
        if (scale != 1.0).any():
            values *= scale[:, None]
        return times, values

    def _piece(self, segment: Segment, places: Places, window: TimeRange | None) -> _Piece | None:
        rows, positions = places.of(segment.layout)
        if not rows.size:
            return None
        times = self.contents.times(segment)
        cut = _cut(times, window)
        return _Piece(times[cut], rows, segment, positions, cut) if cut.start < cut.stop else None

    def _load(self, pieces: Sequence[_Piece]) -> Iterator[FloatArray]:
        whole = self.contents.columns_of((piece.segment, piece.positions) for piece in pieces)
        for piece, values in zip(pieces, whole, strict=True):
            yield values[:, piece.cut]


def _cut(times: IntArray, window: TimeRange | None) -> slice:
    if window is None:
        return slice(0, times.size)
    return slice(
        int(np.searchsorted(times, window.start, "left")), int(np.searchsorted(times, window.end, "right"))
    )
