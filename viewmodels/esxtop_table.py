"""Columns and rows of the esxtop table, as values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from resources.views import CounterLimits
from sessions.model import EntityRef, FloatArray, IntArray

_WITHOUT_NAME = frozenset({"count", "state", "flag", "ratio", "shares", "text"})


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A counter's column: esxtop's name, unit, limits (NaN: none) and tooltip.

    The limits apply to rows of entities of ``kinds`` (empty: all). ``tail`` is the numbered state that the
    column shows (``C0``), for a counter that has several. ``deciding``: the column should be in sight beside
    the names. ``per`` says what a number counts for (``per vCPU``). The limits apply only where the counter
    ``load`` of the row is at least ``least``, if there is one.
    """

    counter: str
    title: str
    unit: str
    tooltip: str
    warning: float = np.nan
    critical: float = np.nan
    kinds: frozenset[str] = frozenset()
    tail: str = ""
    deciding: bool = False
    per: str = ""
    load: str = ""
    least: float = np.nan

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the column: its counter and its numbered state."""
        return self.counter, self.tail

    @property
    def id(self) -> str:
        """The column's name in the user's settings: ``cpu.ready``, ``power.cstate C0``."""
        return f"{self.counter} {self.tail}".rstrip()

    @property
    def heading(self) -> tuple[str, str]:
        """The two lines of the column's heading: esxtop's name, and the unit: ``DAVG`` and ``ms/cmd``."""
        title, slash, of = self.title.partition("/")
        if slash and of == "s":
            return self.title, "" if self.unit == "/s" else self.unit
        if slash and not title.startswith("%"):
            return title, f"{self.unit}/{of}"
        bare = "" if self.unit in _WITHOUT_NAME else self.unit
        return self.title, self.per or bare


@dataclass(frozen=True, slots=True, eq=False)
class RowLimits:
    """The limits of a column's rows where these differ: for each row (rows,) one of ``known`` by its place,
    −1 for none.
    """

    which: IntArray
    known: tuple[CounterLimits, ...]

    @property
    def warning(self) -> FloatArray:
        """The warning limit of each row; (rows,), NaN for none."""
        return self._of_rows([one.warning.value for one in self.known])

    @property
    def critical(self) -> FloatArray:
        """The critical limit of each row; (rows,), NaN for none."""
        return self._of_rows([one.critical.value if one.critical else np.nan for one in self.known])

    def of(self, row: int) -> CounterLimits | None:
        """Return the limits of a row."""
        at = int(self.which[row])
        return self.known[at] if at >= 0 else None

    def _of_rows(self, values: list[float]) -> FloatArray:
        found: FloatArray = np.array([*values, np.nan])[self.which]
        return found


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
