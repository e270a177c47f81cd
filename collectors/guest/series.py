"""Which series a guest has, and in which layouts: CPUs, disks and interfaces come and go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from collectors.feed import Feed, Layout, Tick
from collectors.guest.rates import Sample
from resources.catalogue import Catalogue
from sessions.model import EntityRef, FloatArray, SeriesSpec

_MAX_SERIES = 50_000
"""A guest that invents new disks all the time gets no series beyond these."""

_Key = tuple[str, str]


@dataclass(slots=True)
class _Part:
    """Series that came together; ``factor`` (n,) makes the stored number of our value."""

    layout: Layout
    factor: FloatArray


class GuestSeries:
    """Stores a guest's samples; a series that returns goes on where it was."""

    def __init__(self, feed: Feed, source: int, guest: EntityRef, catalogue: Catalogue) -> None:
        self._feed, self._source, self._guest, self._catalogue = feed, source, guest, catalogue
        self._parts: list[_Part] = []
        self._places: dict[_Key, tuple[int, int]] = {}
        self.last_ms = 0

    @property
    def series(self) -> int:
        """The number of series that the guest has had so far."""
        return len(self._places)

    def prepare(self, sample: Sample) -> int:
        """Add the series of a sample; return the last time of which the session had samples of them when
        they were added, 0 for none.
        """
        self._add_new(key for key in sample.values if key not in self._places)
        return self.last_ms

    def add(self, sample: Sample, t_ms: int) -> int:
        """Store a sample; return how many values it has."""
        self.prepare(sample)
        stored = [np.full(len(part.factor), np.nan) for part in self._parts]
        count = 0
        for key, value in sample.values.items():
            if key in self._places:
                part, at = self._places[key]
                stored[part][at] = value * self._parts[part].factor[at]
                count += 1
        ticks = [
            Tick(part.layout.id, t_ms, values)
            for part, values in zip(self._parts, stored, strict=True)
            if not np.isnan(values).all()
        ]
        self._feed.add_ticks(ticks)
        return count

    def _add_new(self, keys: Iterable[_Key]) -> None:
        room = _MAX_SERIES - len(self._places)
        new = list(keys)[:room] if room > 0 else []
        if not new:
            return
        specs = [SeriesSpec(self._guest, counter, self._unit(counter), instance) for counter, instance in new]
        layout = self._feed.add_layout(self._source, specs)
        if len(layout.last):
            self.last_ms = max(self.last_ms, int(layout.last.max()))
        factor = 1.0 / layout.scale if len(layout.scale) else np.ones(len(specs))
        self._places |= {key: (len(self._parts), at) for at, key in enumerate(new)}
        self._parts.append(_Part(layout, factor))

    def _unit(self, counter: str) -> str:
        known = self._catalogue.get(counter)
        return known.unit if known is not None else ""
