"""A file beside a session that asks its recorder to stop: works on every system, whoever
started the recorder.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def stop_file(session: Path) -> Path:
    """Return the path of the stop file: ``S.hscope-stop``."""
    return session.with_name(session.name + "-stop")


def ask_to_stop(session: Path) -> None:
    """Ask the recorder of ``session`` to stop. Raises OSError if the file can't be created."""
    stop_file(session).touch()


def is_asked_to_stop(session: Path) -> bool:
    """Return True if the recorder was asked to stop, and delete the request."""
    try:
        stop_file(session).unlink()
    except FileNotFoundError:
        return False
    except OSError:  # it is there, and stays: that must not keep us from ending
        return True
    return True


def forget(session: Path) -> None:
    """Delete a request that was left from an earlier recording."""
    with suppress(OSError):
        stop_file(session).unlink()
