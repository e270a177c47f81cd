"""Derives numeric facts from other facts: "VMware Tools run" from a text, "limited" from a
pool further up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise

from diagnosis.facts import ALWAYS, FOR_EVER, FirstTold, Held, held, same_value
from diagnosis.resource_pools import pools_from
from resources.derived_counters import DerivedFact
from sessions.model import DISK_PLACE, Entity, EntityRef, Fact

_DEEPEST = 16  # pools within pools; a session is untrusted and may hold a cycle
Value = str | float | bool
Values = Sequence[Value]


def derived_facts(
    rules: Sequence[DerivedFact],
    facts: Sequence[Fact],
    entities: Mapping[EntityRef, Entity],
    told: FirstTold,
    end: int,
) -> Iterator[Fact]:
    """Yield the facts that follow from ``facts`` by the rules in a window that ends at ``end`` (ms).

    A fact that changes makes one that changes, except for shares of resource pools: these are those at the
    end, for the whole time.
    """
    book = _Book(facts, entities, told, end)
    for rule in rules:
        found = _RULES[rule.of](rule, book)
        if rule.known:
            found = _with_absent(rule, found, book)
        for ref, stretches in found:
            yield from book.facts(ref, rule.name, stretches)


def latest(facts: Sequence[Fact], name: str) -> dict[EntityRef, Fact]:
    """Return the last fact of this name for each entity; ``facts`` are ordered by start."""
    return {fact.entity: fact for fact in facts if fact.name == name}


_Found = Iterable[tuple[EntityRef, Sequence[Held]]]
"""What held when, of some entities."""


class _Book:
    """The facts of a window by name and entity; ``facts`` are ordered by start."""

    def __init__(
        self, facts: Sequence[Fact], entities: Mapping[EntityRef, Entity], told: FirstTold, end: int
    ) -> None:
        self.entities, self.end, self._told = entities, end, told
        self._facts: dict[str, dict[EntityRef, list[Fact]]] = {}
        for fact in facts:
            self._facts.setdefault(fact.name, {}).setdefault(fact.entity, []).append(fact)
        self._held: dict[str, dict[EntityRef, list[Held]]] = {}

    def held(self, name: str) -> Mapping[EntityRef, Sequence[Held]]:
        """What the fact was when, of each entity that has it."""
        if name not in self._held:
            self._held[name] = {ref: held(own, self._told) for ref, own in self._facts.get(name, {}).items()}
        return self._held[name]

    def names(self, pattern: str) -> Iterator[tuple[str, re.Match[str]]]:
        """The names of facts that match as a whole."""
        like = re.compile(pattern)
        for name in self._facts:
            if match := like.fullmatch(name):
                yield name, match

    def latest(self, name: str) -> dict[EntityRef, Fact]:
        """The last fact of each entity."""
        return {ref: own[-1] for ref, own in self._facts.get(name, {}).items()}

    def facts(self, ref: EntityRef, name: str, stretches: Iterable[Held]) -> Iterator[Fact]:
        """An entity's facts, from what held when."""
        for one in stretches:
            start = self._told.of(ref) if one.start == ALWAYS else one.start
            yield Fact(
                ref,
                name,
                one.value,
                self.end if start is None else start,
                None if one.end == FOR_EVER else one.end,
            )


def _combined(parts: Sequence[Sequence[Held]], combine: Callable[[Values], Value | None]) -> list[Held]:
    """What follows from several facts that hold at once, stretch by stretch between their changes."""
    found: list[Held] = []
    places = [0] * len(parts)
    changes = sorted({at for part in parts for one in part for at in (one.start, one.end)})
    for start, end in pairwise(changes):
        values: list[Value] = []
        for number, part in enumerate(parts):
            while places[number] < len(part) and part[places[number]].end <= start:
                places[number] += 1
            if places[number] < len(part) and part[places[number]].start <= start:
                values.append(part[places[number]].value)
        value = combine(values) if values else None
        if value is None:
            continue
        if found and found[-1].end == start and same_value(found[-1].value, value):
            found[-1] = Held(value, found[-1].start, end)
        else:
            found.append(Held(value, start, end))
    return found


def _of_all(rule: DerivedFact, book: _Book) -> _Found:
    """What all matching facts of each entity say together."""
    names = [name for name, _ in book.names(rule.made_of)]
    known: dict[EntityRef, list[Sequence[Held]]] = defaultdict(list)
    for name in names:
        beside = book.held(f"{name.rpartition('.')[0]}.{rule.beside}") if rule.beside else None
        for ref, own in book.held(name).items():
            if beside is None or ref in beside:
                known[ref].append(own)
    combine = _joined if rule.words else lambda values: _best(rule, values, max)
    return ((ref, _combined(parts, combine)) for ref, parts in known.items())


def _joined(values: Values) -> str:
    return ", ".join(sorted({str(value) for value in values}))


def _best(rule: DerivedFact, values: Values, choose: Callable[[Iterable[float]], float]) -> float | None:
    numbers = [number for value in values if (number := _number(rule, value)) is not None]
    return choose(numbers) if numbers else None


def _of_disks(rule: DerivedFact, book: _Book) -> _Found:
    """What the VM's facts say of each of its disks, as a fact of it; of several, the lowest."""
    known: dict[tuple[EntityRef, str], list[Sequence[Held]]] = defaultdict(list)
    for name, match in book.names(rule.made_of):
        for ref, own in book.held(name).items():
            known[ref, match["disk"]].append(own)
    if not known:
        return
    for ref, entity in book.entities.items():
        if ref.kind == "vdisk" and entity.parent and (parts := known.get((entity.parent, entity.name))):
            yield ref, _combined(parts, lambda values: _best(rule, values, min))


def _of_stores(rule: DerivedFact, book: _Book) -> _Found:
    numbers = {
        ref.key: number
        for ref, fact in book.latest(rule.made_of).items()
        if (number := _number(rule, fact.value)) is not None
    }

    def largest(stores: Values) -> float | None:
        return max((numbers[key] for one in stores if (key := str(one)) in numbers), default=None)

    places: dict[EntityRef, list[Sequence[Held]]] = defaultdict(list)
    for name, _ in book.names(DISK_PLACE.pattern):
        for ref, own in book.held(name).items():
            places[ref].append(own)
    return ((ref, _combined(parts, largest)) for ref, parts in places.items())


def _hours_before(end: int, text: str) -> float | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    at = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return max(0.0, (end / 1000 - at) / 3600)


def _of_self(rule: DerivedFact, book: _Book) -> _Found:
    def number(values: Values) -> float | None:
        return _hours_before(book.end, str(values[0])) if rule.hours else _number(rule, values[0])

    return ((ref, _combined([own], number)) for ref, own in book.held(rule.made_of).items())


def _with_absent(rule: DerivedFact, found: _Found, book: _Book) -> _Found:
    """What was found, and between it what there is where nothing is said of an entity that is known."""
    told = dict(found)
    every = [*told, *(ref for ref in book.held(rule.known) if ref not in told)]
    for ref in every:
        known = book.held(rule.known).get(ref)
        if not known:  # nothing, or facts that held for no time
            yield ref, told.get(ref, ())
            continue
        there = [Held("", one.start, one.end) for one in known]

        def number(values: Values) -> float:
            return next((float(one) for one in values if not isinstance(one, str)), rule.absent)

        yield ref, _combined([told.get(ref, ()), there], number)


def _number(rule: DerivedFact, value: Value) -> float | None:
    if not isinstance(value, str):
        return float(value)
    if rule.count:
        return float(sum(bool(part.strip()) for part in value.split(",")))
    return rule.numbers.get(value)


def _of_pools(rule: DerivedFact, book: _Book) -> _Found:
    """The smallest number of the pools above each VM."""
    return _of_pools_above(rule, book, lambda pool: pools_from(pool, book.entities))


def _of_nearest_pool(rule: DerivedFact, book: _Book) -> _Found:
    return _of_pools_above(rule, book, lambda pool: [pool])


def _of_pools_above(
    rule: DerivedFact, book: _Book, above: Callable[[EntityRef], Iterable[EntityRef]]
) -> _Found:
    """The smallest number of the pools that each VM was in when."""
    of_pools = book.held(rule.made_of)
    numbers: dict[str, Sequence[Held]] = {}

    def of_pool(key: str) -> Sequence[Held]:
        if key not in numbers:
            parts = [of_pools[pool] for pool in above(EntityRef("pool", key)) if pool in of_pools]
            numbers[key] = _combined(parts, lambda values: _best(rule, values, min))
        return numbers[key]

    for ref, stays in book.held("pool").items():
        found = [
            Held(one.value, max(one.start, stay.start), min(one.end, stay.end))
            for stay in stays
            for one in of_pool(str(stay.value))
            if one.start < stay.end and one.end > stay.start
        ]
        if found:
            yield ref, found


def _pool_members(rule: DerivedFact, book: _Book) -> _Found:
    """How many divide what the nearest pool has, at the end."""
    members = book.latest("pool")
    above = _pools_above(members, book.entities)
    number: dict[EntityRef, int] = {}
    for ref in book.held(rule.made_of):
        if ref in above:
            number[above[ref]] = number.get(above[ref], 0) + 1
    for ref in members:
        if count := number.get(above[ref]):
            yield ref, [Held(float(count), ALWAYS, FOR_EVER)]


def _pools_above(
    members: Mapping[EntityRef, Fact], entities: Mapping[EntityRef, Entity]
) -> dict[EntityRef, EntityRef]:
    """The pool that each VM and each pool is in."""
    above = {ref: EntityRef("pool", str(fact.value)) for ref, fact in members.items()}
    pools = {ref: entity.parent for ref, entity in entities.items() if ref.kind == "pool" and entity.parent}
    above.update({ref: parent for ref, parent in pools.items() if parent.kind == "pool"})
    return above


def _in_pools(rule: DerivedFact, book: _Book) -> _Found:
    """Shares as they count outside of pools at the end: each pool divides its own among what is in it."""
    known_facts = book.latest(rule.made_of)
    shares = {ref: float(fact.value) for ref, fact in known_facts.items() if not isinstance(fact.value, str)}
    members = book.latest("pool")
    above = _pools_above(members, book.entities)
    total: dict[EntityRef, float] = {}
    for ref, pool in above.items():
        total[pool] = total.get(pool, 0.0) + shares.get(ref, 0.0)
    for ref in members:
        counted, current = shares.get(ref, 0.0), above.get(ref)
        for _ in range(_DEEPEST):
            if current is None or not total.get(current) or current not in shares:
                break
            counted, current = counted * shares[current] / total[current], above.get(current)
        if counted:
            yield ref, [Held(counted, ALWAYS, FOR_EVER)]


_RULES: Mapping[str, Callable[[DerivedFact, _Book], _Found]] = {
    "self": _of_self,
    "pool": _of_pools,
    "nearest pool": _of_nearest_pool,
    "pool shares": _in_pools,
    "pool members": _pool_members,
    "stores": _of_stores,
    "all": _of_all,
    "disks": _of_disks,
}
