"""Turns an unexpected exception in one thread of the recorder into an error that the other
threads can report.
"""

from __future__ import annotations

from resources.crash_reports import EXIT_CODE
from resources.failures import HyperscopeError


class BugError(HyperscopeError):
    """An unexpected exception, without its details; the crash report has these."""

    exit_code = EXIT_CODE
