"""The number that each check is told by: the worst that was seen, of which entity, against its limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from diagnosis.compiled import CompiledRule
from diagnosis.detect import Detection
from diagnosis.evaluate import Bounds
from diagnosis.samples import SampleTable
from diagnosis.signals import Scene, are_final
from diagnosis.sustained import most_within
from diagnosis.topology import Topology
from resources.problem_cards import Hold
from sessions.model import EntityRef, IntArray
from sessions.times import TimeRange
from sessions.verdicts import CheckNumber

_CANDIDATES = 6
"""Entities of a check whose samples are looked at, if their bounds leave open which is the worst."""
_MOST_HELD = 4_000_000
"""Values of rows that were looked at, held until the numbers are told: 32 MB."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A row of a scene that may have the worst number, which is at most ``bound``, on its bad side, and then
    as bad as ``badness``; ``looked_at`` is a scene with its samples, and its row there.
    """

    scene: Scene
    row: int
    bound: float
    badness: float
    looked_at: tuple[Scene, int] | None = None

    @property
    def entity(self) -> EntityRef:
        return self.scene.topology.base(self.scene.rows[self.row])

    @property
    def limit(self) -> float:
        return _limit(self.scene.compiled, self.scene.rows[self.row], self.scene.topology)

    def badness_of(self, value: float) -> float:
        """How bad a number of the row is."""
        return _badness(self.scene.compiled, self.limit, value, value)


@dataclass(slots=True)
class NumberBook:
    """Collects, rule by rule, where the worst number of each check is; reads samples of a few entities.

    ``focus``: the worst in this part of the time, None for all of it.
    """

    topology: Topology
    focus: TimeRange | None = None
    _worst: dict[str, list[_Candidate]] = field(default_factory=dict)
    _seen: dict[str, list[tuple[CompiledRule, EntityRef, float]]] = field(default_factory=dict)
    _blocks: dict[int, Scene] = field(default_factory=dict)
    _held: int = 0

    def note(self, scene: Scene, found: Detection) -> None:
        """Note what one rule saw in one source."""
        rule, card = scene.compiled, scene.compiled.card.id
        hits = [
            hit for hit in found.hits if self.focus is None or any(map(self.focus.intersect, hit.windows))
        ]
        for ref, whole in [*((hit.entity, hit.peak) for hit in hits), *found.suspects.items()]:
            peak = whole
            if self.focus is not None:
                alone = _loaded(_Candidate(scene, scene.rows.index(ref), whole, whole))
                peak = _value(alone, self.focus)
            if not np.isnan(peak):
                self._seen.setdefault(card, []).append((rule, ref, peak))
        if found.measured is not None:
            candidates = [*self._worst.get(card, ()), *self._candidates(scene, found, found.measured)]
            self._worst[card] = sorted(candidates, key=lambda one: -one.badness)[:_CANDIDATES]

    def _candidates(self, scene: Scene, found: Detection, measured: Bounds) -> list[_Candidate]:
        """The rows whose numbers can be the worst; these are the same as long as the bounds are."""
        kept = scene.kept.worst
        if kept is None or kept[0] is not measured:
            kept = scene.kept.worst = measured, _worst_rows(scene, measured)
        return [
            _Candidate(scene, row, bound, badness, self._hold(found, row)) for row, bound, badness in kept[1]
        ]

    def _hold(self, found: Detection, row: int) -> tuple[Scene, int] | None:
        """Hold the scene that has the samples of a row, if there is one and room for it."""
        for rows, block in found.blocks:
            place = int(np.searchsorted(rows, row))
            if place == rows.size or rows[place] != row:
                continue
            if id(block) not in self._blocks:
                size = sum(np.size(value) for value in block.values.values())
                if self._held + size > _MOST_HELD:
                    return None
                self._held += size
                self._blocks[id(block)] = block
            return block, place
        return None

    def read_ahead(self, table: SampleTable) -> None:
        """Read the samples of the worst candidate of each check together: one by one takes several times as
        long.
        """
        first = (found[0] for card, found in self._worst.items() if found and card not in self._seen)
        ids = [ids for one in first if one.looked_at is None for ids in _series(one)]
        if ids:
            table.read_ahead(np.concatenate(ids))

    def number(self, card: str) -> CheckNumber | None:
        """Return the number of a check: the worst of what was found or suspected, or else of all entities."""
        if seen := self._seen.get(card):
            rule, ref, value = max(seen, key=self._seen_badness)
            return self._number(rule, ref, value)
        found: tuple[float, _Candidate, float, Scene | None] | None = None
        candidates = self._worst.get(card, [])
        for one in candidates:  # the worst first, as far as bounds tell
            if found and found[0] >= one.badness:
                break
            value, alone = self._looked_up(one)
            badness = one.badness_of(value)
            if not np.isnan(value) and (found is None or badness > found[0]):
                found = badness, one, value, alone
        if found is None:
            return None
        most = 0.0
        if _is_past(found[1].scene.compiled, found[2], found[1].limit):
            most = _most_past_limit(found[3] or _loaded(found[1]), self.focus)
        others = [one for one in candidates if one.entity != found[1].entity]
        is_common = any(one.badness == found[0] for one in others)
        rule, ref = found[1].scene.compiled, found[1].scene.rows[found[1].row]
        told = self._number(rule, ref, found[2], is_common=is_common)
        if rule.sustained.warning.count or found[1].scene.times.size == 1:
            return replace(told, passed_samples=round(most))
        return replace(told, passed_s=most)

    def _looked_up(self, one: _Candidate) -> tuple[float, Scene | None]:
        """The worst number of a row, and the scene that was read for it; none where an earlier look found
        the worst that there can be.
        """
        peaks, rewritten = one.scene.kept.peaks, one.scene.table.rewritten
        if self.focus is None and peaks.get(one.row) == (one.bound, rewritten):
            return peaks[one.row][0], None
        alone = _loaded(one)
        value = _value(alone, self.focus)
        is_worst = value == one.bound and (value or not np.signbit(value))  # "-0" may become "0"
        if self.focus is None and is_worst and are_final(one.scene):
            peaks[one.row] = value, rewritten
        return value, alone

    def _seen_badness(self, one: tuple[CompiledRule, EntityRef, float]) -> float:
        rule, ref, value = one
        return _badness(rule, _limit(rule, ref, self.topology), value, value)

    def _number(
        self, rule: CompiledRule, ref: EntityRef, value: float, *, is_common: bool = False
    ) -> CheckNumber:
        measure = rule.rule.measure
        assert measure is not None
        limit = _limit(rule, ref, self.topology)
        hold: Hold = rule.sustained.warning
        return CheckNumber(
            what=measure.what,
            entity=self.topology.base(ref),
            entity_name=self.topology.shown_name(ref),
            value=value,
            limit=limit,
            unit=rule.card.thresholds[measure.limit].unit,
            hold_s=0.0 if hold.count else hold.hold_s,
            hold_samples=hold.count,
            is_below=measure.below,
            is_common=is_common,
            word=measure.word(value),
            bad=measure.bad(limit),
        )


def _worst_rows(scene: Scene, measured: Bounds) -> list[tuple[int, float, float]]:
    """The rows whose numbers can be the worst: with the worst that each can be, and how bad that is."""
    rule, measure = scene.compiled, scene.compiled.rule.measure
    assert measure is not None
    side = -measured.low if measure.below else measured.high
    worst = np.argsort(-side)[:_CANDIDATES]  # absent ones come last
    found = []
    for row in worst[~np.isnan(side[worst])].tolist():
        low, high = float(measured.low[row]), float(measured.high[row])
        badness = _badness(rule, _limit(rule, scene.rows[row], scene.topology), low, high)
        found.append((row, low if measure.below else high, badness))
    return found


def _limit(rule: CompiledRule, ref: EntityRef, topology: Topology) -> float:
    """The limit of the rule's number as it holds for an entity."""
    measure = rule.rule.measure
    assert measure is not None
    shipped = rule.card.thresholds[measure.limit].value
    number = rule.classed.get(measure.limit)
    return topology.storage.limit(number, ref, shipped) if number else shipped


def _badness(rule: CompiledRule, limit: float, low: float, high: float) -> float:
    """How far a number is on the bad side of its limit; comparable between rules of one card."""
    measure = rule.rule.measure
    assert measure is not None
    limit = limit or 1e-9
    return limit / low if measure.below and low else (-low if measure.below else high / limit)


def _series(worst: _Candidate) -> Iterator[IntArray]:
    """The series that the number of a row is computed from."""
    part = worst.scene.part(np.array([worst.row]))
    compiled = part.compiled
    for name in compiled.measuring():
        if compiled.signals[name].counters:
            yield from part.members(name).ids.values()


def _value(part: Scene, focus: TimeRange | None) -> float:
    """The worst of the number's samples: the bounds may be wider than what was measured."""
    return float(part.peaks(focus)[0])


def _most_past_limit(part: Scene, focus: TimeRange | None) -> float:
    """For how long the number was past its limit, in what the rule counts: seconds, or samples."""
    node, measure, times = part.compiled.measure, part.compiled.rule.measure, part.times
    assert node is not None
    assert measure is not None
    values, limit = part.full(node), _limit(part.compiled, part.rows[0], part.topology)
    past = _is_past(part.compiled, values, limit)
    if focus is not None:
        past &= (times >= focus.start) & (times <= focus.end)
    if not past.any():
        return 0.0
    return float(most_within(past, times, part.compiled.sustained.warning)[0])


def _is_past(rule: CompiledRule, values: Any, limit: float) -> Any:
    """Which numbers are past the limit."""
    measure = rule.rule.measure
    assert measure is not None
    if measure.below:
        return values < limit
    return values >= limit if measure.words else values > limit  # of states the limit is the first bad one


def _loaded(worst: _Candidate) -> Scene:
    """The scene of the row alone, with the samples of its number."""
    part = worst.scene.part(np.array([worst.row]))
    if worst.looked_at:
        part.take(*worst.looked_at)
    part.load(part.compiled.measuring())
    return part
