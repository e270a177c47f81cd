"""What a symptom is about: the entity that was named, and all that it depends on."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from diagnosis.seen_twice import known_to_vcenter
from resources.failures import NotFoundError, UsageError
from resources.foreign_text import shown
from resources.guided_flow import Flow
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.carriers import owners_during
from viewmodels.entity_words import kind_label, kind_of
from viewmodels.scope_filter import scope_filter
from viewmodels.snapshot import Snapshot

_ABOVE = frozenset({"host", "pool", "cluster", "vcenter"})
_NAMED = 5


def entity_called(snapshot: Snapshot, name: str, flow: Flow) -> EntityRef:
    """Return the entity of this name or key, of a kind that a symptom can be of; ``kind:name`` narrows.

    Raises NotFoundError if there is none, UsageError if there are several.
    """
    kind_word, colon, rest = name.partition(":")
    kind = kind_of(kind_word) if colon else None
    wanted = rest if kind else name
    kinds = [kind] if kind in flow.kinds else flow.kinds
    found = [
        ref
        for ref in snapshot.entities
        if ref.kind in kinds and wanted in (snapshot.name(ref), ref.key) and not (kind and ref.kind != kind)
    ]
    places = [fact for own in snapshot.records.relations.values() for fact in own if fact.name == "host"]
    twice = known_to_vcenter(snapshot.entities, places)
    found = list(dict.fromkeys(twice.get(ref, ref) for ref in found))
    if not found:
        raise NotFoundError(
            f"No VM, host, datastore or device is called {shown(wanted)!r}.",
            meaning="A symptom can be of one of these.",
            advice="'hyperscope query S.hscope' lists all names.",
        )
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} things are called {shown(wanted)!r}: "
            f"{', '.join(f'{kind_label(ref.kind)} {shown(ref.key)}' for ref in found[:_NAMED])}.",
            advice="Name one by its key, as it stands here.",
        )
    return found[0]


def surroundings_of(snapshot: Snapshot, ref: EntityRef, window: TimeRange) -> frozenset[EntityRef]:
    """Return the entity with all that is below it and all that it depends on in a window.

    A VM's are its host, pools and cluster, the devices and datastores of its disks, and the uplinks of its
    switches; a host's are its VMs with all of theirs; a datastore's are its devices, and the VMs with disks
    there.
    """
    covered = scope_filter(Scope((ref,), window), snapshot)
    found = {one for one in snapshot.entities if covered.concerns(one, (window,))}
    found |= {*covered.users, ref}
    for one in _roots(found, ref):
        found |= _above(snapshot, one, window)
    return frozenset(found)


def _roots(found: Collection[EntityRef], ref: EntityRef) -> Sequence[EntityRef]:
    """Whose pools and clusters belong to it: those of a VM and its hosts, of a host, not of all its VMs."""
    if ref.kind == "vm":
        return [ref, *(one for one in found if one.kind == "host")]
    return [ref] if ref.kind == "host" else []


def _above(snapshot: Snapshot, ref: EntityRef, window: TimeRange) -> set[EntityRef]:
    found: set[EntityRef] = set()
    waiting = [ref]
    while waiting:
        for above in owners_during(waiting.pop(), snapshot, window):
            if above.kind in _ABOVE and above not in found:  # a session is untrusted and may hold a cycle
                found.add(above)
                waiting.append(above)
    return found
