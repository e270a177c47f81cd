"""What every command needs of a terminal: its one line of failure, Ctrl-C, JSON on stdout; without rich."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType

from app.standard_streams import silence_stderr
from resources.foreign_text import shown
from resources.units import format_duration

_LINE = 4096
_MAX_SENTENCE = 4000
_TO_ESCAPE = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)  # JSON itself escapes up to \x1f
_LOOK_S = 0.2


def complain(sentence: str) -> None:
    """One line on stderr. That nobody reads it any more is no failure, and leaves the exit code as it is."""
    try:
        print(f"hyperscope: {shown(sentence, _MAX_SENTENCE)}", file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        silence_stderr()


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json_text(document) + "\n")


def json_text(document: object) -> str:
    """A JSON document; absent numbers are null, never NaN.

    What could command a terminal or can't be encoded is escaped, so that it stays the same document.
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def cancellable() -> Iterator[threading.Event]:
    """An event that Ctrl-C (or Ctrl-Break, SIGTERM, or closing the terminal) sets; a second one is final.

    Under ``nohup`` closing the terminal means nothing.
    """
    cancel = threading.Event()
    hangup = getattr(signal, "SIGHUP", None)

    def request(number: int, _frame: FrameType | None) -> None:
        if cancel.is_set() and number != hangup:  # which comes from the terminal and from the shell
            raise KeyboardInterrupt(number)
        cancel.set()

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
def ended_at_once() -> Iterator[None]:
    """Ctrl-C ends what is done in here at once, also within ``cancellable``: nothing has begun yet.

    For the main thread, while it asks for a password.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def typed_line(stopped: Callable[[], bool]) -> str | None:
    """What somebody types at the terminal; None once it is ``stopped``, for nobody can break off a read."""
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
    """``12 s left``, or nothing while it can't be told."""
    return f"{format_duration(seconds)} left" if seconds is not None else ""
