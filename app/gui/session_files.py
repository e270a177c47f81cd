"""Paths of sessions, and whether a file is a session or a capture. No Qt."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from itertools import count
from pathlib import Path

from collectors.logs.recognising import without_logs
from resources.user_folders import documents_folder
from sessions.store import begins_like_session
from viewmodels.name_order import natural

SUFFIX = ".hscope"
PACKED = (".gz", ".xz", ".zst")
CAPTURES = (".csv", *(f".csv{packed}" for packed in PACKED))
_ALIKE, _LONGEST_STEM = 3, 40
"""Names that begin with so many same letters are called alike; of each so many letters are told."""
LOGS = ("vmkernel*", "vobd*", "hostd*", "vmware*.log*", "*.tgz", "*.tar.gz", "*.log")
"""Names of logs of ESXi, and of archives of them, for the system's dialogs."""


@dataclass(frozen=True, slots=True)
class OpenablePaths:
    """Files that the user opens: sessions, and captures and logs of ESXi to import (ordered by name).

    ``closed`` are folders that can't be looked into.
    """

    sessions: tuple[Path, ...]
    captures: tuple[Path, ...]
    closed: tuple[Path, ...] = ()
    logs: tuple[Path, ...] = ()


def classify_paths(paths: Iterable[Path]) -> OpenablePaths:
    """Divide files into sessions, captures and logs, each once, also under two names; of a folder, the files
    in it with a known name are taken. Captures that are called so come first: they give the session its name.
    All are given by their whole paths: other processes, which have other working folders, read them, too.
    """
    found: dict[str, Path] = {}
    closed: list[Path] = []
    for path in map(Path.absolute, paths):
        try:
            files = _files(path)
        except OSError:
            closed.append(path)
            continue
        for file in files:
            found.setdefault(os.path.realpath(file), file)
    sessions = [file for file in found.values() if is_session(file)]
    captures, logs = without_logs([file for file in found.values() if file not in sessions])
    captures.sort(key=lambda file: (not _is_called_capture(file), file))
    return OpenablePaths(tuple(sessions), tuple(captures), tuple(closed), tuple(sorted(logs)))


def _files(path: Path) -> list[Path]:
    """Return the file itself, or the files of a folder; raises OSError for a folder that can't be read."""
    if not path.is_dir():
        return [path]
    return sorted(one for one in path.iterdir() if _is_wanted(one.name.lower()))


def _is_wanted(name: str) -> bool:
    return name.endswith((SUFFIX, *CAPTURES)) or any(fnmatch(name, pattern) for pattern in LOGS)


def _is_called_capture(path: Path) -> bool:
    return path.name.lower().endswith(CAPTURES)


def is_session(path: Path) -> bool:
    """Return True if a file is a session by its name or its first bytes; only opening it can tell for
    sure.
    """
    return path.suffix.lower() == SUFFIX or begins_like_session(path)


def recordings_folder(chosen: str) -> Path:
    """Return the folder for recordings: the one in the settings, else Hyperscope in the user's documents.

    A relative one is in the user's documents, too: nobody knows where the program was started.
    """
    folder = Path(chosen or "Hyperscope")
    with suppress(RuntimeError):  # ~ and the name of nobody
        folder = folder.expanduser()
    return documents_folder() / folder


def os_error_text(error: OSError) -> str:
    """Return ``Permission denied: /recordings``: what the system says, without its number."""
    what = error.strerror or str(error)
    return f"{what}: {error.filename}" if error.filename else what


def session_beside(captures: Sequence[Path], otherwise: Path) -> Path:
    """Return an unused session path beside the first capture, in ``otherwise`` if that is not writable."""
    first = captures[0]
    stem = _name_of_all(list(dict.fromkeys(map(_stem, captures))))
    folder = first.parent if takes_files(first.parent) else otherwise
    return free_path(folder / f"{stem or 'capture'}{SUFFIX}")


def _stem(capture: Path) -> str:
    stem = capture.name
    for suffix in (*PACKED, ".tgz", ".csv", ".tar", ".log", ".0"):
        if stem.lower().endswith(suffix):
            stem = stem[: -len(suffix)]
    return stem


def _name_of_all(stems: Sequence[str]) -> str:
    """Return a name that tells what is in the session: ``esx01 and esx02``, ``esx01 to esx04``, of files that
    are not called alike the first two and how many more.
    """
    first, *others = stems
    if not others:
        return first
    if len(others) == 1:
        return f"{first[:_LONGEST_STEM]} and {others[0][:_LONGEST_STEM]}"
    if len({one[:_ALIKE].casefold() for one in stems}) == 1:
        ordered = sorted(stems, key=natural)
        return f"{ordered[0][:_LONGEST_STEM]} to {ordered[-1][:_LONGEST_STEM]}"
    return f"{first[:_LONGEST_STEM]}, {others[0][:_LONGEST_STEM]} and {len(others) - 1} more"


def session_for(what: str, folder: Path, now: datetime) -> Path:
    """Return an unused session path for a recording that starts now: ``vc01.lab 2026-11-21 14.21.hscope``."""
    safe = "".join(sign if sign.isalnum() or sign in " .-_" else "-" for sign in what)[:60].strip(" .")
    return free_path(folder / f"{safe or 'recording'} {now:%Y-%m-%d %H.%M}{SUFFIX}")


def free_path(wanted: Path) -> Path:
    """Return ``wanted``, or ``name (2)``, ``name (3)`` … if that exists: nothing is ever overwritten."""
    if not wanted.exists():
        return wanted
    numbered = (wanted.with_name(f"{wanted.stem} ({number}){wanted.suffix}") for number in count(2))
    return next(path for path in numbered if not path.exists())


def takes_files(folder: Path) -> bool:
    """Return True if this user can make files in the folder."""
    probe = folder / ".hyperscope-can-write"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True
