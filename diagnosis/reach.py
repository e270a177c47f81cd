"""How far a diagnosis reached: which entities, sources and problems had the samples that judging needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from diagnosis.arrays import usual_step
from diagnosis.blind_rules import blind_reason
from diagnosis.brief_rows import is_brief
from diagnosis.check_numbers import NumberBook
from diagnosis.detect import Detection
from diagnosis.judged_rows import JudgedRows, KnownSamples, judged_to, rows_judged
from diagnosis.kinds import plural
from diagnosis.pruning import Pruning
from diagnosis.samples import SampleTable
from diagnosis.signals import Scene
from diagnosis.silent_hosts import Silence
from diagnosis.sustained import finer_interval_s, too_short, unseen_seconds
from diagnosis.topology import Topology, told_as
from diagnosis.who_would_know import (
    absent_text,
    lacking_text,
    only_finds_there,
    reads_any,
    seldom_text,
    too_short_text,
    unsampled_text,
    untold_text,
    who_would_show,
)
from resources.catalogue import Catalogue
from resources.problem_cards import Card, Hold
from resources.units import format_count, format_duration
from sessions.distinct import distinct
from sessions.findings import Finding
from sessions.model import EntityRef, IntArray, Source
from sessions.times import TimeRange
from sessions.verdicts import CheckReach, CheckVerdict, EntityReach, SeverityCounts, SourceReach, Verdict

_NAMED = 3
"""Hosts that a reason names."""
TOO_FEW_SAMPLES = "too few samples"
"""Why a check judged nothing that only had too few samples."""
NEVER_COUNTED = "what it looks at never counted"
"""Why a check judged nothing where all zeros of a host's counters say nothing."""
TOO_FEW_THEN = "too few samples in this time"
"""Why a check judged nothing of a part of the time, although there are samples before or after."""
_NEVER_JUDGED = {
    "fio": "these are figures of fio; known problems are looked for in counters of hosts and VMs",
    "guest": "what a guest counts itself is evidence for the problems of its VM, and no problem by itself",
    "log": "logs tell what happened, not how busy or slow anything was: they are evidence, no measurement",
}
_STOPPED = 2.5
"""Usual intervals after which a source that gives no samples any more has stopped before the others."""


@dataclass(slots=True)
class CardTally:
    """What one card's rules looked at, by source and kind: two rules for a kind see the same entities.

    ``untold`` is what an inventory would tell, and nobody did: names of facts, or events. ``is_elsewhere``:
    there are enough samples, but not in the part of the time that is asked about. ``unseen_s`` is how long a
    problem must last to be seen for sure in the coarsest source, as none speaks for another's entities (0:
    all are fine enough), ``finer_s`` how far apart samples may be for it. ``blind`` are the counters that no
    entity of a kind has, by kind, of rules that could judge none of these. ``rows`` says of each rule's
    entities which were judged, of ``scenes``.
    """

    entities: dict[tuple[int, str], int] = field(default_factory=dict)
    judged: dict[tuple[int, str], int] = field(default_factory=dict)
    lacking: set[str] = field(default_factory=set)
    present: set[str] = field(default_factory=set)
    untold: set[str] = field(default_factory=set)
    is_short: bool = False
    is_elsewhere: bool = False
    unseen_s: float = 0.0
    finer_s: float = 0.0
    blind: dict[str, set[str]] = field(default_factory=dict)
    rows: list[JudgedRows] = field(default_factory=list)
    scenes: list[Scene] = field(default_factory=list)

    def has_judged(self, kind: str) -> bool:
        """Return True if an entity of this kind was judged in any source."""
        return any(judged for (_, of), judged in self.judged.items() if of == kind)

    def saw(self, what: tuple[int, str], entities: int, judged: int) -> None:
        """Note the number of entities of a kind in a source, and of those that were judged."""
        self.entities[what] = max(entities, self.entities.get(what, 0))
        self.judged[what] = max(judged, self.judged.get(what, 0))


def known_samples(table: SampleTable, pruning: Pruning, before: KnownSamples | None = None) -> KnownSamples:
    """Return when each of the series had its last sample; reads only the ends of those that lack some.

    ``before`` is an earlier result for the same series: one that has no more samples since then is not
    searched again.
    """
    ids, count = pruning.ids, pruning.stats.count
    owners = table.owners(ids)
    last = np.zeros(ids.size, np.int64)
    for owner in distinct(owners).tolist():
        axis, mine = table.axis(owner), np.flatnonzero(owners == owner)
        if not axis.size:
            continue
        last[mine[count[mine] == axis.size]] = axis[-1]
        open_ = mine[(count[mine] > 0) & (count[mine] < axis.size)]
        if before is not None:
            same = before.count[open_] == count[open_]
            last[open_[same]] = before.last[open_[same]]
            open_ = open_[~same]
        back = 1
        while open_.size:
            window = TimeRange(int(axis[max(0, axis.size - back)]), int(axis[-1]))
            found = table.last_in(ids[open_], window)
            last[open_] = found
            open_ = open_[found == 0] if back < axis.size else open_[:0]
            back *= 4
    return KnownSamples(ids, count, last)


def known_within(known: KnownSamples, table: SampleTable, window: TimeRange) -> KnownSamples:
    """Return the same with the numbers of samples in a part of the time."""
    if window.start <= table.window.start and window.end >= table.window.end:
        return known
    return replace(known, count=table.counts_in(known.ids, window), within=window)


@dataclass(slots=True)
class ReachKept:
    """Which entities were judged for how many problems, as long as these are the same rows of the scenes."""

    judged: bytes = b""
    refs: Sequence[EntityRef] = ()
    places: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    problems: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What came of the checks; ``suspects`` are over a limit in all samples of too short a source, or in a
    lone sample of a coarse one.
    """

    findings: Sequence[Finding]
    suspects: Sequence[tuple[Card, EntityRef]]
    numbers: NumberBook


class ReachBook:
    """Collects, rule by rule, what a diagnosis judged."""

    def __init__(
        self,
        cards: Sequence[Card],
        shortest_s: float,
        topology: Topology,
        table: SampleTable,
        silences: Sequence[Silence] = (),
    ) -> None:
        self._topology, self._table = topology, table
        self._mute = {(one.source, one.host) for one in silences if one.is_all}
        self._silent = frozenset(key for one in silences for key in one.counters)
        self.tallies: dict[str, CardTally] = {card.id: CardTally() for card in cards}
        self._rows: list[JudgedRows] = []
        self._source_to: dict[int, int] = {}
        self._hosts_to: dict[int, dict[EntityRef, int]] = {}
        self._of: dict[str, set[str]] = {}
        self._short: set[int] = set()
        self._known: dict[int, KnownSamples] = {}
        self._shortest = shortest_s
        needed = (one.thresholds.get("enough") for one in cards if one.presence)
        self._enough = max((one.value for one in needed if one), default=0.0)
        for card in cards:
            for rule in card.rules:
                self._of.setdefault(rule.entity, set()).add(card.id)

    def note(
        self, scene: Scene, found: Detection, known: KnownSamples, whole: KnownSamples | None = None
    ) -> None:
        """Note what one rule judged in one source. ``known`` may be of a part of the time; ``whole`` is then
        of all of it.
        """
        card = scene.compiled.card.id
        tally, what = self.tallies[card], (scene.source, scene.compiled.rule.entity)
        if scene.compiled.rule.finds_only:
            if found.hits:
                tally.saw(what, len(found.hits), len(found.hits))
            return
        tally.is_short = tally.is_short or (found.short and bool(found.entities))
        if not found.entities or self._is_mute(scene):
            tally.saw(what, found.entities, 0)
            return
        if found.short or too_short(scene.times, Hold(self._shortest, self._shortest)):
            tally.saw(what, found.entities, found.judged)
            self._short.add(scene.source)
            return
        if not found.judged:
            tally.blind.setdefault(scene.compiled.rule.entity, set()).update(_without_series(scene))
        self._known[scene.source] = known
        rows = rows_judged(scene, found.decidable, known)
        if whole is not None and not rows.judged.any():
            tally.is_elsewhere |= bool(rows_judged(scene, found.decidable, whole).judged.any())
        tally.saw(what, found.entities, int(rows.judged.sum()))
        tally.rows.append(rows)
        tally.scenes.append(scene)
        self._note_coarseness(tally, scene, found, rows)
        if rows.judged.any():
            self._rows.append(rows)
            to = int(rows.to[rows.judged].max())
            self._source_to[scene.source] = max(to, self._source_to.get(scene.source, to))
        if scene.compiled.rule.entity == "host":
            hosts = self._hosts_to.setdefault(scene.source, {})
            for row in np.flatnonzero(rows.judged).tolist():
                hosts[rows.refs[row]] = max(int(rows.to[row]), hosts.get(rows.refs[row], 0))

    def _is_mute(self, scene: Scene) -> bool:
        """True if nothing of any host of the scene's source ever counted."""
        hosts = self._topology.rows(scene.source, "host")
        return bool(hosts) and all((scene.source, self._topology.base(one)) in self._mute for one in hosts)

    def _note_coarseness(self, tally: CardTally, scene: Scene, found: Detection, rows: JudgedRows) -> None:
        """Note what samples as far apart as these may hide, and whether they are too few: two rows of a
        capture have I/O in the second alone.
        """
        if found.judged:
            hold = scene.compiled.sustained.warning
            unseen = unseen_seconds(scene.times, hold, self._shortest)
            tally.unseen_s = max(tally.unseen_s, unseen)
            if unseen:
                finer = finer_interval_s(hold, self._shortest)
                tally.finer_s = min(tally.finer_s or finer, finer)
            tally.is_short |= not rows.judged.any()

    def entities(self, kept: ReachKept) -> dict[EntityRef, EntityReach]:
        """Return what was judged of each entity of which anything was judged; ``kept`` is that of earlier
        times, and is renewed.
        """
        if not self._rows:
            return {}
        judged = b"".join(id(rows.refs).to_bytes(8, "little") + rows.judged.tobytes() for rows in self._rows)
        if judged != kept.judged:
            self._renew(kept, judged)
        to = judged_to(self._rows, kept.refs, kept.places)
        return {
            ref: EntityReach(until, *problems)
            for ref, until, problems in zip(kept.refs, to.tolist(), kept.problems, strict=True)
        }

    def _renew(self, kept: ReachKept, judged: bytes) -> None:
        number: dict[EntityRef, int] = {}
        problems: list[set[str]] = []
        places: list[int] = []
        for rows in self._rows:
            for row in np.flatnonzero(rows.judged).tolist():
                ref = self._topology.base(rows.refs[row])
                at = number.setdefault(ref, len(number))
                if at == len(problems):
                    problems.append(set())
                problems[at].add(rows.card)
                places.append(at)
        kept.judged, kept.refs, kept.places = judged, list(number), np.array(places, dtype=np.int64)
        kept.problems = [
            (len(found), len(self._of[ref.kind])) for ref, found in zip(number, problems, strict=True)
        ]

    def verdict(
        self,
        sources: Sequence[Source],
        cards: Iterable[Card],
        catalogue: Catalogue,
        outcomes: Outcomes,
        left_out: Mapping[int, str] = MappingProxyType({}),
    ) -> Verdict:
        """Return the verdict over all that was noted. ``left_out`` says for some sources which of their
        samples can't be true.
        """
        reached, kinds = self._sources(sources, left_out), {one.spec.kind for one in sources}
        checks = tuple(
            self._seen(
                self._left_open(_with_outcome(self._check(card, sources, catalogue), outcomes)),
                kinds,
                catalogue,
            )
            for card in cards
            if card.rules
        )
        if not any(one.judged is not None for one in reached):  # a look at a state is no all-clear
            checks = tuple(
                replace(one, verdict="insufficient data") if one.verdict == "not found" else one
                for one in checks
            )
        return _verdict(sources, reached, checks, SeverityCounts.of(outcomes.findings))

    def _left_open(self, check: CheckReach) -> CheckReach:
        """The check, without an all-clear where counters are missing and leave some entities open: what there
        is has cleared all others, so that a problem would be of these. It is suspected where the worst number
        is of one of them, and over the limit.
        """
        number, tally = check.number, self.tallies[check.problem]
        if check.verdict == "not found" and tally.rows and self._all_brief(tally):
            return replace(check, judged=0, verdict="insufficient data", reason=TOO_FEW_SAMPLES)
        if check.verdict != "not found" or not check.is_partial:
            return check
        if number is None:
            return replace(check, verdict="insufficient data") if tally.lacking - tally.present else check
        is_over = number.value < number.limit if number.is_below else number.value > number.limit
        judged = (
            bool(rows.judged[place])
            for rows in tally.rows
            for place, ref in enumerate(rows.refs)
            if self._topology.base(ref) == number.entity
        )
        return replace(check, verdict="suspected") if is_over and not any(judged) else check

    def _seen(self, check: CheckReach, kinds: Collection[str], catalogue: Catalogue) -> CheckReach:
        """The check, without an all-clear where it has no number and could not have found anything."""
        if check.verdict != "not found" or check.number is not None:
            return check
        reason = blind_reason(self.tallies[check.problem].scenes, kinds, catalogue)
        return replace(check, verdict="insufficient data", judged=0, reason=reason) if reason else check

    def _all_brief(self, tally: CardTally) -> bool:
        """True if no rule had its counters for long enough to clear anybody."""
        return all(
            is_brief(scene, rows, self._known[scene.source], self._enough)
            for scene, rows in zip(tally.scenes, tally.rows, strict=True)
        )

    def _sources(self, sources: Sequence[Source], left_out: Mapping[int, str]) -> tuple[SourceReach, ...]:
        newest = max(
            (self._table.reference_end(one.id) for one in sources if self._table.axis(one.id).size), default=0
        )
        found = [self._source(one, newest) for one in sources]
        return tuple(_without(one, left_out.get(one.source, "")) for one in found)

    def _source(self, source: Source, newest: int) -> SourceReach:
        axis, to = self._table.axis(source.id), self._source_to.get(source.id)
        if to is None:
            name = f"logs of {source.spec.name}" if source.spec.kind == "log" else source.spec.name
            return SourceReach(source.id, name, None, axis.size, self._reason(source))
        judged = TimeRange(int(axis[0]), to)
        behind = newest - self._table.reference_end(source.id)
        usual = usual_step(axis)
        reason = ""
        if behind > _STOPPED * usual and behind > self._table.longest_step() * _STOPPED:
            reason = f"its samples stop {format_duration(behind / 1000)} before those of other sources"
        reason = reason or self._stopped_hosts(source.id, _STOPPED * usual)
        samples = int(np.searchsorted(axis, to, side="right"))
        return SourceReach(source.id, source.spec.name, judged, samples, reason)

    def _stopped_hosts(self, source: int, usual: float) -> str:
        """Return which hosts' samples end more than ``usual`` ms before those of the source's other hosts."""
        hosts = self._hosts_to.get(source, {})
        newest = max(hosts.values(), default=0)
        stopped = sorted(
            (to, self._topology.entity(ref).name) for ref, to in hosts.items() if newest - to > usual
        )
        if not stopped:
            return ""
        least = format_duration((newest - stopped[-1][0]) / 1000)
        at_least = "" if stopped[0][0] == stopped[-1][0] else " or more"
        names = sorted(name for _to, name in stopped)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        named = ", ".join(names[:_NAMED]) + more
        return f"the samples of {named} stop {least}{at_least} before those of other hosts"

    def _reason(self, source: Source) -> str:
        if source.spec.kind in _NEVER_JUDGED:
            return _NEVER_JUDGED[source.spec.kind]
        axis, every_s = self._table.axis(source.id), source.spec.interval_s or 0.0
        if every_s >= self._shortest and axis.size < 2:
            return seldom_text(axis.size, every_s, is_growing=source.is_growing)
        if not axis.size:
            return "no samples so far" if source.is_growing else "it has no samples"
        if not source.samples:
            return f"none of its {format_count(axis.size)} samples holds a number"
        if source.id not in self._short:
            return "it has no counter that a known problem needs, or too few samples of them"
        return too_short_text(axis, self._shortest)

    def _check(self, card: Card, sources: Sequence[Source], catalogue: Catalogue) -> CheckReach:
        tally = self.tallies[card.id]
        entities, judged = sum(tally.entities.values()), sum(tally.judged.values())
        entities = entities or self._uncounted(card)
        lacking = sorted(tally.lacking - tally.present)
        reason, shown_by, kinds = "", "", {one.spec.kind for one in sources}
        told_if_found = not entities and only_finds_there(card, self._topology, self._source_to)
        if entities and not judged:
            reason = self._unjudged_reason(card, lacking, kinds, catalogue)
        elif not entities:
            reason = absent_text(card)
            shown_by = "" if told_if_found else who_would_show(card, catalogue, kinds)
        elif judged < entities:
            reason = f"{format_count(entities - judged)} of {format_count(entities)} lack samples for it"
            if lacking:
                reason = f"{reason}; {lacking_text(lacking, catalogue, kinds)}"
            blind = {kind: keys for kind, keys in tally.blind.items() if keys and not tally.has_judged(kind)}
            if blind:
                reason = "; ".join(
                    f"of {plural(kind)} {lacking_text(sorted(keys), catalogue, kinds)}"
                    for kind, keys in blind.items()
                )
        return CheckReach(
            card.id, card.title, entities, judged, reason,
            shown_by=shown_by, unseen_s=tally.unseen_s, finer_s=tally.finer_s, told_if_found=told_if_found,
        )  # fmt: skip

    def _unjudged_reason(
        self, card: Card, lacking: Sequence[str], kinds: Collection[str], catalogue: Catalogue
    ) -> str:
        """Why none of the entities that can have the problem was judged."""
        tally = self.tallies[card.id]
        if reads_any(card, self._silent):
            return NEVER_COUNTED
        if tally.is_elsewhere:
            return TOO_FEW_THEN
        if "events" in tally.untold:
            return untold_text({"events"}, kinds)
        if lacking:
            return lacking_text(lacking, catalogue, kinds)
        if tally.is_short:
            return TOO_FEW_SAMPLES
        hidden = next((rule.unjudged for rule in card.rules if rule.unjudged), "")
        if not hidden and tally.untold:
            hidden = untold_text(tally.untold, kinds)
        return hidden or unsampled_text(card, catalogue, kinds)

    def _uncounted(self, card: Card) -> int:
        """How many entities the inventory has that the card is about, where no source counts any of them."""
        chosen = ((one.entity, one.only) for one in card.rules if one.only and not one.only.told)
        found = [told_as(self._topology, kind, only.fact, only.like) for kind, only in chosen if only]
        return len({ref for refs in found for ref in refs})


def _without(reach: SourceReach, left_out: str) -> SourceReach:
    """The source with what was left out of it: why it was not judged, or what else limits it."""
    limits = [left_out] if reach.judged is None and left_out else [reach.reason, left_out]
    return replace(reach, reason="; ".join(filter(None, limits)))


def _with_outcome(check: CheckReach, outcomes: Outcomes) -> CheckReach:
    """The check with its verdict and its number."""
    found = sum(finding.problem == check.problem for finding in outcomes.findings)
    suspected = len({ref for card, ref in outcomes.suspects if card.id == check.problem})
    verdict: CheckVerdict = "not found"
    if found:
        verdict = "problem"
    elif not check.applies:
        verdict = "not applicable"
    elif suspected:
        verdict = "suspected"
    elif not check.is_judged:
        verdict = "insufficient data"
    number = outcomes.numbers.number(check.problem) if check.applies else None
    return replace(check, verdict=verdict, found=found, suspected=suspected, number=number)


def no_samples_verdict(sources: Sequence[Source], *, is_windowed: bool) -> Verdict:
    """Return the verdict of a session, or of a time range of it, that has no sample at all."""
    where = "in this time range" if is_windowed else "in this session"
    reached = tuple(
        SourceReach(one.id, one.spec.name, None, 0, "no samples so far" if one.is_growing else "no samples")
        for one in sources
    )
    return _verdict(sources, reached, (), SeverityCounts(), f"there is no sample {where}")


def _verdict(
    sources: Sequence[Source],
    reached: tuple[SourceReach, ...],
    checks: tuple[CheckReach, ...],
    counts: SeverityCounts,
    reason: str = "",
) -> Verdict:
    if any(one.judged is not None for one in reached):
        return Verdict("judged", reached, checks, counts)
    if not reason:
        reasons = dict.fromkeys(one.reason for one in reached)
        reason = "; ".join(reasons) if len(reasons) == 1 else "no source has enough samples"
    growing = any(one.is_growing for one in sources)
    return Verdict("not judged yet" if growing else "could not be judged", reached, checks, counts, reason)


def _without_series(scene: Scene) -> set[str]:
    """Return the counters of the condition that no row of the scene has."""
    return {
        scene.compiled.signals[name].counters[local]
        for name in scene.compiled.detecting()
        if scene.compiled.signals[name].counters
        for local, ids in scene.members(name).ids.items()
        if (ids < 0).all()
    }
