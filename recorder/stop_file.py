"""A file beside a session that asks its recorder to end: works on every system, whoever started it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def stop_file(session: Path) -> Path:
    """Its name: ``S.hscope-stop``."""
    return session.with_name(session.name + "-stop")


def ask_to_stop(session: Path) -> None:
    """Ask whoever records into ``session`` to end. Raises OSError where the file can't be made."""
    stop_file(session).touch()


def is_asked_to_stop(session: Path) -> bool:
    """Whether somebody asked; the request is taken away with the answer."""
    try:
        stop_file(session).unlink()
    except FileNotFoundError:
        return False
    except OSError:  # it is there, and stays: that must not keep us from ending
        return True
    return True


def forget(session: Path) -> None:
    """Take away a request of an earlier time."""
    with suppress(OSError):
        stop_file(session).unlink()
