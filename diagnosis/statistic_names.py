"""What the statistics of evidence are called, in reports, in the window and in rules."""

from __future__ import annotations

_NAMES = {
    "mean": "mean",
    "max": "highest",
    "min": "lowest",
    "p95": "95th percentile",
    "p05": "5th percentile",
    "usual": "most of the time",
    "last": "latest",
    "sum": "in all",
    "overall": "mean of all samples",
    "calm": "at other times",
}


def statistic_name(statistic: str) -> str:
    """Return the name of a statistic of the cards' language (``diagnosis.language``): "highest" for max."""
    return _NAMES.get(statistic, statistic)
