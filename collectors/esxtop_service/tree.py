"""Which record of a reply belongs to which: a tree in pre-order, whose counts stand in its own values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from resources.esxtop_records import EsxtopRecords
from resources.failures import DisconnectedError
from resources.units import format_count
from sessions.model import IntArray

Counts = Mapping[tuple[str, str], NDArray[np.uint64]]
"""(type of record, field) → its numbers."""


def parents_of(
    lines: Mapping[str, IntArray], total: int, counts: Counts, known: EsxtopRecords
) -> dict[str, IntArray]:
    """Return the position of each record's parent among the records of the parent's type, −1 for none.

    ``lines`` are the line numbers of each type's records, ``total`` the number of lines. Raises
    DisconnectedError when a count is not that of the records that follow, or a record stands elsewhere.
    """
    found = {name: np.full(len(own), -1, dtype=np.int64) for name, own in lines.items()}
    for parent, children in known.children.items():
        if parent not in lines:
            continue
        last = _last_outside(parent, lines, total, known)
        for child, field in children.items():
            own = lines.get(child)
            if own is None:
                continue
            at = np.searchsorted(lines[parent], own) - 1
            astray = at < 0
            astray[~astray] = last[own[~astray]] != lines[parent][at[~astray]]
            if astray.any():
                line = int(own[int(np.argmax(astray))])
                raise _wrong(f"Line {line + 1} is a record {child} where no {parent} precedes it.")
            found[child] = at
            if (parent, field) in counts:
                _check_counts(child, lines[parent], at, counts[parent, field])
    return found


def _last_outside(parent: str, lines: Mapping[str, IntArray], total: int, known: EsxtopRecords) -> IntArray:
    """The last line up to each line that is no descendant of the type ``parent``: the parent's own, if it is
    still open there. Lines of types whose place is unknown close nothing.
    """
    outside = np.full(total, -1, dtype=np.int64)
    for name in known.names() - known.descendants(parent):
        own = lines.get(name)
        if own is not None:
            outside[own] = own
    return np.maximum.accumulate(outside) if total else outside


def _check_counts(child: str, lines: IntArray, at: IntArray, announced: NDArray[np.uint64]) -> None:
    there = np.bincount(at, minlength=len(lines)).astype(np.uint64)
    wrong = np.flatnonzero(there != announced)
    if len(wrong):
        first = int(wrong[0])
        raise _wrong(
            f"Line {int(lines[first]) + 1} announces {format_count(int(announced[first]))} × {child}, "
            f"{format_count(int(there[first]))} follow."
        )


def _wrong(why: str) -> DisconnectedError:
    return DisconnectedError(
        f"The esxtop service’s reply breaks off or is garbled. {why}",
        meaning="Its sample is lost; the next one is asked for.",
    )
