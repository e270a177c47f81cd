"""Runs Python's cyclic garbage collector on the GUI thread only.

A QObject that is part of a reference cycle is deleted by the collector, on whatever thread happens to
allocate then. In a worker thread Qt stops its timers "from a different thread", and may crash.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

_EVERY_MS = 500


class GuiGarbage(QObject):
    """Collects as often as Python itself would, by its thresholds, until the window is gone."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        gc.disable()
        # Not while it is being deleted: Qt holds a lock then, which deleting another object may wait for.
        window.destroyed.connect(lambda: QTimer.singleShot(0, gc.enable))
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation whose count is over its threshold."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if thresholds[generation] and counts[generation] > thresholds[generation]:
                if generation == 0 or counts[0] > thresholds[0]:
                    gc.collect(generation)
                return
