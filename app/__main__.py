"""The entry point: runs a command and turns every failure into one line and an exit code."""

from __future__ import annotations

import sys

from app.crash import report_crash
from app.program import run

if __name__ == "__main__":
    # Worker processes import this module again under another name; only the program itself gets here.
    try:
        code = run(sys.argv[1:])
    except Exception as error:  # noqa: BLE001 - the crash hook: what gets here is a bug
        code = report_crash(error)
    sys.exit(code)
