"""What long work in a worker thread asks and tells whoever started it."""

from __future__ import annotations

from typing import Protocol


class Work(Protocol):
    """A job of the window, or of a command: it may be stopped, and may show how far it is."""

    def check(self) -> None:
        """Raise CancelledError when the work should stop."""

    def progress(self, part: float | None) -> None:
        """Tell how far the work is, 0 to 1."""


class UnwatchedWork:
    """Work that nobody stops and nobody watches."""

    def check(self) -> None:
        """Never raises."""

    def progress(self, part: float | None) -> None:
        """Tells nobody."""
