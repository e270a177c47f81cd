"""The crash hook of the commands: a bug is named in one line on stderr; no traceback in the user's face."""

from __future__ import annotations

from app.terminal import complain
from resources.crash_reports import EXIT_CODE, save_crash


def report_crash(error: BaseException) -> int:
    """Write what is needed to mend the bug and say where it is; returns the exit code of a bug."""
    complain(save_crash(error))
    return EXIT_CODE
