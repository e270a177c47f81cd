"""What the curve of a sweep shows: its knee, whether the queue was full, and one server behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, log2, nan

import numpy as np

_MIN_SERIAL = 3


@dataclass(frozen=True, slots=True)
class Knee:
    """The first setting after which no doubling gains as much as the limit: ``setting`` and its ``value``.

    ``share`` is that value's share (0 to 1) of the highest one of the sweep.
    """

    setting: float
    value: float
    share: float


def knee(settings: Sequence[float], values: Sequence[float], gain_percent: float) -> Knee | None:
    """Return the knee of a curve over increasing positive settings; None if it still rises at its end.

    A gain is counted for a doubling of the setting, so that uneven steps are judged alike.
    """
    known = [(x, y) for x, y in zip(settings, values, strict=True) if not isnan(y)]
    if len(known) < 2:
        return None
    last = len(known) - 1
    while last > 0 and _gain_percent(known[last - 1], known[last]) < gain_percent:
        last -= 1
    if last == len(known) - 1:
        return None
    setting, value = known[last]
    highest = max(y for _, y in known)
    return Knee(setting, value, value / highest if highest > 0 else nan)


def _gain_percent(before: tuple[float, float], after: tuple[float, float]) -> float:
    if before[1] <= 0:
        return float("inf")
    doublings = log2(after[0] / before[0])
    return float(((after[1] / before[1]) ** (1.0 / doublings) - 1.0) * 100.0)


def littles_deviation_percent(outstanding: float, iops: float, latency_ms: float) -> float:
    """Return by how much IOPS × latency misses the outstanding I/Os, in percent (Little 1961).

    Below 0 the queue was not full (a guest or adapter could not keep it so), or the clocks differ.
    """
    if not outstanding > 0:
        return nan
    return (iops * latency_ms / 1000.0 / outstanding - 1.0) * 100.0


@dataclass(frozen=True, slots=True)
class SerialService:
    """One server that takes I/Os one after the other: latency = ``service_ms`` × outstanding I/Os.

    ``base_ms`` is the latency of a single I/O, ``ceiling_iops`` what the server does a second. ``depth`` is
    where the queue in front of it ends and latency no longer rises, NaN if it never did. ``points`` is how
    many points lie on the line, ``misfit_percent`` by how much the worst of them misses it.
    """

    service_ms: float
    base_ms: float
    ceiling_iops: float
    depth: float
    points: int
    misfit_percent: float


def serial_service(
    outstanding: Sequence[float], latency_ms: Sequence[float], misfit_percent: float
) -> SerialService | None:
    """Return the serial server that explains most points within ``misfit_percent``; None if none does three.

    Points are given by increasing outstanding I/Os. Before the line a single I/O's own latency shows,
    behind it the end of a queue.
    """
    x, y = np.asarray(outstanding, np.float64), np.asarray(latency_ms, np.float64)
    best: tuple[int, int, float, float] | None = None
    for begin in range(x.size):
        for end in range(begin + _MIN_SERIAL, x.size + 1):
            service = float(np.exp(np.log(y[begin:end] / x[begin:end]).mean()))
            misfit = float(np.abs(y[begin:end] / (service * x[begin:end]) - 1.0).max() * 100.0)
            if misfit <= misfit_percent and (best is None or end - begin > best[1] - best[0]):
                best = begin, end, service, misfit
    if best is None:
        return None
    begin, end, service, misfit = best
    behind = y[end:]
    ends = behind.size > 0 and bool((behind < service * x[end:] * (1 - misfit_percent / 100)).all())
    depth = float(behind.mean() / service) if ends else nan
    return SerialService(service, float(y[0]), 1000.0 / service, depth, end - begin, misfit)
