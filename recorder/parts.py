"""Which file a recording goes into: a new one, one to go on with, or the next part of a long one."""

from __future__ import annotations

import re
from pathlib import Path

from resources.failures import AlreadyExistsError, HyperscopeError
from sessions.store import SessionReader, SessionWriter

MADE, PART = "made by", "part"
"""Of the session as a whole: what made it, and which part of a long recording it is."""

_NUMBERED = re.compile(r"(.*)-(\d{3,})")


def open_part(path: Path, title: str) -> tuple[SessionWriter, Path, int, bool]:
    """The session to write, its path, which part it is, and whether it was there before.

    Where a long recording has gone on in ``S-002.hscope`` …, ``S.hscope`` means the newest of them. Raises
    AlreadyExistsError for a session that ``record`` did not make.
    """
    path = newest_part(path)
    if not path.exists():
        writer = SessionWriter.create(path, title=title)
        writer.set_meta(MADE, "record")
        return writer, path, 1, False
    part = part_of(path)
    if part is None:
        raise AlreadyExistsError(
            f"{path} exists already and is no recording.",
            meaning="A recording can be continued; what was imported or made by the demo stays as it is.",
            advice="Choose another name.",
        )
    return SessionWriter.open(path), path, part, True


def part_of(path: Path) -> int | None:
    """Which part of a recording a session is; None for one that ``record`` did not make."""
    with SessionReader.open(path, check=False) as reader:
        meta = reader.meta()
    if meta.get(MADE) != "record":
        return None
    part = meta.get(PART, "1")
    return int(part) if part.isascii() and part.isdigit() and len(part) < 9 else 1


def newest_part(path: Path) -> Path:
    """The last of ``S.hscope``, ``S-002.hscope``, ``S-003.hscope`` …; others may have such names, too."""
    if not path.exists():
        return path
    numbered = [
        (int(match[2]), other)
        for other in path.parent.iterdir()
        if (match := _NUMBERED.fullmatch(other.stem)) and other == _numbered(path, int(match[2]))
    ]
    parts = (other for number, other in sorted(numbered, reverse=True) if _is_part(other, number))
    return next(parts, path)


def _is_part(path: Path, number: int) -> bool:
    try:
        return part_of(path) == number
    except HyperscopeError:  # whatever it is, it is nothing of ours
        return False


def next_part(path: Path, part: int) -> tuple[Path, int]:
    """Where part ``part`` goes on, and as which: ``S-003.hscope`` after ``S-002.hscope``, if that is free."""
    match = _NUMBERED.fullmatch(path.stem)
    first = path.with_name(match[1] + path.suffix) if match and part > 1 else path
    number = part + 1
    while _numbered(first, number).exists():
        number += 1
    return _numbered(first, number), number


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number:03}{path.suffix}")
