"""Where sessions go and what a file that somebody points at is: a session or a capture. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

import platformdirs

SUFFIX = ".hscope"
PACKED = (".gz", ".xz", ".zst")
CAPTURES = (".csv", *(f".csv{packed}" for packed in PACKED))
_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Pointed:
    """What somebody pointed at: sessions to open, captures to import (in the order of their names)."""

    sessions: tuple[Path, ...]
    captures: tuple[Path, ...]


def sort_out(paths: Iterable[Path]) -> Pointed:
    """Sessions and captures among files; of a folder those directly in it that are called like one."""
    files = list(dict.fromkeys(file for path in paths for file in _files(path)))
    sessions = [file for file in files if is_session(file)]
    captures = sorted(file for file in files if file not in sessions)
    return Pointed(tuple(sessions), tuple(captures))


def _files(path: Path) -> Iterable[Path]:
    if not path.is_dir():
        return [path]
    return sorted(one for one in path.iterdir() if one.name.lower().endswith((SUFFIX, *CAPTURES)))


def is_session(path: Path) -> bool:
    """Whether a file is a session, by its name or its first bytes; opening it tells for sure."""
    if path.suffix.lower() == SUFFIX:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def recordings_folder(chosen: str) -> Path:
    """Where recordings go: the setting's folder, else Hyperscope in the user's documents."""
    return Path(chosen) if chosen else platformdirs.user_documents_path() / "Hyperscope"


def session_beside(captures: Sequence[Path], otherwise: Path) -> Path:
    """A new session for captures: beside the first one, in ``otherwise`` where nothing can be written."""
    first = captures[0]
    stem = first.name
    for suffix in (*PACKED, ".csv"):
        if stem.lower().endswith(suffix):
            stem = stem[: -len(suffix)]
    if len(captures) > 1:
        stem += f" and {len(captures) - 1} more"
    folder = first.parent if _takes_files(first.parent) else otherwise
    return free_path(folder / f"{stem or 'capture'}{SUFFIX}")


def session_for(what: str, folder: Path, now: datetime) -> Path:
    """A new session for a recording that begins now: ``vc01.lab 2026-11-21 14.21.hscope``."""
    safe = "".join(sign if sign.isalnum() or sign in " .-_" else "-" for sign in what)[:60].strip(" .")
    return free_path(folder / f"{safe or 'recording'} {now:%Y-%m-%d %H.%M}{SUFFIX}")


def free_path(wanted: Path) -> Path:
    """``wanted``, or ``name (2)``, ``name (3)`` … where that is taken: nothing is ever overwritten."""
    if not wanted.exists():
        return wanted
    numbered = (wanted.with_name(f"{wanted.stem} ({number}){wanted.suffix}") for number in count(2))
    return next(path for path in numbered if not path.exists())


def _takes_files(folder: Path) -> bool:
    probe = folder / ".hyperscope-can-write"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True
