"""Crash reports: writes where a bug happened to a file, without any values, and names it in one sentence."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from resources.installation import installation
from resources.user_folders import log_folder

EXIT_CODE = 70  # EX_SOFTWARE of sysexits.h


def save_crash(error: BaseException) -> str:
    """Write a crash report; returns the sentence for the user, which names the file.

    The report has neither values of variables nor exception messages: these may quote a password, or what a
    server sent.
    """
    text = "\n".join(
        (
            str(installation()),
            f"Command: {sys.argv[1] if len(sys.argv) > 1 else '(none)'}",
            "",
            *_places(error),
        )
    )
    try:
        folder = crash_folder()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / time.strftime("crash-%Y%m%d-%H%M%S.txt", time.gmtime())
        path.write_text(text, encoding="utf-8")
        where = f"The details are in {path}; please send that file to us."
    except OSError:
        where = "Its details could not be written."
    return f"This is a bug in Hyperscope ({type(error).__name__}), not a mistake of yours. {where}"


def places_of(error: BaseException) -> str:
    """Return an exception's traceback (files, lines, types) without any value or message."""
    return "\n".join(_places(error))


def _places(error: BaseException) -> Iterator[str]:
    """Yield the traceback and type of each exception of the chain, the first one that was raised at
    the top.
    """
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    for one in reversed(chain):
        yield "".join(traceback.format_tb(one.__traceback__)) + type(one).__qualname__


def crash_folder() -> Path:
    """Where crash reports and logs go. Whoever writes one makes the folder; it may not be possible."""
    return log_folder()
