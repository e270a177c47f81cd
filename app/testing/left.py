"""What a test changed and a Ctrl-C kept from being put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.terminal import print_error
from resources.failures import HyperscopeError
from sessions.store import SessionReader


@contextmanager
def saying_what_is_left(session: Path) -> Iterator[None]:
    """Say after a Ctrl-C that breaks off what is done meanwhile what is still to be put back."""
    try:
        yield
    except KeyboardInterrupt:
        _say(session)
        raise


def _say(session: Path) -> None:
    try:
        with SessionReader.open(session) as reader:
            left = sum(one.is_open for one in reader.journal())
    except HyperscopeError:
        return  # nothing was written, so nothing was changed
    if left:
        changes, them = ("1 change was", "it") if left == 1 else (f"{left} changes were", "them")
        print_error(f"{changes} not put back. Put {them} back: hyperscope restore {session}")
