"""Opens a table that PowerShell's Export-Csv wrote: its encoding, separator and columns, by its first lines.

It loads nothing that takes time: every import asks it of each file.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from resources.failures import BadInputError
from resources.files import opened_for_reading
from resources.foreign_text import shown

TableKind = Literal["samples", "vms", "hosts", "limits"]
REQUIRED = ("metricid", "timestamp", "value")
_MARKS: tuple[tuple[TableKind, frozenset[str]], ...] = (
    ("samples", frozenset(REQUIRED)),
    ("vms", frozenset({"name", "numcpu", "vmhost"})),
    ("hosts", frozenset({"name", "numcpu", "cputotalmhz"})),
    ("limits", frozenset({"vmid", "cpulimitmhz"})),
)
"""What each kind of table has for certain: samples, and beside them what Get-VM, Get-VMHost and
Get-VMResourceConfiguration return.
"""
_TYPE = "#TYPE "
_STAT_TYPE = ".stat."
_HEAD = 64 << 10
_CHUNK = 256 << 10
_LONGEST_LINE = 1 << 20
_PREAMBLE = 4
_SEPARATORS = ",;\t|"
_PACKED = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")


@dataclass(frozen=True, slots=True)
class Table:
    """What a file is: ``header`` are the names of its columns, ``columns`` the same in lower case;
    ``lines_before`` are those before the header.
    """

    kind: TableKind
    encoding: str
    separator: str
    header: tuple[str, ...]
    columns: tuple[str, ...]
    lines_before: int
    is_packed: bool


def is_get_stat(path: Path) -> bool:
    """True if a file is a table of Get-Stat's samples, or of Get-VM and the like, by its first lines."""
    try:
        if not path.is_file():
            return False  # opening a pipe would wait for its writer
        with path.open("rb") as raw:
            head = raw.read(_HEAD)
    except OSError:  # reading it says why
        return False
    return table_of(head) is not None


def table_of(head: bytes) -> Table | None:
    """Return what begins with ``head``; None for anything else. A file of samples that lacks a column that
    it needs is told by its ``#TYPE``.
    """
    is_packed = head.startswith(_PACKED)
    if is_packed:
        head = _unpacked(head)
    encoding = _encoding(head)
    lines = head.decode(encoding, "replace").splitlines()[: _PREAMBLE + 1]
    is_typed = False
    for before, line in enumerate(lines):
        is_typed = is_typed or (line.startswith(_TYPE) and _STAT_TYPE in line.casefold())
        if not line.strip() or line.startswith(_TYPE) or line.casefold().startswith("sep="):
            continue
        return _by_header(line, encoding, before, is_typed=is_typed, is_packed=is_packed)
    return None


def _by_header(line: str, encoding: str, before: int, *, is_typed: bool, is_packed: bool) -> Table | None:
    for separator in _SEPARATORS:
        header = tuple(name.strip() for name in _cells(line, separator))
        columns = tuple(name.casefold() for name in header)
        there = set(columns)
        for kind, marks in _MARKS:
            if marks <= there:
                return Table(kind, encoding, separator, header, columns, before, is_packed)
        if is_typed and len(columns) > 1:
            return Table("samples", encoding, separator, header, columns, before, is_packed)
    return None


def _cells(line: str, separator: str) -> Sequence[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _encoding(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    zeros = head[:_PREAMBLE]
    if zeros[1::2] == b"\0\0":
        return "utf-16-le"
    return "utf-16-be" if zeros[::2] == b"\0\0" else "utf-8-sig"


def _unpacked(head: bytes) -> bytes:
    from collectors.unpacking import BROKEN, Unpacked, compression_of  # noqa: PLC0415 - loads three libraries

    try:
        return Unpacked(io.BytesIO(head), compression_of(head)).read(_HEAD)
    except BROKEN:
        return b""


@contextmanager
def opened_table(path: Path) -> Iterator[tuple[Table, Iterator[list[str]], BinaryIO]]:
    """Open a table; give what it is, its rows below the header, and the file, whose position tells how much
    is done. A row may be of any length; ``csv.Error`` is raised for one that can't be read, and the next one
    follows.

    Raises NotFoundError, AccessDeniedError, BadInputError; OSError and the like while rows are read.
    """
    with opened_for_reading(path, BadInputError, "Name the files in it.") as raw:
        head = raw.read(_HEAD)
        table = table_of(head)
        if table is None:
            raise BadInputError(
                f"{shown(path.name)} is no table of Get-Stat: its header lacks MetricId, Timestamp or Value."
            )
        raw.seek(0)
        content = io.BufferedReader(_Unpacking(raw, head)) if table.is_packed else raw
        errors = "surrogateescape" if table.encoding == "utf-8-sig" else "replace"
        text = io.TextIOWrapper(content, table.encoding, errors, newline="")
        try:
            for _ in range(table.lines_before + 1):
                text.readline(_HEAD)
            yield table, csv.reader(_lines(text, path), delimiter=table.separator), raw
        finally:
            text.detach()


def _lines(text: io.TextIOWrapper, path: Path) -> Iterator[str]:
    """The lines of a text, without their ends. Raises BadInputError for one that is no line of a table."""
    rest = ""
    while chunk := text.read(_CHUNK):
        lines = (rest + chunk).split("\n")
        rest = lines.pop()
        yield from lines
        if len(rest) > _LONGEST_LINE:
            raise BadInputError(f"{shown(path.name)} has a line of over a million characters.")
    if rest:
        yield rest


class _Unpacking(io.RawIOBase):
    """A compressed file as one that is read forwards."""

    def __init__(self, raw: BinaryIO, head: bytes) -> None:
        from collectors.unpacking import Unpacked, compression_of  # noqa: PLC0415 - loads three libraries

        self._content = Unpacked(raw, compression_of(head))
        self._rest = b""

    def readable(self) -> bool:
        """True: that is all that can be done with it."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill ``buffer`` as far as there is content."""
        data = self._rest or self._content.read(len(buffer))
        taken = data[: len(buffer)]
        self._rest = data[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def is_inventory(path: Path) -> bool:
    """True if a file tells of VMs or hosts, and has no samples. Raises what opening it raises."""
    with opened_table(path) as (table, _, _):
        return table.kind != "samples"


def without_get_stat(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Divide files into others, and tables of Get-Stat; each in the given order."""
    tables = [path for path in files if is_get_stat(path)]
    return [path for path in files if path not in tables], tables
