"""Real mouse and keyboard events on an X display, for widgets of a window in this process."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from PySide6.QtCore import QEvent, QEventLoop, QObject, QPoint, QRect, QTimer
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import isValid

PATIENCE_S = 240.0
FAR_HANDS = "HYPERSCOPE_HANDS"
"""The environment variable that says who runs xdotool where this process can't: windows_long.py does."""

_HEARD_WITHIN_S = 5.0
_TRIES = 5
Part = TypeVar("Part", bound=QWidget)


class WaitTimeoutError(AssertionError):
    """What a scene waited for did not happen in time."""


def let_run(seconds: float) -> None:
    """Process the window's events for some seconds."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def until(what: str, done: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Process events until ``done()`` is true. Raises WaitTimeoutError, naming ``what``, after
    ``patience_s``.
    """
    deadline = time.monotonic() + patience_s
    while not done():
        if time.monotonic() > deadline:
            raise WaitTimeoutError(what)
        let_run(0.05)


class _Pressed(QObject):
    """Notices whether the mouse was pressed on a widget, on a part of it, or on its replacement."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._widget = widget
        self.heard = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice presses; every event is passed on."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            there = isValid(self._widget)
            hit = not there or watched is self._widget or self._widget.isAncestorOf(watched)
            self.heard = self.heard or hit
        return False


def click(widget: QWidget, at: QPoint | None = None) -> None:
    """Move the mouse onto a widget and press its left button.

    A window that was just opened may be moved by the window manager, or may not accept clicks yet: the click
    is repeated if no press arrived.
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
        with suppress(WaitTimeoutError):
            until("a press", lambda: pressed.heard, _HEARD_WITHIN_S)
        application.removeEventFilter(pressed)
        if pressed.heard:
            break
    else:
        raise WaitTimeoutError(f"{widget} is pressed")
    let_run(0.2)


def click_in(widget: QWidget, box: QRect) -> None:
    """Click into a rectangle of a widget, such as a row of a list."""
    click(widget, box.center())


def wheel_down(widget: QWidget) -> None:
    """Turn the mouse wheel by one notch over a widget."""
    point = widget.mapToGlobal(widget.rect().center())
    _xdotool("mousemove", str(point.x()), str(point.y()), "click", "5")
    let_run(0.3)


def turn_wheel(widget: QWidget, up: int, key: str = "") -> None:
    """Turn the mouse wheel by ``up`` notches over a widget, with a key such as ``ctrl`` held down."""
    point = widget.mapToGlobal(widget.rect().center())
    turn = ["click", "--repeat", str(abs(up)), "4" if up > 0 else "5"]
    held = [["keydown", key], ["keyup", key]] if key else [[], []]
    _xdotool("mousemove", str(point.x()), str(point.y()), *held[0], *turn, *held[1])
    let_run(0.4)


def right_click(widget: QWidget) -> None:
    """Press the right button in the middle of a widget."""
    point = widget.mapToGlobal(widget.rect().center())
    _xdotool("mousemove", str(point.x()), str(point.y()), "click", "3")
    let_run(0.3)


def write_into(line: QLineEdit, text: str) -> None:
    """Click into a text field and type."""
    click(line)
    until("the line has the keyboard", line.hasFocus)
    type_(text)


def press(keys: str) -> None:
    """Press a key or chord, named as X does: ``m``, ``Return``, ``alt+F4``."""
    _xdotool("key", "--clearmodifiers", keys)
    let_run(0.2)


def type_(text: str) -> None:
    """Type a text."""
    _xdotool("type", "--delay", "5", text)
    let_run(0.2)


def drag(start: QPoint, end: QPoint) -> None:
    """Drag from one point of the screen to another, in steps."""
    _xdotool("mousemove", str(start.x()), str(start.y()), "mousedown", "1")
    for part in range(1, 11):
        between = start + (end - start) * part / 10
        _xdotool("mousemove", str(between.x()), str(between.y()))
        let_run(0.1)
    _xdotool("mouseup", "1")
    let_run(0.2)


def drag_within(start: QPoint, end: QPoint) -> None:
    """Drag inside the window; another process moves the mouse, because Qt's own drag blocks this one."""
    commands = ["mousemove", str(start.x()), str(start.y()), "mousedown", "1"]
    for part in range(1, 11):
        between = start + (end - start) * part / 10
        commands += ["sleep", "0.1", "mousemove", str(between.x()), str(between.y())]
    commands += ["sleep", "0.2", "mouseup", "1"]
    if FAR_HANDS in os.environ:
        with _far_hand(commands) as far:
            until("the end of the drag", lambda: select.select([far], [], [], 0)[0])
    else:
        with subprocess.Popen(["xdotool", *commands]) as hand:
            until("the end of the drag", lambda: hand.poll() is not None)
    let_run(0.3)


def visible(window: QWidget, kind: type[Part], name: str = "") -> list[Part]:
    """Return the visible children of a kind, optionally with an object name."""
    found = window.findChildren(kind, name) if name else window.findChildren(kind)
    return [one for one in found if one.isVisible()]


def one_visible(window: QWidget, kind: type[Part], name: str = "") -> Part:
    """Wait for one visible child of a kind and return it."""
    until(f"a visible {kind.__name__} {name}", lambda: visible(window, kind, name))
    return visible(window, kind, name)[0]


def _far_hand(commands: Sequence[str]) -> socket.socket:
    """Have a process outside of Wine run xdotool; its exit code comes when it is done."""
    host, port = os.environ[FAR_HANDS].split(":")
    far = socket.create_connection((host, int(port)))
    far.sendall(json.dumps(list(commands)).encode() + b"\n")
    return far


def _xdotool(*commands: str) -> None:
    if FAR_HANDS in os.environ:
        with _far_hand(commands) as far:
            assert far.recv(16).strip() == b"0", commands
        return
    # While a drag is on, the source's process answers; ours has nothing to do in that moment.
    subprocess.run(["xdotool", *commands], check=True, env=dict(os.environ), timeout=20)
