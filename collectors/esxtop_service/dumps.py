"""Reads what scripts saved of the esxtop service: a row for each sample, the whole reply in one cell; or
replies as they came, one after another.

``"Timestamp","SampleNumber","RawData"`` is the form of hosted vSphere's ``Get-EsxtopData``, which customers
without root have.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from collectors.esxtop_service.recognising import COLUMN, REPLY, heading, is_reply, text_encoding
from collectors.unpacking import BROKEN, Unpacked, compression_of
from resources.failures import BadInputError
from resources.files import opened_for_reading
from resources.foreign_text import shown
from resources.units import format_bytes

_HEAD = 4096


@dataclass(frozen=True, slots=True)
class DumpRow:
    """One row: its number in the file, from 1, and the cell with what the service answered."""

    number: int
    raw: str


class _UnpackedFile(io.RawIOBase):
    """A compressed file as an ordinary stream."""

    def __init__(self, raw: BinaryIO, compression: str, name: str) -> None:
        self._inner, self._name = Unpacked(raw, compression), name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        try:
            data = self._inner.read(len(view))[: len(view)]
        except BROKEN as error:
            raise BadInputError(
                f"{shown(self._name)} can't be unpacked to its end: {shown(str(error))}.",
                meaning="Nothing was imported.",
                advice="Copy it again from where it was made.",
            ) from error
        view[: len(data)] = data
        return len(data)


def dump_rows(path: Path, most_bytes: int) -> Iterator[DumpRow]:
    """Yield the rows of a dump, or the replies of a file of replies; each may have ``most_bytes``.

    Raises NotFoundError, AccessDeniedError, BadInputError.
    """
    # Whole replies are cells, which Python's reader does not expect; its limit is the process's.
    csv.field_size_limit(max(csv.field_size_limit(), most_bytes))
    with _text(path) as stream:
        line = stream.readline(_HEAD)
        if is_reply(line):
            yield from _replies(stream, path, most_bytes)
            return
        separator, names = heading(stream.readline(_HEAD) if line.startswith("#TYPE") else line)
        column = next((at for at, name in enumerate(names) if name.lower() == COLUMN), None)
        if column is None:
            raise BadInputError(
                f"{path} has no column RawData.", advice="Is it a dump of the esxtop service?"
            )
        rows = csv.reader(stream, delimiter=separator, strict=True)
        number = 0
        try:
            for number, row in enumerate(rows, start=1):
                if len(row) > column and row[column].strip():
                    yield DumpRow(number, row[column])
        except (csv.Error, UnicodeError) as error:
            raise BadInputError(
                f"{path} can't be read after row {number}: {error}.",
                meaning="A cell does not end there: the file is cut off, or another program saved it.",
                advice="Import it as it was first written.",
            ) from error


def _replies(stream: io.TextIOWrapper, path: Path, most_bytes: int) -> Iterator[DumpRow]:
    """The replies of a file that has nothing else; the first line of the first is read already."""
    number, lines, size = 1, [REPLY + "\n"], 0
    while line := stream.readline(most_bytes):
        if is_reply(line):
            yield DumpRow(number, "".join(lines))
            number, lines, size = number + 1, [], 0
        lines.append(line)
        size += len(line)
        if size > most_bytes:
            raise BadInputError(
                f"{path}: reply {number} has more than {format_bytes(most_bytes)}.",
                meaning="No host says so much.",
                advice="Is it a reply of the esxtop service?",
            )
    yield DumpRow(number, "".join(lines))


@contextmanager
def _text(path: Path) -> Iterator[io.TextIOWrapper]:
    with opened_for_reading(path, BadInputError, "Name the dumps in it.") as raw:
        kind = compression_of(raw.read(16))
        raw.seek(0)
        binary = io.BufferedReader(_UnpackedFile(raw, kind, path.name)) if kind else raw
        encoding = text_encoding(binary.peek(4) if isinstance(binary, io.BufferedReader) else b"")
        yield io.TextIOWrapper(binary, encoding=encoding, errors="replace", newline="")
