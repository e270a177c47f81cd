"""What judging a session needs besides samples: relations, time axes, events; kept between two looks."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from diagnosis.compiled import CompiledRule, compile_problems
from diagnosis.derived import with_derived
from diagnosis.gates import series_of
from diagnosis.judged_rows import KnownSamples
from diagnosis.members import MemberBook
from diagnosis.path_matching import link_paths
from diagnosis.possible_samples import PossibleSamples
from diagnosis.presence import EntityGaps, gaps_by_entity
from diagnosis.pruning import Pruning, pruning_of
from diagnosis.reach import ReachKept
from diagnosis.samples import SampleTable
from diagnosis.session_events import SessionEvents
from diagnosis.signals import Scene
from diagnosis.topology import Topology
from resources.possible_values import load_possible_values
from resources.problem_cards import Problems, Rule
from sessions.distinct import distinct
from sessions.model import EntityRef, Event, IntArray, SampleSource, Source
from sessions.times import TimeRange


@dataclass(slots=True)
class Prepared:
    """A session in a window, ready to be judged. ``scenes`` are those of all rules in each source so far.

    ``only`` are the entities that are judged, None for all; of a device that hosts share, only what these
    hosts see. What is compared with them (neighbours, other hosts) is read all the same.
    """

    problems: Problems
    rules: Sequence[CompiledRule]
    possible: PossibleSamples
    source: SampleSource
    sources: Sequence[Source]
    window: TimeRange
    topology: Topology
    table: SampleTable
    told: Sequence[Event]
    events: SessionEvents
    gaps: EntityGaps
    members: MemberBook
    changes: IntArray
    """When facts begin and end, ascending: also those that are told ahead of the samples."""
    paths_are_final: bool = True
    scenes: dict[int, list[Scene]] = field(default_factory=dict)
    series: dict[int, IntArray] = field(default_factory=dict)
    pruning: dict[int, Pruning] = field(default_factory=dict)
    known: dict[int, KnownSamples] = field(default_factory=dict)
    reach: ReachKept = field(default_factory=ReachKept)
    only: Collection[EntityRef] | None = None

    def scenes_of(self, source: int) -> list[Scene]:
        """Return a scene for each rule with the source's entities, without values."""
        if source not in self.scenes:
            self.scenes[source] = [
                Scene(
                    rule,
                    source,
                    self._chosen(source, _rows_of(rule.rule, source, self.topology)),
                    self.topology,
                    self.table,
                    self.events,
                    self.members,
                )
                for rule in self.rules
            ]
        return [scene.without_values(self.events) for scene in self.scenes[source]]

    def _chosen(self, source: int, rows: Sequence[EntityRef]) -> Sequence[EntityRef]:
        """Return those of the rows that are to be judged."""
        if self.only is None:
            return rows
        only, topology = self.only, self.topology
        mine = [ref for ref in rows if topology.base(ref) in only or ref in only]
        hosts = {ref for ref in only if ref.kind == "host"}
        if not hosts:
            return mine
        return [
            ref
            for ref in mine
            if ref.kind not in ("device", "datastore") or topology.host(source, ref) in {None, *hosts}
        ]

    def series_of(self, source: int) -> IntArray:
        """Return the series that the conditions of all rules read in the source, ascending."""
        if source not in self.series:
            found = [series_of(scene) for scene in self.scenes_of(source)]
            self.series[source] = distinct(np.concatenate(found)) if found else np.zeros(0, np.int64)
        return self.series[source]

    def pruning_of(self, source: int) -> Pruning:
        """Return the statistics of these series as they are now."""
        found = pruning_of(self.table, self.series_of(source), self.pruning.get(source))
        self.pruning[source] = found
        return found

    def extend(self, session: SampleSource, window: TimeRange, rewritten: Collection[int]) -> None:
        """Go on with a longer window of the session, whose inventory and facts are the same."""
        self.window = window
        self.sources = session.sources()
        self.topology.window = window
        self.possible.extend(window)
        self.table.extend(window, rewritten)
        if rewritten:
            self.known.clear()  # a source's conditions may read series of another one
        self._read_records(session)

    def is_extendable(self, window: TimeRange) -> bool:
        """Return True if no fact begins or ends in the time that a longer window adds, and what never counted
        has not begun to.
        """
        old = self.window
        first, end = np.searchsorted(self.changes, (old.end + 1, window.end + 2)).tolist()
        return bool(
            self.paths_are_final
            and window.start == old.start
            and self.possible.is_as_before(window)
            and first == end
        )

    def _read_records(self, session: SampleSource) -> None:
        """Read events and gaps again; events that are the same keep what was looked up in them."""
        told = session.events()
        if told is not self.told:
            self.told, self.events = told, _events(session, told, self.problems, self.sources)
        self.gaps = gaps_by_entity(session.gaps(), self.window)


def _rows_of(rule: Rule, source: int, topology: Topology) -> Sequence[EntityRef]:
    """Return the entities of the source that a rule is about."""
    found, only = topology.rows(source, rule.entity), rule.only
    if rule.where_name:
        named = re.compile(rule.where_name)
        found = [ref for ref in found if named.fullmatch(topology.entity(ref).name)]
    if rule.where_class:
        found = [ref for ref in found if topology.storage.of(ref).storage_class in rule.where_class]
    if only is None:
        return found
    known, like = topology.texts(only.fact), re.compile(only.like)
    types = ((ref, known.get(topology.base(ref))) for ref in found)
    return [ref for ref, text in types if (not only.told if text is None else like.fullmatch(str(text)))]


def prepare(
    session: SampleSource,
    problems: Problems,
    window: TimeRange,
    only: Collection[EntityRef] | None = None,
) -> Prepared:
    """Read what is not samples. Raises KnowledgeError where a card's expression is wrong."""
    rules = compile_problems(problems)
    counters = {key for rule in rules for key in rule.counters()}
    sources = session.sources()
    needed = {key for rule in problems.derived.counters for key in rule.counters.values()}
    possible = PossibleSamples(session, load_possible_values(), {*counters, *needed}, window)
    source = with_derived(possible, problems.derived, counters, window)
    topology = Topology(source, counters, window, problems.system_vms, problems.storage)
    table = SampleTable(source, window, topology.series.source_of)
    are_final = link_paths(source, topology, table)
    told = session.events()
    events = _events(session, told, problems, sources)
    gaps = gaps_by_entity(session.gaps(), window)
    members = MemberBook(topology)
    # The source's facts are those alone that had begun by the window's end.
    facts = (*possible.facts(), *source.facts())
    starts_and_ends = {at for fact in facts for at in (fact.start, fact.end) if at is not None}
    changes = np.array(sorted(starts_and_ends), np.int64)
    return Prepared(
        problems, rules, possible, source, sources, window, topology, table, told, events, gaps, members,
        changes, are_final, only=only,
    )  # fmt: skip


def _events(
    session: SampleSource, told: Sequence[Event], problems: Problems, sources: Sequence[Source]
) -> SessionEvents:
    places = [fact for fact in session.facts() if fact.name == "host"]
    are_reported = any(one.spec.kind in problems.derived.kinds for one in sources)
    are_told = any(one.spec.kind == "log" for one in sources)
    return SessionEvents(told, places, problems.changes, are_reported=are_reported, are_told=are_told)
