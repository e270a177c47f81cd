"""The interface by which long work is told to stop."""

from __future__ import annotations

from typing import Protocol


class StopSignal(Protocol):
    """A flag that long work checks between steps; a ``threading.Event`` and a ``Job`` both have it."""

    def is_set(self) -> bool:
        """Return True if the work should stop."""
