"""Two windows against each other: what is higher, lower, the same, and was the load the same?"""

from __future__ import annotations

from diagnosis.comparison.engine import Choice, Comparison, compare
from diagnosis.comparison.values import LoadRow, Pair, Row, Sample, Side

__all__ = ["Choice", "Comparison", "LoadRow", "Pair", "Row", "Sample", "Side", "compare"]
