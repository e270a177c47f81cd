"""Ranks what moved: who makes load on what the victim waits for comes first, apart from others."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from diagnosis.correlation.meeting import NOTHING, Meeting, Shared
from diagnosis.correlation.movement import Move
from resources.correlation_roles import CorrelationKnowledge, CorrelationNumbers, CounterRole, Resource
from sessions.model import EntityRef, Series

Part = Literal["culprit", "victim", "neighbour", "shared", "itself", "own load", "elsewhere", "moved"]
_SAME_THING = 0.8
"""Two hosts' numbers of one LUN that correlate so much are of the same trouble."""
_MEMORY_UNIT = "MB"
_AS_MUCH = 0.95
"""A score of so much of the best one's is as good: the rest is noise."""
_PLACES = ("device", "datastore", "adapter", "path", "nic", "host", "pool", "cluster")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A series that moved, with its score (0 to 1) and why: what it says and what it shares."""

    series: Series
    move: Move
    score: float
    role: CounterRole
    resource: Resource | None
    shared: Shared
    share: float
    """Its part of the largest change of this counter at the same place; 1 for the largest."""
    is_worse: bool
    """True if it rose as the reference got worse."""
    ahead_s: float = 0.0
    """How far the clock of its source is ahead of the reference's, where that shows."""

    @property
    def lag_s(self) -> float:
        """How long after the reference it came, by one clock."""
        return self.move.lag_s - self.ahead_s

    def is_late(self, late_s: float) -> bool:
        """True if it came later than ``late_s`` after the reference, by more than the samples' interval."""
        return self.lag_s > max(late_s, self.move.step_s)


@dataclass(frozen=True, slots=True)
class Group:
    """An entity with the series that moved there, the one that says most first."""

    entity: EntityRef
    part: Part
    lead: Ranked
    others: tuple[Ranked, ...]

    @property
    def score(self) -> float:
        """The score of the leading series."""
        return self.lead.score

    @property
    def all(self) -> tuple[Ranked, ...]:
        """All series of the entity that moved, the one that says most first."""
        return (self.lead, *self.others)


class Ranking:
    """Scores the moves of a session's series from the view of one reference, or of none."""

    def __init__(
        self,
        knowledge: CorrelationKnowledge,
        meeting: Meeting,
        reference: Series | None,
        worse: float,
        own: Move | None = None,
    ) -> None:
        """``worse`` is 1 if the reference is worse when it is higher, −1 when it is lower; ``own`` is how it
        moved itself.
        """
        self._knowledge, self._numbers, self._meeting = knowledge, knowledge.numbers, meeting
        self._reference, self._worse = reference, worse
        role, resource = knowledge.role(reference.counter) if reference else ("other", None)
        self._behind: Mapping[Resource, float] = knowledge.loads_behind(resource)
        if not self._behind and reference is not None and resource is not None:
            self._behind = {resource: 1.0}
        self._is_load = role == "load"
        is_memory = reference is not None and resource == "memory" and reference.spec.unit == _MEMORY_UNIT
        self._taken = own.change if is_memory and own is not None else math.nan
        self._ahead: dict[int, float] = {}

    def groups(
        self, moves: Iterable[tuple[Series, Move]], doubtful: Iterable[tuple[Series, Move]] = ()
    ) -> list[Group]:
        """Return the entities that moved, the likeliest culprit first.

        ``doubtful`` moves may be chance: they only tell who, of those that moved, adds the load.
        """
        moves = list(moves)
        self._ahead = self._clocks(moves)
        scored = [self._scored(series, move) for series, move in moves]
        unsure = [self._scored(series, move) for series, move in doubtful]
        adding = self._adding([*scored, *unsure])
        together: dict[EntityRef, list[Ranked]] = {}
        for one in self._with_shares(scored):
            together.setdefault(self._meeting.owner(one.series.entity), []).append(one)
        found = [self._group(owner, members) for owner, members in together.items()]
        found = [self._as_adding(group, adding) for group in found]
        found += self._taking(unsure, together)
        least = self._numbers.least_score.value
        found += [own for group in found if (own := self._own_load(group)) is not None]
        found = [group for group in found if group.part == "itself" or group.score >= least]
        return sorted(found, key=lambda group: (-group.score, group.entity))

    def _scored(self, series: Series, move: Move) -> Ranked:
        role, resource = self._knowledge.role(series.counter)
        worse = self._is_worse(move)
        shared = self._shared(series, resource)
        score = (
            move.strength
            * self._role_weight(role, worse)
            * self._place_weight(series, role, resource, shared)
        )
        ahead = self._ahead.get(series.source, 0.0)
        one = Ranked(series, move, score, role, resource, shared, 1.0, worse, ahead)
        if role == "load" and one.is_late(self._numbers.late_s.value):
            return replace(one, score=score * self._numbers.weight_follower.value)
        return one

    def _clocks(self, moves: Sequence[tuple[Series, Move]]) -> dict[int, float]:
        """How far the clocks of other sources are ahead of the reference's, by source; s.

        What two hosts measure of one and the same LUN happens at the same time: where one of them tells it
        later by more than a sample, it is its clock.
        """
        best: dict[int, tuple[float, float, float]] = {}
        for series, move in moves:
            role, resource = self._knowledge.role(series.counter)
            if role != "effect" or series.entity.kind not in _PLACES or self._reference is None:
                continue
            if series.source == self._reference.source or not self._shared(series, resource).is_exact:
                continue
            found = (move.correlation, move.lag_s, move.step_s)
            if move.correlation >= _SAME_THING and found > best.get(series.source, (0.0, 0.0, 0.0)):
                best[series.source] = found
        late = self._numbers.late_s.value
        return {source: lag for source, (_, lag, step) in best.items() if abs(lag) > max(late, step)}

    def _is_worse(self, move: Move) -> bool:
        if math.isnan(move.correlation):
            return move.change > 0
        return move.correlation * self._worse > 0

    def _role_weight(self, role: CounterRole, worse: bool) -> float:
        numbers = self._numbers
        match role:
            case "load":
                return numbers.weight_load.value if worse else numbers.weight_effect.value
            case "effect":
                return numbers.weight_effect.value
            case "mirror":
                return numbers.weight_mirror.value
            case "other":
                return numbers.weight_other.value

    def _shared(self, series: Series, resource: Resource | None) -> Shared:
        if self._reference is None:
            return NOTHING
        places = [resource] if resource else list(self._behind)
        found = [self._meeting.shared(series, self._reference, one) for one in places]
        return max(found, key=lambda one: (one.is_exact, one.place is not None), default=NOTHING)

    def _place_weight(
        self, series: Series, role: CounterRole, resource: Resource | None, shared: Shared
    ) -> float:
        if self._reference is None:
            return 1.0
        numbers = self._numbers
        if shared.place is None:
            return (numbers.weight_same_host if shared.is_unknown else numbers.weight_elsewhere).value
        near = _nearness(shared, numbers)
        if role == "load" and resource is not None:
            near *= self._behind.get(resource, numbers.weight_elsewhere.value)
        if resource == "storage" and not series.spec.instance and self._is_of_a_vm(series):
            near *= numbers.weight_unspecific.value
        if series.entity.kind in _PLACES:
            is_slow_place = role == "effect" and shared.is_exact
            near *= (numbers.weight_slow_place if is_slow_place else numbers.weight_carrier).value
        return near

    def _is_of_a_vm(self, series: Series) -> bool:
        return self._meeting.owner(series.entity).kind == "vm"

    def _with_shares(self, scored: Sequence[Ranked]) -> list[Ranked]:
        """Weigh loads by what they add: who adds little on a LUN where another adds much is a neighbour."""
        most: dict[tuple[str, str, EntityRef | None], float] = {}

        def key(one: Ranked) -> tuple[str, str, EntityRef | None]:
            return one.series.counter, one.series.entity.kind, one.shared.place

        def added(one: Ranked) -> float:
            change = one.move.change
            return change if math.isfinite(change) and change > 0 else 0.0

        loads = [one for one in scored if one.role == "load" and one.is_worse]
        for one in loads:
            most[key(one)] = max(most.get(key(one), 0.0), added(one))
        result = []
        for one in scored:
            share = 1.0
            if one.role == "load" and one.is_worse and most[key(one)] > 0:
                share = added(one) / most[key(one)]
            result.append(replace(one, score=one.score * (0.4 + 0.6 * share), share=share))
        return result

    def _group(self, owner: EntityRef, members: list[Ranked]) -> Group:
        ordered = sorted(members, key=lambda one: (-one.score, one.series.id))
        lead = _largest(ordered)
        ordered = [lead, *(one for one in ordered if one is not lead)]
        return Group(owner, self._part(owner, ordered[0]), ordered[0], tuple(ordered[1:]))

    def _adding(self, scored: Sequence[Ranked]) -> dict[EntityRef, Ranked]:
        """The load of each entity that adds a large part of what a place carried before.

        A load that grows slowly looks like any other trend, so that no test of chance can be sure of it. What
        a place carries is the sum of its users: who adds much of it makes it, however slowly.
        """
        carried: dict[tuple[str, EntityRef | None], float] = {}
        loads = [one for one in scored if one.role == "load" and one.resource in self._behind]
        for one in loads:
            before = one.move.before
            if one.series.entity.kind in _PLACES and one.shared.is_exact and math.isfinite(before):
                key = one.series.counter, one.shared.place
                carried[key] = carried.get(key, 0.0) + before
        found: dict[EntityRef, Ranked] = {}
        for one in self._with_shares(loads):
            before = carried.get((one.series.counter, one.shared.place), math.inf)
            is_user = one.series.entity.kind not in _PLACES and one.shared.is_exact
            is_user &= not one.move.is_at_edge  # it rose at another time: nothing ties it to this one
            if (
                is_user
                and self._leads(one)
                and one.move.change >= self._numbers.neighbour_share.value * before
            ):
                owner = self._meeting.owner(one.series.entity)
                if owner not in found or found[owner].score < one.score:
                    found[owner] = one
        return found

    def _taking(self, unsure: Sequence[Ranked], known: Collection[EntityRef]) -> list[Group]:
        """Who took more memory than the reference lost, however slowly.

        A leak looks like any other trend, so that no test of chance can be sure of it. But what one VM gets
        of a host's memory the others lose: who grew by as much as was taken from the reference is behind it.
        """
        if not self._taken > 0:
            return []
        taking: dict[EntityRef, list[Ranked]] = {}
        for one in self._with_shares(unsure):
            owner = self._meeting.owner(one.series.entity)
            is_memory = one.resource == "memory" and one.series.spec.unit == _MEMORY_UNIT
            is_other = owner.kind == "vm" and owner not in known and one.shared.is_exact
            is_other &= self._reference is not None and owner != self._meeting.owner(self._reference.entity)
            if is_memory and is_other and self._leads(one) and one.move.change >= self._taken:
                taking.setdefault(owner, []).append(one)
        found = []
        for owner, several in taking.items():
            first, *others = sorted(several, key=lambda one: (-one.score, one.series.id))
            found.append(Group(owner, "culprit", first, tuple(others)))
        return found

    def _as_adding(self, group: Group, adding: Mapping[EntityRef, Ranked]) -> Group:
        """A group that seems a victim, but adds much of the load, as the culprit that it is."""
        one = adding.get(group.entity)
        if group.part != "victim" or one is None:
            return group
        least = self._numbers.weight_carrier.value * group.lead.move.strength
        lead = replace(one, score=max(one.score, least))
        others = tuple(other for other in group.all if other.series.id != one.series.id)
        return Group(group.entity, "culprit", lead, others)

    def _own_load(self, group: Group) -> Group | None:
        """The reference's own entity as the one that makes the load, where it adds as much as any other."""
        if group.part != "itself" or group.entity.kind in _PLACES:
            return None
        loads = [one for one in group.all if one.resource in self._behind and self._leads(one)]
        return Group(group.entity, "own load", loads[0], tuple(loads[1:])) if loads else None

    def _leads(self, one: Ranked) -> bool:
        """True for a load that rose with the reference, not after it, and by as much as others."""
        numbers = self._numbers
        if one.role != "load" or not one.is_worse or one.is_late(numbers.late_s.value):
            return False
        if abs(one.move.correlation) < numbers.least_correlation.value:
            return False
        return one.share >= numbers.neighbour_share.value

    def _part(self, owner: EntityRef, lead: Ranked) -> Part:
        if self._reference is None or math.isnan(lead.move.correlation):
            return "moved"
        if owner == self._meeting.owner(self._reference.entity):
            return "itself"
        if owner.kind in _PLACES:
            return "shared" if lead.shared.place is not None else "elsewhere"
        if lead.shared.place is None:
            return "elsewhere"
        if lead.role == "load" and lead.is_worse:
            is_there = lead.shared.is_exact or lead.shared.is_unknown
            return (
                "culprit" if is_there and lead.resource in self._behind and self._leads(lead) else "neighbour"
            )
        return "victim" if lead.role in ("effect", "load") else "neighbour"


def _largest(ordered: Sequence[Ranked]) -> Ranked:
    """Of the series that say as much as the first one, in its unit, the one that changed most: of a backup
    its reads, not the few writes of its log.
    """
    first = ordered[0]

    def change(one: Ranked) -> float:
        return abs(one.move.change) if math.isfinite(one.move.change) else 0.0

    def says(one: Ranked) -> tuple[str, str, bool]:
        return one.role, one.series.spec.unit, one.is_worse

    least = _AS_MUCH * first.score
    alike = [one for one in ordered if one.score >= least and says(one) == says(first)]
    return max(alike, key=change)


def _nearness(shared: Shared, numbers: CorrelationNumbers) -> float:
    if shared.is_exact:
        return 1.0
    return numbers.weight_unknown.value if shared.is_unknown else numbers.weight_same_host.value
