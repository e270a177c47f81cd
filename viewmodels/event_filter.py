"""Which events the timeline shows: those of some logs or kinds, or all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from resources.foreign_text import shown
from resources.units import format_count
from sessions.model import Event

_NO_LOG = "no log"
_MAX_CHOICES = 12
_AT_THE_START = {"vmotion": "vMotion", "vsan": "vSAN", "vm": "VM", "drs": "DRS", "ha": "HA", "ft": "FT"}
"""Kinds of events that are not written with a capital at the start of a line, but so."""


@dataclass(frozen=True, slots=True)
class EventFilter:
    """The logs (empty text: no log, as a server told it) and the kinds of which events are hidden."""

    logs: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def passing(self, events: Sequence[Event]) -> Sequence[Event]:
        """Return the events that are shown; the same object if none is hidden."""
        if not self.logs and not self.kinds:
            return events
        return [one for one in events if one.log not in self.logs and one.kind not in self.kinds]

    def toggled(self, choice: EventChoice) -> EventFilter:
        """Return the filter with the events of a choice hidden, or shown if they were hidden."""
        if choice.is_log:
            return replace(self, logs=self.logs ^ {choice.name})
        return replace(self, kinds=self.kinds ^ {choice.name})


@dataclass(frozen=True, slots=True)
class EventChoice:
    """A log or a kind of events that can be hidden: its name, its check box's text, whether it is shown."""

    name: str
    is_log: bool
    text: str
    is_shown: bool


def event_choices(events: Iterable[Event], hidden: EventFilter) -> list[EventChoice]:
    """Return what can be chosen among events: their logs, then their kinds, the most frequent first."""
    logs: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for one in events:
        logs[one.log] += 1
        kinds[one.kind] += 1
    found = [
        EventChoice(
            name, True, f"Events of {shown(name, 60) or _NO_LOG} ({format_count(n)})", name not in hidden.logs
        )
        for name, n in logs.most_common(_MAX_CHOICES)
        if len(logs) > 1 or name in hidden.logs
    ]
    return found + [
        EventChoice(
            name,
            False,
            f"{_AT_THE_START.get(name) or shown(name, 60).capitalize()} events ({format_count(n)})",
            name not in hidden.kinds,
        )
        for name, n in kinds.most_common(_MAX_CHOICES)
        if len(kinds) > 1 or name in hidden.kinds
    ]
