"""A bug in one part of the recorder, as the failure that it is to the others."""

from __future__ import annotations

from resources.crash_reports import EXIT_CODE
from resources.failures import HyperscopeError


class BugError(HyperscopeError):
    """What is said of it; the crash report has the rest."""

    exit_code = EXIT_CODE
