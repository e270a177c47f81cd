"""Questions that a running recorder asks by an event and that a command answers: passwords, certificates."""

from __future__ import annotations

import threading
from collections.abc import Callable

from recorder.protocol import CertificateWanted, Password, PasswordWanted, Trust
from resources.failures import CancelledError, LoginError
from resources.units import format_duration

Question = PasswordWanted | CertificateWanted
Answer = Password | Trust

MAX_WAIT_S = 300.0
_CHECK_EVERY_S = 0.5


class Questions:
    """Open questions and received answers, by source; kept in memory only."""

    def __init__(self, send: Callable[[Question], None], stopped: Callable[[], bool]) -> None:
        """``send`` writes a question to whoever reads our events; ``stopped`` says that nobody waits for
        answers any more.
        """
        self._send, self._stopped = send, stopped
        self._answers: dict[tuple[type[Answer], str], Answer] = {}
        self._changed = threading.Condition()

    def __repr__(self) -> str:
        return "Questions()"

    def answer(self, answer: Answer) -> None:
        """Accept the answer to the question about its source."""
        with self._changed:
            self._answers[type(answer), answer.source] = answer
            self._changed.notify_all()

    def has_password(self, source: str) -> bool:
        """Return True if the password of a source was given already."""
        with self._changed:
            return (Password, source) in self._answers

    def password(self, source: str) -> str:
        """Ask for the password of a source.

        Raises LoginError if none is given, CancelledError if the recording stops.
        """
        given = self._ask(PasswordWanted(source), Password)
        if not isinstance(given, Password):
            raise LoginError(
                f"Nobody gave the password of {source} within {format_duration(MAX_WAIT_S)}.",
                advice="Start the recording again.",
            )
        return given.password

    def trust(self, source: str, sha256: str, why: str) -> bool:
        """Ask whether an unknown certificate is trusted; ``why`` says why it is unknown.

        Raises CancelledError.
        """
        return self._ask(CertificateWanted(source, sha256, why), Trust) == Trust(source, sha256)

    def _ask(self, question: Question, wanted: type[Answer]) -> Answer | None:
        key = wanted, question.source
        with self._changed:
            if key not in self._answers:
                self._send(question)
            waited = 0.0
            while key not in self._answers and waited < MAX_WAIT_S:
                if self._stopped():
                    raise CancelledError("The recording was stopped before the question was answered.")
                self._changed.wait(_CHECK_EVERY_S)
                waited += _CHECK_EVERY_S
            return self._answers.get(key)
