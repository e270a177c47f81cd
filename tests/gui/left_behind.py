"""What a test of the window may not leave behind: threads, timers that run, windows. A fixture looks; another
puts the mouse pointer where it was at the start.

python -m pytest -p tests.gui.left_behind FILE     with the fixture, wherever the file is
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

_DEFERRED_DELETE = 52  # QEvent.DeferredDelete
_ROUNDS = 3
_QT_KEEPS = {"QTipLabel", "QShapedPixmapWidget", "QRubberBand"}
"""Windows that Qt makes for itself and keeps: the tooltip, what is dragged."""


@dataclass(frozen=True)
class LiveObjects:
    """The objects that exist at a moment, by identity; they are kept alive so that no identity is reused."""

    threads: tuple[threading.Thread, ...]
    objects: tuple[QObject, ...]

    @classmethod
    def now(cls) -> LiveObjects:
        """Return the objects that exist now."""
        return cls(tuple(threading.enumerate()), (*_working(), *QApplication.topLevelWidgets()))

    def newer(self) -> list[str]:
        """Return a line for each object that exists now but did not then, after pending deletions are
        done.
        """
        _settle()
        found = self._found()
        if found:
            gc.collect()  # what only a circle of references keeps is nobody's
            _settle()
            found = self._found()
        return found

    def _found(self) -> list[str]:
        known = {id(one) for one in (*self.threads, *self.objects)}
        threads = [one for one in threading.enumerate() if id(one) not in known and one.is_alive()]
        windows = [one for one in QApplication.topLevelWidgets() if _is_somebodys(one)]
        working = [one for one in _working() if id(one) not in known]
        return [
            *(f"thread {one.name}" for one in threads),
            *(f"QThread {_name(one)}" for one in working if isinstance(one, QThread)),
            *(f"timer {_name(one)} of {_owner(one)}" for one in working if isinstance(one, QTimer)),
            *(f"window {_name(one)}" for one in windows if id(one) not in known),
        ]


@pytest.fixture(autouse=True)
def pointer_in_a_corner(qapp: QApplication) -> None:
    """Put the mouse pointer where no window is: a test before may have left it over the widget of the next,
    and cards under the pointer stay where they are.
    """
    QCursor.setPos(QApplication.primaryScreen().geometry().bottomRight())
    QApplication.processEvents()


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
    """Delete what is to be deleted, without the collector: Qt holds a lock while it deletes an object, and
    waits for ever if that deletes another one whose lock is the same.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    for _ in range(_ROUNDS):
        QApplication.sendPostedEvents(None, _DEFERRED_DELETE)
        QApplication.processEvents()
    if is_collecting:
        gc.enable()


def _working() -> list[QObject]:
    """Return the threads that run and the timers that tick, of those that Python knows."""
    main = QApplication.instance()
    own = main.thread() if main is not None else None
    # Types are compared, not objects asked for their class: that could run foreign code, and takes longer.
    kinds = {*_kinds(QThread), *_kinds(QTimer)}
    found = [one for one in gc.get_objects() if type(one) in kinds and isValid(one)]
    return [
        one
        for one in found
        if (one.isActive() if isinstance(one, QTimer) else one is not own and one.isRunning())
    ]


def _kinds(kind: type[QObject]) -> Iterator[type[QObject]]:
    """Yield a class and all that are derived from it."""
    yield kind
    derived: list[type[QObject]] = kind.__subclasses__()  # PySide's type stubs don't say so
    for one in derived:
        yield from _kinds(one)


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
