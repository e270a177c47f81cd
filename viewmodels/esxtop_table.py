"""Columns and rows of the esxtop view, as values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sessions.model import EntityRef


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A counter: esxtop's name, unit, limits (NaN for none) and what the tooltip says.

    The limits hold for rows of these ``kinds`` of entities, for all where it names none. ``tail``: which
    one it is of a counter that has several (``C0``).
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
        """What no other column has."""
        return self.counter, self.tail


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """A column that a screen can have: ``text`` names it, ``meaning`` explains its counter."""

    counter: str
    text: str
    meaning: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Row:
    """An entity, or one instance of its series. ``depth`` 1 stands below the row above it with depth 0."""

    ref: EntityRef
    name: str
    host: str
    instance: str = ""
    depth: int = 0
    expandable: bool = False
