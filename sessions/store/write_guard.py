"""Whether a session can still be written; every writing call passes through this guard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sessions.store.database import Database, translated


class WriteGuard:
    """Lets calls through until one of them fails or the writer is closed; raises ValueError from then on."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.failed = self.closed = False
        self._is_together = False

    @property
    def is_open(self) -> bool:
        """True until a call has failed or the writer was closed."""
        return not (self.failed or self.closed)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction, or as a part of the one that ``together`` began: all of it is
        stored, or nothing.
        """
        with self.access():
            if self._is_together:
                yield
                return
            with self._database.transaction():
                yield

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run all calls of the block as one transaction."""
        with self.transaction():
            self._is_together = True
            try:
                yield
            finally:
                self._is_together = False

    @contextmanager
    def access(self) -> Iterator[None]:
        """Give access to the database: SQLite's errors are translated, and any failure ends writing."""
        if not self.is_open:
            raise ValueError("a session writer that has failed or is closed")
        try:
            with translated(self._database.path):
                yield
        except BaseException:
            self.failed = True
            raise
