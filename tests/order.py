"""In what order several workers take the tests of a run: what takes long begins first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

Test = TypeVar("Test")


def long_ones_first(
    tests: Sequence[Test],
    workers: int,
    is_long: Callable[[Test], bool],
    has_display: Callable[[Test], bool] = lambda _test: False,
) -> list[Test]:
    """The tests with the long ones at the beginning of some workers' shares, the others as they were.

    ``--dist worksteal`` gives each worker a share of equal size, one after another, and who is done takes
    from the end of another's. Long tests mostly wait: two of three workers begin with them, and the others
    have the processors meanwhile. Windows on displays of their own do not wait: the first worker has them
    all, one after another.
    """
    long = [test for test in tests if is_long(test)]
    short = iter([test for test in tests if not is_long(test)])
    beginnings = _beginnings(long, max(1, 2 * workers // 3), has_display)
    dealt: list[Test] = []
    for worker in range(workers):
        size = (len(tests) - len(dealt)) // (workers - worker)
        beginning = beginnings[worker] if worker < len(beginnings) else []
        dealt += beginning
        dealt += islice(short, max(0, size - len(beginning)))
    return [*dealt, *short]


def _beginnings(long: Sequence[Test], count: int, has_display: Callable[[Test], bool]) -> list[list[Test]]:
    windows = [test for test in long if has_display(test)]
    others = [test for test in long if not has_display(test)]
    if count == 1 or not windows:
        return [list(long[at::count]) for at in range(count)]
    return [windows, *(others[at :: count - 1] for at in range(count - 1))]
