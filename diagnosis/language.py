"""The expression language of problem cards: parsed with ast, checked, turned into a tree;
never run as Python.

    comparison    a > b   a <= b <= c
    truth         and  or  not
    arithmetic    + - * /
    element-wise  min(a, b)  max(a, b)  abs(a)  where(test, a, b)
    absence       coalesce(a, b)  missing(a)  unknown
    baseline      baseline(a): the lower quartile of all samples of the entity, its better times
                  highest(a): the 95th percentile of all its samples
                  quietest(a, seconds): the lowest mean of any stretch of so many seconds
                  latest(a, seconds): the mean of the last so many seconds in which it is known
                  earliest(a, seconds): that of the first so many
    over time     trailing(a, seconds), around(a, seconds): mean of the last seconds, of those around a sample
    statistics over a finding's windows   mean max min p95 p05 last sum  share(test)  seconds(test)
                  usual(a): what it was for most of them (their median), as a setting that was changed since
    statistics over all samples           correlation(a, b)  slope(a)  overall(a)  overall_p95(a)  final(a)
    statistics outside the windows        calm(a)

A fact (a limit, a policy, a speed) may change while it is recorded: where samples are looked at it is what it
was at each of them, and where a finding is told, what it was for most of its windows.

An absent sample is NaN and makes what depends on it NaN too: neither true nor false (``diagnosis.arrays``).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache

MAX_LENGTH = 2000
MAX_DEPTH = 40
_QUOTED = 60  # characters of what is wrong that a message shows


class ExpressionError(ValueError):
    """Text that is not an expression of the language; the message names the wrong part."""


class Shape(IntEnum):
    """The dimensions of a value: none (a number), entities, or entities × times."""

    CONSTANT = 0
    ENTITY = 1  # one value for each entity, shape (entities, 1)
    SERIES = 2  # one value for each entity and sample, shape (entities, times)


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a checked expression. ``truth`` is True for a test, False for a quantity."""

    op: str
    shape: Shape
    truth: bool = False
    args: tuple[Node, ...] = ()
    name: str = ""
    value: float = 0.0

    def names(self) -> Iterator[str]:
        """Return the names that the expression reads."""
        if self.op == "name":
            yield self.name
        for arg in self.args:
            yield from arg.names()


# name: (fewest arguments, most arguments, the first argument is a test, the result is a test)
_ELEMENTWISE = {
    "abs": (1, 1, False, False),
    "where": (3, 3, True, False),
    "coalesce": (2, 4, False, False),
    "missing": (1, 1, False, True),
    "min": (2, 6, False, False),
    "max": (2, 6, False, False),
}
_STATISTICS = {
    "mean": (1, 1, False, False),
    "max": (1, 1, False, False),
    "min": (1, 1, False, False),
    "p95": (1, 1, False, False),
    "p05": (1, 1, False, False),
    "usual": (1, 1, False, False),
    "last": (1, 1, False, False),
    "sum": (1, 1, False, False),
    "share": (1, 1, True, False),
    "seconds": (1, 1, True, False),
    "slope": (1, 1, False, False),
    "correlation": (2, 2, False, False),
    "overall": (1, 1, False, False),
    "overall_p95": (1, 1, False, False),
    "final": (1, 1, False, False),
    "calm": (1, 1, False, False),
}
STATISTICS = frozenset(_STATISTICS)
SETTING = "setting"
"""What a fact was for most of a finding's windows."""
_WHOLE = ("baseline", "highest", "quietest", "latest", "earliest")
_OF_TIME = frozenset((*_WHOLE, "trailing", "around", *(f"over {name}" for name in _STATISTICS)))
"""What is worked out of samples, in which a fact is what it was at each of them."""
_ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARISON: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def parse(text: str, names: Mapping[str, Shape], tests: Collection[str] = ()) -> Node:
    """Parse an expression into a checked tree. ``names`` are the signals and thresholds that it may read.

    ``tests`` are those of the names that are true or false rather than quantities. Raises ExpressionError for
    anything but the language above: attributes, subscripts, strings, keywords, unknown names and functions, a
    test where a quantity is needed, a statistic of a value without samples.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    return _Reader(names, tests).read(_tree(text))


def forget_texts() -> None:
    """Give back the memory of the texts that were parsed."""
    _tree.cache_clear()


@lru_cache(maxsize=2048)
def _tree(text: str) -> ast.expr:
    """Return the text's tree as Python reads it. The rules of a card have most of their texts in common."""
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ExpressionError(f"{text[:_QUOTED]!r} is not an expression") from error
    _require_shallow(tree.body)
    return tree.body


def _require_shallow(tree: ast.expr) -> None:
    """Raise ExpressionError for what is nested deeper than MAX_DEPTH; without recursion, whatever it is."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise ExpressionError(f"nested deeper than {MAX_DEPTH}")
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]


class _Reader:
    def __init__(self, names: Mapping[str, Shape], tests: Collection[str]) -> None:
        self._names, self._tests = names, tests

    def read(self, node: ast.expr) -> Node:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return _number(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call(name, args)
            case ast.Compare():
                return self._compare(node)
        return self._operator(node)

    def _operator(self, node: ast.expr) -> Node:
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._truth(operand)
                return Node("not", inner.shape, truth=True, args=(inner,))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self._quantity(operand)
                return Node("negative", inner.shape, args=(inner,))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                sides = (self._quantity(left), self._quantity(right))
                return Node(_ARITHMETIC[type(op)], _widest(sides), args=sides)
            case ast.BoolOp(op=op, values=values):
                tests = tuple(self._truth(value) for value in values)
                name = "and" if isinstance(op, ast.And) else "or"
                return Node(name, _widest(tests), truth=True, args=tests)
        raise ExpressionError(f"{ast.unparse(node)[:_QUOTED]!r} is not allowed")

    def _name(self, name: str) -> Node:
        if name == "unknown":
            return Node("number", Shape.CONSTANT, value=math.nan)
        if name not in self._names:
            raise ExpressionError(f"there is no signal or threshold {name!r}")
        return Node("name", self._names[name], truth=name in self._tests, name=name)

    def _quantity(self, node: ast.expr) -> Node:
        inner = self.read(node)
        if inner.truth:
            raise ExpressionError(f"{ast.unparse(node)[:_QUOTED]!r} is true or false, not a quantity")
        return inner

    def _truth(self, node: ast.expr) -> Node:
        inner = self.read(node)
        if not inner.truth:
            raise ExpressionError(f"{ast.unparse(node)[:_QUOTED]!r} is a quantity, not true or false")
        return inner

    def _compare(self, node: ast.Compare) -> Node:
        sides = [self._quantity(side) for side in (node.left, *node.comparators)]
        parts = []
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if type(op) not in _COMPARISON:
                raise ExpressionError(f"{ast.unparse(node)[:_QUOTED]!r} is not allowed")
            parts.append(Node(_COMPARISON[type(op)], _widest((left, right)), truth=True, args=(left, right)))
        if len(parts) == 1:
            return parts[0]
        return Node("and", _widest(parts), truth=True, args=tuple(parts))

    def _call(self, name: str, args: list[ast.expr]) -> Node:
        if name in ("trailing", "around"):
            return self._smooth(name, args)
        if name in ("baseline", "highest"):
            return self._baseline(name, args)
        if name in ("quietest", "latest", "earliest"):
            return replace(self._smooth(name, args), shape=Shape.ENTITY)
        statistic = name in _STATISTICS and (name not in _ELEMENTWISE or len(args) == 1)
        table = _STATISTICS if statistic else _ELEMENTWISE
        if name not in table:
            raise ExpressionError(f"there is no function {name!r}")
        fewest, most, test, truth = table[name]
        if not fewest <= len(args) <= most:
            raise ExpressionError(f"{name} takes {fewest} to {most} arguments, not {len(args)}")
        nodes = tuple(
            self._truth(arg) if test and i == 0 else self._quantity(arg) for i, arg in enumerate(args)
        )
        if not statistic:
            return Node(name, _widest(nodes), truth=truth, args=nodes)
        if any(node.shape is not Shape.SERIES for node in nodes):
            raise ExpressionError(f"{name} needs something that has samples")
        return Node(f"over {name}", Shape.ENTITY, args=nodes)

    def _baseline(self, name: str, args: list[ast.expr]) -> Node:
        if len(args) != 1:
            raise ExpressionError(f"{name} takes 1 argument, not {len(args)}")
        what = self._quantity(args[0])
        if what.shape is not Shape.SERIES:
            raise ExpressionError(f"{name} needs something that has samples")
        return Node(name, Shape.ENTITY, args=(what,))

    def _smooth(self, name: str, args: list[ast.expr]) -> Node:
        if len(args) != 2:
            raise ExpressionError(f"{name} takes a signal and seconds")
        what, seconds = (self._quantity(arg) for arg in args)
        if what.shape is not Shape.SERIES or seconds.op not in ("number", "name") or seconds.shape:
            raise ExpressionError(f"{name} takes something that has samples, and a number or threshold")
        return Node(name, Shape.SERIES, args=(what, seconds))


def settled(node: Node, settings: Collection[str]) -> Node:
    """Return an expression over windows in which each of the ``settings`` (facts, which may change) that
    stands outside of a statistic is what it was for most of the windows.
    """
    if node.op == "name":
        is_setting = node.name in settings
        return Node(SETTING, Shape.ENTITY, truth=node.truth, args=(node,)) if is_setting else node
    if not node.args or node.op in _OF_TIME:
        return node
    args = tuple(settled(arg, settings) for arg in node.args)
    return replace(node, shape=_widest(args), args=args)


def _number(value: float) -> Node:
    try:
        number = float(value)
    except OverflowError as error:
        raise ExpressionError("a number that is too large") from error
    if not math.isfinite(number):
        raise ExpressionError("a number that is not finite")
    return Node("number", Shape.CONSTANT, value=number)


def _widest(nodes: tuple[Node, ...] | list[Node]) -> Shape:
    return max(node.shape for node in nodes)
