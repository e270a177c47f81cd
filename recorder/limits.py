"""The recorder's limits: ``resources/recorder/limits.toml``."""

from __future__ import annotations

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml


class QueueLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The largest amount of data that may wait to be stored: number of jobs, and MB."""

    megabytes: float
    items: int


class DiskLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The space in MB that must stay free on the session's disk."""

    keep_free_mb: float


class RotationLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The age (days) or size (GB) at which a recording continues in a new file; 0 is never."""

    days: float
    gigabytes: float


class StatusLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often status lines are sent and counts are stored, and the time over which the rate is
    averaged; seconds.
    """

    every_s: float
    rate_over_s: float
    counts_every_s: float


class StoppingLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time in seconds that collectors may take to end."""

    wait_s: float


class MemoryLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number of new objects at which Python's garbage collector runs."""

    objects: int


class LogLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of one log file in MB, and the number of older log files that are kept."""

    megabytes: float
    older: int


class RecorderLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All limits of a recorder."""

    queue: QueueLimits
    disk: DiskLimits
    rotation: RotationLimits
    status: StatusLimits
    stopping: StoppingLimits
    log: LogLimits
    memory: MemoryLimits


def load_recorder_limits() -> RecorderLimits:
    """Load the limits that ship with the program. Raises KnowledgeError."""
    path = RESOURCES / "recorder" / "limits.toml"
    return checked(read_toml(path), RecorderLimits, path)
