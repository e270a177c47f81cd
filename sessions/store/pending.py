"""How many ticks of a layout await compaction, and whether it is due."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.store.blocks import BLOCK_TICKS, MIN_BLOCK_TICKS

LATE_TICKS = 16
"""So many of the newest instants stay as they arrived, so that what comes late to them ends in their block:
at 20 s a bit over five minutes. What comes later still is merged whenever it is read."""

_BLOCK_CELLS = 1 << 23
_MAX_PIECES = 4  # rows for each instant of a block, when instants come in pieces


@dataclass(slots=True)
class Pending:
    """The uncompacted ticks of a layout.

    ``rows`` counts rows in strips, ``instants`` different times among them.
    """

    series: int
    rows: int = 0
    instants: int = 0
    end: int | None = None

    @property
    def block_ticks(self) -> int:
        """The number of ticks of a block of this layout: fewer than usual for very many series,
        to bound memory.
        """
        return max(MIN_BLOCK_TICKS, min(BLOCK_TICKS, _BLOCK_CELLS // max(self.series, 1)))

    @property
    def is_due(self) -> bool:
        """True if there is a block's worth of ticks besides the newest ones."""
        return self.instants >= self.block_ticks + LATE_TICKS or self.is_in_pieces

    @property
    def is_in_pieces(self) -> bool:
        """True if so many instants were written more than once that merging them is worthwhile."""
        return self.rows >= _MAX_PIECES * self.block_ticks

    @property
    def is_overdue(self) -> bool:
        """True if compaction should not wait for an idle moment any longer."""
        return self.rows >= 2 * self.block_ticks

    def add(self, end: int, ticks: int) -> None:
        """Add a strip of ``ticks`` ticks that ends at ``end`` (ms)."""
        self.rows += ticks
        if self.end is None or end > self.end:
            self.end = end
            self.instants += ticks
