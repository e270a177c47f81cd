"""The series that belong to a scope: of its entities, of those below, and its hosts' views of shared
devices.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sessions.model import EntityRef, Series
from viewmodels.shared_devices import is_shared, seen_by, source_names
from viewmodels.snapshot import Snapshot


def series_in_scope(
    series: Sequence[Series], chosen: Collection[EntityRef], snapshot: Snapshot
) -> Sequence[Series]:
    """Return those of ``series`` that belong to the ``chosen`` entities or to entities below them.

    A device or datastore that hosts share is below none of them; of it, the series that were measured by a
    chosen host belong to the scope.
    """
    if not chosen:
        return ()
    hosts = {
        name: ref for ref in snapshot.entities if ref.kind == "host" for name in (snapshot.name(ref), ref.key)
    }
    names = source_names(snapshot)
    return [
        one
        for one in series
        if _is_below(one.entity, chosen, snapshot)
        or (is_shared(one.entity, snapshot) and _is_below(hosts.get(seen_by(one, names)), chosen, snapshot))
    ]


def _is_below(ref: EntityRef | None, chosen: Collection[EntityRef], snapshot: Snapshot) -> bool:
    """True if the entity is one of ``chosen``, or below one of them in the inventory."""
    passed: set[EntityRef] = set()
    while ref is not None and ref not in passed:  # a session is untrusted and may hold a cycle
        if ref in chosen:
            return True
        passed.add(ref)
        entity = snapshot.entities.get(ref)
        ref = entity.parent if entity is not None else None
    return False
