"""What a recorder asks by an event while it runs, and is answered by a command: passwords, certificates."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from resources.failures import CancelledError, LoginError
from resources.units import format_duration

_PATIENCE_S = 300.0
_LOOK_S = 0.5


class Say(Protocol):
    """Puts an event to whoever reads ours."""

    def __call__(self, event: str, **fields: object) -> None:
        """The event and its fields."""


class Questions:
    """Questions that are open and answers that came, by source; they are in memory only."""

    def __init__(self, say: Say, stopped: Callable[[], bool]) -> None:
        """``stopped`` is whether nobody waits for answers any more."""
        self._say, self._stopped = say, stopped
        self._answers: dict[tuple[str, str], Any] = {}
        self._changed = threading.Condition()

    def __repr__(self) -> str:
        return "Questions()"

    def answer(self, event: str, source: str, value: object) -> None:
        """What was asked by that event about that source."""
        with self._changed:
            self._answers[event, source] = value
            self._changed.notify_all()

    def password(self, source: str) -> str:
        """The password of a source. Raises LoginError when nobody gives it, CancelledError when stopped."""
        given = self._ask("password", source)
        if given is None:
            raise LoginError(
                f"Nobody gave the password of {source} within {format_duration(_PATIENCE_S)}.",
                advice="Start the recording again.",
            )
        return str(given)

    def trust(self, source: str, sha256: str, why: str) -> bool:
        """Whether a certificate that nobody vouches for is the right one. Raises CancelledError."""
        return self._ask("certificate", source, sha256=sha256, why=why) == sha256

    def _ask(self, event: str, source: str, **fields: str) -> object:
        with self._changed:
            if (event, source) not in self._answers:
                self._say(event, source=source, **fields)
            waited = 0.0
            while (event, source) not in self._answers and waited < _PATIENCE_S:
                if self._stopped():
                    raise CancelledError("The recording was stopped before the question was answered.")
                self._changed.wait(_LOOK_S)
                waited += _LOOK_S
            return self._answers.get((event, source))
