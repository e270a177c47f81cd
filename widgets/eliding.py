"""Shortens names that have no room so that they can still be told apart."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QFontMetrics

from viewmodels.elision import NameSet

_MAX_KEPT = 4_000


class NameElider:
    """Shortens the names that a view shows beside each other; each text is worked out once."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: frozenset[str] = frozenset(names)
        self._set = NameSet(self._names)
        self._known: dict[tuple[str, int, int, int], str] = {}

    def set_names(self, names: Iterable[str]) -> None:
        """Show these names from now on."""
        wanted = frozenset(names)
        if wanted != self._names:
            self._names, self._set = wanted, NameSet(wanted)
            self._known.clear()

    def elided(self, name: str, room: int, metrics: QFontMetrics) -> str:
        """Return ``name`` in at most ``room`` pixels, unlike all others: ``JBOSS 05…ng)``.

        ``name`` is one of the names that were set; another one is only shortened.
        """
        if metrics.horizontalAdvance(name) <= room:
            return name
        if name not in self._names:
            return elided_name(name, room, metrics)
        key = name, room, metrics.height(), metrics.averageCharWidth()
        if key not in self._known:
            if len(self._known) >= _MAX_KEPT:
                self._known.clear()
            self._known[key] = self._set.elided(name, room, metrics.horizontalAdvance)
        return self._known[key]


def elided_name(name: str, room: int, metrics: QFontMetrics) -> str:
    """Return ``name`` in at most ``room`` pixels: ``JBOSS 05…ng)`` for ``JBOSS 05 (billing)``.

    Names of machines and devices differ in their last number: it stays, and what follows is cut first. Of a
    name that ends in a number, or has none, the middle is cut. Use a ``NameElider`` for names that stand
    beside each other.
    """
    return NameSet([name]).elided(name, room, metrics.horizontalAdvance)
