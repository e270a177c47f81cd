"""The program, killed before one of the steps in which it changes something or puts it back.

    python -m tests.app.dying WHEN STEP SIGNAL COUNT WORDS…

A step is a setting that is read or written, entries that are recorded in the journal, or the end of the run
that is written: all of them (WHEN is ``from the start``), or those ``while restoring``. In the lab they take
milliseconds: nobody outside would meet them. Without a kill (STEP -1) the file COUNT gets the number of
steps.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from wizards.flows.run_record import RunRecord
from workloads.journal import Changes

START, RESTORING = "from the start", "while restoring"
_HEARD_S = 3.0
"""Until the main thread has heard of a signal that does not kill; the steps are those of another one."""


class Steps:
    """Counts the steps; before one of them this process gets a signal, SIGKILL or another one."""

    def __init__(self, when: str, last: int, how: signal.Signals) -> None:
        self.done, self._last, self._how = 0, last, how
        self._is_counting = when == START
        self._lock = threading.Lock()

    def install(self) -> None:
        """Count what all changes of this process do from now on."""
        init, undo_all = Changes.__init__, Changes.undo_all
        steps = self

        def begun(changes: Changes, run: str, settings: Any, book: Any, *more: Any) -> None:
            init(changes, run, _Counted(settings, steps), _Counted(book, steps), *more)

        def undone(changes: Changes) -> Any:
            steps._is_counting = True
            return undo_all(changes)

        def ended(record: RunRecord, **new: Any) -> None:
            steps.counted(partial(end, record, **new))

        end = RunRecord.end
        for owner, name, act in (
            (Changes, "__init__", begun), (Changes, "undo_all", undone), (RunRecord, "end", ended)
        ):  # fmt: skip
            setattr(owner, name, act)

    def counted(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call it as the next step."""
        with self._lock:
            if self._is_counting:
                if self.done == self._last:
                    os.kill(os.getpid(), self._how)
                    time.sleep(_HEARD_S)
                self.done += 1
        return call(*arguments)


class _Counted:
    """Settings or a journal, each call of which is a step."""

    def __init__(self, real: Any, steps: Steps) -> None:
        self._real, self._steps = real, steps

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._real, name)
        return lambda *arguments: self._steps.counted(call, *arguments)


def main() -> int:
    """Run the program with the words behind COUNT; return its exit code."""
    when, step, how, count = sys.argv[1:5]
    steps = Steps(when, int(step), signal.Signals[how])
    steps.install()
    del sys.argv[1:5]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    from app.__main__ import main as program  # noqa: PLC0415 - as late as the program itself does

    code = program()
    Path(count).write_text(str(steps.done))
    return code


if __name__ == "__main__":
    sys.exit(main())
