"""Loads how esxtop is streamed over ssh: its pace, and when silence means something
(resources/esxtop_ssh/streaming.toml).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from resources.toml_files import checked, knowledge_files, read_toml, shipped_once

__all__ = ["Streaming", "load_esxtop_streaming"]


class Streaming(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds, unless the name says otherwise.

    ``usual_s`` and ``least_s`` between samples. Each ``sign_s`` the host is told that somebody listens; after
    ``silence_s`` without that it ends its esxtop. ``patience_s``, or ``patience_intervals`` where those are
    longer: how long esxtop may write nothing. ``answer_s``: what a question may take. ``first_wait_s`` up to
    ``longest_wait_s`` between tries to come back, ``refused_wait_s`` where a key is refused that was taken
    before. Each ``vms_s`` the host is asked which VMs run. ``greeting_bytes`` may precede the header,
    ``headers`` may follow one another. Stamps that are off by more than ``zone_hours`` have no time zone.
    ``jump_s``: how far the clock may be off before it is said; ``steps`` between samples tell how often they
    come, each up to ``collecting_s`` later than asked for.
    """

    usual_s: int
    least_s: int
    sign_s: int
    silence_s: int
    patience_s: float
    patience_intervals: float
    answer_s: float
    first_wait_s: float
    longest_wait_s: float
    refused_wait_s: float
    vms_s: float
    greeting_bytes: int
    headers: int
    zone_hours: int
    jump_s: float
    steps: int
    collecting_s: float
    source: str

    def patience(self, interval_s: float) -> float:
        """Return for how long esxtop may write nothing at this interval (s)."""
        return max(self.patience_s, self.patience_intervals * interval_s)


@shipped_once
def load_esxtop_streaming(extra_dirs: Sequence[Path] = ()) -> Streaming:
    """Load it; a file of the same name in ``extra_dirs`` replaces ours. Raises KnowledgeError."""
    places = [path for place in knowledge_files("esxtop_ssh", extra_dirs) for path in place]
    path = [one for one in places if one.name == "streaming.toml"][-1]
    return checked(read_toml(path), Streaming, path)
