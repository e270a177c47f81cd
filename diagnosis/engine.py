"""Runs every problem card over a session: prunes by statistics, detects, explains, and ranks the findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from diagnosis.arrays import usual_step
from diagnosis.blind_rules import asked_of
from diagnosis.check_numbers import NumberBook
from diagnosis.common_way import BadWay, CommonWays
from diagnosis.compiled import CompiledRule
from diagnosis.detect import Hit, detect
from diagnosis.endings import end_note, with_all_above
from diagnosis.explain import Explanation, explain
from diagnosis.finding_notes import class_note, pattern_note, short_note
from diagnosis.finer_source import SourcesOf, written
from diagnosis.first_look import first_look
from diagnosis.left_out import left_out_texts
from diagnosis.prepared import Prepared, prepare
from diagnosis.presence import Subject, entity_subjects, insufficient, source_subject
from diagnosis.pruning import Pruning
from diagnosis.ranking import WEIGHT, Whereabouts, rank, score
from diagnosis.reach import (
    Outcomes,
    ReachBook,
    known_samples,
    known_within,
    no_samples_verdict,
)
from diagnosis.signals import Scene
from diagnosis.sustained import shortest_hold_s
from diagnosis.topology import SHARED_BY_HOSTS, Topology, vsan_cluster_of, vsan_stores_of
from diagnosis.what_next import log_notes, with_next_step
from diagnosis.who_would_know import lacking_text
from resources.catalogue import Catalogue, Counter
from resources.failures import CancelledError
from resources.problem_cards import Card, Problems
from resources.stopping import StopSignal
from sessions.findings import Evidence, Finding
from sessions.model import EntityRef, Event, IntArray, SampleSource
from sessions.times import TimeRange
from sessions.verdicts import NOT_JUDGED, EntityReach, Verdict

Progress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of checking one problem: how many entities it covers, and which counters are missing.

    ``judged`` is the number of entities that had all data that the condition needs, for long enough.
    ``lacking`` are counters that no source has.
    """

    problem: str
    title: str
    question: str
    entities: int
    judged: int
    lacking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings in a window of a session, worst first, and what was checked.

    ``counters`` are the catalogue entries of all counters that the cards read, by key. ``verdict`` says how
    far the diagnosis reaches, ``reach`` what was judged of each entity; one that is missing there was not.
    """

    window: TimeRange | None
    findings: tuple[Finding, ...]
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    counters: Mapping[str, Counter] = field(default_factory=dict)
    verdict: Verdict = NOT_JUDGED
    reach: Mapping[EntityRef, EntityReach] = field(default_factory=dict)


def diagnose(
    source: SampleSource,
    problems: Problems,
    catalogue: Catalogue,
    window: TimeRange | None = None,
    *,
    progress: Progress | None = None,
    cancel: StopSignal | None = None,
) -> list[Finding]:
    """Return only the findings; see ``diagnose_session`` for the parameters."""
    return list(
        diagnose_session(source, problems, catalogue, window, progress=progress, cancel=cancel).findings
    )


def diagnose_session(
    source: SampleSource,
    problems: Problems,
    catalogue: Catalogue,
    window: TimeRange | None = None,
    *,
    progress: Progress | None = None,
    cancel: StopSignal | None = None,
) -> Diagnosis:
    """Check all problems over the window (default: the whole session).

    ``progress`` is called with the fraction done (0 to 1) and the name of the problem that is checked. Raises
    CancelledError when ``cancel`` is set, KnowledgeError where a card's expression is wrong.
    """
    span = source.span()
    chosen = span if window is None or span is None else window.intersect(span)
    if chosen is None:
        sources, is_windowed = source.sources(), span is not None
        verdict = no_samples_verdict(sources, is_windowed=is_windowed)
        verdict = with_next_step(verdict, sources, problems.looks, is_windowed=is_windowed)
        return Diagnosis(window, (), verdict=verdict)
    return Run(prepare(source, problems, chosen), catalogue, progress, cancel).run()


@dataclass(frozen=True, slots=True)
class Focus:
    """A part of the time, and how long (s) a problem must reach into it to be one of it."""

    window: TimeRange
    least_s: float = 0.0

    def has(self, finding: Finding) -> bool:
        """Return True if a finding's windows reach into the part long enough, or are all in it."""
        parts = [part for one in finding.windows if (part := one.intersect(self.window)) is not None]
        inside = sum(one.seconds for one in parts)
        whole = sum(one.seconds for one in finding.windows)
        return bool(parts) and inside >= min(self.least_s, whole)


class Run:
    """One judging of a prepared session.

    ``focus``: only what was a problem in this part of the time is found, and only samples in it count as
    judged; the rest of the time is what it is compared with.
    """

    def __init__(
        self,
        prepared: Prepared,
        catalogue: Catalogue,
        progress: Progress | None = None,
        cancel: StopSignal | None = None,
        focus: Focus | None = None,
    ) -> None:
        self._prepared, self._catalogue, self._focus = prepared, catalogue, focus
        self._problems, self._rules = prepared.problems, prepared.rules
        self._progress, self._cancel = progress, cancel
        self._window, self._sources = prepared.window, prepared.sources
        self._topology, self._table, self._events = prepared.topology, prepared.table, prepared.events
        self._gaps = prepared.gaps
        self._told_from = SourcesOf(
            self._topology,
            {one.id: one for one in self._sources},
            lambda source: usual_step(self._table.axis(source)),
        )
        self._suspects: list[tuple[Card, EntityRef]] = []
        self.outside: list[Finding] = []
        """Findings of the time outside of the focus."""
        self._numbers = NumberBook(self._topology, focus.window if focus else None)
        self._seen_on: dict[tuple[str, EntityRef], tuple[EntityRef, ...]] = {}
        self._judged_on: dict[tuple[str, EntityRef], list[EntityRef]] = {}
        self._ways: dict[tuple[str, EntityRef], list[BadWay]] = {}
        shortest_s = shortest_hold_s(self._problems)
        self._book = ReachBook(
            self._problems.cards, shortest_s, self._topology, self._table, prepared.possible.silences
        )

    def run(self) -> Diagnosis:
        """Check all problems. Raises CancelledError when asked to stop."""
        explanations: list[Explanation] = []
        findings: list[Finding] = []
        steps = max(1, len(self._sources) * len(self._rules))
        for position, one in enumerate(self._sources):
            if not self._table.axis(one.id).size or one.spec.kind == "log":
                continue
            scenes = self._prepared.scenes_of(one.id)
            pruning = self._prepared.pruning_of(one.id)
            known = known_samples(self._table, pruning, self._prepared.known.get(one.id))
            self._prepared.known[one.id] = known
            inside = known_within(known, self._table, self._focus.window) if self._focus else known
            for number, scene in enumerate(scenes):
                self._step((position * len(scenes) + number) / steps, scene.compiled.card)
                found = detect(scene, pruning)
                self._book.note(scene, found, inside, known if self._focus else None)
                self._numbers.note(scene, found)
                self._note_counters(scene)
                self._suspects.extend((scene.compiled.card, ref) for ref in found.suspects)
                if found.hits:
                    explanations.extend(explain(found.hits, scene, self._catalogue))
            findings.extend(self._absences(position, pruning))
        merged = self._merged(explanations)
        common = CommonWays(merged, self._ways, self._problems, self._topology)
        where = Whereabouts(
            self._hosts_of,
            lambda finding: self._topology.pools.above(finding.entity),
            self._clusters_of,
            partial(_users_of, self._topology),
            partial(_stores_of, self._topology),
            lambda finding: vsan_stores_of(self._topology, finding.entity),
            common.leader,
            self._stores_itself,
        )
        ranked = rank([*map(common.told, merged), *findings], self._problems, where)
        if self._focus:
            self.outside = [one for one in ranked if not self._focus.has(one)]
            ranked = [one for one in ranked if self._focus.has(one)]
        if self._progress:
            self._progress(1.0, "done")
        self._numbers.read_ahead(self._table)
        outcomes = Outcomes(ranked, self._suspects, self._numbers)
        left_out = left_out_texts(self._prepared.possible, self._catalogue, self._topology)
        judged = self._book.verdict(self._sources, self._problems.cards, self._catalogue, outcomes, left_out)
        verdict = replace(
            with_next_step(judged, self._sources, self._problems.looks),
            judged_with=self._topology.storage.own_sets(),
            thresholds_trouble=self._problems.storage.trouble,
        )
        if self._table.grown:
            self._table.grown.end_look()
        return Diagnosis(
            window=self._window,
            findings=tuple(ranked),
            checks=self._checks(),
            notes=self._notes(is_judged=verdict.is_judged),
            counters=counters_of(self._rules, self._catalogue),
            verdict=verdict,
            reach=self._book.entities(self._prepared.reach),
        )

    def _step(self, part: float, card: Card) -> None:
        if self._cancel and self._cancel.is_set():
            raise CancelledError("The diagnosis was stopped.")
        if self._progress:
            self._progress(part, card.title)

    def _note_counters(self, scene: Scene) -> None:
        tally = self._book.tallies[scene.compiled.card.id]
        asked = asked_of(scene)
        tally.untold |= asked.untold
        tally.present |= asked.present
        tally.lacking |= asked.lacking

    def _absences(self, position: int, pruning: Pruning) -> list[Finding]:
        """Too few samples: of the source first; of its entities only where the source itself has enough."""
        source = self._sources[position]
        if source.spec.kind in ("fio", "guest"):
            return []  # the figures of a test need no minimum length; a guest is evidence for its VM
        times = self._table.axis(source.id)
        findings: list[Finding] = []
        for card in self._problems.cards:
            for rule in card.presence:
                subjects: Sequence[Subject]
                if rule.kinds:
                    counts = self._prepared.possible.with_left_out(pruning.ids, pruning.stats.count)
                    there = replace(pruning, stats=replace(pruning.stats, count=counts))
                    subjects = list(
                        entity_subjects(
                            source, times, rule.kinds, self._topology, there, self._gaps, self._table
                        )
                    )
                else:
                    whole = source_subject(source, times, self._topology)
                    subjects = [whole] if whole else []
                found = insufficient(card, rule, subjects)
                kinds = " ".join(rule.kinds)
                self._book.tallies[card.id].saw((source.id, kinds), len(subjects), len(subjects))
                if found and not rule.kinds:
                    return [replace(one, notes=self._suspicions(source.id)) for one in found]
                findings.extend(found)
        return findings

    def _suspicions(self, source: int) -> tuple[str, ...]:
        """What was over its limit in every sample of a source that is too short to judge it."""
        there = self._topology.entities_in(source)
        return tuple(
            f"In every sample, but too short to call: {card.title}, {self._topology.shown_name(ref)}."
            for card, ref in self._suspects
            if ref in there
        )

    def _merged(self, explanations: list[Explanation]) -> list[Finding]:
        """One finding for each problem and entity, whatever the number of sources that saw it."""
        groups: dict[tuple[str, EntityRef], list[Explanation]] = {}
        for one in explanations:
            shared = self._topology.base(one.hit.entity)
            groups.setdefault((one.hit.compiled.card.id, shared), []).append(one)
        return [self._finding(group) for group in groups.values()]

    def _finding(self, group: list[Explanation]) -> Finding:
        # Of what several sources show alike the finer tells it: it is nearer to what happened.
        ordered = sorted(
            group,
            key=lambda one: (
                -WEIGHT[one.hit.severity],
                self._told_from.step_s(one.hit.source),
                -one.hit.seconds,
            ),
        )
        worst = ordered[0]
        card, hit = worst.hit.compiled.card, worst.hit
        evidence = worst.evidence if len(ordered) == 1 else self._evidence_by_source(ordered)
        if hit.entity.kind in SHARED_BY_HOSTS:
            hosts = dict.fromkeys(one.hit.host for one in ordered if one.hit.host is not None)
            self._seen_on[card.id, self._topology.base(hit.entity)] = tuple(hosts)
        if ways := [one.way for one in ordered if one.way is not None]:
            self._ways[card.id, self._topology.base(hit.entity)] = ways
        axis = self._table.axis(hit.source)
        windows = _union([window for one in ordered for window in one.hit.windows], axis)
        told_of = self._told_of(hit)
        changes, left = self._changes(hit, windows[0].start) if windows else ((), 0)
        coverage = np.mean([one.decided for one in ordered])
        share = max(one.hit.share for one in ordered)
        return Finding(
            problem=card.id,
            title=card.title,
            severity=hit.severity,
            entity=told_of,
            entity_name=self._topology.shown_name(told_of),
            windows=windows,
            share=share,
            conclusion=worst.conclusion,
            evidence=evidence,
            causes=worst.causes,
            remedies=worst.remedies or first_look(hit, worst.causes, self._topology, self._problems.looks),
            score=score(hit.severity, share, float(coverage)),
            notes=(
                *worst.notes,
                *self._told_from.note(hit.entity, [one.hit.source for one in ordered]),
                *class_note(hit, self._topology),
                *short_note(hit, axis),
                *pattern_note(hit, windows, axis, stands_out=worst.stands_out),
                *end_note(hit, windows, axis, self._topology, self._events, self._table, worst.notes),
            ),
            changes=changes,
            changes_left=left,
        )

    def _told_of(self, hit: Hit) -> EntityRef:
        """What the finding is told of: what was judged, or a vSAN datastore's cluster."""
        is_cluster = hit.compiled.rule.told_of == "cluster"
        above = vsan_cluster_of(self._topology, hit.entity) if is_cluster else None
        if above is None:
            return self._topology.base(hit.entity)
        self._judged_on.setdefault((hit.compiled.card.id, above), []).append(self._topology.base(hit.entity))
        return above

    def _stores_itself(self, finding: Finding) -> Sequence[EntityRef]:
        return self._judged_on.get((finding.problem, finding.entity), (finding.entity,))

    def _changes(self, hit: Hit, start: int) -> tuple[tuple[Event, ...], int]:
        """What happened around the entity shortly before."""
        topology = self._topology
        host = topology.host(hit.source, hit.entity, [TimeRange(start, start)])
        own = with_all_above(topology, hit.entity)
        if host is not None:
            own |= set(topology.ancestors(host).values())
        if pool := topology.pools.nearest(hit.entity, [TimeRange(start, start)]):
            own.add(pool)
        return self._events.before(start, own, host, topology.stored_on(hit.entity))

    def _evidence_by_source(self, ordered: list[Explanation]) -> tuple[Evidence, ...]:
        """Evidence of several sources or rules, named by source: all of the worst, of the others what has a
        limit. What two rules tell of one view alike is told once: two means of one latency contradict.
        """
        names = self._names_of_views([one.hit for one in ordered])
        told: dict[tuple[object, ...], Evidence] = {}
        for number, (one, name) in enumerate(zip(ordered, names, strict=True)):
            for item in one.evidence:
                instance = name or item.instance
                number_of = item.what, item.counter, instance, item.statistic
                if number == 0 or (item.threshold is not None and number_of not in told):
                    told.setdefault(number_of, replace(item, instance=instance))
        return tuple(told.values())

    def _names_of_views(self, hits: Sequence[Hit]) -> list[str]:
        """Return the name of each hit's view, with the kind of source where two sources of one name saw it;
        empty names where it is one view, of which several rules hold.
        """
        if len({(one.source, one.entity, one.host) for one in hits}) == 1:
            return [""] * len(hits)
        names = [self._seen_from(one) for one in hits]
        sources = {
            name: {one.source for one, its in zip(hits, names, strict=True) if its == name} for name in names
        }
        kinds = {one.id: written(one.spec.kind) for one in self._sources}
        return [
            f"{name} ({kinds[one.source]})" if len(sources[name]) > 1 else name
            for one, name in zip(hits, names, strict=True)
        ]

    def _seen_from(self, hit: Hit) -> str:
        """The host whose view of a shared entity it is, or that a VM was on then, or the source."""
        is_view = hit.entity != self._topology.base(hit.entity) and hit.entity.kind != "vm"
        if hit.host is not None and (is_view or hit.periods is not None):
            return self._topology.entity(hit.host).name
        return next(one.spec.name for one in self._sources if one.id == hit.source)

    def _hosts_of(self, finding: Finding) -> Sequence[EntityRef]:
        """The host that the finding's entity was on in its windows; of what hosts share, each host from
        which this problem of it is seen, the worst first.
        """
        ref = finding.entity
        if seen := self._seen_on.get((finding.problem, ref)):
            return seen
        for source in self._topology.sources:
            if ref in self._topology.entities_in(source):
                host = self._topology.host(source, ref, finding.windows)
                return () if host is None else (host,)
        return ()

    def _clusters_of(self, finding: Finding) -> Sequence[EntityRef]:
        """The cluster of each of the finding's hosts."""
        above = (self._topology.ancestors(host).get("cluster") for host in self._hosts_of(finding))
        return tuple(dict.fromkeys(cluster for cluster in above if cluster))

    def _checks(self) -> tuple[Check, ...]:
        checks = []
        for card in self._problems.cards:
            tally = self._book.tallies[card.id]
            lacking = tuple(sorted(tally.lacking - tally.present))
            entities, judged = sum(tally.entities.values()), sum(tally.judged.values())
            checks.append(Check(card.id, card.title, card.question, entities, judged, lacking))
        return tuple(checks)

    def _has_samples(self) -> bool:
        return any(self._table.axis(one.id).size for one in self._sources)

    def _notes(self, *, is_judged: bool) -> tuple[str, ...]:
        if not self._has_samples():
            return ("The window has no samples.",)
        kinds = {one.spec.kind for one in self._sources}
        if kinds == {"log"}:
            return log_notes(self._prepared.told)
        if not is_judged or not kinds <= set(self._problems.derived.kinds):
            return ()
        lacking = (
            (check.title, lacking_text(check.lacking, self._catalogue, kinds))
            for check in self._checks()
            if check.entities and not check.judged and check.lacking
        )
        return tuple(f"Not judged: {title}. {why[0].upper()}{why[1:]}." for title, why in lacking)


def _users_of(topology: Topology, finding: Finding) -> Sequence[EntityRef]:
    """The VMs with disks on the finding's entity."""
    return [topology.base(ref) for ref in topology.stored_on(finding.entity)]


def _stores_of(topology: Topology, finding: Finding) -> Sequence[EntityRef]:
    """The datastores of a VM's disks, or the one that lies on a device."""
    if finding.entity.kind != "device":
        return topology.disks.stores_of(finding.entity)
    store = topology.disks.store_on(topology.base(finding.entity))
    return () if store is None else (store,)


def counters_of(rules: Iterable[CompiledRule], catalogue: Catalogue) -> dict[str, Counter]:
    """Return the catalogue entries of all counters that the rules read, by key."""
    keys = sorted({key for rule in rules for key in rule.counters()})
    return {key: known for key in keys if (known := catalogue.get(key))}


_NEXT = 1.3  # intervals: samples that follow each other are seldom further apart


def _union(windows: list[TimeRange], axis: IntArray) -> tuple[TimeRange, ...]:
    """One window for those that overlap or follow each other sample by sample; ``axis`` are times (ms)."""
    apart = _NEXT * usual_step(axis)
    joined: list[TimeRange] = []
    for window in sorted(windows):
        if joined and window.start <= joined[-1].end + apart:
            joined[-1] = TimeRange(joined[-1].start, max(joined[-1].end, window.end))
        else:
            joined.append(window)
    return tuple(joined)
