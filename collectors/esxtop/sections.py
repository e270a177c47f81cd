"""Sections (headers with the rows under them): where a host's values are stored, and sizes of pieces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from collectors.esxtop.header import Header
from collectors.esxtop.history import NAME, HostHistory
from collectors.esxtop.plan import HostPlan, HostResult, Piece, SectionPlan, layout_cuts
from collectors.esxtop.rows import ExactRows
from collectors.esxtop_names import ZERO_FILLED, FillRun, HostColumns, TextColumn, join_runs
from sessions.model import EntityRef, FloatArray, Gap, IntArray

_MAX_ROWS = 3584
_BATCH_BYTES = 8 << 20
"""What is settled at a time."""
_FIRST_SHARE = 0.45
"""Rows of this process for each row of a worker, which parses while the header is read and stored here."""
_LAST_ROWS = 256
"""A smaller piece costs more in its block than it gains by processes finishing together."""


@dataclass(slots=True)
class HostPart:
    """One host of one section: the layouts that store its values, and the facts and gaps found in them."""

    history: HostHistory
    layouts: tuple[int, ...]
    ids: IntArray
    fills: tuple[EntityRef, ...]
    fact_columns: tuple[tuple[EntityRef, str], ...]
    texts: tuple[TextColumn, ...]
    stated: tuple[tuple[EntityRef, str, str | float], ...]
    lowest: FloatArray
    highest: FloatArray
    runs: list[FillRun] = field(default_factory=list)
    start: int | None = None

    def take(self, result: HostResult) -> None:
        """Add the zero-fill runs, fact ranges and start time of a piece."""
        self.runs += result.runs
        self.lowest = np.minimum(self.lowest, result.lowest)
        self.highest = np.maximum(self.highest, result.highest)
        starts = [block.start for blocks in result.blocks for block in blocks]
        if starts:
            self.start = min(starts) if self.start is None else min(self.start, *starts)

    def gaps(self) -> list[Gap]:
        """Return the zero-filled rows as gaps; runs that continue in the next piece are joined."""
        return [
            Gap(self.history.source, run.start, run.end, ZERO_FILLED, self.fills[run.fill], run.rows)
            for run in join_runs(self.runs)
        ]

    def state_facts(self, texts: Sequence[tuple[EntityRef, str, str]]) -> None:
        """Add the facts of the header, of constant columns and of text columns to the host."""
        if self.start is None:
            return
        constant = [
            (entity, name, float(low))
            for (entity, name), low, high in zip(self.fact_columns, self.lowest, self.highest, strict=True)
            if low == high and low > 0
        ]
        for entity, name, value in (*self.stated, *constant, *texts):
            self.history.add_fact(entity, name, value, self.start)


def host_part(
    host_columns: HostColumns, history: HostHistory, layouts: tuple[int, ...], ids: IntArray
) -> HostPart:
    """Return the HostPart of a host whose series have ``ids`` in the session, in the given layouts."""
    count = len(host_columns.fact_columns)
    names = ((entity.ref, NAME, entity.name) for entity in host_columns.entities if entity.ref.kind == "vm")
    return HostPart(
        history=history,
        layouts=layouts,
        ids=ids,
        fills=tuple(fill.entity for fill in host_columns.zero_fills),
        fact_columns=tuple((host_columns.specs[at].entity, name) for at, name in host_columns.fact_columns),
        texts=host_columns.texts,
        stated=(*host_columns.stated, *names),
        lowest=np.full(count, np.inf),
        highest=np.full(count, -np.inf),
    )


def plan_host(host_columns: HostColumns) -> HostPlan:
    """Return what a worker must know of a host to turn its values into blocks."""
    return HostPlan(
        columns=host_columns.columns,
        cuts=layout_cuts(len(host_columns.columns)),
        repairs=host_columns.repairs,
        facts=np.array([position for position, _ in host_columns.fact_columns], dtype=np.int64),
    )


def rows_at_once(width: int) -> int:
    """Return how many rows of ``width`` values are repaired together."""
    return max(1, min(_MAX_ROWS, _BATCH_BYTES // (8 * max(1, width))))


class PieceSizes:
    """Decides how many rows each piece has, and numbers the pieces.

    Each of ``processes`` may gather ``value_bytes`` of values; ``block_rows`` make a good block.
    """

    def __init__(self, processes: int, value_bytes: int, block_rows: int) -> None:
        self.value_bytes = value_bytes
        self.numbers = itertools.count()
        self._processes = processes
        self._block_rows = block_rows
        self._last_share: int | None = None
        self._is_first = True

    def rows(self, width: int, rows_left: float) -> int:
        """Return the number of rows for the next piece if ``rows_left`` are still to come.

        Pieces get smaller towards the end, so that all processes finish together. The last ones are equal and
        one for each process, since a block costs as much as 400 rows of it.
        """
        most = max(self._block_rows, min(_MAX_ROWS, self.value_bytes // (8 * max(1, width))))
        if self._processes == 1 or math.isinf(rows_left):
            return most
        left = int(rows_left)
        if left >= self._processes * self._block_rows:
            self._last_share, self._is_first = None, False
            return min(most, left // self._processes)
        if self._last_share is None:
            processes = self._processes - 1 + _FIRST_SHARE if self._is_first else self._processes
            self._last_share = max(_LAST_ROWS, math.ceil(left / processes))
        rows, self._is_first = self._last_share, False
        return left + 1 if left - rows < _LAST_ROWS / 2 else rows


class OpenSection:
    """A section that is being read: its header and its hosts."""

    def __init__(
        self,
        plan: SectionPlan,
        header: Header,
        hosts: Sequence[HostPart],
        pieces: PieceSizes,
    ) -> None:
        self.plan = plan
        self.header = header
        self.hosts = hosts
        self._pieces = pieces
        self._texts: list[list[tuple[EntityRef, str, str]]] = [[] for _ in hosts]

    @property
    def number(self) -> int:
        """The section's number, by which pieces and results name it."""
        return self.plan.number

    def next_piece(self) -> int:
        """Return the number of a new piece, unique within the import."""
        return next(self._pieces.numbers)

    def rows_per_piece(self, rows_left: float) -> int:
        """Return how many rows the next piece should have if ``rows_left`` rows follow."""
        return self._pieces.rows(self.plan.shape.width, rows_left)

    def begin(self, line: bytes) -> None:
        """Read the text columns from the section's first row: they are facts."""
        if not any(part.texts for part in self.hosts):
            return
        rows = ExactRows(self.header.shape)
        fields = self.header.shape.fields_of_values
        for part, texts in zip(self.hosts, self._texts, strict=True):
            for text in part.texts:
                value = rows.text(line, fields[text.column])
                if value:
                    texts.append((text.entity, text.name, value))

    def mark_repeated_rows(self, piece: Piece) -> Piece:
        """Return the piece with the rows marked that the session has already."""
        times = piece.times[piece.context :]
        known = tuple(part.history.find_repeated(part.layouts, part.ids, times) for part in self.hosts)
        if not any(known):
            return piece
        return Piece(
            piece.number, piece.section, piece.path, piece.spooled, piece.starts, piece.ends, piece.times,
            piece.lines, piece.base, piece.context, piece.first, known,
        )  # fmt: skip

    def finish(self) -> None:
        """Add the section's gaps and facts to its hosts, once all rows were read."""
        for part, texts in zip(self.hosts, self._texts, strict=True):
            part.history.gaps += part.gaps()
            part.state_facts(texts)
