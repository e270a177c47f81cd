"""Reduces the samples of an entity's members (vCPUs, disks, VMs of a host) to one value a sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from diagnosis.arrays import BoolArray
from sessions.model import FloatArray, IntArray


def reduce_members(
    values: FloatArray, row: IntArray, rows: int, how: str, weight: FloatArray | None = None
) -> FloatArray:
    """Reduce the members' values (members, times) to one row for each of the entities; see ``Groups``."""
    return Groups(row, rows).reduce(values, how, weight)


class Groups:
    """The members of some entities: ``row[m]`` is the entity of member m, ascending; ``rows`` entities."""

    def __init__(self, row: IntArray, rows: int) -> None:
        self._row, self._rows = row, rows
        is_first = np.ones(row.shape, dtype=np.bool_)
        np.not_equal(row[1:], row[:-1], out=is_first[1:])
        self._first = np.flatnonzero(is_first)
        self.are_single = self._first.size == rows == row.size
        """True if each entity is its own only member."""

    def reduce(self, values: FloatArray, how: str, weight: FloatArray | None = None) -> FloatArray:
        """Reduce the members' values (members, times) to one row for each entity (rows, times).

        ``how`` is the reduction's name, such as ``max`` or ``sum``. Absent members are ignored; the result is
        NaN where all are absent. ``members`` counts all of them.
        """
        row, rows, first = self._row, self._rows, self._first
        if how == "members":
            number = np.bincount(row, minlength=rows).astype(np.float64)
            return np.broadcast_to(number[:, None], (rows, values.shape[1]))
        if self.are_single and how in _SELF:
            return values
        if not first.size:
            return np.full((rows, values.shape[1]), np.nan)
        found = _weighted(values, first, weight) if weight is not None else _REDUCE[how](values, first)
        if first.size == rows:
            return found
        result = np.full((rows, values.shape[1]), np.nan)
        result[row[first]] = found
        return result

    def without_lacking(self, reduced: FloatArray, lacks: BoolArray) -> FloatArray:
        """Return the reduced values (rows, times) without those at samples that a member lacks; ``lacks``
        (members, times).
        """
        if not self._row.size or not lacks.any():
            return reduced
        owners, result = self._row[self._first], np.array(reduced)
        lacking = np.logical_or.reduceat(lacks, self._first, axis=0)
        result[owners] = np.where(lacking, np.nan, result[owners])
        return result


_SELF = frozenset(("max", "min", "sum", "mean", "top3", "lower", "median", "upper"))


def _total(values: FloatArray, first: IntArray) -> tuple[FloatArray, FloatArray]:
    """Sum and number of the known members; the number is NaN where there is none."""
    known = ~np.isnan(values)
    if known.all():  # as it mostly is
        number = np.diff(first, append=values.shape[0]).astype(np.float64)
        return _sums(values, first), np.broadcast_to(number[:, None], (first.size, values.shape[1]))
    count = _sums(known.astype(np.float64), first)
    count[count == 0] = np.nan
    return _sums(np.where(known, values, 0.0), first), count


_LONG = 1024
"""From so many samples on it is faster to go through the members one by one than through the samples."""


def _sums(values: FloatArray, first: IntArray) -> FloatArray:
    """The sums of the members of each entity, to the last digit those of ``np.add.reduceat``."""
    if values.shape[1] < _LONG:
        short: FloatArray = np.add.reduceat(values, first, axis=0)
        return short
    ends = np.append(first[1:], values.shape[0]).tolist()
    return np.stack([_sum_of(values[a:b]) for a, b in zip(first.tolist(), ends, strict=True)])


def _sum_of(members: FloatArray) -> FloatArray:
    total: FloatArray = members[0]
    return total + _pairwise(members[1:]) if len(members) > 1 else total


def _pairwise(members: FloatArray) -> FloatArray:
    """The sum in the order in which numpy adds numbers that lie side by side."""
    number = len(members)
    if number > _PAIRED:
        half = number // 2
        half -= half % 8
        return _pairwise(members[:half]) + _pairwise(members[half:])
    if number < 8:
        total: FloatArray = members[0].copy()
        rest = members[1:]
    else:
        eight = members[:8].copy()
        for at in range(8, number - number % 8, 8):
            eight += members[at : at + 8]
        two = (eight[0] + eight[1]) + (eight[2] + eight[3])
        total, rest = two + ((eight[4] + eight[5]) + (eight[6] + eight[7])), members[number - number % 8 :]
    for one in rest:
        total += one
    return total


_PAIRED = 128


def _each(values: FloatArray, first: IntArray, pick: np.ufunc) -> FloatArray:
    """The largest or the lowest of the members of each entity."""
    if values.shape[1] < _LONG:
        short: FloatArray = pick.reduceat(values, first, axis=0)
        return short
    ends = np.append(first[1:], values.shape[0]).tolist()
    return np.stack([pick.reduce(values[a:b], axis=0) for a, b in zip(first.tolist(), ends, strict=True)])


def _sum(values: FloatArray, first: IntArray) -> FloatArray:
    total, count = _total(values, first)
    return np.where(np.isnan(count), np.nan, total)


def _mean(values: FloatArray, first: IntArray) -> FloatArray:
    total, count = _total(values, first)
    return total / count


def _weighted(values: FloatArray, first: IntArray, weight: FloatArray) -> FloatArray:
    known = ~np.isnan(values) & ~np.isnan(weight)
    heavy = _sums(np.where(known, weight, 0.0), first)
    total = _sums(np.where(known, values * weight, 0.0), first)
    return total / np.where(heavy == 0, np.nan, heavy)


def _ordered(pick: Callable[[FloatArray], FloatArray]) -> Callable[[FloatArray, IntArray], FloatArray]:
    """A reduction that looks at the members of one entity in descending order, absent ones last as -inf."""

    def reduce(values: FloatArray, first: IntArray) -> FloatArray:
        filled = np.where(np.isnan(values), -np.inf, values)
        ends = np.append(first[1:], values.shape[0])
        rows = [pick(-np.sort(-filled[a:b], axis=0)) for a, b in zip(first, ends, strict=True)]
        picked = np.stack(rows)
        return np.where(np.isinf(picked), np.nan, picked)

    return reduce


def _second(ordered: FloatArray) -> FloatArray:
    return ordered[1] if len(ordered) > 1 else np.full(ordered.shape[1], np.nan)


def _top3(ordered: FloatArray) -> FloatArray:
    top: FloatArray = np.where(np.isinf(ordered[:3]), 0.0, ordered[:3]).sum(axis=0)
    return np.where(np.isinf(ordered[0]), np.nan, top)


def _quantile(part: float) -> Callable[[FloatArray, IntArray], FloatArray]:
    in_order = _ordered(_picked(part))

    def reduce(values: FloatArray, first: IntArray) -> FloatArray:
        if not np.isfinite(values).all():
            return in_order(values, first)
        ends = np.append(first[1:], values.shape[0])
        return np.stack([_place(-values[a:b], _rank(part, b - a)) for a, b in zip(first, ends, strict=True)])

    return reduce


def _place(values: FloatArray, place: int) -> FloatArray:
    """What stands at a place if members that are all known are put in order: most of it needs no order."""
    picked: FloatArray = np.partition(np.ascontiguousarray(values.T), place, axis=1)[:, place]
    return -picked


def _rank(part: float, number: int) -> int:
    return max(int(np.ceil((1.0 - part) * number)) - 1, 0)


def _picked(part: float) -> Callable[[FloatArray], FloatArray]:
    def pick(ordered: FloatArray) -> FloatArray:
        known = np.maximum(np.isfinite(ordered).sum(axis=0), 1)
        rank = np.ceil((1.0 - part) * known).astype(np.int64) - 1
        picked: FloatArray = np.take_along_axis(ordered, np.maximum(rank, 0)[None, :], axis=0)[0]
        return picked

    return pick


_REDUCE: dict[str, Callable[[FloatArray, IntArray], FloatArray]] = {
    "max": lambda values, first: _each(values, first, np.fmax),
    "min": lambda values, first: _each(values, first, np.fmin),
    "sum": _sum,
    "mean": _mean,
    "count": lambda values, first: _total(values, first)[1],
    "second": _ordered(_second),
    "top3": _ordered(_top3),
    "lower": _quantile(0.25),
    "median": _quantile(0.5),
    "upper": _quantile(0.75),
}
