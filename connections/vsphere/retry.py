"""Retrying until a server answers again, with growing pauses; errors that need a person are not retried."""

from __future__ import annotations

import random
from collections.abc import Callable

from connections.failures import ClosedError
from connections.vsphere.faults import ReplacedError
from connections.vsphere.session import VSphere
from resources.failures import (
    ChangedCertificateError,
    LoginError,
    PrivilegeError,
    SourceError,
    UntrustedError,
)

Wait = Callable[[float], bool]
"""Waits so many seconds, or until asked to stop; returns whether to stop."""

FIRST_BACKOFF_S = 1.0
MAX_BACKOFF_S = 30.0

LASTING = (ChangedCertificateError, ClosedError, LoginError, PrivilegeError, ReplacedError, UntrustedError)
"""Errors that need a person; after every other SourceError the same request may succeed later."""


def is_transient(error: SourceError) -> bool:
    """True if the same request may succeed later (time-out, busy server).

    False for errors that need a person: a refused login, a missing privilege, another certificate.
    """
    return not isinstance(error, LASTING)


def reconnecting(
    vsphere: VSphere,
    wait: Wait,
    *,
    first_s: float = FIRST_BACKOFF_S,
    max_s: float = MAX_BACKOFF_S,
    on_failure: Callable[[SourceError, float], None] = lambda _error, _wait_s: None,
    chance: Callable[[], float] = random.random,
) -> bool:
    """Wait until the server answers and the login succeeds; return False if asked to stop before that.

    The waits are ``first_s`` seconds, then twice as long each time up to ``max_s``, each with up to 50 % of
    random jitter (``chance``), so that many recorders do not come back at once. ``on_failure`` is called with
    each failure and the wait after it. Raises SourceErrors that are not transient.
    """
    pause = first_s
    wait_s = _jittered(pause, chance)
    while not wait(wait_s):
        try:
            vsphere.check()
        except SourceError as error:
            if not is_transient(error):
                raise
            pause = min(max_s, pause * 2)
            wait_s = _jittered(pause, chance)
            on_failure(error, wait_s)
        else:
            return True
    return False


def retry_until_stopped(
    error: SourceError,
    vsphere: VSphere,
    wait: Wait,
    *,
    first_s: float,
    refused_s: float,
    on_failure: Callable[[SourceError], None],
) -> None:
    """Retry after ``error`` until the server answers again or ``wait`` returns True (asked to stop).

    Errors that need a person are retried as well, since somebody may correct the cause meanwhile: ``first_s``
    is the first wait in seconds, ``refused_s`` the wait after such an error; after another certificate it is
    MAX_BACKOFF_S at most, because no password was sent that could lock an account. ``on_failure`` is called
    with every failure, ``error`` first. Raises ClosedError (we closed the connection) and ReplacedError
    (another server is there).
    """
    on_failure(error)
    try:
        reconnecting(
            vsphere,
            wait,
            first_s=_first_wait_s(error, first_s, refused_s),
            on_failure=lambda failure, _wait_s: on_failure(failure),
        )
    except (ClosedError, ReplacedError):
        raise
    except SourceError as failure:
        on_failure(failure)


def _first_wait_s(error: SourceError, first_s: float, refused_s: float) -> float:
    if is_transient(error):
        return first_s
    is_unsent = isinstance(error, ChangedCertificateError | UntrustedError)
    return min(refused_s, MAX_BACKOFF_S) if is_unsent else refused_s


def _jittered(pause: float, chance: Callable[[], float]) -> float:
    return pause * (0.5 + chance() / 2)
