"""The events of the scope's entities over the whole session, worked out again only when they may differ."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.model import EntityRef, Event
from sessions.scope import Scope
from viewmodels.scope_filter import scope_filter
from viewmodels.snapshot import ChangingRecords, EntityIndex, Snapshot


class ScopeEvents:
    """Remembers the events of one scope: a vCenter has thousands, and charts ask whenever they are drawn."""

    def __init__(self) -> None:
        self._key: tuple[tuple[EntityRef, ...], ChangingRecords, EntityIndex] | None = None
        self._events: Sequence[Event] = ()

    def of(self, scope: Scope, snapshot: Snapshot) -> Sequence[Event]:
        """Return the events of what the scope's entities are or depend on, and those of no entity."""
        key = scope.entities, snapshot.records, snapshot.entity_index
        known = self._key
        if known is None or known[0] != key[0] or known[1] is not key[1] or known[2] is not key[2]:
            self._key = key
            self._events = scope_filter(Scope(scope.entities), snapshot).events(snapshot.events)
        return self._events
