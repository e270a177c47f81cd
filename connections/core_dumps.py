"""No image of this process's memory on a disk: called when a secret comes into it.

A core dump holds passwords in the clear, stays on the disk and is readable by more than its owner; systems
collect them by themselves (systemd-coredump, apport, Windows Error Reporting).
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from functools import cache

if sys.platform != "win32":
    import resource

_PR_SET_DUMPABLE = 4  # linux/prctl.h
_NO_CRASH_DIALOG = 0x0001 | 0x0002  # SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX: no error report either
_NO_HEAP_IN_REPORTS = 1  # WER_FAULT_REPORTING_FLAG_NOHEAP, werapi.h


@cache
def forbid_core_dumps() -> None:
    """Keep the system from writing this process's memory to a disk when it crashes, for the rest of its life.

    Linux: no core file, nothing for a collector behind a pipe (which heeds no limit), and no other process of
    the user may read the memory. macOS: no core file. Windows: no error report, and no heap in one that is
    made all the same. What a system refuses is left: it makes no recording impossible.
    """
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        kernel.SetErrorMode(kernel.GetErrorMode() | _NO_CRASH_DIALOG)
        kernel.WerSetFlags(_NO_HEAP_IN_REPORTS)
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
