"""Returns freed memory to the operating system, for processes that run for days.

glibc keeps freed memory between blocks in use for each thread's arena, and puts arrays of megabytes into its
heap once such an array was freed. A window that followed a recording for 45 minutes held 400 to 490 MB,
rising, with 150 MB in use; with ``trim_allocator`` and ``trim_heap`` it holds 305 to 315 MB
(benchmarks/window_child.py, hour). Judging is the other way round: with pages of their own for its arrays
one more tick of a day of 20,000 series took 1.05 s of CPU, with ``keep_for_arrays`` 0.28 s, and the process
held 258 MB instead of 223. The allocators of Windows and macOS have no such calls: there these functions do
nothing.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from functools import cache

_ARENAS = 2
_OWN_PAGES_FROM = 64 * 1024
"""Blocks of at least this many bytes get pages of their own, which are unmapped when the block is freed."""

_HEAP_UP_TO = 32 * 1024 * 1024
"""The most that glibc allows: half of the heap of an arena."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h


def trim_allocator() -> None:
    """Limit how much freed memory glibc keeps; call this before the first thread starts."""
    choose = _of_glibc("mallopt")
    if choose is not None:
        choose(_M_ARENA_MAX, _ARENAS)
        choose(_M_MMAP_THRESHOLD, _OWN_PAGES_FROM)
        choose(_M_TRIM_THRESHOLD, _OWN_PAGES_FROM)


def keep_for_arrays() -> None:
    """Let glibc reuse the memory of arrays up to 32 MB; call this before the first thread starts.

    For a process that computes with arrays of hundreds of kB again and again: as pages of their own each of
    them costs the system a page fault for every 4 kB. At the end of each round call ``trim_heap``, if rounds
    are rare.
    """
    choose = _of_glibc("mallopt")
    if choose is not None:
        choose(_M_ARENA_MAX, _ARENAS)
        choose(_M_MMAP_THRESHOLD, _HEAP_UP_TO)
        choose(_M_TRIM_THRESHOLD, 2 * _HEAP_UP_TO)


def trim_heap() -> None:
    """Return the pages of freed blocks to the system; takes some ms without blocking other threads."""
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(0)


def collect_garbage_often(objects: int) -> None:
    """Run Python's cyclic garbage collector after every ``objects`` new objects.

    Objects that exist now are exempt. The program itself collects rarely, which makes imports fast, but a
    recorder would then keep garbage for hours.
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
