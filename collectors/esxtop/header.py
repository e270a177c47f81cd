"""The header of a capture: its columns, how its rows are written, and which zone its clock shows."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from collectors.esxtop.rows import FieldKind, RowShape
from collectors.esxtop_names import ESXTOP_CLASSES, LONGEST_PATH, ColumnPath, Counters, PathReader, parse_path

_TIME_COLUMN = re.compile(r"\(PDH-CSV 4\.0\)(?:\s*\((.*)\)\s*\((-?\d{1,4})\))?")
_DELIMITER = re.compile(r"([,;\t])\s*-?\s*\"?\\\\")
_GLUED = re.compile(r"\s*-\s*(?:\"?(\\\\.*?)\"?)?", re.DOTALL)
_MAX_COLUMNS = 1 << 19
_APERF_COUNTER = "% of aperf/mperf"
_HEADER_START = re.compile(rb"\s*\"?\(PDH-CSV")


@dataclass(frozen=True, slots=True)
class Header:
    """A parsed header line.

    ``paths`` are the value columns, in order, after repairs (None: a name that could not be read, which is in
    ``unreadable``); ``shape`` is how a row of them is written. ``columns`` counts real columns with the time
    column. ``zone`` is empty if the header names none; ``bias_minutes`` is added to a row's local time to get
    UTC. ``quoted`` says that rows end in a quotation mark.
    """

    paths: tuple[ColumnPath | None, ...]
    shape: RowShape
    columns: int
    zone: str
    bias_minutes: int
    has_time: bool
    quoted: bool
    unreadable: tuple[str, ...]


def looks_like_header(line: bytes) -> bool:
    """Return True if a line in the middle of a file is a header, which begins another capture."""
    return _HEADER_START.match(line) is not None


def read_header(line: bytes, catalogue: Counters) -> Header | None:
    """Parse a header line; None if it is not a header.

    ``catalogue`` tells which columns hold text instead of numbers.
    """
    text = line.decode("utf-8", "replace").strip("\r\n")
    delimiter = _delimiter(text)
    if text.count(delimiter) > _MAX_COLUMNS:
        return None
    fields = _split(text, delimiter)
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    stamp = _TIME_COLUMN.fullmatch(fields[0].strip())
    has_time = stamp is not None or parse_path(_bare(fields[0])) is None
    columns = _Columns(catalogue)
    for name in fields[1:] if has_time else fields:
        columns.add(name)
    if not any(columns.paths) and stamp is None and not fields[0].lstrip().startswith("(PDH-CSV"):
        return None
    return Header(
        paths=tuple(columns.paths),
        shape=RowShape(delimiter.encode(), tuple(columns.kinds), text.endswith(delimiter)),
        columns=len(columns.kinds) + has_time,
        zone=(stamp[1] if stamp else None) or "",
        bias_minutes=int(stamp[2] or 0) if stamp else 0,
        has_time=has_time,
        quoted=text.rstrip().removesuffix(delimiter).endswith('"'),
        unreadable=tuple(columns.unreadable),
    )


def is_esxtop(paths: Sequence[ColumnPath | None], catalogue: Counters) -> bool:
    """Return True if any column is esxtop's. Windows' PDH files have a class ``Memory``, too."""
    return any(
        path is not None
        and (
            (path.cls in ESXTOP_CLASSES and path.cls != "Memory") or catalogue.esxtop(path.cls, path.counter)
        )
        for path in paths
    )


@dataclass(slots=True)
class _Columns:
    """Collects columns from left to right."""

    catalogue: Counters
    paths: list[ColumnPath | None] = field(default_factory=list)
    kinds: list[FieldKind] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    power: ColumnPath | None = None
    reader: PathReader = field(default_factory=PathReader)
    is_text: dict[tuple[str, str], bool] = field(default_factory=dict)

    def add(self, name: str) -> None:
        """One field of the header, which is one column; two where ``-a`` glued %A/MPERF to it."""
        path = self.reader.read(_bare(name))
        glued = None if path else _GLUED.fullmatch(name)
        if glued is None:
            self._append(path, name)
            self.kinds.append("text" if path and self._is_text(path) else "number")
            return
        self.paths.append(self._aperf())
        if glued[1] is None:
            self.kinds.append("number")
            return
        self._append(self.reader.read(glued[1]), name)
        self.kinds.append("glued")

    def _append(self, path: ColumnPath | None, name: str) -> None:
        if path is None:
            self.unreadable.append(name[:200])
        elif path.cls == "PCPU Power State":
            self.power = path
        self.paths.append(path)

    def _is_text(self, path: ColumnPath) -> bool:
        key = (path.cls, path.counter)
        if key not in self.is_text:
            known = self.catalogue.esxtop(*key)
            self.is_text[key] = known is not None and known[1].text
        return self.is_text[key]

    def _aperf(self) -> ColumnPath | None:
        """%A/MPERF is printed after the last state of the PCPU that it belongs to."""
        if self.power is None:
            return None
        return ColumnPath(self.power.host, self.power.cls, self.power.instance, _APERF_COUNTER)


def _bare(name: str) -> str:
    """A column name without the blanks and stray quotes around it."""
    return name.strip(' "')


def _delimiter(text: str) -> str:
    match = _DELIMITER.search(text, 0, 4096)
    return match[1] if match else ","


def _split(text: str, delimiter: str) -> list[str]:
    limit = csv.field_size_limit(len(text) + 1)
    try:
        fields = next(csv.reader([text], delimiter=delimiter), [""])
    except csv.Error:
        return text.split(delimiter)
    finally:
        csv.field_size_limit(limit)
    # A lost quotation mark makes csv swallow the columns after it.
    return text.split(delimiter) if max(map(len, fields)) > LONGEST_PATH else fields
