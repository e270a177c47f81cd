"""What load in guests needs, and when it is ended (resources/guests/limits.toml)."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path

import msgspec

from resources.toml_files import checked, read_toml


class GuestLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of load in guests; the TOML says what each is for, and its source."""

    oldest_fio: str
    silence_s: int
    lost_after_s: float
    free_kb: int
    max_documents: int
    documents_per_s: float
    late_s: int
    clock_jump_ms: int
    clock_rounds: int

    def interval_s(self, workers: int, seconds: float | None) -> int:
        """Return after how many seconds fio tells what it did so far, for so many workers and that long."""
        of_all = workers / self.documents_per_s
        of_each = (seconds or 0) / self.max_documents
        return max(1, math.ceil(max(of_all, of_each)))

    def is_old(self, version: str) -> bool:
        """Return True for a version of fio (``fio-3.27-12-g…``) before the oldest one that is right."""
        return _numbers(version) < _numbers(self.oldest_fio)


@cache
def guest_limits() -> GuestLimits:
    """Load the limits. Raises KnowledgeError."""
    path = Path(__file__).parent / "guests" / "limits.toml"
    return checked(read_toml(path), GuestLimits, path)


def _numbers(version: str) -> tuple[int, int]:
    match = re.search(r"(\d{1,4})\.(\d{1,4})", version)
    return (int(match[1]), int(match[2])) if match else (0, 0)
