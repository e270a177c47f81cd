"""One host's rows on their way into the recording, repaired as those of an imported capture are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from collectors.column_series import ColumnSeries
from collectors.esxtop.header import Header
from collectors.esxtop.history import NAME
from collectors.esxtop.over_ssh.host_objects import ObjectsOfHost, lasting
from collectors.esxtop.over_ssh.stream import Row, texts_of
from collectors.esxtop_names import (
    ZERO_FILLED,
    ColumnPath,
    Counters,
    EsxtopRepairs,
    HostColumns,
    columns_by_host,
)
from collectors.feed import Feed
from collectors.lasting_vms import JOINED_BY, Renaming
from sessions.model import Entity, EntityRef, Fact, Gap


class HostRows:
    """Stores the rows of one host under the entity ``host``, whatever the header calls it."""

    def __init__(self, feed: Feed, source: int, host: EntityRef, catalogue: Counters) -> None:
        self._feed, self._source, self._host, self._catalogue = feed, source, host, catalogue
        self._series = ColumnSeries(feed, source)
        self._series.add_entities([Entity(host, host.key)])
        self._columns: HostColumns | None = None
        self._objects = ObjectsOfHost()
        self._header: Header | None = None
        self._repairs: EsxtopRepairs | None = None
        self._is_followed = False
        self._is_first = True
        self._lasting = Renaming()
        self._stated: dict[tuple[EntityRef, str], str | float] = {}
        self._names: dict[EntityRef, tuple[str, int]] = {}
        self._fills: dict[int, Gap] = {}
        self.fills = 0

    @property
    def series(self) -> int:
        """The number of series that the host has now."""
        return self._series.series

    @property
    def entities(self) -> int:
        """The number of entities that the host has now."""
        return len(self._series.entities)

    def state(self, facts: Sequence[Fact]) -> None:
        """Add facts of the host itself."""
        self._feed.add_facts(facts)

    def begin(self, header: Header, objects: ObjectsOfHost, *, is_new: bool) -> None:
        """Rows with these columns follow; the first of them is a capture's first.

        ``objects`` are the host's VMs and volumes, as its shell tells them now.
        """
        if is_new or self._columns is None or objects != self._objects:
            columns = columns_by_host(_renamed(header.paths, self._host.key), self._catalogue)[0]
            self._lasting, self._objects = lasting(columns, objects), objects
            self._columns = self._lasting.columns(columns, {})
            self._header, self._is_followed = header, False
            self._fills.clear()
        self._repairs = EsxtopRepairs(self._columns.repairs)
        self._is_first = True

    def prepare(self, t_ms: int) -> int:
        """Add the series of a row of this instant; return the last one of which the session had samples when
        series were added, 0 for none.
        """
        columns = self._columns
        assert columns is not None, "begin comes first"
        if not self._is_followed:
            self._series.follow(columns, t_ms, self._lasting.refs.values())
            self._follow_names(columns, t_ms)
            self._is_followed = True
        return self._series.last_ms

    def add(self, row: Row) -> int:
        """Store a row that was prepared; return how many values it has."""
        columns, header, repairs = self._columns, self._header, self._repairs
        assert columns is not None, "prepare comes first"
        assert header is not None
        assert repairs is not None
        if self._is_first:
            self._state_texts(columns, header, row)
        values = row.values[columns.columns][np.newaxis]
        first = 0 if self._is_first else None
        repaired = repairs.repair(np.array([row.t_ms], np.int64), values, first=first)
        self._is_first = False
        self._note_fills(columns, repaired.filled[0], row.t_ms)
        joined = {(vm, JOINED_BY): how for vm, how in self._lasting.how.items()}
        return self._series.add(row.t_ms, values[0], self._stated | joined)

    def _follow_names(self, columns: HostColumns, t_ms: int) -> None:
        """A VM that is called otherwise than before keeps both names as facts."""
        for ref, name in ((one.ref, one.name) for one in columns.entities if one.ref.kind == "vm"):
            before, since = self._names.get(ref, (name, t_ms))
            if before != name:
                self._feed.add_facts([Fact(ref, NAME, before, since, t_ms), Fact(ref, NAME, name, t_ms)])
                since = t_ms
            self._names[ref] = name, since

    def _state_texts(self, columns: HostColumns, header: Header, row: Row) -> None:
        texts = texts_of(row, header, [one.column for one in columns.texts])
        self._stated = {
            (one.entity, one.name): text for one, text in zip(columns.texts, texts, strict=True) if text
        }

    def _note_fills(
        self, columns: HostColumns, filled: np.ndarray[tuple[int], np.dtype[np.bool_]], t_ms: int
    ) -> None:
        """Entities that esxtop filled with zeros have a gap, which grows with each such row."""
        now = set(np.flatnonzero(filled).tolist())
        now = {fill for fill in now if columns.zero_fills[fill].within not in now}
        grown: list[Gap] = []
        for fill in sorted(now):
            entity, before = columns.zero_fills[fill].entity, self._fills.get(fill)
            start, ticks = (t_ms, 1) if before is None else (before.start, (before.ticks or 0) + 1)
            self._fills[fill] = Gap(self._source, start, t_ms, ZERO_FILLED, entity, ticks)
            self.fills += before is None
            grown.append(self._fills[fill])
        for fill in self._fills.keys() - now:
            del self._fills[fill]
        if grown:
            self._feed.add_gaps(grown)


def host_of(header: Header) -> str:
    """Return the host that a header names; empty where it names none."""
    return next((path.host for path in header.paths if path is not None), "")


def _renamed(paths: Sequence[ColumnPath | None], key: str) -> Sequence[ColumnPath | None]:
    """The columns of the header's first host under the name that the session knows it by.

    One esxtop has the columns of one host: those of others are not looked at.
    """
    host = next((path.host for path in paths if path is not None), key)
    return [path._replace(host=key) if path is not None and path.host == host else None for path in paths]
