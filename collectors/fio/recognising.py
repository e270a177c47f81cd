"""Tells files of fio from others, by their names and beginnings; it loads nothing that takes time."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from resources.failures import UsageError
from resources.foreign_text import shown

Quantity = Literal["bw", "iops", "lat", "clat", "slat"]

_HEAD = 64 << 10
_NAME = re.compile(
    r"(?P<prefix>.*)_(?P<what>bw|iops|lat|clat|slat)(?:\.(?P<job>[0-9]{1,6}))?\.log", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class LogName:
    """What the name of a log says: prefix, quantity, and the job's number from 1 (0: of all together)."""

    prefix: str
    quantity: Quantity
    job: int


def log_name(name: str) -> LogName | None:
    """Return what a file's name says about a log of fio; None if no log is called so."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    what: Quantity = found["what"]  # type: ignore[assignment]  # the expression admits only these
    return LogName(found["prefix"], what, int(found["job"] or 0))


def is_fio(path: Path) -> bool:
    """True if a file is fio's JSON output by its beginning, or a log of fio by its name."""
    if log_name(path.name) is not None:
        return True
    try:
        if not path.is_file():
            return False  # opening a pipe would wait for its writer
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return '"fio version"' in head.decode(text_encoding(head), "replace")


def text_encoding(data: bytes) -> str:
    """Return the encoding of a text by its first bytes: UTF-8, or UTF-16 as PowerShell's ``>`` writes."""
    return "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"


def are_fio(files: Sequence[Path]) -> bool:
    """True if the files are fio's, False if none is. Raises UsageError if only some are."""
    others = [path.name for path in files if not is_fio(path)]
    if others and len(others) < len(files):
        raise UsageError(
            f"{shown(others[0])} is not of fio, as others of these files are.",
            advice="Import captures of esxtop and output of fio into sessions of their own.",
        )
    return not others
