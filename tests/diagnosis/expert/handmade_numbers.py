"""Counters that several of a host's screens have alike, and how what is told of an object is looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sessions.model import FloatArray

Value = float | FloatArray


def at_place(value: Any, at: int) -> Value:
    """One vCPU's part of a value that is told for each, or for all."""
    result: Value = value[at] if isinstance(value, list | tuple) else value
    return result


def told_of(told: Mapping[str, Value] | None, key: str, usual: float = 0.0) -> Value:
    """A value of those told, or the usual one."""
    return (told or {}).get(key, usual)


def io_counters(
    reads: FloatArray, writes: FloatArray, kb: float, davg: FloatArray, kernel: FloatArray, queue: FloatArray
) -> dict[str, FloatArray]:
    total = reads + writes
    done = total > 0
    each = {
        "Commands/sec": total,
        "Reads/sec": reads,
        "Writes/sec": writes,
        "MBytes Read/sec": reads * kb / 1024,
        "MBytes Written/sec": writes * kb / 1024,
    }
    for way in ("Command", "Read", "Write"):
        each |= {
            f"Average Driver MilliSec/{way}": np.where(done, davg, 0.0),
            f"Average Kernel MilliSec/{way}": np.where(done, kernel, 0.0),
            f"Average Guest MilliSec/{way}": np.where(done, davg + kernel, 0.0),
            f"Average Queue MilliSec/{way}": np.where(done, queue, 0.0),
        }
    return each
