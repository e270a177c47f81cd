"""How long work is told to stop: something that is asked now and then whether it has been set."""

from __future__ import annotations

from typing import Protocol


class StopSignal(Protocol):
    """Asked between steps of long work; a ``threading.Event`` is one, and so is a job's token."""

    def is_set(self) -> bool:
        """Whether the work should stop."""
