"""The events that the timeline shows: those of the scope, without the logs and kinds that are hidden."""

from __future__ import annotations

from collections.abc import Sequence

from app.gui.scope_events import ScopeEvents
from sessions.model import Event
from sessions.scope import Scope
from viewmodels.event_filter import EventChoice, EventFilter, event_choices
from viewmodels.snapshot import Snapshot


class TimelineEvents:
    """Remembers what is hidden, for one session, and the events that are left."""

    def __init__(self) -> None:
        self._of_scope = ScopeEvents()
        self._hidden = EventFilter()
        self._filtered: tuple[Sequence[Event], EventFilter, Sequence[Event]] = ((), self._hidden, ())

    def of(self, scope: Scope, snapshot: Snapshot) -> Sequence[Event]:
        """Return the events to show; the same object while neither they nor the choice change."""
        events, (before, hidden, found) = self._of_scope.of(scope, snapshot), self._filtered
        if before is not events or hidden != self._hidden:
            found = self._hidden.passing(events)
            self._filtered = events, self._hidden, found
        return found

    @property
    def hidden_count(self) -> int:
        """How many events of the scope are hidden."""
        events, _, found = self._filtered
        return len(events) - len(found)

    def choices(self) -> Sequence[EventChoice]:
        """Return which logs and kinds can be hidden."""
        return event_choices(self._filtered[0], self._hidden)

    def toggle(self, choice: EventChoice) -> None:
        """Hide what is shown, or show what is hidden."""
        self._hidden = self._hidden.toggled(choice)

    def show_all(self) -> None:
        """Hide nothing: another session is opened."""
        self._hidden = EventFilter()
