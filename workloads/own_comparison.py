"""How near a job came to the workload that it was made from: a distance for each histogram, 0 (the same) to
1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from collectors.vscsistats.histograms import CommandHistogram, DiskHistograms, Quantity, Side
from resources.study_numbers import OwnWorkload
from sessions.model import FloatArray, IntArray

Nearness = Literal["the same", "alike", "different"]

_SIZES = (
    512,
    1024,
    2048,
    4095,
    4096,
    8191,
    8192,
    16383,
    16384,
    32768,
    49152,
    65535,
    65536,
    81920,
    131072,
    262144,
    524288,
)
_FORWARD = (1, 2, 4, 6, 8, 16, 32, 64, 128, 500, 1000, 5000, 10_000, 50_000, 100_000, 500_000)
_DISTANCES = (*(-one for one in reversed(_FORWARD)), 0, *_FORWARD)
_LATENCIES = (1, 10, 100, 500, 1000, 5000, 15_000, 30_000, 50_000, 100_000)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one histogram of the achieved workload is from the original's: ``distance`` is the part of
    the commands that are in another bucket.
    """

    quantity: Quantity
    side: Side
    distance: float
    nearness: Nearness


def differences(
    original: DiskHistograms, achieved: DiskHistograms, limits: OwnWorkload
) -> tuple[Difference, ...]:
    """Return the difference of each histogram that both have, in the original's order."""
    found = []
    for (quantity, side), one in original.histograms.items():
        other = achieved.of(quantity, side)
        if other is None or not one.total or not other.total:
            continue
        far = distance(one, other)
        nearness: Nearness = "different" if far > limits.far.value else "alike"
        found.append(Difference(quantity, side, far, "the same" if far <= limits.near.value else nearness))
    return tuple(found)


def distance(one: CommandHistogram, other: CommandHistogram) -> float:
    """Return the total variation distance of two histograms, over the limits that both have: 0 to 1."""
    shared = np.intersect1d(one.limits, other.limits)
    return float(np.abs(_over(one, shared) - _over(other, shared)).sum() / 2)


def _over(histogram: CommandHistogram, limits: IntArray) -> FloatArray:
    """The shares of a histogram in coarser buckets."""
    upto = np.cumsum(histogram.counts) / histogram.total
    at = np.searchsorted(histogram.limits, limits)
    shares: FloatArray = np.diff(np.concatenate([[0.0], upto[at], [1.0]]))
    return shares


@dataclass(frozen=True, slots=True)
class Commands:
    """Single commands in the order in which they were issued, as fio's logs of each I/O give them.

    ``is_read`` bool; ``bytes``, ``offsets`` (bytes) and ``latencies_ns`` int64; all of one length.
    """

    is_read: np.ndarray[tuple[int], np.dtype[np.bool_]]
    bytes: IntArray
    offsets: IntArray
    latencies_ns: IntArray


def histograms_of(commands: Commands, name: str) -> DiskHistograms:
    """Return the histograms that a host would have kept of these commands, in its buckets."""
    found: dict[tuple[Quantity, Side], CommandHistogram] = {}
    masks: Sequence[tuple[Side, np.ndarray[tuple[int], np.dtype[np.bool_]]]] = (
        ("all", np.ones(commands.bytes.size, np.bool_)),
        ("reads", commands.is_read),
        ("writes", ~commands.is_read),
    )
    for side, mask in masks:
        found["size", side] = _counted(commands.bytes[mask], _SIZES)
        first = commands.offsets[mask] // 512
        last = first + commands.bytes[mask] // 512 - 1
        found["distance", side] = _counted(first[1:] - last[:-1], _DISTANCES)
        found["latency", side] = _counted(commands.latencies_ns[mask] // 1000, _LATENCIES)
    return DiskHistograms("", "", name, found)


def _counted(values: IntArray, limits: Sequence[int]) -> CommandHistogram:
    edges = np.array(limits, np.int64)
    counts = np.bincount(np.searchsorted(edges, values, "left"), minlength=edges.size + 1)
    least, most, mean = (
        (float(values.min()), float(values.max()), float(values.mean())) if values.size else (np.nan,) * 3
    )
    return CommandHistogram(edges, counts[:-1].astype(np.int64), int(counts[-1]), least, most, mean)
