"""Evaluates a checked expression for many entities at once: on samples, or on their bounds for pruning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import msgspec
import numpy as np

from diagnosis import arrays, entity_statistics
from diagnosis.arrays import BoolArray
from diagnosis.language import Node
from sessions.model import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Operands:
    """The values of the names in an expression, for ``shape``: the numbers of entities and of times.

    ``values``: signals of shape (entities, times) or (entities, 1), and thresholds as plain numbers.
    ``inside``, a mask (entities, times), marks the samples inside each entity's finding. ``there`` marks the
    samples on the host that the finding names, which statistics over all samples use; None for all.
    """

    values: Mapping[str, FloatArray | float]
    times: IntArray
    shape: tuple[int, int]
    inside: BoolArray | None = None
    there: BoolArray | None = None

    @property
    def windows(self) -> BoolArray:
        """Return the mask of samples inside of findings; (entities, times), bool."""
        return np.ones(self.shape, dtype=np.bool_) if self.inside is None else self.inside

    @property
    def whole(self) -> BoolArray:
        """Return the mask of samples that statistics over all samples use; (entities, times), bool."""
        return np.ones(self.shape, dtype=np.bool_) if self.there is None else self.there

    @property
    def weights(self) -> FloatArray:
        """Return the seconds that each sample represents; (times,)."""
        return arrays.sample_seconds(self.times)


_BINARY: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": arrays.divide,
    "<": arrays.comparison(np.less),
    "<=": arrays.comparison(np.less_equal),
    ">": arrays.comparison(np.greater),
    ">=": arrays.comparison(np.greater_equal),
    "==": arrays.comparison(np.equal),
    "!=": arrays.comparison(np.not_equal),
    "and": arrays.all_of,
    "or": arrays.any_of,
    "min": np.minimum,
    "max": np.maximum,
}
_OTHER: dict[str, Callable[..., FloatArray]] = {
    "not": lambda value: 1.0 - value,
    "negative": np.negative,
    "abs": np.abs,
    "where": arrays.where,
    "coalesce": arrays.coalesce,
    "missing": arrays.missing,
}
_OVER_TIME: dict[str, Callable[..., FloatArray]] = {
    "trailing": lambda operands, a, s: arrays.smoothed(a, operands.times, float(s), 0.0),
    "baseline": lambda operands, a: entity_statistics.percentile(a, operands.whole, 0.25),
    "highest": lambda operands, a: entity_statistics.percentile(a, operands.whole, 0.95),
    "quietest": lambda operands, a, s: arrays.lowest_mean(a, operands.times, float(s)),
    "latest": lambda operands, a, s: arrays.latest_mean(a, operands.times, float(s)),
    "around": lambda operands, a, s: arrays.smoothed(a, operands.times, float(s) / 2, float(s) / 2),
    "over correlation": lambda operands, a, b: entity_statistics.correlation(a, b, operands.whole),
    "over mean": lambda operands, a: entity_statistics.mean(a, operands.windows),
    "over max": lambda operands, a: entity_statistics.maximum(a, operands.windows),
    "over min": lambda operands, a: entity_statistics.minimum(a, operands.windows),
    "over p95": lambda operands, a: entity_statistics.percentile(a, operands.windows, 0.95),
    "over p05": lambda operands, a: entity_statistics.percentile(a, operands.windows, 0.05),
    "over last": lambda operands, a: entity_statistics.last(a, operands.windows),
    "over sum": lambda operands, a: entity_statistics.total(a, operands.windows),
    "over share": lambda operands, a: entity_statistics.mean(a, operands.windows),
    "over seconds": lambda operands, a: entity_statistics.seconds(a, operands.windows, operands.weights),
    "over slope": lambda operands, a: entity_statistics.slope(a, operands.windows, operands.times),
    "over overall": lambda operands, a: entity_statistics.mean(a, operands.whole),
    "over overall_p95": lambda operands, a: entity_statistics.percentile(a, operands.whole, 0.95),
    "over final": lambda operands, a: entity_statistics.last(a, operands.whole),
    "over calm": lambda operands, a: entity_statistics.mean(a, operands.whole & ~operands.windows),
}


def evaluate(node: Node, operands: Operands) -> FloatArray:
    """Return the value of an expression: shape (entities, times), (entities, 1) or (), NaN where unknown."""
    if node.op == "name":
        return np.asarray(operands.values[node.name], dtype=np.float64)
    with np.errstate(all="ignore"):  # an unknown or endless intermediate value is an answer, not a fault
        return _evaluate(node, operands)


def _evaluate(node: Node, operands: Operands) -> FloatArray:
    if node.op == "number":
        return np.asarray(node.value)
    if node.op == "name":
        return np.asarray(operands.values[node.name], dtype=np.float64)
    args = [_evaluate(arg, operands) for arg in node.args]
    if node.op in _BINARY:
        return reduce(_BINARY[node.op], args)
    if node.op in _OTHER:
        return _OTHER[node.op](*args)
    return _OVER_TIME[node.op](operands, *(_full(arg, operands) if arg.ndim else arg for arg in args))


def is_pointwise(node: Node) -> bool:
    """Return True if the value at a sample depends on that sample alone."""
    return node.op not in _OVER_TIME and all(map(is_pointwise, node.args))


def _full(values: FloatArray, operands: Operands) -> FloatArray:
    """The value at every sample, for what is the same at all of them."""
    return values if values.shape == operands.shape else np.broadcast_to(values, operands.shape)


class Bounds(msgspec.Struct, frozen=True, eq=False):
    """The lowest and highest possible value of a quantity in a window, one for each entity; NaN
    without samples.

    For a test: ``high`` 1 means that it can be true, ``low`` 0 that it can be false. What is known for sure
    has the same array as both. A struct: judging makes thousands of them.
    """

    low: FloatArray
    high: FloatArray


def bound(node: Node, values: Mapping[str, Bounds]) -> Bounds:
    """Return the bounds of an expression from the bounds of its names, by interval arithmetic;
    never too narrow.

    By these bounds a card skips entities without reading samples, and without a hand-written filter that
    could contradict the condition.
    """
    with np.errstate(all="ignore"):
        return _bound(node, values)


def _bound(node: Node, values: Mapping[str, Bounds]) -> Bounds:
    if node.op == "number":
        value = np.asarray(node.value)
        return Bounds(value, value)
    if node.op == "name":
        return values[node.name]
    args = [_bound(arg, values) for arg in node.args]
    if node.op in _BOUND_PAIRS:
        return reduce(_BOUND_PAIRS[node.op], args)
    return _BOUND_OTHER[node.op](*args)


def _bound_add(a: Bounds, b: Bounds) -> Bounds:
    return Bounds(a.low + b.low, a.high + b.high)


def _bound_subtract(a: Bounds, b: Bounds) -> Bounds:
    return Bounds(a.low - b.high, a.high - b.low)


def _bound_multiply(a: Bounds, b: Bounds) -> Bounds:
    return _between(a, b, np.multiply)


def _between(a: Bounds, b: Bounds, combine: Callable[[FloatArray, FloatArray], FloatArray]) -> Bounds:
    """From the lowest to the highest of what comes of the ends of ``a`` and ``b``."""
    low = high = None
    for one in _ends(a):
        for other in _ends(b):
            corner = np.asarray(combine(one, other))
            if (strange := np.isnan(corner)).any():  # endless times nothing is nothing
                absent = np.isnan(a.low) | np.isnan(b.low)
                corner = np.where(strange & ~absent, 0.0, corner)
            low = corner if low is None else np.minimum(low, corner)
            high = corner if high is None else np.maximum(high, corner)
    assert low is not None
    assert high is not None
    return Bounds(low, high)


def _ends(bounds: Bounds) -> tuple[FloatArray, ...]:
    """The ends of a quantity: one where it is known for sure."""
    return (bounds.low,) if bounds.low is bounds.high else (bounds.low, bounds.high)


def _bound_divide(a: Bounds, b: Bounds) -> Bounds:
    crosses = (b.low <= 0) & (b.high >= 0)
    unbounded = np.where(np.isnan(a.low) | np.isnan(b.low), np.nan, np.inf)
    # Divided as the samples are: times the reciprocal would be rounded twice, and too narrow by a bit.
    inner = _between(a, b, np.divide)
    return Bounds(np.where(crosses, -unbounded, inner.low), np.where(crosses, unbounded, inner.high))


def _test(can: BoolArray, must: BoolArray, a: Bounds, b: Bounds) -> Bounds:
    unknown = np.isnan(a.low) | np.isnan(b.low)
    low, high = np.asarray(must, dtype=np.float64), np.asarray(can, dtype=np.float64)
    if unknown.any():
        np.copyto(low, np.nan, where=unknown)
        np.copyto(high, np.nan, where=unknown)
    return Bounds(low, high)


def _bound_less(a: Bounds, b: Bounds) -> Bounds:
    return _test(a.low < b.high, a.high < b.low, a, b)


def _bound_less_equal(a: Bounds, b: Bounds) -> Bounds:
    return _test(a.low <= b.high, a.high <= b.low, a, b)


def _bound_equal(a: Bounds, b: Bounds) -> Bounds:
    fixed = (a.low == a.high) & (b.low == b.high) & (a.low == b.low)
    return _test((a.low <= b.high) & (b.low <= a.high), fixed, a, b)


def _bound_not(a: Bounds) -> Bounds:
    return Bounds(1.0 - a.high, 1.0 - a.low)


def _bound_and(a: Bounds, b: Bounds) -> Bounds:
    return Bounds(arrays.all_of(a.low, b.low), arrays.all_of(a.high, b.high))


def _bound_or(a: Bounds, b: Bounds) -> Bounds:
    # A side that is never known leaves the other side's answer: it can only be true through that one.
    return Bounds(arrays.any_of(a.low, b.low), np.where((a.high == 1) | (b.high == 1), 1.0, a.high + b.high))


def _bound_coalesce(*sides: Bounds) -> Bounds:
    low, high = sides[0].low, sides[0].high
    for side in sides[1:]:
        low, high = np.fmin(low, side.low), np.fmax(high, side.high)
    return Bounds(low, high)


def _bound_where(test: Bounds, yes: Bounds, no: Bounds) -> Bounds:
    either = _bound_coalesce(yes, no)
    never, always = test.high == 0, test.low == 1
    return Bounds(
        _chosen(test.low, never, always, no.low, yes.low, either.low),
        _chosen(test.low, never, always, no.high, yes.high, either.high),
    )


def _chosen(
    test: FloatArray, never: BoolArray, always: BoolArray, no: FloatArray, yes: FloatArray, either: FloatArray
) -> FloatArray:
    """The end of the side that is always taken, where one is; NaN where the test is unknown."""
    end = np.where(never, no, np.where(always, yes, either))
    return np.where(np.isnan(test), np.nan, end)


def _bound_missing(a: Bounds) -> Bounds:
    # Statistics don't say which samples are absent, so present data can always be missing somewhere.
    return Bounds(np.isnan(a.low).astype(np.float64), np.ones(np.shape(a.low)))


def _bound_abs(a: Bounds) -> Bounds:
    low, high = np.abs(a.low), np.abs(a.high)
    return Bounds(np.where((a.low <= 0) & (a.high >= 0), 0.0, np.minimum(low, high)), np.maximum(low, high))


_BOUND_PAIRS: dict[str, Callable[[Bounds, Bounds], Bounds]] = {
    "+": _bound_add,
    "-": _bound_subtract,
    "*": _bound_multiply,
    "/": _bound_divide,
    "<": _bound_less,
    "<=": _bound_less_equal,
    ">": lambda a, b: _bound_less(b, a),
    ">=": lambda a, b: _bound_less_equal(b, a),
    "==": _bound_equal,
    "!=": lambda a, b: _bound_not(_bound_equal(a, b)),
    "and": _bound_and,
    "or": _bound_or,
    "min": lambda a, b: Bounds(np.minimum(a.low, b.low), np.minimum(a.high, b.high)),
    "max": lambda a, b: Bounds(np.maximum(a.low, b.low), np.maximum(a.high, b.high)),
}
_BOUND_OTHER: dict[str, Callable[..., Bounds]] = {
    "not": _bound_not,
    "negative": lambda a: Bounds(-a.high, -a.low),
    "abs": _bound_abs,
    "where": _bound_where,
    "coalesce": _bound_coalesce,
    "missing": _bound_missing,
    "baseline": lambda a: a,
    "highest": lambda a: a,
    "quietest": lambda a, _: a,
    "latest": lambda a, _: a,
    "trailing": lambda a, _: a,
    "around": lambda a, _: a,
}
