"""What the admin looks at: entities × time × sources, as one value that every view shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sessions.model import EntityRef
from sessions.times import TimeRange

_MIN_MS = 1_000


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
        """Return a scope with other entities, in the given order without repetitions; time
        and sources stay.
        """
        return replace(self, entities=tuple(dict.fromkeys(entities)))

    def during(self, window: TimeRange | None, *, follow: bool = False) -> Scope:
        """Return a scope with another window; entities and sources stay."""
        return replace(self, window=window, follow=follow)

    def of_sources(self, sources: Iterable[int]) -> Scope:
        """Return a scope with other sources; entities and time stay."""
        return replace(self, sources=frozenset(sources))

    def window_in(self, span: TimeRange | None) -> TimeRange | None:
        """Return the window to show for a session of this span; None when there is nothing to show.

        A window that follows keeps its length and ends where the session ends. A session with a single
        instant is shown with the second before it.
        """
        window = self._within(span) if span is not None else None
        if window is None or window.start < window.end:
            return window
        return TimeRange(window.start - _MIN_MS, window.end)

    def _within(self, span: TimeRange) -> TimeRange | None:
        if self.window is None:
            return span
        if self.follow:
            return TimeRange(max(span.start, span.end - (self.window.end - self.window.start)), span.end)
        return self.window.intersect(span)
