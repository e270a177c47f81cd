"""Which file a recording goes into: a new one, one to be continued, or the next part of a long one."""

from __future__ import annotations

import re
from pathlib import Path

from resources.failures import AlreadyExistsError, HyperscopeError
from sessions.store import SessionReader, SessionWriter

MADE, PART = "made by", "part"
"""Of the session as a whole: what made it, and which part of a long recording it is."""

_NUMBERED = re.compile(r"(.*)-(\d{3,})")


def open_part(path: Path, title: str) -> tuple[SessionWriter, Path, int, bool]:
    """Open the session to record into; return its writer, its path, its part number, and whether it existed.

    Where a long recording was continued in ``S-002.hscope`` …, ``S.hscope`` means the newest part. Raises
    AlreadyExistsError for a session that was not made by ``record``.
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
    """Return the part number of a session; None for one that was not made by ``record``."""
    with SessionReader.open(path, check=False) as reader:
        meta = reader.meta()
    if meta.get(MADE) != "record":
        return None
    part = meta.get(PART, "1")
    return int(part) if part.isascii() and part.isdigit() and len(part) < 9 else 1


def newest_part(path: Path) -> Path:
    """Return the last part among ``S.hscope``, ``S-002.hscope``, ``S-003.hscope`` … that belongs
    to the recording.
    """
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
    """Return path and number of the part after ``part``: ``S-003.hscope`` after ``S-002.hscope``, if
    that name is free.
    """
    match = _NUMBERED.fullmatch(path.stem)
    first = path.with_name(match[1] + path.suffix) if match and part > 1 else path
    number = part + 1
    while _numbered(first, number).exists():
        number += 1
    return _numbered(first, number), number


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number:03}{path.suffix}")
