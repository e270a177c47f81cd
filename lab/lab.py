"""The lab itself: one scenario, one seed, one clock; every sample is a row of values for each host."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from collectors.esxtop_names import ColumnPath
from lab.esxtop_cpu import CpuView
from lab.esxtop_memory import MemoryView
from lab.esxtop_network import NetworkView
from lab.esxtop_storage import StorageView
from lab.esxtop_tables import EsxtopTables
from lab.fields import FieldSet
from lab.intervals import Interval
from lab.layout import build_layouts_of, build_tables
from lab.physics import TICK_S, Physics
from lab.printout import Printout
from lab.scenario import Scenario
from lab.seen import Keeper, Seen
from lab.truth import GroundTruth, find_truth
from resources.failures import UsageError
from sessions.model import FloatArray


@dataclass(frozen=True, slots=True)
class Tick:
    """One sample: the instant in ms since 1970, and the row of each host, in the order of
    ``Lab.columns()``; a host that has failed has NaN.
    """

    t_ms: int
    rows: tuple[FloatArray, ...]


class Lab(Physics):
    """A simulated cluster. The same scenario, seed and version of numpy give the same ticks on every machine.

    ``fields`` selects the counters: ``default`` (``esxtop -b``), ``all`` (``-b -a``) or ``diagnosis`` (those
    that problem cards read); ``computed`` those that get values for others who look, as a vCenter does (None:
    the same). Values are rounded to esxtop's decimals, so that recording directly and
    importing a printed capture give the same. ``interval_s`` is how many seconds lie between two samples
    (``esxtop -d``): 5 or fewer, or a multiple of 5. ``state`` is the input of the next tick. Raises
    KnowledgeError when the scenario does not fit the lab, UsageError for another interval.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        seed: int,
        fields: FieldSet = "all",
        interval_s: float = TICK_S,
        computed: FieldSet | None = None,
    ) -> None:
        if interval_s <= 0 or (interval_s > TICK_S and interval_s % TICK_S):
            raise UsageError(
                f"The lab takes no sample every {interval_s:g} s.",
                advice="Choose up to 5 s, or a multiple of 5 s.",
            )
        super().__init__(scenario, seed=seed, tick_s=min(interval_s, TICK_S))
        self.fields: FieldSet = fields
        self.interval_s = interval_s
        self._steps = round(interval_s / self.tick_s)
        self._show(computed or fields)
        self._ticks = 0
        self.warm_up()
        self._keeper = Keeper(self)

    def _show(self, computed: FieldSet) -> None:
        cluster, rngs = self.cluster, self.rngs
        layouts = build_layouts_of(cluster)
        self.layouts = layouts
        self._tables = build_tables(cluster, layouts, computed)
        self._cpu_view = CpuView(cluster, self.index, layouts, self._tables, self.tick_s, rngs[8])
        view, storage_rng, network_rng = rngs[9].spawn(3)
        self._memory_view = MemoryView(
            cluster, self.index, layouts, self._tables, self.memory, self.tick_s, view
        )
        self._storage_view = StorageView(self.index, layouts, self._tables, self.tick_s, storage_rng)
        self._network_view = NetworkView(self.index, layouts, self._tables, network_rng)
        self._defects_rng = rngs[11]

    @cached_property
    def _printout(self) -> Printout:
        """Columns and rows as esxtop prints them, built on first use: the view of a vCenter needs neither."""
        samples = round(self.duration_s / self.interval_s)
        return Printout(
            self._tables, self.layouts, self.fields, samples, self._defects_rng, self.absent_at_start
        )

    @cached_property
    def _interval(self) -> Interval:
        """What an interval of several ticks adds up to."""
        return Interval(self._tables)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts' names; each host is a source."""
        return tuple(host.name for host in self.cluster.hosts)

    @property
    def start_ms(self) -> int:
        """The time of the first tick in ms since 1970; determined by the seed."""
        return self.cluster.start_ms

    @property
    def now_ms(self) -> int:
        """The time of the next sample in ms since 1970."""
        return self.start_ms + round(self._sample * self.interval_s * 1000)

    @property
    def _sample(self) -> int:
        """The number of the next sample, from 0: the first comes with the first tick, as esxtop's does."""
        return -(-self._ticks // self._steps)

    def columns(self) -> tuple[tuple[ColumnPath, ...], ...]:
        """Return each host's columns, in esxtop's order."""
        return self._printout.columns

    def decimals(self) -> tuple[tuple[int, ...], ...]:
        """Return the printed decimals of each host's columns."""
        return self._printout.decimals

    @property
    def esxtop_tables(self) -> EsxtopTables:
        """All counters of the last tick, before they are rounded as esxtop prints them."""
        return self._tables

    def truth(self) -> GroundTruth:
        """The problems of this run, computed from scenario and seed, not from the simulated counters."""
        return find_truth(self.scenario, self.cluster, self.index, self.changes, self.duration_s)

    def tick(self) -> Tick | None:
        """Advance by one interval; return None for a sample that the simulated collector misses."""
        number, now_ms = self._sample, self.now_ms
        if self._steps == 1:
            return self._taken(number, now_ms) if self.step() else None
        is_taken = False
        while self._ticks <= number * self._steps:
            is_taken = self.step()
            if is_taken:
                self._interval.add()
        return self._taken(number, now_ms, self._interval.end()) if is_taken else None

    def _taken(self, number: int, now_ms: int, flat: FloatArray | None = None) -> Tick:
        held = self._tables.flat if flat is None else flat
        absent, failed = self.absent()[None], self.failed()[None]
        rows = self._printout.rows(held[None], [number], absent, failed)
        return Tick(now_ms, tuple(row[0] for row in rows))

    def step(self) -> bool:
        """Advance by one tick, without rows: ``esxtop_tables`` hold the values; False for a missed tick."""
        return bool(self.steps(1).is_taken[0])

    def steps(self, count: int) -> Seen:
        """Advance by so many ticks, without rows, and return them; ``esxtop_tables`` hold the values of those
        that a collector sampled.
        """
        for _ in range(count):
            now_ms = self.now_ms
            self.advance(self._ticks * self.tick_s)
            self._ticks += 1
            self._keeper.keep(now_ms)
        seen = self._keeper.together()
        taken = seen.taken()
        if len(taken):
            self._tables.hold(len(taken))
            for view in (self._cpu_view, self._memory_view, self._storage_view, self._network_view):
                view.update(taken)
        return seen

    def ticks_of(self, seen: Seen) -> list[Tick]:
        """Return the samples of the ticks that ``steps`` has just returned, where every tick is one."""
        taken = seen.taken()
        if not len(taken):
            return []
        first = self._ticks - len(seen)
        rows = self._printout.rows(
            self._tables.held, (first + np.flatnonzero(seen.is_taken)).tolist(), taken.absent, taken.failed
        )
        return [Tick(at, tuple(row[number] for row in rows)) for number, at in enumerate(taken.times_ms)]
