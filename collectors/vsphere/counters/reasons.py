"""Why samples of a slot may be missing: an outage, or a clock that was set."""

from __future__ import annotations


class Reasons:
    """The reasons of the last ``kept`` slots; older slots have no reason."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._by_slot: dict[int, str] = {}

    def reason_at(self, slot: int, usual: str) -> str:
        """Return the reason of ``slot``, or ``usual`` if none is set."""
        return self._by_slot.get(slot, usual)

    def first_reason(self, first: int, last: int, usual: str) -> str:
        """Return the reason of the first slot from ``first`` to ``last`` that has one, else ``usual``."""
        slots = range(first, last + 1)
        return next((self._by_slot[slot] for slot in slots if slot in self._by_slot), usual)

    def set(self, first: int, last: int, reason: str) -> None:
        """Set the reason of the slots ``first`` to ``last``."""
        self._by_slot |= dict.fromkeys(range(max(first, last - self._kept), last + 1), reason)

    def set_where_unset(self, cursor: int, last: int, reason: str) -> None:
        """Set the reason of the slots after ``cursor`` up to ``last`` that have no reason yet."""
        self._by_slot = {slot: why for slot, why in self._by_slot.items() if slot > cursor - 2 * self._kept}
        for slot in range(max(cursor + 1, last - self._kept), last + 1):
            self._by_slot.setdefault(slot, reason)
