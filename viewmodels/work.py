"""How a long computation in a worker thread is cancelled and reports its progress."""

from __future__ import annotations

from typing import Protocol


class Work(Protocol):
    """A running computation: its starter may cancel it and may show its progress."""

    def check(self) -> None:
        """Raise CancelledError if the work should stop."""

    def progress(self, part: float | None) -> None:
        """Report how much is done, from 0 to 1; None if unknown."""


class UnwatchedWork:
    """Work that nobody cancels and whose progress nobody shows."""

    def check(self) -> None:
        """Do nothing: this work is never cancelled."""

    def progress(self, part: float | None) -> None:
        """Do nothing: nobody shows the progress."""
