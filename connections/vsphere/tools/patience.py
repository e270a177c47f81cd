"""Calls again what a busy guest did not do yet."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from connections.failures import ClosedError
from connections.vsphere.tools.faults import GuestBusyError
from resources.failures import DisconnectedError
from resources.vcenter_acting import GuestCalls as Limits

T = TypeVar("T")

_LOST = 3


class Patience:
    """Repeats calls with growing pauses, for as long as a guest may take to start."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def call(self, call: Callable[[], T], *, again_if_lost: bool = False) -> T:
        """Return what ``call`` returns; call it again while the guest is busy, then raise its error.

        ``again_if_lost``: also after a connection that broke, a few times, since doing it twice does no harm.
        """
        deadline, pause = time.monotonic() + self._limits.ready_s, self._limits.first_poll_s
        left = _LOST if again_if_lost else 0
        while True:
            try:
                return call()
            except ClosedError:
                raise
            except GuestBusyError:
                if time.monotonic() + pause >= deadline:
                    raise
            except DisconnectedError:
                if not left:
                    raise
                left -= 1
            time.sleep(pause)
            pause = min(pause * 2, self._limits.max_poll_s)
