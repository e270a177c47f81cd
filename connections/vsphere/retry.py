"""Waiting for a server to come back: for ever, patiently, and not at all where waiting can't help."""

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

FIRST_S = 1.0
MOST_S = 30.0

LASTING = (ChangedCertificateError, ClosedError, LoginError, PrivilegeError, ReplacedError, UntrustedError)
"""Failures that somebody has to do something about; every other SourceError may pass by itself."""


def passes(error: SourceError) -> bool:
    """Whether waiting may help."""
    return not isinstance(error, LASTING)


def reconnecting(
    vsphere: VSphere,
    wait: Wait,
    *,
    first_s: float = FIRST_S,
    most_s: float = MOST_S,
    told: Callable[[SourceError, float], None] = lambda _error, _wait_s: None,
    chance: Callable[[], float] = random.random,
) -> bool:
    """Wait until the server answers and we are logged in; False when asked to stop before that.

    Waits ``first_s`` first, then twice as long each time up to ``most_s``, each with up to half of jitter, so
    that many recorders do not come back at once. ``told`` hears each failure and the wait after it.
    Raises the SourceErrors that waiting does not mend.
    """
    pause = first_s
    wait_s = _jittered(pause, chance)
    while not wait(wait_s):
        try:
            vsphere.check()
        except SourceError as error:
            if not passes(error):
                raise
            pause = min(most_s, pause * 2)
            wait_s = _jittered(pause, chance)
            told(error, wait_s)
        else:
            return True
    return False


def outlast(
    error: SourceError,
    vsphere: VSphere,
    wait: Wait,
    *,
    first_s: float,
    refused_s: float,
    told: Callable[[SourceError], None],
) -> None:
    """Wait after ``error`` until the server answers again, also where somebody has to do something about it.

    ``first_s`` is the first wait, ``refused_s`` that for what does not pass by itself. ``told`` hears every
    failure. Raises ClosedError, ReplacedError: the one is our own doing, the other no server of ours.
    """
    told(error)
    try:
        reconnecting(
            vsphere,
            wait,
            first_s=first_s if passes(error) else refused_s,
            told=lambda failure, _wait_s: told(failure),
        )
    except (ClosedError, ReplacedError):
        raise
    except SourceError as failure:
        told(failure)


def _jittered(pause: float, chance: Callable[[], float]) -> float:
    return pause * (0.5 + chance() / 2)
