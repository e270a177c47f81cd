"""The counter catalogue: all known counters, found by key, by esxtop's name or by vCenter's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from resources.counter_files import read_counters
from resources.counter_schema import Counter, EsxtopSpelling, VcenterSpelling
from resources.toml_files import knowledge_error, knowledge_files, shipped_once

_NOT_ALONE = ("related", "dropped_of_packets")
"""Conversions for which one vCenter counter may be the twin of several of our counters."""

__all__ = ["Catalogue", "Counter", "EsxtopSpelling", "VcenterSpelling", "load_catalogue"]


class Catalogue:
    """All known counters, indexed by key and by every source's name for them. Immutable."""

    def __init__(self, counters: Iterable[Counter]) -> None:
        self._counters = {counter.key: counter for counter in counters}
        self._exact: dict[tuple[str, str], tuple[Counter, EsxtopSpelling]] = {}
        self._patterns: dict[str, list[tuple[re.Pattern[str], Counter, EsxtopSpelling]]] = {}
        self._vcenter: dict[str, tuple[tuple[Counter, VcenterSpelling], ...]] = {}
        for counter in self._counters.values():
            for spelling in counter.esxtop:
                self._index(counter, spelling)
            for twin in counter.vcenter:
                self._vcenter[twin.name] = (*self._vcenter.get(twin.name, ()), (counter, twin))

    def _index(self, counter: Counter, spelling: EsxtopSpelling) -> None:
        if "<n>" in spelling.counter:
            pattern = re.compile(re.escape(spelling.counter).replace("<n>", "([0-9]+)"))
            self._patterns.setdefault(spelling.cls, []).append((pattern, counter, spelling))
            return
        self._exact[spelling.cls, spelling.counter] = (counter, spelling)
        self._exact.setdefault((spelling.cls, _single_spaced(spelling.counter)), (counter, spelling))

    def __len__(self) -> int:
        return len(self._counters)

    def __contains__(self, key: object) -> bool:
        return key in self._counters

    def get(self, key: str) -> Counter | None:
        """Return the counter with this canonical key, None if there is none."""
        return self._counters.get(key)

    def counters(self) -> tuple[Counter, ...]:
        """Return all counters in the order of the files (by area)."""
        return tuple(self._counters.values())

    def only_in_all_fields(self) -> tuple[str, ...]:
        """Return the keys of counters that esxtop prints only with ``-a``, as far as they are marked."""
        return tuple(one.key for one in self._counters.values() if any(at.only_all for at in one.esxtop))

    def esxtop(self, cls: str, counter: str) -> tuple[Counter, EsxtopSpelling] | None:
        """Return the counter that esxtop calls ``counter`` in object class ``cls``; None if it is unknown.

        Runs of spaces count as one space: ``Average Packet Size Transmitted (Bytes)`` really has two. For a
        numbered counter (C-states) the spelling is returned with the number filled in, and its ``tail`` is to
        be added to the instance.
        """
        found = self._exact.get((cls, counter)) or self._exact.get((cls, _single_spaced(counter)))
        if found is not None:
            return found
        for pattern, known, spelling in self._patterns.get(cls, ()):
            match = pattern.fullmatch(counter)
            if match:
                tail = spelling.tail.replace("<n>", match[1])
                return known, msgspec.structs.replace(spelling, counter=counter, tail=tail)
        return None

    def vcenter(self, name: str) -> tuple[tuple[Counter, VcenterSpelling], ...]:
        """Return the counters whose twin is vCenter's ``group.name.rollup``; which one depends on the
        entity's kind.
        """
        return self._vcenter.get(name, ())


@shipped_once
def load_catalogue(extra_dirs: Sequence[Path] = ()) -> Catalogue:
    """Load the counters that ship with Hyperscope, then ``counters/*.toml`` of each of ``extra_dirs``.

    A counter in a later folder replaces the one with the same key. Raises KnowledgeError, naming file and
    key, for a key that is there twice in one folder, two counters with one esxtop spelling, and an unknown
    field, unit or conversion.
    """
    counters: dict[str, Counter] = {}
    origin: dict[str, Path] = {}
    for place in knowledge_files("counters", extra_dirs):
        seen: dict[str, Path] = {}
        for path in place:
            for counter in read_counters(path):
                if counter.key in seen:
                    raise knowledge_error(path, counter.key, f"is also defined in {seen[counter.key].name}")
                seen[counter.key] = path
                counters[counter.key] = counter
        origin.update(seen)
    _check_spellings(counters.values(), origin)
    return Catalogue(counters.values())


def _check_spellings(counters: Iterable[Counter], origin: dict[str, Path]) -> None:
    taken: dict[tuple[str, ...], str] = {}
    for counter in counters:
        names: list[tuple[str, ...]] = [(s.cls, _single_spaced(s.counter)) for s in counter.esxtop]
        names += [(t.name, t.on, t.instance) for t in counter.vcenter if t.conversion not in _NOT_ALONE]
        for name in names:
            if taken.setdefault(name, counter.key) != counter.key or names.count(name) > 1:
                text = "\\".join(part for part in name if part)
                raise knowledge_error(origin[counter.key], counter.key, f"{text} is already {taken[name]}")


def _single_spaced(text: str) -> str:
    return " ".join(text.split())
