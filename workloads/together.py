"""Does one thing with many workers at once, by a few threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from resources.failures import HyperscopeError

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = 16


def raised(results: Sequence[Result | HyperscopeError]) -> list[Result]:
    """Return the results if there is no error among them, else raise the first one."""
    found: list[Result] = []
    for one in results:
        if isinstance(one, HyperscopeError):
            raise one
        found.append(one)
    return found


def on_all(
    items: Sequence[Item], act: Callable[[Item], Result], threads: int = THREADS
) -> list[Result | HyperscopeError]:
    """Return what ``act`` returned for each of ``items``, in their order, or the error that it raised.

    No item waits for another one that is slow, but with 0 ``threads`` they come one after the other in this
    thread. Bugs are raised.
    """
    if not items:
        return []

    def one(item: Item) -> Result | HyperscopeError:
        try:
            return act(item)
        except HyperscopeError as error:
            return error

    if not threads:
        return [one(item) for item in items]
    with ThreadPoolExecutor(min(threads, len(items)), "on-all") as pool:
        return list(pool.map(one, items))
