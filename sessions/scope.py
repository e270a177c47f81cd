"""What the admin looks at: entities × time × sources, as one value that every view shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sessions.model import EntityRef
from sessions.times import TimeRange

_LEAST_MS = 1_000


@dataclass(frozen=True, slots=True)
class Scope:
    """A filter, compared by value.

    ``entities`` empty means all of them, ``window`` None the whole session, ``sources`` empty all sources.
    ``follow``: the window's end moves with a session that grows, its length stays.
    """

    entities: tuple[EntityRef, ...] = ()
    window: TimeRange | None = None
    sources: frozenset[int] = frozenset()
    follow: bool = False

    def on(self, entities: Iterable[EntityRef]) -> Scope:
        """The same time and sources, other entities; their order is kept, repetitions are not."""
        return replace(self, entities=tuple(dict.fromkeys(entities)))

    def during(self, window: TimeRange | None, *, follow: bool = False) -> Scope:
        """The same entities, another window."""
        return replace(self, window=window, follow=follow)

    def of_sources(self, sources: Iterable[int]) -> Scope:
        """The same entities and time, other sources."""
        return replace(self, sources=frozenset(sources))

    def window_in(self, span: TimeRange | None) -> TimeRange | None:
        """The window as it is in a session of that span, None when there is nothing to see.

        A window that follows keeps its length and ends where the session ends. A single instant is seen with
        the second before it.
        """
        window = self._within(span) if span is not None else None
        if window is None or window.start < window.end:
            return window
        return TimeRange(window.start - _LEAST_MS, window.end)

    def _within(self, span: TimeRange) -> TimeRange | None:
        if self.window is None:
            return span
        if self.follow:
            return TimeRange(max(span.start, span.end - (self.window.end - self.window.start)), span.end)
        return self.window.intersect(span)
