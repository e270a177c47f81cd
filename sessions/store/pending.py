"""How many ticks of a layout await compaction, and whether it is time for it."""

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
    """A layout of so many series: ``rows`` in its strips, which are ``instants`` when pieces count once."""

    series: int
    rows: int = 0
    instants: int = 0
    end: int | None = None

    @property
    def block_ticks(self) -> int:
        """How many ticks make a block of this layout: fewer than usual where memory would be the worse."""
        return max(MIN_BLOCK_TICKS, min(BLOCK_TICKS, _BLOCK_CELLS // max(self.series, 1)))

    @property
    def is_due(self) -> bool:
        """Whether there is a block's worth of ticks beside the newest ones."""
        return self.instants >= self.block_ticks + LATE_TICKS or self.is_in_pieces

    @property
    def is_in_pieces(self) -> bool:
        """Whether so many instants came more than once that merging them is worth it by itself."""
        return self.rows >= _MAX_PIECES * self.block_ticks

    @property
    def is_overdue(self) -> bool:
        """Whether compaction should no longer wait for a quiet moment."""
        return self.rows >= 2 * self.block_ticks

    def add(self, end: int, ticks: int) -> None:
        """Take note of a strip."""
        self.rows += ticks
        if self.end is None or end > self.end:
            self.end = end
            self.instants += ticks
