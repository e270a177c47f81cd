"""Finds entities by what people type: names, patterns, kinds, paths, and keys where names repeat."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from resources.foreign_text import shown
from sessions.model import EntityRef, Kind
from sessions.times import TimeRange
from viewmodels.entity_words import kind_order
from viewmodels.scope_language.name_index import NamedEntity, NameIndex
from viewmodels.snapshot import Snapshot

_MAX_NEAR = 2_000
_RARE = frozenset({"world", "path"})


@dataclass(frozen=True, eq=False)
class Names:
    """The names of a session's entities; what is below what is decided in ``window``.

    ``known`` is an index that was made for an earlier snapshot; it is used if it still fits.
    """

    snapshot: Snapshot
    window: TimeRange | None
    known: NameIndex | None = None

    @cached_property
    def index(self) -> NameIndex:
        """The index of all names."""
        if self.known is not None and self.known.fits(self.snapshot):
            return self.known
        return NameIndex.of(self.snapshot)

    def exact(self, text: str, kind: Kind | None = None) -> list[EntityRef]:
        """Return the entities called ``text``: of the first kind that has any, if no kind is given."""
        return self._first_kind(self.called(text, kind))

    def called(self, text: str, kind: Kind | None = None) -> list[EntityRef]:
        """Return all entities called ``text``, of a kind or of any; with the same capitals if any has."""
        named = self.index.spelled.get(text.casefold(), ())
        found = [ref for ref in named if kind is None or ref.kind == kind]
        return [ref for ref in found if text in self.spellings(ref)] or found

    def matching(self, pattern: str, kind: Kind | None = None) -> list[EntityRef]:
        """Return the entities whose names match a pattern with ``*`` and ``?``, in order of their names."""
        fits = _pattern(pattern.casefold())
        found = [one.ref for one in self._of_kind(kind) if any(map(fits, one.folded))]
        return self._first_kind(found)

    def of_kind(self, kind: Kind) -> list[EntityRef]:
        """Return all entities of a kind, in order of their names."""
        return [one.ref for one in self._of_kind(kind)]

    def containing(self, words: Sequence[str], kind: Kind | None = None) -> list[EntityRef]:
        """Return the entities whose names contain all the words: VMs first, then hosts, then parts.

        Among those of a kind, names that begin with the first word come first. Worlds and paths are found
        only by their kind: there are thousands of them.
        """
        wanted = [word.casefold() for word in words]
        found = self._of_kind(kind)
        for word in wanted:
            found = [one for one in found if word in one.text]
        if len(wanted) > 1:
            found = [one for one in found if one.contains(wanted)]
        begins: dict[Kind, list[EntityRef]] = {}
        others: dict[Kind, list[EntityRef]] = {}
        first = wanted[0] if wanted else ""
        for one in found:
            if kind is not None or one.ref.kind not in _RARE:
                (begins if one.begins_with(first) else others).setdefault(one.ref.kind, []).append(one.ref)
        kinds = sorted({*begins, *others}, key=kind_order)
        return [ref for each in kinds for ref in (*begins.get(each, ()), *others.get(each, ()))]

    def below(self, refs: Iterable[EntityRef], owners: Collection[EntityRef]) -> list[EntityRef]:
        """Return those of ``refs`` that are below one of ``owners`` in the window."""
        return self.index.below(refs, owners, self.window)

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
        possible = (one for one in self._of_kind(kind) if one.ref.kind != "world")
        names = {one.folded[0]: one.spellings[0] for one in islice(possible, _MAX_NEAR)}
        wanted = text.casefold()
        begins = [name for name in names if len(wanted) > 1 and name.startswith(wanted)]
        found = begins or difflib.get_close_matches(wanted, names, n=1, cutoff=0.6)
        return names[found[0]] if found else ""

    def name(self, ref: EntityRef) -> str:
        """Return the name by which an entity is shown."""
        return self.spellings(ref)[0]

    def spellings(self, ref: EntityRef) -> Sequence[str]:
        """Return the names by which an entity is found: its own; also without its host or domain."""
        return self.index.by_ref[ref].spellings

    def _of_kind(self, kind: Kind | None) -> Sequence[NamedEntity]:
        if kind is None:
            return self.index.ordered
        return [one for one in self.index.ordered if one.ref.kind == kind]

    def _first_kind(self, refs: Sequence[EntityRef]) -> list[EntityRef]:
        first = min((kind_order(ref.kind) for ref in refs), default=None)
        return [ref for ref in refs if kind_order(ref.kind) == first]


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
