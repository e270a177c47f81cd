"""A monkey at the window: thousands of real mouse and key events, seeded, on every page, live and offline.

    python -m tests.e2e.monkey HOME --seed 1 --seconds 60 --size 1280x720 --theme dark [FILE…]

FILEs (sessions, captures) are dropped on the window in turn. It prints what it found as one JSON document;
run it on a display of its own, as tests/e2e/test_monkey.py and benchmarks/monkey.py do.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QRect, QTimer
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget
from shiboken6 import isValid

from app.gui.actions import ACTIONS
from app.gui.application import Program, build
from app.gui.panels import panel_keys
from tests.e2e.fence import Fence
from tests.e2e.hands import let_run, until
from tests.e2e.watch import Watch, living
from tests.gui.left_behind import LiveObjects
from tests.gui.windows import drop

_PAUSES_MS = (5, 10, 20, 50, 150)
_LONGEST_IN_DIALOG = 25
"""So many actions it may spend in one dialog before it presses Escape until it is out."""
_LONGEST_DRAG_S = 15.0

_X_NAMES = {
    **{name: name.lower() for name in ("Ctrl", "Shift", "Alt", "Space")},
    "PgUp": "Prior",
    "PgDown": "Next",
    "Esc": "Escape",
    "Del": "Delete",
    "Ins": "Insert",
    "Backspace": "BackSpace",
    "?": "question",
    ",": "comma",
    ".": "period",
    "-": "minus",
    "=": "equal",
    "/": "slash",
    "[": "bracketleft",
    "]": "bracketright",
    "<": "less",
    ">": "greater",
}
"""Keys whose name in X is not the one that Qt writes."""
_PLAIN_KEYS = (
    *("Up", "Down", "Left", "Right", "Return", "Escape", "Tab", "shift+Tab", "space", "Home", "End", "Prior"),
    *("Next", "Delete", "BackSpace", "F1", "F2", "F5", "F10", "Menu", "ctrl+a", "ctrl+c", "ctrl+v", "plus"),
    *("shift+Left", "shift+Right", "ctrl+Left", "ctrl+Right", "shift+F10", "minus", "0", "1", "5"),
)
_TEXTS = (
    "db",
    "VM:db*",
    "ready",
    "02:50",
    "-15m",
    "esx03",
    "%$",
    "a b",
    "zzzz",
    "ümläut",
    "'; --",
    "99999999999",
)
_HABITS = {
    "click": 30.0,
    "double_click": 5.0,
    "chord_click": 3.0,
    "drag": 10.0,
    "wheel": 10.0,
    "shortcut": 14.0,
    "key": 14.0,
    "type": 4.0,
    "action": 3.0,
    "resize": 1.0,
    "drop": 0.7,
    "lab": 0.5,
}
"""How often it does what; each is a method."""
_LEAVES = frozenset({"file.quit"})
"""Actions that end the window: the monkey closes it by itself at the end of a round."""


class Hand:
    """One xdotool process for the whole run; commands are written to it without waiting for the window."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE, text=True)

    def do(self, *lines: str) -> None:
        """Send commands to xdotool."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    def close(self) -> None:
        """End xdotool."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        until("the end of xdotool", lambda: self._process.poll() is not None)


@dataclass
class Monkey:
    """Chooses and performs random actions; seed and window decide which."""

    program: Program
    hand: Hand
    watch: Watch
    chance: random.Random
    files: Sequence[Path]
    done: Counter[str] = field(default_factory=Counter)
    in_dialog: int = 0
    dragging_since: float = 0.0

    def act(self) -> None:
        """Perform one action; it may run inside one of the window's own event loops (during a drag)."""
        for dialog in _dialogs():
            if isinstance(
                dialog, QFileDialog
            ):  # it could rename and remove files: these would be the machine's
                dialog.setOption(QFileDialog.Option.ReadOnly, True)
        if self._is_stuck():
            self.hand.do("mouseup 1", "key Escape", "key Escape")
            for dialog in _dialogs():
                dialog.reject()
            self.in_dialog = 0
        self._watch_drag()
        name = self.chance.choices([*_HABITS], [*_HABITS.values()])[0]
        said = getattr(self, f"_{name}")()
        self.watch.doing(f"{name} {said}")
        self.done[name] += 1

    def _is_stuck(self) -> bool:
        self.in_dialog = self.in_dialog + 1 if _dialogs() or QApplication.activePopupWidget() else 0
        return self.in_dialog > _LONGEST_IN_DIALOG

    def _watch_drag(self) -> None:
        """Note a drag that does not end although the button was released long ago, and cancel it."""
        drags = [one for top in QApplication.topLevelWidgets() for one in top.findChildren(QDrag)]
        if not drags:
            self.dragging_since = 0.0
        elif not self.dragging_since:
            self.dragging_since = time.monotonic()
        elif time.monotonic() - self.dragging_since > _LONGEST_DRAG_S:
            of = " in ".join(_with_parents(drags[0].source()))
            self.watch.note(f"a drag does not end, of {of}", f"{len(drags)} drags")
            QDrag.cancel()
            self.dragging_since = 0.0

    def _click(self) -> str:
        point, where = self._target()
        button = self.chance.choices((1, 3, 2), (12, 3, 1))[0]
        self.hand.do(f"mousemove {point.x()} {point.y()}", f"click {button}")
        return f"{button} on {where}"

    def _double_click(self) -> str:
        point, where = self._target()
        self.hand.do(f"mousemove {point.x()} {point.y()}", "click --repeat 2 --delay 40 1")
        return where

    def _chord_click(self) -> str:
        point, where = self._target()
        key = self.chance.choice(("ctrl", "shift", "alt"))
        self.hand.do(f"keydown {key}", f"mousemove {point.x()} {point.y()}", "click 1", f"keyup {key}")
        return f"{key} on {where}"

    def _drag(self) -> str:
        start, where = self._target()
        far = self.chance.random() < 0.5
        end = (
            self._anywhere()
            if far
            else start + QPoint(self.chance.randint(-80, 80), self.chance.randint(-40, 40))
        )
        steps = self.chance.randint(2, 8)
        lines = [f"mousemove {start.x()} {start.y()}", "mousedown 1"]
        for step in range(1, steps + 1):
            at = start + (end - start) * step / steps
            lines += [f"mousemove {max(at.x(), 0)} {max(at.y(), 0)}", "sleep 0.01"]
        self.hand.do(*lines, "mouseup 1")
        return where

    def _wheel(self) -> str:
        point, where = self._target()
        times, button = self.chance.randint(1, 6), self.chance.choice((4, 5, 4, 5, 6, 7))
        key = self.chance.choice(("", "", "ctrl", "shift"))
        turn = f"click --repeat {times} --delay 5 {button}"
        keys = (f"keydown {key}", f"keyup {key}") if key else ("", "")
        self.hand.do(*filter(None, (f"mousemove {point.x()} {point.y()}", keys[0], turn, keys[1])))
        return where

    def _shortcut(self) -> str:
        specs = [
            spec
            for spec in (*ACTIONS, *panel_keys(self.program.desk.screens))
            if spec.keys and spec.id not in _LEAVES
        ]
        spec = self.chance.choice(specs)
        key = x_key(self.chance.choice(spec.keys))
        self.hand.do(f"key {key}")
        return f"{spec.id} {key}"

    def _key(self) -> str:
        key = self.chance.choice(_PLAIN_KEYS)
        self.hand.do(f"key --repeat {self.chance.choice((1, 1, 1, 4))} {key}")
        return key

    def _type(self) -> str:
        text = self.chance.choice(_TEXTS)
        self.hand.do(f'type --delay 2 -- "{text}"')
        if self.chance.random() < 0.5:
            self.hand.do("key Return")
        return text

    def _action(self) -> str:
        """Trigger an action of the menu, to reach pages without a shortcut."""
        possible = [
            (name, one)
            for name, one in self.program.window.actions_by_id.items()
            if one.isEnabled() and name not in _LEAVES
        ]
        if not possible or _dialogs():
            return "nothing"
        name, action = self.chance.choice(possible)
        action.trigger()
        return name

    def _resize(self) -> str:
        width, height = self.chance.choice(((1280, 720), (1440, 900), (1000, 640), (1280, 900), (1360, 768)))
        self.program.window.resize(width, height)
        return f"{width}×{height}"

    def _drop(self) -> str:
        if not self.files or _dialogs():
            return "nothing"
        path = self.chance.choice(self.files)
        drop(self.program.window, path)
        return path.name

    def _lab(self) -> str:
        """Start a recording now and then, so that something is live half of the time."""
        if self.program.workbench.recordings.process is None and not _dialogs():
            self.program.workbench.try_lab()
        return ""

    def _target(self) -> tuple[QPoint, str]:
        """Return a point on the screen: usually within a visible widget, else anywhere."""
        if self.chance.random() < 0.25:
            return self._anywhere(), "anywhere"
        seen = [one for one in self._reachable() if not one.visibleRegion().isEmpty()]
        if not seen:
            return self._anywhere(), "anywhere"
        widget = self.chance.choice(seen)
        box: QRect = widget.visibleRegion().boundingRect()
        at = QPoint(
            self.chance.randint(box.left(), max(box.left(), box.right())),
            self.chance.randint(box.top(), max(box.top(), box.bottom())),
        )
        name = type(widget).__name__ + (f" {widget.objectName()}" if widget.objectName() else "")
        return _on_screen(widget.mapToGlobal(at)), name

    def _reachable(self) -> list[QWidget]:
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        window = front if front is not None else self.program.window
        return [one for one in (window, *window.findChildren(QWidget)) if one.isVisible() and one.isEnabled()]

    def _anywhere(self) -> QPoint:
        frame = self.program.window.geometry()
        return _on_screen(
            QPoint(
                self.chance.randint(frame.left(), frame.right()),
                self.chance.randint(frame.top(), frame.bottom()),
            )
        )


def _on_screen(point: QPoint) -> QPoint:
    return QPoint(max(point.x(), 0), max(point.y(), 0))


def _with_parents(source: QObject | None) -> list[str]:
    """Return the classes and names of an object and of all above it."""
    found: list[str] = []
    while source is not None:
        found.append(f"{type(source).__name__} {source.objectName()}".strip())
        source = source.parent()
    return found


def _dialogs() -> list[QDialog]:
    """Return the open modal dialogs."""
    return [
        one
        for one in QApplication.topLevelWidgets()
        if isinstance(one, QDialog) and one.isVisible() and one.isModal()
    ]


def x_key(portable: str) -> str:
    """Convert a key from Qt's notation (``Ctrl+Shift+L``) into xdotool's."""
    parts = ["plus"] if portable == "+" else portable.replace("++", "+plus").split("+")
    return "+".join(_X_NAMES.get(part, part.lower() if len(part) == 1 else part) for part in parts if part)


def live(options: argparse.Namespace, application: QApplication, watch: Watch, number: int) -> Counter[str]:
    """Build, use and close one window; returns how often each action was done."""
    home: Path = options.home
    program = build(application, home / "settings")
    window, settings = program.window, program.desk.settings
    settings.set("record.folder", str(home / "recordings"))
    settings.set("lab.speed", 60)
    settings.set("look.theme", options.theme)
    window.resize(*map(int, options.size.split("x")))
    window.show()
    window.activateWindow()
    until("the window", lambda: window.windowHandle().isExposed())
    let_run(0.5)
    hand = Hand()
    monkey = Monkey(program, hand, watch, random.Random(options.seed * 1000 + number), options.files)
    if options.files:
        drop(window, options.files[number % len(options.files)])
    watch.rest(False)
    watch.accompany(window)
    begin = time.monotonic()
    next_ = QTimer(singleShot=True)

    def act() -> None:
        # Set before anything is done: what is done may wait for the next action, as a drag waits for its end.
        next_.start(monkey.chance.choice(_PAUSES_MS))
        monkey.act()

    next_.timeout.connect(act)
    act()

    def has_lived() -> bool:
        is_over = time.monotonic() - begin > options.round_s and monkey.done.total() >= options.least
        return is_over or not window.isVisible()

    until("the end of a life", has_lived, 1e9)
    next_.stop()
    hand.do("mouseup 1")
    hand.close()
    _close(program, watch)
    return monkey.done


def _close(program: Program, watch: Watch) -> None:
    """Dismiss dialogs, close the window, and wait until its child processes have ended."""
    for _ in range(10):
        for one in (QApplication.activePopupWidget(), *_dialogs()):
            if one is not None and isValid(one):
                one.close()
        let_run(0.05)
    watch.rest(True)  # it is hidden before it waits for its children
    program.window.guard = lambda: True
    program.window.close()
    let_run(0.2)
    if program.window.isVisible():
        watch.note("the window did not close")
    program.window.deleteLater()
    let_run(0.2)


def main() -> int:
    """Run windows until the time is over; returns 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="monkey")
    parser.add_argument("home", type=Path)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--round-s", type=float, default=60.0, help="how long one window lives")
    parser.add_argument("--least", type=int, default=0, help="so many events at least, however long it takes")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--theme", default="dark")
    parser.add_argument("--stall-s", type=float, default=1.0)
    options = parser.parse_args()
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    Fence(options.home, application)
    watch = Watch(options.stall_s)
    watch.start()
    ends, number, done, lives = time.monotonic() + options.seconds, 0, Counter[str](), []
    while time.monotonic() < ends:
        before = LiveObjects.now()
        done += live(options, application, watch, number)
        watch.doing("the window was closed")
        let_run(0.3)
        watch.compare(before, "by a window that was closed")
        del before
        lives.append(living())
        number += 1
    watch.end()
    QCoreApplication.processEvents()
    report = {
        "rounds": number,
        "events": dict(done),
        "lives": lives,
        "longest_s": round(watch.longest_s, 2),
        "findings": dict(watch.findings),
    }
    print(json.dumps(report), flush=True)
    return 1 if watch.findings else 0


if __name__ == "__main__":
    sys.exit(main())
