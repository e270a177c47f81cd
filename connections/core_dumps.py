"""Prevents core dumps of this process; called when the process gets a password.

A core dump holds passwords in the clear, stays on the disk and is readable by others; some systems collect
core dumps by themselves (systemd-coredump, apport, Windows Error Reporting).
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
    """Keep the system from writing this process's memory to disk after a crash, until the process ends.

    Linux: no core file, nothing for a collector behind a pipe (which ignores the size limit), and no other
    process of the user may read the memory. macOS: no core file. Windows: no error report, and no heap in a
    report that is made nevertheless. A setting that the system refuses is ignored: recording goes on without
    it.
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
