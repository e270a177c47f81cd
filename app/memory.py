"""Memory that was freed, given back to the system: programs that run for days ask for it now and then."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Return the pages of freed blocks, where the allocator keeps them; takes some ms, and does no harm.

    glibc keeps what each thread's arena has freed between blocks in use: after 45 minutes of following a
    recording, 120 to 250 MB that nothing uses (benchmarks/window_child.py, hour). The allocators of Windows
    and macOS have no call that does the same; there it does nothing.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    return found
