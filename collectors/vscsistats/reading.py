"""Reads what ``vscsiStats -p all -c`` printed: blocks of a title, four numbers, and counts with their
limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from collectors.vscsistats.histograms import CommandHistogram, DiskHistograms, Quantity, Side
from resources.failures import BadInputError
from resources.files import opened_for_reading
from resources.foreign_text import shown
from resources.units import format_bytes

MAX_BYTES = 64 << 20
"""A longer file is refused: one print of a disk takes 6 KB."""

_MAX_BUCKETS = 1000
_MAX_DISKS = 10_000
_ADVICE = "On the host run 'vscsiStats -p all -c > FILE' and take that file."

_TITLE = re.compile(
    r"Histogram:(?P<what>[^,]{1,200}),virtual machine worldGroupID,(?P<group>[0-9]{1,20})"
    r"(?:,virtual disk handleID,(?P<handle>[0-9]{1,20})(?: \((?P<name>[^)]{1,100})\))?)?\s*"
)
_PAIR = re.compile(r"(?P<count>[0-9]{1,18}),(?P<limit>-?[0-9]{1,18})")
_NUMBER = re.compile(r"(?P<name>min|max|mean|count),(?P<value>-?[0-9]{1,20})")

_QUANTITIES: tuple[tuple[str, Quantity], ...] = (
    ("io lengths", "size"),
    ("closest of previous", "distance of 16"),
    ("distance", "distance"),
    ("interarrival", "interarrival"),
    ("latency", "latency"),
    ("outstanding", "outstanding"),
)
"""Words of a title, the telling one first: an interarrival time is called a latency, too."""

_SIDES: tuple[tuple[str, Side], ...] = (("read", "reads"), ("write", "writes"))

_Key = tuple[str, str, str]


def read_vscsistats(path: Path) -> tuple[DiskHistograms, ...]:
    """Return the disks of a file, those with most commands first.

    Raises NotFoundError, AccessDeniedError, and BadInputError for a file without any histogram.
    """
    with opened_for_reading(path, BadInputError, _ADVICE) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadInputError(f"{shown(path.name)} is longer than {format_bytes(MAX_BYTES)}.", advice=_ADVICE)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return parse_vscsistats(data.decode(encoding, "replace"), path.name)


def parse_vscsistats(text: str, name: str) -> tuple[DiskHistograms, ...]:
    """Return the disks of a text, those with most commands first; ``name`` stands in errors.

    A disk that was printed several times is added up, or the last print counts if the host kept
    counting. Raises BadInputError.
    """
    found: dict[_Key, dict[tuple[Quantity, Side], list[CommandHistogram]]] = {}
    for title, lines in _blocks(text):
        what = _what(title["what"])
        if what is None:
            continue
        key = (title["group"], title["handle"] or "", title["name"] or "")
        found.setdefault(key, {}).setdefault(what, []).append(_histogram(lines, name))
        if len(found) > _MAX_DISKS:
            raise BadInputError(f"{shown(name)} has more than {_MAX_DISKS:,} disks.", advice=_ADVICE)
    disks = [
        DiskHistograms(*key, {what: _joined(prints, name) for what, prints in kinds.items()})
        for key, kinds in found.items()
    ]
    if not disks:
        raise BadInputError(
            f"{shown(name)} has no histogram of vscsiStats in it.",
            meaning="No line begins with “Histogram:” and names a virtual machine.",
            advice=_ADVICE,
        )
    return tuple(sorted(disks, key=lambda disk: -disk.count()))


def _blocks(text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    title: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("Histogram:"):
            if title is not None:
                yield title, lines
            title, lines = _TITLE.fullmatch(stripped), []
        elif stripped:
            lines.append(stripped)
    if title is not None:
        yield title, lines


def _what(title: str) -> tuple[Quantity, Side] | None:
    text = title.lower()
    quantity = next((one for words, one in _QUANTITIES if words in text), None)
    side: Side = next((one for word, one in _SIDES if re.search(rf"\b{word}s?\b", text)), "all")
    return None if quantity is None else (quantity, side)


def _histogram(lines: list[str], name: str) -> CommandHistogram:
    numbers = {found["name"]: float(found["value"]) for line in lines if (found := _NUMBER.fullmatch(line))}
    pairs = [(int(found["limit"]), int(found["count"])) for line in lines if (found := _PAIR.fullmatch(line))]
    limits, counts, above = [limit for limit, _ in pairs], [count for _, count in pairs], 0
    if len(limits) > 1 and limits[-1] == limits[-2]:
        above = counts.pop()
        limits.pop()
    rises = all(one < other for one, other in pairwise(limits))
    if not limits or len(limits) > _MAX_BUCKETS or not rises:
        raise BadInputError(
            f"{shown(name)} has a histogram whose limits do not rise.",
            meaning="It was cut off or changed after vscsiStats wrote it.",
            advice=_ADVICE,
        )
    least, most, mean = (numbers.get(each, float("nan")) for each in ("min", "max", "mean"))
    return CommandHistogram(np.array(limits, np.int64), np.array(counts, np.int64), above, least, most, mean)


def _joined(prints: list[CommandHistogram], name: str) -> CommandHistogram:
    """Several prints of one disk: with resets between they add up, without the last one has everything."""
    if all(one.is_continued_by(later) for one, later in pairwise(prints)):
        return prints[-1]
    whole = prints[0]
    try:
        for one in prints[1:]:
            whole = whole.plus(one)
    except ValueError:
        message = f"{shown(name)} has histograms of one disk with different buckets."
        raise BadInputError(
            message, meaning="They are of different versions of ESXi.", advice=_ADVICE
        ) from None
    return whole
