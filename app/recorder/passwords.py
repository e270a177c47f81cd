"""Passwords that come while the recorder runs: asked for by an event, answered by a command."""

from __future__ import annotations

import threading
from collections.abc import Callable

from resources.failures import LoginError

_PATIENCE_S = 300.0


class AskedPasswords:
    """Passwords by source, got from whoever reads our events; they are in memory only."""

    def __init__(self, ask: Callable[[str], None], stopped: Callable[[], bool]) -> None:
        """``ask`` says that a source's password is wanted; ``stopped`` whether nobody wants it any more."""
        self._ask, self._stopped = ask, stopped
        self._given: dict[str, str] = {}
        self._changed = threading.Condition()

    def __repr__(self) -> str:
        return "AskedPasswords()"

    def give(self, source: str, password: str) -> None:
        """The password of a source."""
        with self._changed:
            self._given[source] = password
            self._changed.notify_all()

    def wait_for(self, source: str) -> str:
        """The password of a source, once somebody has given it. Raises LoginError when nobody does."""
        with self._changed:
            if source not in self._given:
                self._ask(source)
            waited = 0.0
            while source not in self._given and not self._stopped() and waited < _PATIENCE_S:
                self._changed.wait(1.0)
                waited += 1.0
            if source not in self._given:
                raise LoginError(f"There is no password for {source}.", advice="Start the recording again.")
            return self._given[source]
