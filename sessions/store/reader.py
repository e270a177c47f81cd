"""Reading a session: by any number of readers at a time, also while it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

from resources.failures import NotFoundError
from sessions.distinct import distinct
from sessions.model import (
    Entity,
    EntityRef,
    FloatArray,
    Frame,
    IntArray,
    Overview,
    Series,
    SeriesStats,
    Source,
    SourceSpec,
)
from sessions.store import sources, statistics
from sessions.store.database import Database, bytes_of
from sessions.store.growth import FollowingReader
from sessions.store.info import SessionInfo
from sessions.store.lock import is_written
from sessions.store.opening import close_reader, open_for_reading
from sessions.store.overview import read_overview
from sessions.store.samples import Samples
from sessions.store.segments import Segment
from sessions.times import TimeRange


class SessionReader(FollowingReader):
    """A session file, read-only: a SampleSource with its records. Use it from one thread at a time.

    Each call sees one consistent state of the file, including everything written before the call. Every
    method raises DamagedError when the data that it needs is inconsistent.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._file = _file_at(database.path)

    @classmethod
    def open(cls, path: Path, *, check: bool = True) -> SessionReader:
        """Open a session; a file of version 0 is migrated first, after a backup copy.

        ``check`` checks the whole index (entities, series, blocks), but no samples. Raises NotFoundError,
        NotASessionError, TooNewError, DamagedError, AccessDeniedError; BusyError when it needs migration
        while another process writes it.
        """
        database = open_for_reading(path)
        reader = cls(database)
        try:
            if check:
                reader.span()
        except BaseException:
            database.close()
            raise
        return reader

    def another(self) -> SessionReader:
        """Return another reader of the file, for another thread; both share one cache of decoded data.

        It knows the index that this one has read: that of 20,000 series takes a third of what opening takes.
        """
        other = SessionReader(open_for_reading(self._database.path))
        other._samples = self._samples.for_another(other._database)
        return other

    def require_same_file(self) -> None:
        """Raise NotFoundError if the file was deleted, moved or replaced by another one since it was opened.

        A file whose folder can't be reached at the moment passes.
        """
        path = self._database.path
        now = _file_at(path)
        if now == self._file or None in (now, self._file):
            return
        if now == _NO_FILE:
            raise NotFoundError(
                f"{path.name} was deleted, moved or renamed while it was open.",
                advice="If it was moved, open it from where it is now.",
            )
        raise NotFoundError(
            f"{path.name} was replaced by another session while it was open.", advice="Open it again."
        )

    @property
    def has_left_log(self) -> bool:
        """True if the log of a writer that has gone stands beside the file, until its last reader closes."""
        path = self._database.path
        return path.with_name(f"{path.name}-wal").exists() and not is_written(path)

    def close(self) -> None:
        """Close the file; the last reader of a session that nobody writes removes SQLite's extra files."""
        close_reader(self._database)

    def __enter__(self) -> SessionReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def span(self) -> TimeRange | None:
        """Return the time from the first to the last sample of all sources; None without samples."""
        with self._state():
            return _span(self._samples.segments)

    def sources(self) -> Sequence[Source]:
        """Return all sources in the order in which they were added."""
        with self._state():
            return [
                self._source(number, spec, state)
                for number, (spec, state) in sources.load(self._database).items()
            ]

    def entities(self) -> dict[EntityRef, Entity]:
        """Return all entities by reference."""
        with self._state():
            return dict(self._samples.inventory.entities)

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """Return all series, or those of the given counter keys, ordered by id."""
        with self._state():
            return self._samples.inventory.series(counters)

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return statistics of each series over the window, from those of blocks wherever they suffice."""
        with self._state():
            return statistics.stats(self._samples, np.asarray(ids, np.int64), window)

    def block_means(self, ids: IntArray, window: TimeRange | None, most: int) -> FloatArray:
        """Return means of each series over stretches of the window, in order of time, without samples.

        Shape (len(ids), k), k at most ``most``, NaN behind a series' last. Only whole blocks count.
        """
        with self._state():
            return statistics.block_means(self._samples, np.asarray(ids, np.int64), window, most)

    def times(self, source: int, window: TimeRange | None = None) -> IntArray:
        """Return the sampling instants of a source; strictly increasing, shape (n,), int64, ms."""
        with self._state():
            return self._samples.times(source, window)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: one frame for each source that has any of the series, in the
        order of ``sources``.

        A frame's times are those of all layouts that hold its series. Raises ValueError for an id that does
        not exist, UsageError for more than 2 GiB at once.
        """
        ids = np.asarray(ids, np.int64)
        with self._state():
            owners = self._samples.sources_of(ids)
            return [
                self._samples.frame(source, ids[owners == source], window)
                for source in distinct(owners).tolist()
            ]

    def whole_blocks(self, source: int, window: TimeRange) -> list[TimeRange]:
        """Return times of blocks of the source that lie in the window, ascending; they don't overlap.

        Over each of them ``stats`` decodes no sample of the series in that block.
        """
        with self._state():
            blocks = sorted(
                TimeRange(one.start, one.end)
                for one in self._samples.of_source(source)
                if one.is_block and one.within(window)
            )
        apart: list[TimeRange] = []
        for one in blocks:
            if not apart or one.start > apart[-1].end:
                apart.append(one)
        return apart

    def overview(self, series: int, window: TimeRange | None, width: int) -> Overview:
        """Return the series in at most ``width`` buckets over the window; None means its
        source's whole time.
        """
        with self._state():
            (source,) = self._samples.sources_of(np.array([series]))
            window = window or _span(self._samples.of_source(source)) or TimeRange(0, 0)
            return read_overview(self._samples, source, series, window, width)

    def info(self) -> SessionInfo:
        """Return a summary of the session."""
        with self._state():
            found = self.sources()
            inventory = self._samples.inventory
            return SessionInfo(
                title=self.meta().get("title", ""),
                sources=tuple(found),
                gaps=tuple(self.gaps()),
                intervals={source.id: _interval(source, self._samples) for source in found},
                entities=Counter(ref.kind for ref in inventory.entities),
                columns=Counter(inventory.source[1:].tolist()),
                series=inventory.count,
                samples=sum(source.samples for source in found),
                span=self.span(),
                bytes=bytes_of(self._database.path),
                findings=len(self.findings()),
                marks=len(self.marks()),
                events=Counter(event.kind for event in self.events()),
            )

    def _source(self, number: int, spec: SourceSpec, state: str) -> Source:
        segments = self._samples.of_source(number)
        span = _span(segments)
        return Source(
            id=number,
            spec=spec,
            start=span.start if span else None,
            end=span.end if span else None,
            ticks=self._samples.ticks(number),
            samples=sum(segment.samples for segment in segments),
            state=self._state_of(state),
        )


_NO_FILE = (0, 0)


def _file_at(path: Path) -> tuple[int, int] | None:
    """Return what tells the file at ``path`` from others: _NO_FILE if there is none, None if nobody knows."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return _NO_FILE
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _interval(source: Source, samples: Samples) -> float | None:
    """Seconds between samples as the source's description says, else as they usually are."""
    times = samples.times(source.id, None)
    if source.spec.interval_s is not None or times.size < 2:
        return source.spec.interval_s
    return float(np.median(np.diff(times))) / 1000


def _span(segments: Sequence[Segment]) -> TimeRange | None:
    if not segments:
        return None
    return TimeRange(min(segment.start for segment in segments), max(segment.end for segment in segments))
