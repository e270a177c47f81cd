"""The columns of exported tables: sequences of cells, equally long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sessions.model import IntArray

Cell = str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class RepeatedTexts:
    """A text column in run-length form: ``texts[i]`` is repeated ``counts[i]`` times."""

    texts: Sequence[str]
    counts: IntArray


ExportColumn = Sequence[Cell] | RepeatedTexts | NDArray[np.float64] | NDArray[np.datetime64]


def row_count(columns: Sequence[ExportColumn]) -> int:
    """Return the number of rows of equally long columns."""
    last = columns[-1]
    return int(last.counts.sum()) if isinstance(last, RepeatedTexts) else len(last)
