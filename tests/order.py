"""In what order several workers take the tests of a run: what takes long begins first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

Test = TypeVar("Test")


def long_ones_first(tests: Sequence[Test], workers: int, is_long: Callable[[Test], bool]) -> list[Test]:
    """The tests with the long ones at the beginning of some workers' shares, the others as they were.

    ``--dist worksteal`` gives each worker a share of equal size, one after another, and who is done takes
    from the end of another's. Long tests mostly wait: only every second worker begins with them, so that
    those beside it have the processors meanwhile.
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
