"""Gives each original one replacement, and never one that is an original itself."""

from __future__ import annotations

from collections.abc import Callable, Collection


class Pseudonyms:
    """Replacements by what they stand for: ``vm-1``, ``host-2``; numbered in the order of asking."""

    def __init__(self, originals: Collection[str] = ()) -> None:
        """``originals`` are all names that must not appear: a VM may be called ``vm-7`` already."""
        self._originals = {one.lower() for one in originals}
        self._known: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}
        self._given: set[str] = set()

    def of(self, what: str, original: str) -> str:
        """Return the word for an original of a sort: ``vm-3`` for a VM's name."""
        return self.made(what, original, lambda number: f"{what}-{number}")

    def made(self, what: str, original: str, make: Callable[[int], str]) -> str:
        """Return the replacement of an original; ``make`` writes the replacement with a number, from 1."""
        found = self._known.get((what, original))
        while found is None:
            number = self._last[what] = self._last.get(what, 0) + 1
            word = make(number)
            if word.lower() not in self._originals:
                found = self._known[what, original] = word
                self._given.add(word.lower())
        return found

    def has_given(self, word: str) -> bool:
        """Return True if a word is a replacement."""
        return word.lower() in self._given

    @property
    def counts(self) -> dict[str, int]:
        """How many originals of each sort were replaced."""
        counts: dict[str, int] = {}
        for what, _ in self._known:
            counts[what] = counts.get(what, 0) + 1
        return counts
