"""Which file a recording goes into: a new one, one to go on with, or the next part of a long one."""

from __future__ import annotations

import re
from pathlib import Path

from resources.failures import AlreadyExistsError
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
    with SessionReader.open(path, check=False) as reader:
        said = reader.meta()
    if said.get(MADE) != "record":
        raise AlreadyExistsError(
            f"{path} exists already and is no recording.",
            meaning="A recording can be continued; what was imported or made by the demo stays as it is.",
            advice="Choose another name.",
        )
    part = said.get(PART, "1")
    return SessionWriter.open(path), path, int(part) if part.isdigit() else 1, True


def newest_part(path: Path) -> Path:
    """The last of ``S.hscope``, ``S-002.hscope``, ``S-003.hscope`` … that is there without a break."""
    number = 2
    while (following := _numbered(path, number)).exists():
        path_of_last, number = following, number + 1
    return path if number == 2 else path_of_last


def next_part(path: Path, part: int) -> Path:
    """Where part ``part`` goes on: ``S-003.hscope`` after ``S-002.hscope``."""
    match = _NUMBERED.fullmatch(path.stem)
    first = path.with_name(match[1] + path.suffix) if match and part > 1 else path
    return _numbered(first, part + 1)


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number:03}{path.suffix}")
