"""The small JSON files in the settings folder: read, replaced as a whole, and changed by several windows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from connections.file_lock import locked
from resources.failures import BusyError
from resources.files import replace_file

_PATIENCE_S = 1.0
"""How long to wait for another window that changes the same file: it needs a few ms, unless it is stopped."""


def read_json(path: Path) -> dict[str, Any]:
    """Return the content of a file; empty if it is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, values: Mapping[str, object]) -> None:
    """Replace the file atomically; if the folder can't be written, nothing is stored and nothing is
    raised.
    """
    text = json.dumps(dict(values), indent=1)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text)


def change_json(path: Path, change: Callable[[dict[str, Any]], Mapping[str, object]]) -> None:
    """Write what ``change`` makes of the content, which no other process changes meanwhile.

    Two windows may run: each must change only what is its own, and keep the rest. If another process holds
    the file for over a second, it is changed all the same: what the user did last counts.
    """
    with ExitStack() as held:
        with suppress(OSError, BusyError):
            path.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(locked(path.with_name(f".{path.name}.lock"), _PATIENCE_S))
        before = read_json(path)
        after = dict(change(dict(before)))
        if after != before:
            write_json(path, after)
