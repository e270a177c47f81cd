"""What tests of a session changed and did not put back, told on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.terminal import print_error
from resources.failures import HyperscopeError
from sessions.store import SessionReader
from wizards.flows.change_count import count_changes, left_words


@contextmanager
def saying_what_is_left(session: Path) -> Iterator[None]:
    """Say after a Ctrl-C that breaks off what is done meanwhile what is still to be put back."""
    try:
        yield
    except KeyboardInterrupt:
        say_what_is_left(session)
        raise


def say_what_is_left(session: Path) -> None:
    """Say how many changes of a session's tests are still to be put back, and how; nothing if none are."""
    try:
        with SessionReader.open(session) as reader:
            count = count_changes(reader.journal())
    except HyperscopeError:
        return  # nothing was written, so nothing was changed
    if count.open:
        them = "it" if count.open == 1 else "them"
        print_error(f"{left_words(count)}. Put {them} back: hyperscope restore {session}")
