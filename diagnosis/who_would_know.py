"""Which source would show what none of the connected ones does: the words for what was not judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from diagnosis.arrays import sample_seconds
from diagnosis.compiled import FACT, bare_key
from diagnosis.topology import Topology
from resources.catalogue import Catalogue, Counter
from resources.problem_cards import Card, Rule
from resources.units import format_count, format_duration
from sessions.model import IntArray

_TOLD_BY_VCENTER = {"cluster", "pool", "vcenter"}
_NAMES_OF = {"cluster": "clusters", "pool": "resource pools"}
_INVENTORIES = {"vcenter", "esxi"}
_HOSTS = {"esxtop", "lab", *_INVENTORIES}
_WORDS = {
    "cpu": "CPU", "drs": "DRS", "events": "tasks and events", "ft": "FT", "iops": "IOPS", "mem": "memory",
    "nic": "NIC", "numa": "NUMA", "sioc": "SIOC", "vcpus": "vCPUs", "vdisk": "virtual disk", "vsan": "vSAN",
}  # fmt: skip
"""Words of facts' names that are written otherwise."""
_NAMED = 3
"""Missing counters that a reason names."""


def lacking_text(lacking: Sequence[str], catalogue: Catalogue, kinds: Collection[str]) -> str:
    """Return which counters no source has, and which source would: "no source has %CSTP; esxtop has it".

    ``kinds`` are the kinds of the session's sources.
    """
    named = ", ".join(_name(key, catalogue) for key in lacking[:_NAMED])
    more = f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
    it = "it" if len(lacking) == 1 else "them"
    known = [counter for key in lacking if (counter := catalogue.get(key))]
    return f"no source has {named}{more}{_who_has(known, kinds, it)}"


def unsampled_text(card: Card, catalogue: Catalogue, kinds: Collection[str]) -> str:
    """Return that what a card reads was never sampled, and who samples it."""
    return f"its counters have no samples{_who_has(list(_counters(card, catalogue)), kinds, 'them')}"


def _who_has(known: Sequence[Counter], kinds: Collection[str], it: str) -> str:
    """Return who counts some of these, as the rest of a sentence; empty where nobody is known to."""
    if any(counter.esxtop for counter in known):
        by = f"esxtop -b -a records {it}" if "esxtop" in kinds else f"esxtop on the hosts has {it}"
        if _INVENTORIES.isdisjoint(kinds) or not any(counter.vcenter for counter in known):
            return f"; {by}"
        some = "it" if it == "it" or all(counter.vcenter for counter in known) else "some of them"
        return f"; {by}; the preset troubleshooting asks vCenter for {some}"
    if any(counter.vcenter for counter in known):
        is_there = "vcenter" in kinds
        return f"; the preset troubleshooting asks vCenter for {it}" if is_there else f"; vCenter has {it}"
    by = next((counter.recorded_by for counter in known if counter.recorded_by), "")
    return f"; {by} has {it}" if by else ""


def reads_any(card: Card, counters: Collection[str]) -> bool:
    """Return True if a rule of the card reads one of some counters."""
    return any(not _keys(card, rule).isdisjoint(counters) for rule in card.rules)


def absent_text(card: Card) -> str:
    """Return why a session may have nothing that a card is about; empty where that speaks for itself."""
    others = [rule.only.others for rule in card.rules if rule.only and rule.only.told]
    kinds = {rule.entity for rule in card.rules}
    told = (
        f"only a vCenter tells of {_NAMES_OF.get(min(kinds), 'itself')}" if kinds <= _TOLD_BY_VCENTER else ""
    )
    return next(iter(others), told)


def only_finds_there(card: Card, topology: Topology, sources: Iterable[int]) -> bool:
    """Return True if a card's rules clear nothing, and one of these sources has all that a rule reads."""
    return all(rule.finds_only for rule in card.rules) and any(
        topology.rows(source, rule.entity)
        and all(topology.series.of_counter(source, key) for key in _keys(card, rule))
        for source in sources
        for rule in card.rules
    )


def _keys(card: Card, rule: Rule) -> set[str]:
    """The counters that a rule's signals read."""
    signals = card.signals_for(rule).values()
    keys = {key for one in signals for key in (one.counter, *one.counters.values())}
    return {bare_key(key) for key in keys if key and not key.startswith(FACT)}


def who_would_show(card: Card, catalogue: Catalogue, kinds: Collection[str]) -> str:
    """Return which source that is not connected would show what a card is about: "a vCenter"; empty where
    those that are connected would show it, if it were there.
    """
    if _HOSTS.isdisjoint(kinds):
        return ""
    counters = list(_counters(card, catalogue))
    if {rule.entity for rule in card.rules} <= _TOLD_BY_VCENTER:
        return "" if "vcenter" in kinds else "a vCenter"
    parts_of_vsan = {rule.entity for rule in card.rules} <= {"vsan"}  # a site need not have any
    if parts_of_vsan or any(rule.only and rule.only.told for rule in card.rules):
        if not _INVENTORIES.isdisjoint(kinds):
            return ""
        return next((one.recorded_by for one in counters if one.recorded_by), "a vCenter")
    if {rule.entity for rule in card.rules} <= {"datastore"}:  # not every site has the kind that it is about
        return "" if not _INVENTORIES.isdisjoint(kinds) else "a vCenter"
    return _who_counts(counters, kinds)


def _who_counts(counters: Sequence[Counter], kinds: Collection[str]) -> str:
    """Return who counts what a session with hosts has nothing of: uplinks, devices, volumes."""
    found = []
    if any(one.esxtop for one in counters):
        found.append("esxtop -b -a" if "esxtop" in kinds else "esxtop on the hosts")
    if any(one.vcenter for one in counters):
        known = not _INVENTORIES.isdisjoint(kinds)
        found.append("the preset troubleshooting of a vCenter" if known else "a vCenter")
    return " or ".join(found)


def untold_text(untold: Collection[str], kinds: Collection[str]) -> str:
    """Return what nobody told of, and who would: names of facts, events or paths."""
    named = ", ".join(sorted(_in_words(one) for one in untold))
    if "vcenter" not in kinds:
        return f"no source tells of {named}; vCenter does"
    if "paths" in untold:
        return f"no source tells of {named}; esxtop -b -a does"
    return f"the vCenter does not tell of {named}"


def _in_words(untold: str) -> str:
    """The name of a fact as an admin says it: ``drs.recommendations`` is "DRS recommendations"."""
    parts = untold.replace(".", " ").replace("_", " ").split()
    return " ".join(_WORDS.get(one, one) for one in parts)


def _counters(card: Card, catalogue: Catalogue) -> Iterator[Counter]:
    """Yield the counters of the catalogue that the card's rules read."""
    for rule in card.rules:
        for signal in card.signals_for(rule).values():
            for key in (signal.counter, *signal.counters.values()):
                if key and (known := catalogue.get(key)):
                    yield known


def _name(key: str, catalogue: Catalogue) -> str:
    known = catalogue.get(key)
    if known is None:
        return key
    return f"{known.label} ({known.short})" if known.short else known.label


def seldom_text(values: int, every_s: float, *, is_growing: bool) -> str:
    """Return why nothing was judged of a source of rollups with one value, or none."""
    every = format_duration(every_s)
    if is_growing:
        return (
            f"one value so far, judging takes two: one comes every {every}"
            if values
            else (f"no value so far: one comes every {every}")
        )
    has = "has one, judging takes two" if values else "has none"
    return f"a value comes every {every}: the recording {has}"


def too_short_text(axis: IntArray, shortest_s: float) -> str:
    """Return how long a source's samples last, where that is too short for every problem."""
    needed = f"a problem must last {format_duration(shortest_s)} or more to be called one"
    if axis.size == 1:
        return f"a single sample; {needed}"
    length = format_duration(float(sample_seconds(axis).sum()))
    return f"{format_count(axis.size)} samples over {length}; {needed}"
