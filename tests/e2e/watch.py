"""Watches a window in use for bugs, warnings, stalls, and objects that remain when it is closed."""

from __future__ import annotations

import gc
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QEvent, QMessageLogContext, QObject, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.left_behind import LiveObjects

_BEAT_MS = 50
_LOOK_S = 0.1
_HARMLESS = ("This plugin does not support", "propagateSizeHints", "Could not load the Qt platform plugin")
"""What Qt says of the display that tests run on, not of the window."""


class Watch(QObject):
    """Collects findings, each once with a count. A pause of the event loop over ``stall_s`` seconds is a
    stall.

    Time in which the GUI thread waited for a processor is subtracted. A stall is reported with the stack of
    the GUI thread.
    """

    def __init__(self, stall_s: float) -> None:
        super().__init__()
        self.findings: Counter[str] = Counter()
        self.longest_s = 0.0
        self._stall_s = stall_s
        self._beat, self._queued = time.monotonic(), 0.0
        self._doing = ""
        self._ended = threading.Event()
        self._resting = True
        self._main = threading.get_ident()
        self._task = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._timer = QTimer(self, interval=_BEAT_MS)
        self._timer.timeout.connect(self._alive)
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        warnings.simplefilter("error")
        sys.excepthook = self._raised
        threading.excepthook = lambda caught: self._raised(
            caught.exc_type, caught.exc_value, caught.exc_traceback
        )
        sys.unraisablehook = lambda caught: self._raised(
            caught.exc_type, caught.exc_value, caught.exc_traceback
        )
        qInstallMessageHandler(self._said)
        self._timer.start()
        self._thread.start()

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()
        self._timer.stop()
        qInstallMessageHandler(None)

    def rest(self, resting: bool) -> None:
        """While ``resting``, ignore stalls: the watcher itself causes them."""
        self._beat = time.monotonic()
        self._resting = resting

    def accompany(self, window: QWidget) -> None:
        """Ignore stalls once the window is hidden: it then waits for its children, and nobody sees it."""
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Rest when the window is hidden."""
        if event.type() == QEvent.Type.Hide and not event.spontaneous():  # not when it is minimised
            self.rest(True)
        return super().eventFilter(watched, event)

    def doing(self, action: str) -> None:
        """Set the current action, which findings name."""
        self._doing = action

    def compare(self, before: LiveObjects, when: str) -> None:
        """Report objects that exist now but did not in ``before``."""
        for left in before.newer():
            self.note(f"left behind {when}: {left}")

    def note(self, text: str, more: str = "") -> None:
        """Record a finding; ``more`` holds details that may differ each time."""
        if text not in self.findings:
            print(f"FINDING after {self._doing}: {text} {more}", file=sys.stderr, flush=True)
        self.findings[text] += 1

    def _alive(self) -> None:
        self._queued = self._queued_s()
        self._beat = time.monotonic()

    def _still_s(self, beat: float, queued: float) -> float:
        """Return the seconds without an event, less those in which the thread waited for a processor."""
        return time.monotonic() - beat - (self._queued_s() - queued)

    def _look(self) -> None:
        while not self._ended.wait(_LOOK_S):
            queued, beat = self._queued, self._beat
            if self._is_resting() or self._still_s(beat, queued) < self._stall_s:
                continue
            stack = "".join(traceback.format_stack(sys._current_frames()[self._main])[-6:])
            while self._beat == beat and not self._ended.wait(_LOOK_S):
                pass
            if self._is_resting() or self._beat == beat:
                continue
            lasted = self._still_s(beat, queued)
            self.longest_s = max(self.longest_s, lasted)
            self.note(f"a stall, at\n{stack}", f"{lasted:.1f} s")

    def _is_resting(self) -> bool:
        return self._resting

    def _queued_s(self) -> float:
        """Return the seconds in which the GUI thread was ready but had no processor."""
        try:
            return int(self._task.read_text(encoding="ascii").split()[1]) / 1e9
        except OSError:  # not Linux
            return 0.0

    def _said(self, kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) or any(one in text for one in _HARMLESS):
            return
        self.note(f"Qt {kind.name}: {text}")

    def _raised(
        self, kind: type[BaseException], value: BaseException | None, trace: TracebackType | None
    ) -> None:
        last = "".join(traceback.format_exception(kind, value, trace)[-8:])
        self.note(f"a bug:\n{last}")


def living() -> dict[str, int]:
    """Return the numbers of widgets, threads and Qt objects, which must not grow."""
    gc.collect()
    known: list[Any] = [one for one in gc.get_objects() if issubclass(type(one), QObject)]
    return {
        "widgets": len(QApplication.allWidgets()),
        "threads": threading.active_count(),
        "objects": len(known),
        "files": len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0,
    }
