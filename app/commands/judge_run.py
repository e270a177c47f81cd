"""Judges a session as it grows, for the window that started this process."""

from __future__ import annotations

import gc
import sys
import threading
import time
from pathlib import Path

from app.memory import keep_for_arrays, trim_heap
from app.own_thresholds import with_own_thresholds
from app.processes import step_back
from app.standard_streams import silence_stderr
from app.terminal import cancellable
from diagnosis.live import LiveJudge
from diagnosis.messages import Event, Failed, Sender, encode
from recorder.stdin_lines import StdinLines
from resources.catalogue import load_catalogue
from resources.failures import CancelledError, HyperscopeError
from resources.problem_cards import Problems, load_problems
from sessions.store import SessionReader

_NICE = 1
"""The niceness of judging: recorder and window go first, and a busy machine still gives it its turn."""
_LOOK_S = 0.01
"""How often a growing session is looked at: a look at one that has nothing new takes 0.1 ms."""
_IDLE_S = 1.0
"""How often a session that nobody writes is looked at: a mark or another recording may come."""
_REST, _LONGEST_REST_S = 4.0, 1.0
"""After judging it rests so many times as long as that took: a lab that plays fast, or a machine that is busy
with other things, would spend a core on verdicts that nobody has time to read.
"""
_LONGEST_AWAY_S = 60.0


def run_judge(session: Path, *, attached: bool, thresholds: str = "") -> None:
    """Judge a session, and again whenever it has grown: JSON lines of verdicts and findings on stdout.

    ``attached``: end when stdin closes. ``thresholds`` is what --thresholds says.
    """
    step_back(_NICE)
    keep_for_arrays()
    with cancellable() as stop:
        if attached:
            StdinLines().hand_over(lambda _line: None, stop.set)
        try:
            with SessionReader.open(session) as reader:
                follow(reader, stop, with_own_thresholds(load_problems(), thresholds))
        except CancelledError:
            return
        except HyperscopeError as error:
            _send(Failed.of(error), stop)
            raise


def follow(reader: SessionReader, stop: threading.Event, problems: Problems) -> None:
    """Send a verdict for each state of the session that is met, until ``stop`` is set."""
    judge_, sender = LiveJudge(reader, problems, load_catalogue()), Sender()
    next_look, prepared = 0.0, 0
    while not stop.is_set():
        # A writer that was killed changes nothing in the file: look from time to time all the same.
        if not reader.has_changed() and time.monotonic() < next_look:
            stop.wait(_LOOK_S if judge_.is_growing else _IDLE_S)
            continue
        began = time.monotonic()
        next_look = began + _IDLE_S
        found = judge_.judge(stop)
        took_s = time.monotonic() - began
        if found is not None:
            _send(sender.event(found), stop)
        if judge_.prepared != prepared:
            prepared = judge_.prepared
            gc.unfreeze()
            gc.collect()
            trim_heap()
            gc.freeze()  # a full collection over an index of 46,000 series takes longer than a judging
        if not judge_.is_growing and reader.has_left_log:
            _leave_one_file(reader, stop)
        elif judge_.is_growing:
            stop.wait(min(_LONGEST_REST_S, _REST * took_s))


def _leave_one_file(reader: SessionReader, stop: threading.Event) -> None:
    """Close a session that nobody writes until it changes, so that the window can merge the log of a writer
    that has gone (it stored a mark): whoever copies the file would copy it without that.
    """
    deadline = time.monotonic() + _LONGEST_AWAY_S
    with reader.let_go() as is_written:
        while not is_written() and time.monotonic() < deadline and not stop.wait(_IDLE_S):
            pass


def _send(event: Event, stop: threading.Event) -> None:
    """Write an event; a reader that is gone ends the judging."""
    try:
        sys.stdout.buffer.write(encode(event))
        sys.stdout.buffer.flush()
    except OSError:
        silence_stderr()
        stop.set()
