"""Which entity of one session is which of another: by lasting identity first, by name last.

A name is a guess and is said to be one: VMs are renamed, and two hosts may both be called localhost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass

from diagnosis.comparison.records import Records
from diagnosis.comparison.values import JoinedBy
from sessions.identities import MOID, UUID
from sessions.model import EntityRef
from sessions.shared_devices import is_shared_device

NAMELESS_PARTS = frozenset({"world", "vcpu", "path"})
"""Kinds whose names say nothing outside of what they are part of."""

_KEPT = 2
"""So many VMs of a host with the same number and name in both: it was not started anew between them."""


@dataclass(frozen=True, slots=True)
class Partner:
    """The entity of B that an entity of A is, and how that is known."""

    ref: EntityRef
    joined_by: JoinedBy


class Joining:
    """Joins the entities that were there on each side. ``is_one_session``: both windows are of one file.

    ``partners`` gives the partner of an entity of A, ``in_a`` the entity of A that one of B is.
    """

    def __init__(
        self,
        a: Records,
        b: Records,
        there_a: Collection[EntityRef],
        there_b: Collection[EntityRef],
        *,
        is_one_session: bool,
    ) -> None:
        self._a, self._b = a, b
        self._left_a, self._left_b = dict.fromkeys(there_a), dict.fromkeys(there_b)
        self.partners: dict[EntityRef, Partner] = {}
        self.in_a: dict[EntityRef, EntityRef] = {}
        if is_one_session:
            self._by_key(self._is_same_ref, "identity")
        else:
            self._by_identity()
            self._by_key(self._is_same_key, "key")
            self._by_key(self._is_renamed, "key")
        self._by_name(lambda ref: ref.kind == "host")
        self._by_part()
        self._by_name(lambda ref: ref.kind not in NAMELESS_PARTS)
        self._by_part()

    @property
    def only_a(self) -> Set[EntityRef]:
        """What was there on side A only."""
        return self._left_a.keys()

    @property
    def only_b(self) -> Set[EntityRef]:
        """What was there on side B only."""
        return self._left_b.keys()

    def _join(self, a: EntityRef, b: EntityRef, how: JoinedBy) -> None:
        self.partners[a] = Partner(b, how)
        self.in_a[b] = a
        del self._left_a[a]
        del self._left_b[b]

    def _by_identity(self) -> None:
        names = (UUID, MOID) if self._a.vcenters & self._b.vcenters else (UUID,)
        for name in names:
            known = _unique((ref, self._b.identities(ref).get(name)) for ref in self._left_b)
            for (kind, value), ref in _unique(
                (ref, self._a.identities(ref).get(name)) for ref in self._left_a
            ).items():
                other = known.get((kind, value))
                if other is not None:
                    self._join(ref, other, "identity")

    def _by_key(self, is_same: Callable[[EntityRef], bool], how: JoinedBy) -> None:
        for ref in [one for one in self._left_a if one in self._left_b]:
            if is_same(ref):
                self._join(ref, ref, how)

    def _is_same_ref(self, ref: EntityRef) -> bool:
        return ref in self._left_b

    def _is_same_key(self, ref: EntityRef) -> bool:
        """A key with a host's name in it, or a host's name itself, is one only while the name is the same."""
        if self._contradicts(ref, ref) or ref.kind == "host":
            return False
        if "/" not in ref.key:
            return ref.kind != "device" or is_shared_device(ref.key)
        return self._a.entities[ref].name == self._b.entities[ref].name

    def _is_renamed(self, ref: EntityRef) -> bool:
        """A VM that kept the number its host gave it, under a name that the other session does not know.

        A host gives numbers anew after it was started: they count where other VMs kept theirs with the name.
        """
        if ref.kind != "vm" or self._contradicts(ref, ref):
            return False
        host, slash, _ = ref.key.rpartition("/vm/")
        kept = sum(1 for one in self.partners if one.kind == "vm" and one.key.startswith(f"{host}/vm/"))
        if not slash or kept < _KEPT:
            return False
        names = self._a.entities[ref].name, self._b.entities[ref].name
        return names[0] not in self._names(self._b) and names[1] not in self._names(self._a)

    @staticmethod
    def _names(records: Records) -> Set[str]:
        return {entity.name for ref, entity in records.entities.items() if ref.kind == "vm"}

    def _contradicts(self, a: EntityRef, b: EntityRef) -> bool:
        """Whether lasting identities say that these are two."""
        mine, other = self._a.identities(a).get(UUID), self._b.identities(b).get(UUID)
        return mine is not None and other is not None and mine != other

    def _by_name(self, is_meant: Callable[[EntityRef], bool]) -> None:
        mine = _unique((ref, self._a.entities[ref].name) for ref in self._left_a if is_meant(ref))
        others = _unique((ref, self._b.entities[ref].name) for ref in self._left_b if is_meant(ref))
        for key, ref in mine.items():
            other = others.get(key)
            if other is not None and not self._contradicts(ref, other):
                self._join(ref, other, "name")

    def _by_part(self) -> None:
        """Parts of what was joined: by what they are called within it."""
        mine: dict[tuple[EntityRef, str, str], list[EntityRef]] = {}
        for ref in self._left_a:
            parent = self._a.entities[ref].parent
            if parent is not None:
                mine.setdefault((parent, ref.kind, _label(self._a, ref)), []).append(ref)
        for ref in sorted(self._left_b, key=lambda one: self._b.depth.get(one, 0)):
            parent = self._b.entities[ref].parent
            owner = self.in_a.get(parent) if parent is not None else None
            found = mine.get((owner, ref.kind, _label(self._b, ref)), []) if owner is not None else []
            if len(found) == 1 and found[0] in self._left_a:
                self._join(found[0], ref, "part")


def _label(records: Records, ref: EntityRef) -> str:
    """What an entity is called within its host: ``vmnic2`` of ``esx01/vmnic2``."""
    name = records.entities[ref].name
    for above in records.ancestors(ref):
        for prefix in (above.key, records.entities[above].name if above in records.entities else above.key):
            if name.startswith(f"{prefix}/"):
                return name[len(prefix) + 1 :]
    return name


def _unique(named: Iterable[tuple[EntityRef, str | None]]) -> Mapping[tuple[str, str], EntityRef]:
    """What only one entity of its kind is called."""
    found: dict[tuple[str, str], list[EntityRef]] = {}
    for ref, name in named:
        if name:
            found.setdefault((ref.kind, name), []).append(ref)
    return {key: refs[0] for key, refs in found.items() if len(refs) == 1}
