"""Mouse and keyboard of a real X display, aimed at widgets of the window in this process."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from PySide6.QtCore import QEvent, QEventLoop, QObject, QPoint, QRect, QTimer
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import isValid

PATIENCE_S = 240.0
_HEARD_WITHIN_S = 5.0
_TRIES = 5
Part = TypeVar("Part", bound=QWidget)


class WaitedInVainError(AssertionError):
    """What was to happen did not."""


def let_run(seconds: float) -> None:
    """Let the window live."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def until(what: str, done: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Let it live until something is so."""
    deadline = time.monotonic() + patience_s
    while not done():
        if time.monotonic() > deadline:
            raise WaitedInVainError(what)
        let_run(0.05)


class _Pressed(QObject):
    """Hears whether the mouse was pressed on a widget, or on a part of it, or on what has taken its place."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._widget = widget
        self.heard = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Only listens."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            there = isValid(self._widget)
            hit = not there or watched is self._widget or self._widget.isAncestorOf(watched)
            self.heard = self.heard or hit
        return False


def click(widget: QWidget, at: QPoint | None = None) -> None:
    """Move the mouse onto a widget and press its left button, where a user would.

    A window that has just been opened may be moved by the window manager in that very moment, or not take
    clicks yet: who sees that nothing was pressed clicks again.
    """
    pressed = _Pressed(widget)
    application = QApplication.instance()
    assert application is not None
    for _ in range(_TRIES):
        until("its window is shown", lambda: widget.window().windowHandle().isExposed())
        point = widget.mapToGlobal(at or widget.rect().center())
        assert QApplication.widgetAt(point) is not None, f"nothing to click at {point}"
        application.installEventFilter(pressed)
        _xdotool("mousemove", str(point.x()), str(point.y()), "click", "1")
        with suppress(WaitedInVainError):
            until("a press", lambda: pressed.heard, _HEARD_WITHIN_S)
        application.removeEventFilter(pressed)
        if pressed.heard:
            break
    else:
        raise WaitedInVainError(f"{widget} is pressed")
    let_run(0.2)


def click_in(widget: QWidget, box: QRect) -> None:
    """Click into a part of a widget: a row of a list."""
    click(widget, box.center())


def wheel_down(widget: QWidget) -> None:
    """Turn the wheel by one notch over a widget."""
    point = widget.mapToGlobal(widget.rect().center())
    _xdotool("mousemove", str(point.x()), str(point.y()), "click", "5")
    let_run(0.3)


def write_into(line: QLineEdit, text: str) -> None:
    """Click into a line and type."""
    click(line)
    until("the line has the keyboard", line.hasFocus)
    type_(text)


def press(keys: str) -> None:
    """A key or a chord as X names it: ``m``, ``Return``, ``alt+F4``."""
    _xdotool("key", "--clearmodifiers", keys)
    let_run(0.2)


def type_(text: str) -> None:
    """Type."""
    _xdotool("type", "--delay", "5", text)
    let_run(0.2)


def drag(start: QPoint, end: QPoint) -> None:
    """Press at one place of the screen, move in steps, let go at another."""
    _xdotool("mousemove", str(start.x()), str(start.y()), "mousedown", "1")
    for part in range(1, 11):
        between = start + (end - start) * part / 10
        _xdotool("mousemove", str(between.x()), str(between.y()))
        let_run(0.1)
    _xdotool("mouseup", "1")
    let_run(0.2)


def drag_within(start: QPoint, end: QPoint) -> None:
    """The same inside the window: while its own drag is on, it must be let live, so the hand is a process."""
    words = ["mousemove", str(start.x()), str(start.y()), "mousedown", "1"]
    for part in range(1, 11):
        between = start + (end - start) * part / 10
        words += ["sleep", "0.1", "mousemove", str(between.x()), str(between.y())]
    with subprocess.Popen(["xdotool", *words, "sleep", "0.2", "mouseup", "1"]) as hand:
        until("the end of the drag", lambda: hand.poll() is not None)
    let_run(0.3)


def visible(window: QWidget, kind: type[Part], name: str = "") -> list[Part]:
    """The parts of a kind that can be seen."""
    found = window.findChildren(kind, name) if name else window.findChildren(kind)
    return [one for one in found if one.isVisible()]


def one_visible(window: QWidget, kind: type[Part], name: str = "") -> Part:
    """The part that can be seen, waited for."""
    until(f"a visible {kind.__name__} {name}", lambda: visible(window, kind, name))
    return visible(window, kind, name)[0]


def _xdotool(*words: str) -> None:
    # While a drag is on, the source's process answers; ours has nothing to do in that moment.
    subprocess.run(["xdotool", *words], check=True, env=dict(os.environ), timeout=20)
