"""Columns and rows of the esxtop table, as values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessions.model import EntityRef


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A counter's column: esxtop's name, unit, limits (NaN: none) and tooltip.

    The limits apply to rows of entities of ``kinds`` (empty: all). ``tail`` is the numbered state that the
    column shows (``C0``), for a counter that has several.
    """

    counter: str
    title: str
    unit: str
    tooltip: str
    warning: float = np.nan
    critical: float = np.nan
    kinds: frozenset[str] = frozenset()
    tail: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the column: its counter and its numbered state."""
        return self.counter, self.tail


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """A column that a screen can have: ``text`` is its name, ``meaning`` explains its counter."""

    counter: str
    text: str
    meaning: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A row: an entity, or one instance of its series. A row of ``depth`` 1 is a part of the last row of
    depth 0 above.
    """

    ref: EntityRef
    name: str
    host: str
    instance: str = ""
    depth: int = 0
    expandable: bool = False
