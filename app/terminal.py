"""What every command needs of a terminal, without importing rich: errors, Ctrl-C, JSON on stdout."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType

from app.standard_streams import silence_stderr
from resources.foreign_text import shown, visible
from resources.units import format_duration

_LINE = 4096
_MAX_SENTENCE = 4000
_TO_ESCAPE = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)  # JSON itself escapes up to \x1f
_LOOK_S = 0.2
_SAME_PRESS_S = 1.0
"""A key that is held down repeats itself thirty times a second."""


def print_error(sentence: str) -> None:
    """Print one line on stderr, cut in its middle if it is long: what to try stands at its end.

    If nobody reads stderr any more, that is ignored.
    """
    half = _MAX_SENTENCE // 2
    if len(sentence) > _MAX_SENTENCE:
        sentence = f"{sentence[:half]}…{sentence[-half + 1 :]}"
    try:
        print(f"hyperscope: {shown(sentence, _MAX_SENTENCE)}", file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        silence_stderr()


def print_line(text: str) -> None:
    """Print one line of a command's result on stdout, with foreign text made safe; the terminal wraps the
    line.
    """
    sys.stdout.write(visible(text[:_MAX_SENTENCE]) + "\n")


def hint(text: str) -> None:
    """Print one line on stderr on what to do next; if nobody reads stderr any more, that is ignored."""
    with suppress(OSError):
        sys.stderr.write(shown(text, _MAX_SENTENCE) + "\n")


def print_json(document: object) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(json_text(document) + "\n")


def json_text(document: object) -> str:
    """Return a JSON document as text; a NaN raises ValueError (absent numbers must be None).

    Control characters, and characters that can't be encoded, are written as escapes, which are the same JSON.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _SignalledEvent(threading.Event):
    """An event that a signal handler may set at any moment.

    The handler runs in the main thread, perhaps while this waits for the event or sets it and so holds its
    lock: a lock that the same thread may take again, else it would wait for itself for ever.
    """

    def __init__(self) -> None:
        super().__init__()
        self._cond = threading.Condition(threading.RLock())


@contextmanager
def cancellable() -> Iterator[threading.Event]:
    """Provide an event that the first Ctrl-C, Ctrl-Break, SIGTERM or closing of the terminal sets.

    A second one raises KeyboardInterrupt; more within a second have no effect, so that they don't break off
    what that one still closes. Under ``nohup`` closing the terminal has no effect.
    """
    cancel = _SignalledEvent()
    hangup = getattr(signal, "SIGHUP", None)
    deaf_until = 0.0

    def request(number: int, _frame: FrameType | None) -> None:
        nonlocal deaf_until
        if not cancel.is_set():
            cancel.set()
        elif number != hangup and time.monotonic() >= deaf_until:  # a hangup comes from terminal and shell
            deaf_until = time.monotonic() + _SAME_PRESS_S
            raise KeyboardInterrupt(number)

    names = ("SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP")  # SIGBREAK is Windows' Ctrl-Break
    numbers = [number for name in names if (number := getattr(signal, name, None)) is not None]
    heard = [one for one in numbers if one != hangup or signal.getsignal(one) != signal.SIG_IGN]
    before = {number: signal.signal(number, request) for number in heard}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def immediate_interrupt() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt at once, even inside ``cancellable``.

    This is for the main thread while it asks for a password: nothing has been started yet. In another
    thread, which gets no signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def read_typed_line(stopped: Callable[[], bool]) -> str | None:
    """Return the next line that is typed at the terminal; None once ``stopped`` returns True.

    The line is read in a daemon thread, because a blocking read can't be interrupted.
    """
    answers: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        try:  # not by sys.stdin, whose lock would be held when the program ends
            answers.put(os.read(sys.stdin.fileno(), _LINE))
        except OSError:
            answers.put(b"")

    threading.Thread(target=read, name="typed line", daemon=True).start()
    while not stopped():
        with suppress(Empty):
            return answers.get(timeout=_LOOK_S).decode(errors="replace")
    return None


def time_left(seconds: float | None) -> str:
    """Return ``12 s left``; empty if the seconds are unknown."""
    return f"{format_duration(seconds)} left" if seconds is not None else ""
