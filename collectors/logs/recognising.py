"""Tells logs of ESXi and archives of them from other files, by their beginnings; it loads nothing that takes
time.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

_HEAD = 64 << 10
_STAMP = re.compile(rb"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.MULTILINE)
_NAME = re.compile(r"(?:vmkernel|vobd|vmware|hostd)\b.*\.(?:log|gz)(?:\.gz)?", re.IGNORECASE)
_PACKED = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
_BLOCK = 512
_CHECKSUM, _MAGIC = slice(148, 156), slice(257, 262)


def is_tar(head: bytes) -> bool:
    """True if ``head``, at least 512 bytes, begins a tar archive: its first header has the right checksum."""
    if len(head) < _BLOCK or not any(head[:_BLOCK]):
        return False
    try:
        told = int(head[_CHECKSUM].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return told == sum(head[:_BLOCK]) - sum(head[_CHECKSUM]) + 8 * ord(" ")


def is_damaged_tar(head: bytes) -> bool:
    """True if ``head`` begins a tar archive whose first header has a wrong checksum. As one log all its files
    would be read, whoever wrote them.
    """
    return head[_MAGIC] == b"ustar" and b"\0" in head[:_BLOCK] and not is_tar(head)


def is_log(path: Path) -> bool:
    """True if a file is a log of ESXi or a tar archive, plain, compressed or damaged, or is called like a
    log.
    """
    try:
        if not path.is_file():
            return False  # opening a pipe would wait for its writer
        with path.open("rb") as raw:
            head = raw.read(_HEAD)
    except OSError:  # reading it says why
        return False
    if head.startswith(b'"'):
        return False  # a capture
    if head.startswith(_PACKED):
        head = _unpacked(head)
    text = head.removeprefix(BOM_UTF8)  # an editor puts it in front
    is_archive = is_tar(head) or is_damaged_tar(head)
    return is_archive or bool(_STAMP.search(text)) or bool(_NAME.fullmatch(path.name))


def _unpacked(head: bytes) -> bytes:
    """The beginning of what is packed in ``head``, as far as it can be had."""
    from collectors.unpacking import BROKEN, Unpacked, compression_of  # noqa: PLC0415 - loads three libraries

    try:
        return Unpacked(BytesIO(head), compression_of(head)).read(_HEAD)
    except BROKEN:
        return b""


def without_logs(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Divide files into those that are no logs, and logs; each in the given order."""
    logs = [path for path in files if is_log(path)]
    return [path for path in files if path not in logs], logs
