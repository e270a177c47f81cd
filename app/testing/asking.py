"""Questions of a command that a window started: asked on stdout, answered on stdin."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from app.testing.environments import EnvironmentOptions
from app.testing.messages import Failed, Found, PutBack, encode
from recorder.event_lines import EventLines
from recorder.protocol import Password, Trust, read_command
from recorder.questions import Questions
from recorder.stdin_lines import StdinLines
from resources.failures import HyperscopeError


class ParentLines:
    """The window that started this command: it gets questions, and answers them on our stdin.

    ``execute`` gets each line, ``lost`` is called when the window is gone; both may be replaced while lines
    come. At first lines that answer nothing are dropped, and without a window nothing is asked any more.
    """

    def __init__(self) -> None:
        gone = threading.Event()
        self.events = EventLines(gone.set)
        self.questions = Questions(self.events.send, gone.is_set)
        self.execute: Callable[[bytes], None] = self._answer
        self.lost: Callable[[], None] = gone.set
        StdinLines().hand_over(self._execute, self._lost)

    def _answer(self, line: bytes) -> None:
        with suppress(HyperscopeError):  # whoever starts us asks nothing else of us
            command = read_command(line)
            if isinstance(command, Password | Trust):
                self.questions.answer(command)

    def _execute(self, line: bytes) -> None:
        self.execute(line)

    def _lost(self) -> None:
        self.lost()


def asking_parent(options: EnvironmentOptions, parent: ParentLines) -> EnvironmentOptions:
    """Return options with which environments ask the window that started us."""
    record = replace(options.record, questions=parent.questions, ask_here=None)
    return replace(options, record=record)


@contextmanager
def answering(options: EnvironmentOptions) -> Iterator[EnvironmentOptions]:
    """Yield options with which environments ask the window that started us; an error is told to it, too."""
    parent = ParentLines()
    try:
        yield asking_parent(options, parent)
    except HyperscopeError as error:
        parent.events.close()
        tell(Failed.of(error))
        raise
    parent.events.close()


def tell(message: Found | PutBack | Failed) -> None:
    """Write the last message to the window; one that is gone is none of our errors."""
    with suppress(OSError, HyperscopeError):
        sys.stdout.write(encode(message).decode("utf-8"))
        sys.stdout.flush()
