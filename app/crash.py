"""The crash hook of the commands: reports a bug in one line on stderr, without a traceback."""

from __future__ import annotations

from app.terminal import print_error
from resources.crash_reports import EXIT_CODE, save_crash


def report_crash(error: BaseException) -> int:
    """Write a crash report and print where it is; returns the exit code for bugs."""
    print_error(save_crash(error))
    return EXIT_CODE
