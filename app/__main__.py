"""The entry point: runs a command; a failure becomes one line on stderr and an exit code."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from types import FrameType

# For worker processes, too, which import this module first.
# numpy's BLAS starts a thread a core, which spin for a tenth of a second in each process; nothing here
# multiplies matrices that are worth it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# A capture's header makes hundreds of thousands of objects that stay: looking for garbage among them whenever
# 700 more have come would take a third of the time.
gc.set_threshold(50_000)

_STOPPED = 130  # resources.failures.CancelledError.exit_code, which may not be loaded yet
_NOBODY_READS = 1  # as click has it


class _CtrlC:
    """What Ctrl-C does where no command listens for it: it interrupts, until the program is ending."""

    is_ending = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        if not self.is_ending:
            raise KeyboardInterrupt


def main() -> int:
    """Run the command that the program's arguments name; returns the exit code.

    However often Ctrl-C comes, it is one of the documented codes.
    """
    multiprocessing.freeze_support()
    ctrl_c = _CtrlC()
    try:
        if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
            signal.signal(signal.SIGINT, ctrl_c)
        code = _run()
        ctrl_c.is_ending = True
    except KeyboardInterrupt:  # while the program loads or ends; else each command ends in its own good order
        ctrl_c.is_ending = True  # before anything is called: Python looks for signals at calls
        sys.stderr.write("hyperscope: Stopped.\n")
        code = _STOPPED
    finally:
        # A session that is being closed takes no time worth a traceback; SIGTERM still ends it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # All memory goes with the process: looking through it for garbage first would take 60 ms.
        gc.freeze()
    return code


def _run() -> int:
    try:
        # Imported here since every worker process imports this module again and needs none of it.
        from app.program import run  # noqa: PLC0415
        from app.standard_streams import prepare_standard_streams  # noqa: PLC0415

        prepare_standard_streams()
        return run(sys.argv[1:])
    except BrokenPipeError:  # whoever reads the results has enough
        return _NOBODY_READS
    except Exception as error:  # noqa: BLE001 - the crash hook: what gets here is a bug
        from app.crash import report_crash  # noqa: PLC0415

        return report_crash(error)


if __name__ == "__main__":
    sys.exit(main())
