"""Messages between the importing process and its workers: how to read rows, which rows, and the result."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from collectors.esxtop.report import Losses
from collectors.esxtop.rows import RowShape
from collectors.esxtop_names import FillRun, RepairRules
from sessions.model import FloatArray, IntArray
from sessions.store import EncodedBlock

BoolArray = NDArray[np.bool_]

_MAX_SERIES = 4096
"""Series of a layout: their rows must fit into memory while a block of them is made."""


@dataclass(frozen=True, slots=True)
class HostPlan:
    """Which values of a row belong to one host, and how they are repaired.

    ``columns`` which values of a row are the host's; ``cuts`` where its series are cut into layouts: 0, …,
    their number; ``repairs`` what is repaired; ``facts`` positions of the series that may state a fact.
    """

    columns: IntArray
    cuts: tuple[int, ...]
    repairs: RepairRules
    facts: IntArray


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """How to read the rows under one header (a section).

    A worker repairs ``rows_at_once`` rows at a time, and holds at most ``max_gathered_bytes`` of values
    before it compresses them into blocks.
    """

    number: int
    file: str
    rows_at_once: int
    max_gathered_bytes: int
    shape: RowShape
    hosts: tuple[HostPlan, ...]


@dataclass(frozen=True, slots=True)
class RepeatedRows:
    """Rows whose values another file, or an earlier row, has given already.

    ``rows`` is their mask. ``positions`` are the series that were given; None is all of them, so that the
    host's part of these rows is left out.
    """

    rows: BoolArray
    positions: IntArray | None


@dataclass(frozen=True, slots=True)
class Piece:
    """Some consecutive rows for one worker: row i is bytes ``starts[i]`` to ``ends[i]`` of ``path``.

    ``times`` in milliseconds (UTC), ``lines`` their numbers in the file. With ``context`` the first row was
    in the piece before and only serves to turn counts into rates. ``first`` is the index of the capture's
    first sample, None when it is elsewhere. ``base`` numbers the rows of a section across pieces. ``spooled``
    says that the file was made for the piece alone.
    """

    number: int
    section: int
    path: Path
    spooled: bool
    starts: IntArray
    ends: IntArray
    times: IntArray
    lines: IntArray
    base: int
    context: bool
    first: int | None
    known: tuple[tuple[RepeatedRows, ...], ...] = ()

    @property
    def rows(self) -> int:
        """The number of new rows, without the context row."""
        return len(self.times) - self.context


@dataclass(frozen=True, slots=True)
class HostResult:
    """One host's blocks of a piece, ready to be written: each item of ``blocks`` has one block a layout."""

    blocks: tuple[tuple[EncodedBlock, ...], ...]
    runs: tuple[FillRun, ...]
    lowest: FloatArray
    highest: FloatArray


@dataclass(frozen=True, slots=True)
class PieceResult:
    """The result of a piece: ``times`` of the rows that were read, ``lost`` those of unreadable rows.

    ``no_io`` says that the capture's first row was without I/O counters.
    """

    number: int
    section: int
    hosts: tuple[HostResult, ...]
    times: IntArray
    lost: IntArray
    losses: Losses
    no_io: bool


def layout_cuts(series: int) -> tuple[int, ...]:
    """Return the positions at which a host's series are divided into layouts: 0, …, ``series``."""
    parts = -(-series // _MAX_SERIES)
    return (*(series * part // parts for part in range(parts)), series)
