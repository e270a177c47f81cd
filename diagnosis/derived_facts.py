"""Derives numeric facts from other facts: "VMware Tools run" from a text, "limited" from a
pool further up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from diagnosis.resource_pools import pools_from
from resources.derived_counters import DerivedFact
from sessions.model import DISK_PLACE, Entity, EntityRef, Fact

_DEEPEST = 16  # pools within pools; a session is untrusted and may hold a cycle
Known = Mapping[EntityRef, Fact]


def derived_facts(
    rules: Sequence[DerivedFact], facts: Sequence[Fact], entities: Mapping[EntityRef, Entity], end: int
) -> Iterator[Fact]:
    """Yield the facts that follow from ``facts`` by the rules in a window that ends at ``end`` (ms).

    Of a resource pool's facts only the latest is used, for the whole time.
    """
    for rule in rules:
        found = list(_found(rule, facts, entities, end))
        yield from found
        if rule.known:
            yield from _absent(rule, facts, {fact.entity for fact in found})


def _found(
    rule: DerivedFact, facts: Sequence[Fact], entities: Mapping[EntityRef, Entity], end: int
) -> Iterator[Fact]:
    match rule.of:
        case "pool":
            yield from _of_pools(rule, facts, entities)
        case "nearest pool":
            yield from _of_nearest_pool(rule, facts)
        case "pool shares":
            yield from _in_pools(rule, facts, entities)
        case "pool members":
            yield from _pool_members(rule, facts, entities)
        case "stores":
            yield from _of_stores(rule, facts)
        case "all":
            yield from _of_all(rule, facts)
        case "disks":
            yield from _of_disks(rule, facts, entities)
        case "gone":
            yield from _gone(rule, facts, end)
        case "self":
            yield from _of_self(rule, facts, end)


def latest(facts: Sequence[Fact], name: str) -> dict[EntityRef, Fact]:
    """Return the last fact of this name for each entity; ``facts`` are ordered by start."""
    return {fact.entity: fact for fact in facts if fact.name == name}


def _of_all(rule: DerivedFact, facts: Sequence[Fact]) -> Iterator[Fact]:
    """What the latest of the matching facts of each entity say together."""
    like = re.compile(rule.made_of)
    names = {name for name in {fact.name for fact in facts} if like.fullmatch(name)}
    there = {(fact.entity, fact.name) for fact in facts} if rule.beside else set()
    known: dict[EntityRef, dict[str, Fact]] = {}
    for fact in facts:
        beside = f"{fact.name.rpartition('.')[0]}.{rule.beside}"
        if fact.name in names and (not rule.beside or (fact.entity, beside) in there):
            known.setdefault(fact.entity, {})[fact.name] = fact
    for ref, found in known.items():
        start = min(fact.start for fact in found.values())
        if rule.words:
            yield Fact(ref, rule.name, ", ".join(sorted({str(fact.value) for fact in found.values()})), start)
            continue
        numbers = [number for fact in found.values() if (number := _number(rule, fact.value)) is not None]
        if numbers:
            yield Fact(ref, rule.name, max(numbers), start)


def _of_disks(
    rule: DerivedFact, facts: Sequence[Fact], entities: Mapping[EntityRef, Entity]
) -> Iterator[Fact]:
    """What the VM's facts say of each of its disks, as a fact of it; of several, the lowest."""
    like = re.compile(rule.made_of)
    said = {name: like.fullmatch(name) for name in {fact.name for fact in facts}}
    known: dict[tuple[EntityRef, str], dict[str, Fact]] = {}
    for fact in facts:
        if (match := said[fact.name]) is not None:
            known.setdefault((fact.entity, match["disk"]), {})[fact.name] = fact
    if not known:
        return
    for ref, entity in entities.items():
        if ref.kind != "vdisk" or entity.parent is None:
            continue
        told = known.get((entity.parent, entity.name), {}).values()
        numbers = [(one, number) for one in told if (number := _number(rule, one.value)) is not None]
        if numbers:
            of_disk, number = min(numbers, key=lambda one: (one[0].end is not None, one[1]))
            yield Fact(ref, rule.name, number, of_disk.start, of_disk.end)


def _of_stores(rule: DerivedFact, facts: Sequence[Fact]) -> Iterator[Fact]:
    numbers = {
        ref.key: number
        for ref, fact in latest(facts, rule.made_of).items()
        if (number := _number(rule, fact.value)) is not None
    }
    places: dict[EntityRef, dict[str, Fact]] = {}
    for fact in facts:
        if DISK_PLACE.fullmatch(fact.name):
            places.setdefault(fact.entity, {})[fact.name] = fact
    for ref, found in places.items():
        known = [numbers[key] for fact in found.values() if (key := str(fact.value)) in numbers]
        if known:
            yield Fact(ref, rule.name, max(known), min(fact.start for fact in found.values()))


def _hours_before(end: int, text: str) -> float | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    at = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return max(0.0, (end / 1000 - at) / 3600)


def _of_self(rule: DerivedFact, facts: Sequence[Fact], end: int) -> Iterator[Fact]:
    for fact in facts:
        if fact.name == rule.made_of:
            hours = _hours_before(end, str(fact.value)) if rule.hours else None
            value = hours if rule.hours else _number(rule, fact.value)
            if value is not None:
                yield Fact(fact.entity, rule.name, value, fact.start, fact.end)


def _gone(rule: DerivedFact, facts: Sequence[Fact], end: int) -> Iterator[Fact]:
    """Whether all that matching facts said of an entity is over."""
    like = re.compile(rule.made_of)
    known: dict[EntityRef, dict[str, Fact]] = {}
    for fact in facts:
        if like.fullmatch(fact.name):
            known.setdefault(fact.entity, {})[fact.name] = fact
    for ref, latest_of in known.items():
        is_gone = all(one.end is not None and one.end <= end for one in latest_of.values())
        yield Fact(ref, rule.name, float(is_gone), min(one.start for one in latest_of.values()))


def _absent(rule: DerivedFact, facts: Sequence[Fact], known: set[EntityRef]) -> Iterator[Fact]:
    for fact in latest(facts, rule.known).values():
        if fact.entity not in known:
            yield Fact(fact.entity, rule.name, rule.absent, fact.start, fact.end)


def _number(rule: DerivedFact, value: str | float | bool) -> float | None:
    if not isinstance(value, str):
        return float(value)
    if rule.count:
        return float(sum(bool(part.strip()) for part in value.split(",")))
    return rule.numbers.get(value)


def _of_pools(
    rule: DerivedFact, facts: Sequence[Fact], entities: Mapping[EntityRef, Entity]
) -> Iterator[Fact]:
    known_facts = latest(facts, rule.made_of)
    for member in latest(facts, "pool").values():
        numbers = list(_above(EntityRef("pool", str(member.value)), known_facts, entities))
        if numbers:
            yield Fact(member.entity, rule.name, min(numbers), member.start, member.end)


def _of_nearest_pool(rule: DerivedFact, facts: Sequence[Fact]) -> Iterator[Fact]:
    known_facts = latest(facts, rule.made_of)
    for member in latest(facts, "pool").values():
        own = known_facts.get(EntityRef("pool", str(member.value)))
        if own is not None and not isinstance(own.value, str):
            yield Fact(member.entity, rule.name, float(own.value), member.start, member.end)


def _pool_members(
    rule: DerivedFact, facts: Sequence[Fact], entities: Mapping[EntityRef, Entity]
) -> Iterator[Fact]:
    """How many divide what the nearest pool has."""
    members = latest(facts, "pool")
    above = _pools_above(members, entities)
    number: dict[EntityRef, int] = {}
    for ref in latest(facts, rule.made_of):
        if ref in above:
            number[above[ref]] = number.get(above[ref], 0) + 1
    for ref, fact in members.items():
        if count := number.get(above[ref]):
            yield Fact(ref, rule.name, float(count), fact.start, fact.end)


def _pools_above(
    members: Mapping[EntityRef, Fact], entities: Mapping[EntityRef, Entity]
) -> dict[EntityRef, EntityRef]:
    """The pool that each VM and each pool is in."""
    above = {ref: EntityRef("pool", str(fact.value)) for ref, fact in members.items()}
    pools = {ref: entity.parent for ref, entity in entities.items() if ref.kind == "pool" and entity.parent}
    above.update({ref: parent for ref, parent in pools.items() if parent.kind == "pool"})
    return above


def _in_pools(
    rule: DerivedFact, facts: Sequence[Fact], entities: Mapping[EntityRef, Entity]
) -> Iterator[Fact]:
    """Shares as they count outside of pools: each pool divides its own among what is in it."""
    known_facts = latest(facts, rule.made_of)
    shares = {ref: float(fact.value) for ref, fact in known_facts.items() if not isinstance(fact.value, str)}
    members = latest(facts, "pool")
    above = _pools_above(members, entities)
    total: dict[EntityRef, float] = {}
    for ref, pool in above.items():
        total[pool] = total.get(pool, 0.0) + shares.get(ref, 0.0)
    for ref, fact in members.items():
        counted, current = shares.get(ref, 0.0), above.get(ref)
        for _ in range(_DEEPEST):
            if current is None or not total.get(current) or current not in shares:
                break
            counted, current = counted * shares[current] / total[current], above.get(current)
        if counted:
            yield Fact(ref, rule.name, counted, fact.start, fact.end)


def _above(pool: EntityRef, known_facts: Known, entities: Mapping[EntityRef, Entity]) -> Iterator[float]:
    """The number of the pool and of each pool above it, where it has one."""
    for current in pools_from(pool, entities):
        if current in known_facts and not isinstance(known_facts[current].value, str):
            yield float(known_facts[current].value)
