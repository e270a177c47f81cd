"""Finds entities by what people type: names, patterns, kinds, paths, and keys where names repeat."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from resources.foreign_text import shown
from sessions.model import EntityRef, Kind
from sessions.times import TimeRange
from viewmodels.entity_names import NAMELESS
from viewmodels.entity_words import kind_order
from viewmodels.host_domains import without
from viewmodels.name_order import natural
from viewmodels.scope_filter import ScopeFilter
from viewmodels.snapshot import Snapshot

_MAX_NEAR = 2_000
_RARE = frozenset({"world", "path"})


@dataclass(frozen=True, eq=False)
class Names:
    """The names of a session's entities; what is below what is decided in ``window``."""

    snapshot: Snapshot
    window: TimeRange | None

    def exact(self, text: str, kind: Kind | None = None) -> list[EntityRef]:
        """Return the entities called ``text``: of the first kind that has any, if no kind is given."""
        return self._first_kind(self.called(text, kind))

    def called(self, text: str, kind: Kind | None = None) -> list[EntityRef]:
        """Return all entities called ``text``, of a kind or of any; with the same capitals if any has."""
        found = self._of_kind(self._spelled.get(text.casefold(), ()), kind)
        return [ref for ref in found if text in self.spellings(ref)] or found

    def matching(self, pattern: str, kind: Kind | None = None) -> list[EntityRef]:
        """Return the entities whose names match a pattern with ``*`` and ``?``, in order of their names."""
        fits = _pattern(pattern.casefold())
        refs = {ref for name, found in self._spelled.items() if fits(name) for ref in found}
        return self._first_kind(self._of_kind(sorted(refs, key=self._order), kind))

    def of_kind(self, kind: Kind) -> list[EntityRef]:
        """Return all entities of a kind, in order of their names."""
        return sorted((ref for ref in self.snapshot.entities if ref.kind == kind), key=self._order)

    def containing(self, words: Sequence[str], kind: Kind | None = None) -> list[EntityRef]:
        """Return the entities whose names contain all the words: VMs first, then hosts, then parts.

        Among those of a kind, names that begin with the first word come first. Worlds and paths are found
        only by their kind: there are thousands of them.
        """
        wanted = [word.casefold() for word in words]
        found = {
            ref
            for name, refs in self._spelled.items()
            if all(word in name for word in wanted)
            for ref in refs
            if ref.kind == kind or (kind is None and ref.kind not in _RARE)
        }

        def order(ref: EntityRef) -> tuple[object, ...]:
            begins = (
                any(name.casefold().startswith(wanted[0]) for name in self.spellings(ref)) if wanted else True
            )
            return kind_order(ref.kind), not begins, self._order(ref)

        return sorted(found, key=order)

    def below(self, refs: Iterable[EntityRef], owners: Collection[EntityRef]) -> list[EntityRef]:
        """Return those of ``refs`` that are below one of ``owners`` in the window."""
        filtered = ScopeFilter(frozenset(owners), self.window, self.snapshot)
        return [ref for ref in refs if ref not in owners and filtered.covers(ref)]

    def at_path(self, steps: Sequence[str]) -> list[EntityRef]:
        """Return the entities at a path such as ``esx03.lab › db-prod › vCPU 2``; each step is a name."""
        found = self.called(steps[-1])
        for step in steps[:-1]:
            found = self.below(found, self.called(step))
        return self._first_kind(found)

    def with_key(self, text: str) -> list[EntityRef]:
        """Return the entity with the kind and key ``vm/esx01/vm/2741``."""
        kind, _, key = text.partition("/")
        return [ref for ref in self.snapshot.entities if ref.kind == kind and shown(ref.key) == key]

    def near(self, text: str, kind: Kind | None = None) -> str:
        """Return the name that is most like ``text``; empty if none is."""
        refs = [ref for ref in self.snapshot.entities if kind in {None, ref.kind} and ref.kind != "world"]
        names = {
            self.name(ref).casefold(): self.name(ref) for ref in sorted(refs, key=self._order)[:_MAX_NEAR]
        }
        wanted = text.casefold()
        begins = [name for name in names if len(wanted) > 1 and name.startswith(wanted)]
        found = begins or difflib.get_close_matches(wanted, names, n=1, cutoff=0.6)
        return names[found[0]] if found else ""

    def name(self, ref: EntityRef) -> str:
        """Return the name by which an entity is shown."""
        return self.spellings(ref)[0]

    def spellings(self, ref: EntityRef) -> Sequence[str]:
        """Return the names by which an entity is found: its own; also without its host or domain."""
        entity = self.snapshot.entities[ref]
        name = shown(entity.name) or NAMELESS
        if ref.kind == "host":
            return tuple(dict.fromkeys((name, without(self.snapshot.entity_index.host_domain, name))))
        parent = self.snapshot.entities.get(entity.parent) if entity.parent is not None else None
        own = name.removeprefix(f"{shown(parent.name)}/") if parent is not None else name
        return (name,) if own == name else (name, own)

    @cached_property
    def _spelled(self) -> Mapping[str, Sequence[EntityRef]]:
        found: dict[str, list[EntityRef]] = {}
        for ref in self.snapshot.entities:
            for name in self.spellings(ref):
                found.setdefault(name.casefold(), []).append(ref)
        return found

    def _order(self, ref: EntityRef) -> tuple[object, ...]:
        return kind_order(ref.kind), natural(self.name(ref)), ref.key

    def _first_kind(self, refs: Sequence[EntityRef]) -> list[EntityRef]:
        first = min((kind_order(ref.kind) for ref in refs), default=None)
        return [ref for ref in refs if kind_order(ref.kind) == first]

    def _of_kind(self, refs: Iterable[EntityRef], kind: Kind | None) -> list[EntityRef]:
        return [ref for ref in refs if kind is None or ref.kind == kind]


def _pattern(text: str) -> Callable[[str], bool]:
    """Return what tells whether a name matches a pattern, however many stars that has."""
    first, *others = (
        re.compile("".join("." if one == "?" else re.escape(one) for one in part), re.DOTALL)
        for part in re.split(r"\*+", text)
    )
    if not others:
        return lambda name: first.fullmatch(name) is not None
    *middle, last = others
    tail = len(re.split(r"\*+", text)[-1])

    def fits(name: str) -> bool:
        begun = first.match(name)
        at = begun.end() if begun is not None else len(name) + 1
        for part in middle:  # the first place of each part leaves the most to those after it
            found = part.search(name, at) if at <= len(name) else None
            at = found.end() if found is not None else len(name) + 1
        return at <= len(name) - tail and last.fullmatch(name, len(name) - tail) is not None

    return fits
