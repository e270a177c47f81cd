"""Tells dumps of the esxtop service from other files, by their headings; it loads nothing that takes time."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from resources.failures import UsageError
from resources.foreign_text import shown

COLUMN = "rawdata"
"""The column that has the replies, in small letters."""
REPLY = "==NUM-OF-OBJ=="
"""The line with which a reply begins, whether in a cell or saved as it came."""
_HEAD = 4096
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PACKED = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")


def is_dump(path: Path) -> bool:
    """True if a file, plain or compressed, begins as a dump does: a heading with a column RawData, or a reply
    as the service gave it.
    """
    try:
        if not path.is_file():
            return False  # opening a pipe would wait for its writer
        with path.open("rb") as raw:
            head = raw.read(_HEAD)
    except OSError:  # reading it says why
        return False
    if head.startswith(_PACKED):
        head = _unpacked(head)
    text = head.decode(text_encoding(head), "replace")
    return is_reply(text) or COLUMN in {name.lower() for name in heading(text)[1]}


def are_dumps(files: Sequence[Path]) -> bool:
    """True if the files are dumps, False if none is. Raises UsageError if only some are."""
    others = [path.name for path in files if not is_dump(path)]
    if others and len(others) < len(files):
        raise UsageError(
            f"{shown(others[0])} is no dump of the esxtop service, as others of these files are.",
            advice="Import dumps and other files into sessions of their own.",
        )
    return bool(files) and not others


def is_reply(text: str) -> bool:
    """True if a text begins as a reply does."""
    return text.lstrip().startswith(REPLY)


def text_encoding(head: bytes) -> str:
    """Return the encoding of a text by its first bytes: UTF-8, or UTF-16 as PowerShell writes."""
    return "utf-16" if head.startswith(_UTF16) else "utf-8-sig"


def heading(text: str) -> tuple[str, list[str]]:
    """Return the separator and the names of the columns: the first line but for PowerShell's ``#TYPE``."""
    lines = [line for line in text.splitlines()[:3] if line.strip() and not line.startswith("#TYPE")]
    line = lines[0] if lines else ""
    separator = max(",;\t", key=line.count)
    return separator, [name.strip().strip('"') for name in line.split(separator)]


def _unpacked(head: bytes) -> bytes:
    """The beginning of what is packed in ``head``, as far as it can be had."""
    from collectors.unpacking import BROKEN, Unpacked, compression_of  # noqa: PLC0415 - loads three libraries

    try:
        return Unpacked(BytesIO(head), compression_of(head)).read(_HEAD)
    except BROKEN:
        return b""
