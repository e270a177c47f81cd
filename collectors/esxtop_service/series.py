"""Stores the samples of a host's esxtop service, and what its replies state, under lasting entities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from collectors.column_series import ColumnSeries, SeriesFeed
from collectors.esxtop_names import Counters, HostColumns, columns_by_host
from collectors.esxtop_service.facts import device_facts
from collectors.esxtop_service.reply import Reply
from collectors.esxtop_service.sampling import Sample, Shape
from collectors.lasting_vms import JOINED_BY, Renaming
from sessions.model import Entity, EntityRef, IntArray


class LastingNames(Protocol):
    """Who the VMs of a host are, whatever numbers it gives them (``vm_book``)."""

    @property
    def above(self) -> Sequence[Entity]:
        """The entities that the host and its VMs belong to."""

    def rename(self, columns: HostColumns, reply: Reply) -> tuple[HostColumns, Renaming]:
        """Return the columns with the lasting entities, and which those are."""


class HostSeries:
    """Stores one host's samples; a series that returns goes on where it was."""

    def __init__(
        self, feed: SeriesFeed, source: int, catalogue: Counters, lasting: LastingNames | None = None
    ) -> None:
        self._stored, self._catalogue, self._lasting = ColumnSeries(feed, source), catalogue, lasting
        self._shape: Shape | None = None
        self._columns: IntArray | None = None
        self._names = Renaming()
        self._there: frozenset[EntityRef] = frozenset()

    @property
    def series(self) -> int:
        """The number of series that the host has now."""
        return self._stored.series

    @property
    def entities(self) -> int:
        """The number of entities that the host has now."""
        return len(self._stored.entities)

    def add_host(self, above: Sequence[Entity], host: Entity) -> None:
        """Add the host, and what it belongs to, before its first sample."""
        self._stored.add_entities([*above, host])

    def forget_plan(self) -> None:
        """Work out anew which entities the columns are of, with the next sample."""
        self._shape = None

    def prepare(self, sample: Sample, reply: Reply) -> int:
        """Add the series of a sample; return the last time of which the session had samples when series
        were added, 0 for none.
        """
        if (
            self._columns is None or self._shape is not sample.shape
        ):  # which VMs there are goes with the shape
            self._columns = self._follow(sample, reply)
            self._shape = sample.shape
        return self._stored.last_ms

    def add(self, sample: Sample, reply: Reply) -> int:
        """Store a sample, and what it states; return how many values it has."""
        self.prepare(sample, reply)
        columns = self._columns
        assert columns is not None
        stated: dict[tuple[EntityRef, str], str | float] = {
            (vm, JOINED_BY): how for vm, how in self._names.how.items()
        }
        stated |= {
            (self._names.ref(ref), name): value
            for (ref, name), value in device_facts(reply, sample.shape.host, self._there).items()
        }
        return self._stored.add(sample.t_ms, sample.values[columns], stated)

    def _follow(self, sample: Sample, reply: Reply) -> IntArray:
        """Take note of the columns of a sample; return which of its values they are."""
        columns = columns_by_host(sample.shape.paths, self._catalogue)[0]
        self._there, self._names = frozenset(one.ref for one in columns.entities), Renaming()
        if self._lasting is not None:
            columns, self._names = self._lasting.rename(columns, reply)
            self._stored.add_entities(self._lasting.above)
        self._stored.follow(columns, sample.t_ms, self._names.refs.values())
        return columns.columns
