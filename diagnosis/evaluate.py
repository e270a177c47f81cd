"""Evaluates a checked expression for many entities at once: on samples, or on their bounds for pruning."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import reduce

import msgspec
import numpy as np

from diagnosis import arrays, entity_statistics
from diagnosis.arrays import BoolArray
from diagnosis.language import SETTING, Node
from sessions.model import FloatArray, IntArray
from sessions.times import TimeRange


class Later(msgspec.Struct, frozen=True, eq=False):
    """The instants from ``start`` on are evaluated, of all ``times``; ``sums`` are those of the same
    expressions before them, by the node's id.
    """

    start: int
    times: IntArray
    sums: dict[int, arrays.RunningSums]


class Operands(msgspec.Struct, frozen=True, eq=False):
    """The values of the names in an expression, for ``shape``: the numbers of entities and of times.

    ``values``: signals of shape (entities, times) or (entities, 1), and thresholds as plain numbers.
    ``inside``, a mask (entities, times), marks the samples inside each entity's finding. ``there`` marks the
    samples on the host that the finding names, which statistics over all samples use; None for all.
    ``moves`` says of which rows the VM moved: no mean is of samples on two hosts.
    ``part`` is set where only later instants are evaluated. ``known`` are the statistics so far. A struct:
    judging makes thousands of them.
    """

    values: Mapping[str, FloatArray | float]
    times: IntArray
    shape: tuple[int, int]
    inside: BoolArray | None = None
    there: BoolArray | None = None
    part: Later | None = None
    moves: Callable[[], arrays.Moves] = dict
    known: dict[Node, FloatArray] = {}
    _spans: list[slice] = []

    @property
    def windows(self) -> BoolArray:
        """Return the mask of samples inside of findings; (entities, times), bool."""
        return np.ones(self.shape, dtype=np.bool_) if self.inside is None else self.inside

    @property
    def span(self) -> slice:
        """Return the part of the time from the first sample inside of a finding to the last."""
        if not self._spans:
            chosen = np.flatnonzero(self.windows.any(axis=0))
            self._spans.append(slice(int(chosen[0]), int(chosen[-1]) + 1) if chosen.size else slice(0, 0))
        return self._spans[0]

    def stretches(self, row: int) -> list[TimeRange]:
        """Return the parts of an entity's finding, each from its first sample to its last."""
        inside = np.flatnonzero(self.windows[row])
        parts = np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1) if inside.size else []
        return [TimeRange(int(self.times[one[0]]), int(self.times[one[-1]])) for one in parts]

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
    "baseline": lambda operands, a: entity_statistics.percentile(a, operands.whole, 0.25),
    "highest": lambda operands, a: entity_statistics.percentile(a, operands.whole, 0.95),
    "quietest": lambda operands, a, s: arrays.lowest_mean(a, operands.times, float(s)),
    "latest": lambda operands, a, s: arrays.latest_mean(a, operands.times, float(s)),
    "earliest": lambda operands, a, s: arrays.earliest_mean(a, operands.times, float(s)),
    "over correlation": lambda operands, a, b: entity_statistics.correlation(a, b, operands.whole),
    "over mean": lambda operands, a: entity_statistics.mean(a, operands.windows),
    "over max": lambda operands, a: entity_statistics.maximum(a, operands.windows),
    "over min": lambda operands, a: entity_statistics.minimum(a, operands.windows),
    "over p95": lambda operands, a: entity_statistics.percentile(a, operands.windows, 0.95),
    "over p05": lambda operands, a: entity_statistics.percentile(a, operands.windows, 0.05),
    "over usual": lambda operands, a: entity_statistics.percentile(a, operands.windows, 0.5),
    "over last": lambda operands, a: entity_statistics.last(a, operands.windows),
    "over sum": lambda operands, a: entity_statistics.total(a, operands.windows),
    "over share": lambda operands, a: entity_statistics.mean(a, operands.windows),
    "over seconds": lambda operands, a: entity_statistics.seconds(a, operands.windows, operands.weights),
    "over slope": lambda operands, a: entity_statistics.slope(a, operands.windows, operands.times),
    "over overall": lambda operands, a: entity_statistics.mean(a, operands.whole),
    "over overall_p95": lambda operands, a: entity_statistics.percentile(a, operands.whole, 0.95),
    SETTING: lambda operands, a: entity_statistics.percentile(a, operands.windows, 0.5),
    "over final": lambda operands, a: entity_statistics.last(a, operands.whole),
    "over calm": lambda operands, a: entity_statistics.mean(a, operands.whole & ~operands.windows),
}
_SMOOTHED: dict[str, Callable[[float], tuple[float, float]]] = {
    "trailing": lambda seconds: (seconds, 0.0),
    "around": lambda seconds: (seconds / 2, seconds / 2),
}
"""How many seconds before and after a sample its mean is of."""
_IN_WINDOWS = frozenset(
    (
        *(
            f"over {one}"
            for one in ("mean", "max", "min", "p95", "p05", "usual", "last", "sum", "share", "seconds")
        ),
        SETTING,
    )
)
"""Statistics that nothing outside of the windows changes."""


def evaluate(node: Node, operands: Operands) -> FloatArray:
    """Return the value of an expression: shape (entities, times), (entities, 1) or (), NaN where unknown."""
    if node.op == "name":
        return np.asarray(operands.values[node.name], dtype=np.float64)
    with np.errstate(all="ignore"):  # an unknown or endless intermediate value is an answer, not a fault
        return _evaluate(node, operands)


def _evaluate(node: Node, operands: Operands) -> FloatArray:
    if node.op in ("number", "name"):
        return np.asarray(node.value if node.op == "number" else operands.values[node.name], dtype=np.float64)
    if node.op == SETTING and _is_steady(value := np.asarray(operands.values[node.args[0].name])):
        return value
    if node.op in _OVER_TIME:
        return _over_time(node, operands)
    args = [_evaluate(arg, operands) for arg in node.args]
    if node.op in _BINARY:
        return reduce(_BINARY[node.op], args)
    if node.op in _OTHER:
        return _OTHER[node.op](*args)
    return _smoothed(node, operands, _full(args[0], operands.shape), float(args[1]))


def _is_steady(value: FloatArray) -> bool:
    """Whether a fact was the same at all times for every entity."""
    return value.ndim < 2 or value.shape[1] == 1


def _over_time(node: Node, operands: Operands) -> FloatArray:
    """A statistic, worked out once for all expressions that use it."""
    found = operands.known.get(node)
    if found is None:
        if node.op in _IN_WINDOWS and operands.inside is not None:
            found = _in_windows(node, operands)
        else:
            args = [_evaluate(arg, operands) for arg in node.args]
            full = (_full(arg, operands.shape) if arg.ndim else arg for arg in args)
            found = _OVER_TIME[node.op](operands, *full)
        operands.known[node] = found
    return found


def _in_windows(node: Node, operands: Operands) -> FloatArray:
    """A statistic over the windows alone, worked out of the time from the first of them to the last."""
    span = operands.span
    values = evaluate_at(node.args[0], operands, span)
    assert operands.inside is not None
    mask = operands.inside[:, span]
    if node.op == "over seconds":
        return entity_statistics.seconds(values, mask, operands.weights[span])
    return _OVER_TIME[node.op](Operands({}, operands.times[span], values.shape, mask), values)


def evaluate_at(node: Node, operands: Operands, span: slice) -> FloatArray:
    """Return the values of an expression in a part of the time; (entities, instants of the part)."""
    instants = operands.times.size
    if is_pointwise(node):
        named = {name: np.asarray(operands.values[name]) for name in node.names()}
        own = {
            name: one[:, span] if one.ndim and one.shape[1] == instants else one
            for name, one in named.items()
        }
        times = operands.times[span]
        shape = operands.shape[0], times.size
        return _full(_evaluate(node, Operands(own, times, shape)), shape)
    return _full(_evaluate(node, operands), operands.shape)[:, span]


def _smoothed(node: Node, operands: Operands, values: FloatArray, seconds: float) -> FloatArray:
    before_s, after_s = _SMOOTHED[node.op](seconds)
    part = operands.part
    if part is None:
        return arrays.smoothed(values, operands.times, before_s, after_s, operands.moves())
    sums = part.sums.setdefault(id(node), arrays.RunningSums())
    return sums.smoothed(values, part.times, before_s, after_s, part.start, operands.moves())


def is_pointwise(node: Node) -> bool:
    """Return True if the value at a sample depends on that sample alone."""
    return node.op not in _OVER_TIME and node.op not in _SMOOTHED and all(map(is_pointwise, node.args))


def forward_ms(node: Node, number: Callable[[Node], float], *, inside: bool = False) -> int:
    """Return for how long after an instant (ms) samples count for the value there; those of statistics
    apart, or with ``inside`` also for what these are made of. ``number`` gives the value of a constant.
    """
    if node.op in _OVER_TIME and not inside:
        return 0
    own = int(_SMOOTHED[node.op](number(node.args[1]))[1] * 1000) if node.op in _SMOOTHED else 0
    return own + max((forward_ms(arg, number, inside=inside) for arg in node.args), default=0)


def is_over_windows(node: Node) -> bool:
    """Return True for a statistic that nothing outside of a finding's windows changes but through what it is
    made of.
    """
    return node.op in _IN_WINDOWS


def looks_beyond(node: Node, names: Collection[str]) -> bool:
    """Return True if an expression is made of statistics over all samples, or of one of the ``names``."""
    if node.op == "name":
        return node.name in names
    if node.op in _OVER_TIME and node.op not in _IN_WINDOWS:
        return True
    return any(looks_beyond(arg, names) for arg in node.args)


def over_time(node: Node) -> list[Node]:
    """Return the statistics over all samples in an expression, without those that these are made of."""
    return [node] if node.op in _OVER_TIME else [one for arg in node.args for one in over_time(arg)]


def _full(values: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """The value at every sample, for what is the same at all of them."""
    return values if values.shape == shape else np.broadcast_to(values, shape)


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
    crosses = b.low <= arrays.NOTHING
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
    "earliest": lambda a, _: a,
    "trailing": lambda a, _: a,
    "around": lambda a, _: a,
}
