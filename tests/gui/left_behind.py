"""What a test of the window may not leave behind: threads, timers that run, windows. A fixture looks.

python -m pytest -p tests.gui.left_behind FILE     with the fixture, wherever the file is
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar
from unittest.mock import patch

import pytest
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

_DEFERRED_DELETE = 52  # QEvent.DeferredDelete
_ROUNDS = 3
_QT_KEEPS = {"QTipLabel", "QShapedPixmapWidget", "QRubberBand"}
"""Windows that Qt makes for itself and keeps: the tooltip, what is dragged."""

Kind = TypeVar("Kind", bound=QObject)


@dataclass(frozen=True)
class LiveObjects:
    """The objects that exist at a moment, by identity; they are kept alive so that no identity is reused."""

    threads: tuple[threading.Thread, ...]
    objects: tuple[QObject, ...]

    @classmethod
    def now(cls) -> LiveObjects:
        """Return the objects that exist now."""
        return cls(tuple(threading.enumerate()), (*_running(), *_ticking(), *QApplication.topLevelWidgets()))

    def newer(self) -> list[str]:
        """Return a line for each object that exists now but did not then, after pending deletions are
        done.
        """
        _settle()
        if self._found():
            gc.collect()  # what only a circle of references keeps is nobody's
            _settle()
        return self._found()

    def _found(self) -> list[str]:
        known = {id(one) for one in (*self.threads, *self.objects)}
        threads = [one for one in threading.enumerate() if id(one) not in known and one.is_alive()]
        windows = [one for one in QApplication.topLevelWidgets() if _is_somebodys(one)]
        return [
            *(f"thread {one.name}" for one in threads),
            *(f"QThread {_name(one)}" for one in _running() if id(one) not in known),
            *(f"timer {_name(one)} of {_owner(one)}" for one in _ticking() if id(one) not in known),
            *(f"window {_name(one)}" for one in windows if id(one) not in known),
        ]


@pytest.fixture(autouse=True)
def nothing_left_behind(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a thread, a running timer or a top-level widget behind.

    Nothing is exempted from garbage collection meanwhile, as a program does with its only window: a window
    that is exempted is never freed (15 MB in each test), and its timers are not among gc.get_objects().
    """
    before = LiveObjects.now()
    with patch.object(gc, "freeze"):
        yield
        left = before.newer()
    assert not left, f"left behind: {', '.join(left)}"


def _settle() -> None:
    for _ in range(_ROUNDS):
        QApplication.sendPostedEvents(None, _DEFERRED_DELETE)
        QApplication.processEvents()


def _all(kind: type[Kind]) -> list[Kind]:
    """Return all objects of a kind that Python knows; without isinstance, which could run foreign code."""
    return [one for one in gc.get_objects() if issubclass(type(one), kind) and isValid(one)]


def _running() -> list[QThread]:
    main = QApplication.instance()
    own = main.thread() if main is not None else None
    return [one for one in _all(QThread) if one is not own and one.isRunning()]


def _ticking() -> list[QTimer]:
    return [one for one in _all(QTimer) if one.isActive()]


def _is_somebodys(window: QWidget) -> bool:
    """Return True for popups that are deleted with their widget, and for Qt's own windows."""
    return (
        window.parent() is None and type(window).__name__ not in _QT_KEEPS and _class(window) not in _QT_KEEPS
    )


def _class(one: QObject) -> str:
    return str(one.metaObject().className())


def _name(one: QObject) -> str:
    return " ".join(part for part in (_class(one), one.objectName()) if part)


def _owner(one: QObject) -> str:
    parent = one.parent()
    return _name(parent) if parent is not None else "nobody"
