"""The entry point: runs a command and turns every failure into one line and an exit code."""

from __future__ import annotations

import multiprocessing
import sys


def main() -> int:
    """Run the command that the words after the program's name say; returns the exit code."""
    multiprocessing.freeze_support()
    # Imported here since every worker process imports this module again and needs none of it.
    from app.crash import report_crash  # noqa: PLC0415
    from app.program import run  # noqa: PLC0415

    try:
        return run(sys.argv[1:])
    except Exception as error:  # noqa: BLE001 - the crash hook: what gets here is a bug
        return report_crash(error)


if __name__ == "__main__":
    sys.exit(main())
