"""Whether a test rests on something that was measured, or only on what was not found."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from diagnosis.language import Node, Shape

_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def has_support(test: Node, values: Mapping[str, Node], thresholds: Mapping[str, float]) -> bool:
    """Return True if the test can only be true because some comparison of measured numbers is.

    A test that is true because other tests are false, because a number is missing, or because a missing
    number was replaced by a constant, has no support: "no other cause was found" speaks for nothing.
    ``values`` are the named tests of the card, ``thresholds`` its numbers.
    """
    return _Support(values, thresholds).found(test, negated=False)


class _Support:
    def __init__(self, values: Mapping[str, Node], thresholds: Mapping[str, float]) -> None:
        self._values, self._thresholds = values, thresholds

    def found(self, test: Node, *, negated: bool) -> bool:
        match test.op:
            case "not":
                return self.found(test.args[0], negated=not negated)
            case "and" | "or":
                sides = [self.found(side, negated=negated) for side in test.args]
                # All sides of an "and" are true together, so that one with support is enough; a negated "or"
                # is an "and".
                return any(sides) if (test.op == "and") != negated else all(sides)
            case "missing":
                return False
            case "name":
                return test.name in self._values and self.found(self._values[test.name], negated=negated)
        return not negated and _is_measured(test) and not self._holds_of_nothing(test)

    def _holds_of_nothing(self, comparison: Node) -> bool:
        """Whether it is true where what it measures is missing and a constant stands in for it."""
        left, right = (self._stand_in(side) for side in comparison.args)
        compare = _COMPARE.get(comparison.op)
        return compare is not None and left is not None and right is not None and compare(left, right)

    def _stand_in(self, node: Node) -> float | None:
        """The node's value where everything measured is missing; None for "unknown"."""
        if node.op == "number":
            return node.value
        if node.op == "name":
            return self._thresholds.get(node.name)
        return self._stand_in(node.args[-1]) if node.op == "coalesce" else None


def _is_measured(node: Node) -> bool:
    if node.op == "name":
        return node.shape is not Shape.CONSTANT
    return any(_is_measured(arg) for arg in node.args)
