"""Why samples of a slot may be missing: an outage, or a clock that was set."""

from __future__ import annotations


class Reasons:
    """The reasons of the last slots, ``kept`` of them; other slots have none."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._by_slot: dict[int, str] = {}

    def of(self, slot: int, usual: str) -> str:
        """The reason of ``slot``, ``usual`` where there is none of its own."""
        return self._by_slot.get(slot, usual)

    def first(self, first: int, last: int, usual: str) -> str:
        """The reason of the first slot from ``first`` to ``last`` that has one."""
        slots = range(first, last + 1)
        return next((self._by_slot[slot] for slot in slots if slot in self._by_slot), usual)

    def set(self, first: int, last: int, reason: str) -> None:
        """What is missing at ``first`` to ``last`` is missing for that reason."""
        self._by_slot |= dict.fromkeys(range(max(first, last - self._kept), last + 1), reason)

    def excuse(self, cursor: int, last: int, reason: str) -> None:
        """What is missing after ``cursor`` up to ``last`` may be so for that reason; earlier reasons stay."""
        self._by_slot = {slot: why for slot, why in self._by_slot.items() if slot > cursor - 2 * self._kept}
        for slot in range(max(cursor + 1, last - self._kept), last + 1):
            self._by_slot.setdefault(slot, reason)
