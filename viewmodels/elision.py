"""Shortens names that have no room so that no two of them look alike. No Qt.

A shortened name reads as a pattern, in which … stands for anything. It is taken only if it fits one name of
the set: so two names never get the same text, in however different rooms they are drawn.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, takewhile

Width = Callable[[str], float]
"""Returns the width of a text, in the unit of the room."""

DOTS = "…"
_LAST_NUMBER = re.compile(r"\d+(?=\D*$)")
_CORES = (8, 6, 4, 3, 2, 1)


class NameSet:
    """Names that are shown beside each other; repeated ones count as one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(set(self._names))

    @cached_property
    def _reversed(self) -> list[str]:
        return sorted(name[::-1] for name in self._sorted)

    def elided(self, name: str, room: float, width: Width) -> str:
        """Return a name of the set in at most ``room``, so that it can be told from the others.

        The middle is cut: numbers at the end stay, and so does what differs from the most similar names. If
        not even that fits, the name's number in the set stands for it: ``we…#12``; a room too small for this
        gets it all the same.
        """
        if width(name) <= room:
            return name
        candidates = filter(None, self._candidates(name, room, width))
        shortened = (text for pieces in candidates if (text := self._alone(pieces)))
        return next(shortened, "") or self._numbered(name, room, width)

    def _candidates(self, name: str, room: float, width: Width) -> Iterator[tuple[str, ...]]:
        """Yield the pieces of a name that may stay, the fairest choice first; empty where they don't fit."""
        from_start, from_end = _distinct(self._sorted, name), _distinct(self._reversed, name[::-1])
        number = _LAST_NUMBER.search(name)
        if number and number.end() < len(name):
            yield _ends(name, number.end(), 0, room, width)
            yield _around(name, number.start(), number.end(), room, width)
        for head, tail in ((0, 0), (from_start, 0), (1, from_end)):
            yield _ends(name, head, tail, room, width)
        for size in _CORES:
            begin = max(from_start - 1 - (size - 1) // 2, 0)
            yield _around(name, begin, begin + size, room, width)

    def _alone(self, pieces: tuple[str, ...]) -> str:
        """Return the pieces with … between them if they fit one name of the set only; else an empty text."""
        head = pieces[0]
        pattern = re.compile(".*".join(map(re.escape, pieces)), re.DOTALL)
        first = bisect_left(self._sorted, head)
        begun_alike = takewhile(lambda name: name.startswith(head), islice(self._sorted, first, None))
        fitting = islice(filter(pattern.fullmatch, begun_alike), 2)
        return DOTS.join(pieces) if len(list(fitting)) == 1 else ""

    def _numbered(self, name: str, room: float, width: Width) -> str:
        """Return the beginning of a name with its number in the set."""
        number = bisect_left(self._sorted, name) + 1
        while any(one.endswith(f"#{number}") for one in self._sorted):
            number += len(self._sorted)
        for length in range(len(name), -1, -1):
            text = f"{name[:length]}{DOTS}#{number}"
            if width(text) <= room:
                return text
        return f"{DOTS}#{number}"


def _distinct(names: Sequence[str], name: str) -> int:
    """Return how many first letters of a name tell it from all other ``names``, which are sorted."""
    at = bisect_left(names, name)
    near = [*names[max(at - 1, 0) : at], *names[at + 1 : at + 2]]
    return min(max((_common(name, other) for other in near), default=0) + 1, len(name))


def _common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _ends(name: str, head: int, tail: int, room: float, width: Width) -> tuple[str, ...]:
    """Return as much of both ends as fits, at least so many letters of each; nothing if these don't fit."""
    if head + tail >= len(name) or width(f"{name[:head]}{DOTS}{name[len(name) - tail :]}") > room:
        return ()
    while head + tail < len(name) - 1:
        longer = (head, tail + 1) if tail < head else (head + 1, tail)
        if width(f"{name[: longer[0]]}{DOTS}{name[len(name) - longer[1] :]}") > room:
            break
        head, tail = longer
    return name[:head], name[len(name) - tail :]


def _around(name: str, begin: int, end: int, room: float, width: Width) -> tuple[str, ...]:
    """Return the letters from ``begin`` to ``end`` and as much of both ends as fits beside them."""
    core = name[begin:end]
    head = tail = 0
    if not core or width(DOTS + core + DOTS) > room:
        return ()
    while head < begin - 1 or tail < len(name) - end - 1:
        by_head = head < begin - 1 and (head <= tail or tail >= len(name) - end - 1)
        longer = (head + 1, tail) if by_head else (head, tail + 1)
        if width(DOTS.join((name[: longer[0]], core, name[len(name) - longer[1] :]))) > room:
            break
        head, tail = longer
    return name[:head], core, name[len(name) - tail :]
