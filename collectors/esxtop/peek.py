"""The first look at a file: its header and first rows, or one clear sentence of what it is instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from collectors.esxtop.header import Header, is_esxtop, looks_like_header, read_header
from collectors.esxtop.lines import Lines, lines_of
from collectors.esxtop.opening import Capture, text_of
from collectors.esxtop_names import Counters
from resources.failures import NotACaptureError

_SEPARATOR_LINES = (b"sep=,", b"sep=;", b"sep=\t")
_LONGEST_SEPARATOR = 64
_LONGEST_BANNER = 100
"""Lines among which a header is looked for."""
_MAX_NAMES = 1 << 18
_MAX_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Peek:
    """What a file begins with. ``line`` is its header as written, ``beginning`` the first lines after it.

    A ``fragment`` is a list of column names, one a line, or a header without a time column: it names
    columns and holds no sample.
    """

    capture: Capture
    header: Header
    line: bytes
    beginning: Lines | None
    fragment: bool


def peek(capture: Capture, catalogue: Counters) -> Peek:
    """Read the header and the first rows of a capture.

    Raises NotACaptureError when the file is something else.
    """
    with text_of(capture) as stream:
        batches = lines_of(stream, capture.skip)
        for lines in batches:
            at = header_index(lines)
            if at is None:
                continue
            header = read_header(lines.line(at), catalogue)
            if header is None:
                break
            if header.has_time:
                _check(capture, header, catalogue)
                return Peek(capture, header, lines.line(at), _with_rows(lines, batches), fragment=False)
            names = _names(lines, batches)
            header = read_header(b",".join(names), catalogue) or header
            _check(capture, header, catalogue)
            return Peek(capture, header, b"", None, fragment=True)
    raise NotACaptureError(
        f"{capture.path} is not an esxtop batch capture.",
        meaning="Its first line does not name esxtop's columns.",
        advice="Make one on the host: esxtop -b -d 5 -n 720 > capture.csv",
    )


def header_index(lines: Lines) -> int | None:
    """Return the index of the line that should be the header.

    It is the first, but for a spreadsheet's ``sep=;`` and for what a login says before the program that
    writes the header runs.
    """
    usable = [at for at in range(min(len(lines.starts), _LONGEST_BANNER)) if not _is_separator(lines, at)]
    header = (at for at in usable if looks_like_header(lines.line(at)))
    return next(header, usable[0] if usable else None)


def lines_before_header(lines: Lines) -> int:
    """Return the number of lines before the header, not counting a spreadsheet's ``sep=;``."""
    return sum(not _is_separator(lines, at) for at in range(header_index(lines) or 0))


def _is_separator(lines: Lines, at: int) -> bool:
    begin, end = int(lines.starts[at]), int(lines.ends[at])
    return end - begin < _LONGEST_SEPARATOR and lines.line(at).strip().lower() in _SEPARATOR_LINES


def _with_rows(lines: Lines, more: Iterator[Lines]) -> Lines:
    """The lines after the header if there are any, else the next batch's."""
    at = (header_index(lines) or 0) + 1
    if at < len(lines.starts):
        return Lines(lines.data, lines.offset, lines.starts[at:], lines.ends[at:], lines.numbers[at:])
    return next(more, lines)


def _names(lines: Lines, more: Iterator[Lines]) -> list[bytes]:
    """Lines that are column names; any others say nothing without a time."""
    names: list[bytes] = []
    total = 0
    batch: Lines | None = lines
    while batch is not None and len(names) < _MAX_NAMES and total < _MAX_BYTES:
        for at in range(len(batch.starts)):
            line = batch.line(at).strip()
            total += len(line)
            if not looks_like_header(line) and b"\\\\" in line[:4]:
                names.append(line.rstrip(b","))
        batch = next(more, None)
    return names


def _check(capture: Capture, header: Header, catalogue: Counters) -> None:
    if is_esxtop(header.paths, catalogue):
        return
    if not any(header.paths):
        raise NotACaptureError(
            f"{capture.path} has a header without a single column.",
            advice="Was the capture interrupted? Copy it again from the host.",
        )
    raise NotACaptureError(
        f"{capture.path} is a Windows Performance Monitor log, not an esxtop capture.",
        meaning="Its columns are in the same format but describe Windows, not an ESXi host.",
        advice="Capture on the host: esxtop -b -d 5 -n 720 > capture.csv",
    )
