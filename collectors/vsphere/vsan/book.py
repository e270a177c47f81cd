"""Turns samples of vSAN's performance service into entities, series and ticks of the session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from collectors.feed import Feed, Tick
from collectors.vsphere.counters.gaps import SlotGaps, subjects
from collectors.vsphere.counters.watermarks import Mask, Slots, Watermarks
from collectors.vsphere.vsan.cluster import VsanCluster
from collectors.vsphere.vsan.datastore import of_datastore
from collectors.vsphere.vsan.replies import EntitySamples
from resources.catalogue import Catalogue
from resources.vsan_service import EntityType, VsanService
from sessions.model import Entity, EntityRef, Fact, FloatArray, SeriesSpec

_NEVER = 1 << 62

SeriesKey = tuple[EntityRef, str, str]
"""Entity, counter and instance of a series."""


class VsanBook:
    """All series of vSAN of one source: what was stored, what is due and what is missing.

    ``newest_ms`` is the time of the newest sample, 0 for none.
    """

    def __init__(self, feed: Feed, source: int, service: VsanService, catalogue: Catalogue) -> None:
        self._feed, self._source = feed, source
        self._service, self._catalogue = service, catalogue
        self.slots = Slots(service.timing.interval_s * 1000)
        self.watermarks = Watermarks()
        self.gaps = SlotGaps(source, self.slots)
        self.newest_ms = 0
        self._columns: dict[SeriesKey, int] = {}
        self._specs: list[SeriesSpec] = []
        self._known: set[EntityRef] = set()
        self._layouts: list[tuple[int, int, int]] = []
        self._last = np.zeros(0, np.int64)
        self._since = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self._specs)

    @property
    def entities(self) -> int:
        """The number of entities that have series."""
        return len({spec.entity for spec in self._specs})

    def take(self, cluster: VsanCluster, samples: Sequence[EntitySamples]) -> None:
        """Store the samples of a cluster, and what its datastore shows by them."""
        rows: dict[int, dict[int, float]] = {}
        types = {kind.id: kind for kind in self._service.types(cluster.architecture)}
        news: dict[EntityRef, tuple[Entity, list[Fact]]] = {}
        for one in samples:
            kind = types.get(one.type)
            if kind is not None:
                ref = self._entity(cluster, kind, one, news)
                self._take_entity(ref, kind, cluster, one, rows)
        if cluster.store is not None:
            for counter, values in of_datastore(self._service, cluster, samples):
                column = self._column(cluster.store, counter.counter, "", 1.0, counter.title)
                for at, value in values.items():
                    rows.setdefault(at, {})[column] = value
        self._announce(news)
        self._open_layouts()
        self._store(rows)

    def expect(self, first: int, last: int, *, keep: int, reason: str) -> None:
        """Count what was due at the slots ``first`` to ``last``.

        What is missing until ``last - keep`` is a gap.
        """
        for slot in range(first, last + 1):
            self.watermarks.expect(slot, self._since <= slot)
        for slot in self.watermarks.slots:
            missing = self.watermarks.missing(slot)
            if missing is not None and last - slot >= keep:
                self.watermarks.give_up(slot, missing)
                self._lose(slot, missing, reason)
        if changed := self.gaps.take_changed():
            self._feed.add_gaps(changed)

    def forget_until(self, slot: int) -> None:
        """Forget what came and what was due up to ``slot``: nothing older is accepted any more."""
        self.watermarks.forget_until(slot)

    def _lose(self, slot: int, missing: Mask, reason: str) -> None:
        owners = list(dict.fromkeys(spec.entity for spec in self._specs))
        number = {ref: at for at, ref in enumerate(owners)}
        owner = np.array([number[spec.entity] for spec in self._specs], np.int64)
        due = self.watermarks.due_at(slot)
        for ref in subjects(missing, due, owner, owners, lambda column: self._specs[column].entity):
            self.gaps.add_missed(ref, slot, slot, reason)

    def _entity(
        self,
        cluster: VsanCluster,
        kind: EntityType,
        one: EntitySamples,
        news: dict[EntityRef, tuple[Entity, list[Fact]]],
    ) -> EntityRef:
        ref = EntityRef("vsan", f"{cluster.ref.key}/{one.type}/{one.id}")
        if ref not in self._known:
            parent = cluster.host_of(one.uuid) or cluster.ref
            since = int(one.times[0])
            facts = [Fact(ref, "vsan.type", one.type, since), Fact(ref, "cluster", cluster.ref.key, since)]
            if cluster.store is not None:
                facts.append(Fact(ref, "datastore", cluster.store.key, since))
            if (disk := cluster.disks.get(one.uuid)) is not None:
                told = (("vsan.group", disk.group), ("vsan.device", disk.name))
                facts.extend(Fact(ref, name, value, since) for name, value in told if value)
            news[ref] = Entity(ref, _name(cluster, kind, one), parent), facts
        return ref

    def _take_entity(
        self,
        ref: EntityRef,
        kind: EntityType,
        cluster: VsanCluster,
        one: EntitySamples,
        rows: dict[int, dict[int, float]],
    ) -> None:
        metrics = self._service.metrics(kind, cluster.architecture)
        for label, values in one.values.items():
            metric = metrics.get(label)
            if metric is None or np.isnan(values).all():
                continue
            column = self._column(ref, metric.counter, metric.part, metric.factor, label)
            for at, value in zip(one.times.tolist(), values.tolist(), strict=True):
                if not np.isnan(value):
                    rows.setdefault(at, {})[column] = value

    def _column(self, ref: EntityRef, counter: str, part: str, factor: float, label: str) -> int:
        key = (ref, counter, part)
        column = self._columns.setdefault(key, len(self._specs))
        if column == len(self._specs):
            known = self._catalogue.get(counter)
            self._specs.append(SeriesSpec(ref, counter, known.unit if known else "", part, factor, label))
        return column

    def _announce(self, news: Mapping[EntityRef, tuple[Entity, list[Fact]]]) -> None:
        if news:
            self._feed.add_entities([entity for entity, _ in news.values()])
            self._feed.add_facts([fact for _, facts in news.values() for fact in facts])
            self._known.update(news)

    def _open_layouts(self) -> None:
        start, end = self._last.size, len(self._specs)
        if start == end:
            return
        layout = self._feed.add_layout(self._source, self._specs[start:end])
        self._layouts.append((layout.id, start, end))
        last = np.zeros(end - start, np.int64)
        last[: len(layout.last)] = layout.last
        self._last = np.concatenate((self._last, last))
        resumed = np.where(last > 0, last // self.slots.interval_ms + 1, _NEVER)
        self._since = np.concatenate((self._since, resumed))
        self.watermarks.grow(end)

    def _store(self, rows: Mapping[int, Mapping[int, float]]) -> None:
        ticks: list[Tick] = []
        for at in sorted(rows):
            row = np.full(len(self._specs), np.nan)
            row[list(rows[at])] = list(rows[at].values())
            ticks += self._ticks(at, row)
        if ticks:
            self._feed.add_ticks(ticks)

    def _ticks(self, at: int, row: FloatArray) -> Iterable[Tick]:
        slot = self.slots.of(at)
        fresh = self.watermarks.accept_new(slot, ~np.isnan(row) & (self._last < at))
        if not fresh.any():
            return
        self.newest_ms = max(self.newest_ms, at)
        self._since = np.minimum(self._since, np.where(fresh, slot, _NEVER))
        row = np.where(fresh, row, np.nan)
        for layout, start, end in self._layouts:
            if fresh[start:end].any():
                yield Tick(layout, at, row[start:end])


def _name(cluster: VsanCluster, kind: EntityType, one: EntitySamples) -> str:
    """The name of an entity: what it is, and which disk, uplink, host or cluster."""
    disk, host = cluster.disks.get(one.uuid), cluster.host_of(one.uuid)
    part = one.id.partition("|")[2]
    where = host.key if host else cluster.name
    if disk is not None:
        return f"{kind.title} {disk.name} ({where})"
    if kind.id == "disk-group":
        return f"{kind.title} {one.id[:8]} ({where})"
    return f"{kind.title} {part} ({where})" if part else f"{kind.title} ({where})"
