"""Memory that was freed, given back to the system: programs that run for days care for it now and then.

glibc keeps what each thread's arena has freed between blocks in use, and lets arrays of megabytes into its
heap once one was freed. A window that followed a recording for 45 minutes held 400 to 490 MB, rising, of
which 150 were in use; with ``trim_allocator`` and ``give_back`` it holds 305 to 315
(benchmarks/window_child.py, hour). The allocators of Windows and macOS have no calls that do the same: there
these do nothing.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from functools import cache

_ARENAS = 2
_OWN_PAGES_FROM = 64 * 1024
"""Larger blocks get pages of their own, which are gone when the block is."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h


def trim_allocator() -> None:
    """Let the allocator keep little for itself; before the first thread starts."""
    choose = _of_glibc("mallopt")
    if choose is not None:
        choose(_M_ARENA_MAX, _ARENAS)
        choose(_M_MMAP_THRESHOLD, _OWN_PAGES_FROM)
        choose(_M_TRIM_THRESHOLD, _OWN_PAGES_FROM)


def give_back() -> None:
    """Return the pages of freed blocks; takes some ms, and other threads go on meanwhile."""
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(0)


def tidy_often(objects: int) -> None:
    """Look for garbage in cycles whenever there are so many new objects; never in what is there now.

    The program looks for it seldom, which makes imports fast; a recorder makes few objects for a long time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(objects)


@cache
def _of_glibc(name: str) -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    found: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)  # musl lacks malloc_trim
    return found
