"""The order of tests for several workers: long tests begin first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

Test = TypeVar("Test")


def long_ones_first(tests: Sequence[Test], workers: int, is_long: Callable[[Test], bool]) -> list[Test]:
    """Return the tests with the long ones at the beginning of every second worker's share.

    ``--dist worksteal`` gives each worker an equal share in order, and idle workers steal from the end of
    others' shares. Long tests mostly wait, so the workers beside them have the processors meanwhile.
    """
    long = [test for test in tests if is_long(test)]
    short = iter([test for test in tests if not is_long(test)])
    waiting = max(1, workers // 2)
    dealt: list[Test] = []
    for worker in range(workers):
        size = (len(tests) - len(dealt)) // (workers - worker)
        share = long[worker // 2 :: waiting] if worker % 2 == 0 and worker // 2 < waiting else []
        dealt += share
        dealt += islice(short, max(0, size - len(share)))
    return [*dealt, *short]
