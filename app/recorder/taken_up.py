"""Facts of an earlier run, in a recording that is continued: said again, changed, or no longer so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sessions.model import EntityRef, Fact
from sessions.store import SessionReader


class TakenUp:
    """The facts that held when the earlier run ended, until somebody says them again."""

    def __init__(self, held: dict[tuple[EntityRef, str], Fact]) -> None:
        self._held = held

    @classmethod
    def of(cls, path: Path) -> TakenUp:
        """Those of a session."""
        with SessionReader.open(path, check=False) as reader:
            return cls({(fact.entity, fact.name): fact for fact in reader.facts() if fact.end is None})

    def news(self, facts: Sequence[Fact]) -> list[Fact]:
        """Which of the facts the session does not say already."""
        if not self._held:
            return list(facts)
        return [fact for fact in facts if not self._is_said(fact)]

    def leftovers(self, now_ms: int) -> list[Fact]:
        """The facts that nobody said again, ended now; to be asked for once the inventory is known."""
        held, self._held = self._held, {}
        return [replace(fact, end=max(now_ms, fact.start)) for fact in held.values()]

    def _is_said(self, fact: Fact) -> bool:
        held = self._held.pop((fact.entity, fact.name), None)
        return held is not None and fact.end is None and held.value == fact.value
