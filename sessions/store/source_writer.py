"""Writes the sources of a session and their states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sessions.model import SourceSpec
from sessions.store import sources
from sessions.store.database import Database
from sessions.store.write_guard import WriteGuard


class SourceWriter:
    """The sources of a session and their states; it starts with those that the session already has."""

    def __init__(self, database: Database, guard: WriteGuard) -> None:
        self._database, self._guard = database, guard
        self._sources = sources.load(database)

    def specs(self) -> dict[int, SourceSpec]:
        """The specification of each source, by id, in the order in which they were added."""
        return {source: spec for source, (spec, _) in self._sources.items()}

    def require(self, source: int) -> None:
        """Raise ValueError for a source that was not added."""
        if source not in self._sources:
            raise ValueError(f"source {source} was not added")

    def add(self, spec: SourceSpec) -> int:
        """Add a source in the state ``recording``; return its id."""
        sources.require(spec, "recording")
        with self._guard.transaction():
            source = sources.insert(self._database, spec, "recording")
        self._sources[source] = (spec, "recording")
        return source

    def update(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        state: str | None = None,
    ) -> None:
        """Change the specification or state of a source; None leaves a value as it is."""
        spec, state = self._sources[source][0], state or self._sources[source][1]
        if attributes is not None:
            pairs = attributes.items() if isinstance(attributes, Mapping) else attributes
            spec = replace(spec, attributes=tuple((str(name), str(text)) for name, text in pairs))
        spec = replace(
            spec,
            interval_s=spec.interval_s if interval_s is None else interval_s,
            clock_offset_ms=spec.clock_offset_ms if clock_offset_ms is None else clock_offset_ms,
        )
        sources.require(spec, state)
        with self._guard.transaction():
            sources.update(self._database, source, spec, state)
        self._sources[source] = (spec, state)

    def end(self, state: str) -> None:
        """Put every unfinished source into this state."""
        for source, (_, old_state) in list(self._sources.items()):
            if old_state in sources.UNFINISHED:
                self.update(source, state=state)
