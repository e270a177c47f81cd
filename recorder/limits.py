"""How much the recorder takes and when it gives up: ``resources/recorder/limits.toml``."""

from __future__ import annotations

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml


class QueueLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What waits to be stored, at most."""

    megabytes: float
    items: int


class DiskLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must stay free on the session's disk."""

    keep_free_mb: float


class RotationLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a recording goes on in a new file; 0 is never."""

    days: float
    gigabytes: float


class StatusLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How often status is given and counts are stored, and the time over which the rate is taken; seconds."""

    every_s: float
    rate_over_s: float
    counts_every_s: float


class StoppingLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long collectors may take to end."""

    wait_s: float


class MemoryLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many objects may be garbage before anybody looks."""

    objects: int


class LogLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much of the log is kept."""

    megabytes: float
    older: int


class RecorderLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much a recorder takes, and when it gives up."""

    queue: QueueLimits
    disk: DiskLimits
    rotation: RotationLimits
    status: StatusLimits
    stopping: StoppingLimits
    log: LogLimits
    memory: MemoryLimits


def load_recorder_limits() -> RecorderLimits:
    """The limits that ship with the program. Raises KnowledgeError."""
    path = RESOURCES / "recorder" / "limits.toml"
    return checked(read_toml(path), RecorderLimits, path)
