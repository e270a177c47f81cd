"""Records vSAN's performance service, every five minutes for each cluster, as a source of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from collectors.feed import Controls, Feed, Health, State
from collectors.server_clock import read_clock
from collectors.vsphere.counters.sampled_source import NO_SAMPLES
from collectors.vsphere.inventory.objects import Inventory, Managed
from collectors.vsphere.vsan.book import VsanBook
from collectors.vsphere.vsan.cluster import VsanCluster, candidates, read_cluster
from collectors.vsphere.vsan.queries import ClusterQueries, Span, supported_types
from collectors.vsphere.vsan.replies import EntitySamples
from connections.failures import ClosedError
from connections.vsphere.faults import ReplacedError, SoapFault
from connections.vsphere.retry import MAX_BACKOFF_S
from connections.vsphere.session import VSphere
from connections.vsphere.vsan import VsanApi
from resources.catalogue import Catalogue
from resources.failures import PrivilegeError, SourceError
from resources.vsan_service import EntityType, VsanService
from sessions.model import Fact, SourceSpec

_SUFFIX = " vSAN"
_SHORTEST_WAIT_S = 1.0
_NO_VSAN_WAIT_S = 30.0
"""How often the inventory is looked at for the first cluster with vSAN; that asks the server nothing."""
_MOST_SLOTS = 288
"""Slots that are caught up after an outage: a day of them. What is older is a gap."""

_log = logging.getLogger(__name__)


class VsanRecording:
    """The source ``NAME vSAN``, which appears with the first cluster that has vSAN.

    ``inventory`` gives all objects of the vCenter, ``selected`` those that are recorded: a cluster is, where
    it or one of its hosts is selected. ``past_s`` is how long before now the first round begins. Faults of
    the service are the source's health; they end nothing.
    """

    def __init__(
        self,
        vsphere: VSphere,
        feed: Feed,
        spec: SourceSpec,
        inventory: Callable[[], Inventory],
        selected: Callable[[], Mapping[str, Managed]],
        service: VsanService,
        catalogue: Catalogue,
        *,
        past_s: float = 0.0,
    ) -> None:
        self._vsphere, self._feed, self._spec = vsphere, feed, spec
        self._inventory, self._selected = inventory, selected
        self._service, self._catalogue = service, catalogue
        self._past_slots = int(past_s // service.timing.interval_s) + 1
        self._api = VsanApi(vsphere)
        self._source = -1
        self._book: VsanBook | None = None
        self._queries: dict[str, ClusterQueries] = {}
        self._cursors: dict[tuple[str, str], int] = {}
        self._counted: int | None = None
        self._supported: dict[str, int] | None = None
        self._attributes: tuple[tuple[str, str], ...] = ()
        self._messages: list[str] = []

    def run(self, controls: Controls) -> None:
        """Ask for samples when they are due, until asked to stop. Raises ClosedError, ReplacedError."""
        failures = 0
        while not controls.is_set():
            wait_s = _NO_VSAN_WAIT_S
            if not controls.paused:
                try:
                    wait_s = self.round()
                    failures = 0
                except (ClosedError, ReplacedError):
                    raise
                except SourceError as error:
                    failures += 1
                    wait_s = min(MAX_BACKOFF_S, 2.0**failures)
                    self._messages = [error.happened]
                    _log.info("vSAN waits: %s", error.happened)
                    self._report("reconnecting")
            controls.wait(wait_s)
        if self._book is not None and self._counted is not None:
            self._count(self._counted, keep=0)
            self._report("ended")

    def round(self) -> float:
        """Ask for what is due; return the seconds until the next samples are. Raises SourceError."""
        inventory = self._inventory()
        wanted = [one for one in candidates(inventory) if self._is_selected(one)]
        if not wanted and self._book is None:
            return _NO_VSAN_WAIT_S
        clock = read_clock(self._vsphere)
        now_ms, timing = clock.now_ms(), self._service.timing
        self._messages = []
        for one in wanted:
            self._follow(one, inventory, now_ms)
        if self._book is None:
            return float(timing.interval_s)
        reached = self._due(now_ms)
        self._count(reached, keep=timing.look_back)
        self._update_attributes()
        self._report("recording", now_ms)
        next_ms = self._book.slots.instant(reached + 1) + timing.late_s * 1000
        return min(float(timing.interval_s), max(_SHORTEST_WAIT_S, (next_ms - clock.now_ms()) / 1000))

    def _is_selected(self, cluster: Managed) -> bool:
        return any(cluster.moid in (one.moid, one.cluster) for one in self._selected().values())

    def _due(self, now_ms: float) -> int:
        assert self._book is not None
        return self._book.slots.reached(now_ms - self._service.timing.late_s * 1000)

    def _follow(self, one: Managed, inventory: Inventory, now_ms: float) -> None:
        """Ask for one cluster; what is refused is told and ends nothing."""
        try:
            cluster = read_cluster(self._api, one, inventory)
            if cluster is None:
                return
            book = self._begin(cluster, now_ms)
            if not cluster.service:
                self._messages.append(_switched_off(cluster.name))
                return
            self._read(cluster, book, now_ms)
        except (SoapFault, PrivilegeError) as error:
            self._open(now_ms)
            is_off = isinstance(error, SoapFault) and error.type_name == "NotFound"
            self._messages.append(
                _switched_off(one.name) if is_off else f"vSAN of {one.name}: {error.happened}"
            )

    def _open(self, now_ms: float) -> VsanBook:
        """The book of the source, which is added with the first cluster that has vSAN."""
        if self._book is None:
            timing = self._service.timing
            spec = replace(
                self._spec,
                name=f"{self._spec.name}{_SUFFIX}",
                interval_s=float(timing.interval_s),
                attributes=(),
            )
            self._source = self._feed.add_source(spec)
            self._book = VsanBook(self._feed, self._source, self._service, self._catalogue)
            self._counted = self._due(now_ms)
        return self._book

    def _begin(self, cluster: VsanCluster, now_ms: float) -> VsanBook:
        book = self._open(now_ms)
        if self._supported is None:
            self._supported = self._ask_supported()
        if cluster.moid not in self._queries:
            self._queries[cluster.moid] = ClusterQueries(self._api, cluster.moid)
            self._feed.add_facts(
                [Fact(cluster.ref, "vsan.architecture", cluster.architecture, round(now_ms))]
            )
        return book

    def _ask_supported(self) -> dict[str, int] | None:
        try:
            return supported_types(self._api) or None
        except (SoapFault, PrivilegeError) as error:
            _log.info("vSAN does not say which types it supports: %s", error.happened)
            return None

    def _read(self, cluster: VsanCluster, book: VsanBook, now_ms: float) -> None:
        due = self._due(now_ms)
        starts: dict[str, int] = {}
        kinds = [kind for kind in self._service.types(cluster.architecture) if self._is_supported(kind)]
        for kind in kinds:
            cursor = self._cursors.get((cluster.moid, kind.id))
            start = due - self._past_slots if cursor is None else cursor - self._service.timing.look_back
            starts[kind.id] = max(start, due - max(_MOST_SLOTS, self._past_slots))
        for first, last in self._pieces(min(starts.values(), default=due), due):
            self._piece(cluster, book, [kind for kind in kinds if starts[kind.id] < last], (first, last))
        queries = self._queries[cluster.moid]
        self._messages += [
            f"vSAN of {cluster.name} refuses {one}: {why}" for one, why in queries.refused.items()
        ]

    def _pieces(self, first: int, due: int) -> Iterator[Span]:
        size = max(1, self._service.timing.piece_s // self._service.timing.interval_s)
        return ((at, min(due, at + size)) for at in range(first, due, size))

    def _piece(
        self, cluster: VsanCluster, book: VsanBook, kinds: Sequence[EntityType], slots: tuple[int, int]
    ) -> None:
        queries = self._queries[cluster.moid]
        # A start is not said to be excluded: samples come twice at worst, and are stored once.
        span = (book.slots.instant(slots[0]) + 1000, book.slots.instant(slots[1]) + 1000)
        found: list[EntitySamples] = []
        try:
            for kind in kinds:
                labels = list(self._service.metrics(kind, cluster.architecture))
                found += queries.ask(kind.id, labels, span, partial(cluster.ids, kind.id))
                self._cursors[cluster.moid, kind.id] = slots[1]
        finally:
            book.take(cluster, found)

    def _is_supported(self, kind: EntityType) -> bool:
        return self._supported is None or kind.id in self._supported

    def _count(self, reached: int, *, keep: int) -> None:
        """Count what is due until the slot up to which all types have answered; late ones may still come."""
        assert self._book is not None
        assert self._counted is not None
        until = min(self._cursors.values(), default=reached) if keep else reached
        reason = self._messages[0] if self._messages else NO_SAMPLES
        self._book.expect(self._counted + 1, until, keep=keep, reason=reason)
        self._book.forget_until(until - 2 * max(_MOST_SLOTS, self._past_slots))
        self._counted = max(self._counted, until)

    def _update_attributes(self) -> None:
        found = [("vsan.state", one) for one in self._messages[:1]]
        found += [("vsan.refused", ", ".join(one.refused)) for one in self._queries.values() if one.refused]
        lacking = {
            label for one in self._queries.values() for labels in one.dropped.values() for label in labels
        }
        if lacking:
            found.append(("vsan.labels that hosts lack", ", ".join(sorted(lacking))))
        if self._supported is not None:
            found.append(("vsan.entity types", ", ".join(sorted(self._supported))))
            found.append(("vsan.metrics", str(sum(self._supported.values()))))
        if tuple(found) != self._attributes:
            self._attributes = tuple(found)
            self._feed.update_source(self._source, attributes=found)

    def _report(self, state: State, now_ms: float = 0.0) -> None:
        book = self._book
        if book is None:
            return
        behind_s = max(0.0, (now_ms - book.newest_ms) / 1000) if book.newest_ms and now_ms else 0.0
        marks = book.watermarks
        self._feed.report(
            self._source,
            Health(
                state,
                float(self._service.timing.interval_s),
                book.entities,
                len(book),
                marks.due,
                marks.received,
                behind_s,
                book.gaps.count,
                book.newest_ms or None,
                " ".join(self._messages[:2]),
            ),
        )


def _switched_off(cluster: str) -> str:
    return (
        f"The performance service of vSAN is off in {cluster}, so nothing of its vSAN is recorded."
        " Switch it on in the vSphere Client: the cluster, Configure, vSAN, Services, Performance Service."
    )
