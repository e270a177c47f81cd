"""Samples that a recording expected and did not receive, as text for its last line and for the window."""

from __future__ import annotations

from recorder.protocol import Ended
from resources.units import format_count


def shortfalls(ended: Ended) -> list[str]:
    """Return parts of a sentence; empty when every expected sample came."""
    found = []
    missing = ended.expected - ended.received
    if missing > 0:
        gaps = f"{format_count(ended.gaps)} gap{'' if ended.gaps == 1 else 's'}"
        lacking = f"{format_count(missing)} of {format_count(ended.expected)} expected samples"
        found.append(f"{lacking} did not come ({gaps})")
    if ended.without_samples:
        found.append(f"nothing came from {', '.join(ended.without_samples)}")
    return found
