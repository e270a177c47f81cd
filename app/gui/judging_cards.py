"""The problem cards with the limits that judge now: the same object as long as no limit is changed.

The rules of cards are compiled once for an object, which takes half a second.
"""

from __future__ import annotations

from app.gui.threshold_store import ThresholdStore
from resources.problem_cards import Problems
from resources.threshold_sets import OwnThresholds


class JudgingCards:
    """Call it for the cards."""

    def __init__(self, problems: Problems, thresholds: ThresholdStore) -> None:
        self._shipped, self._thresholds = problems, thresholds
        self._own, self._judged = OwnThresholds(), problems

    def __call__(self) -> Problems:
        """Return the cards; those that ship if no limit was changed."""
        own = self._thresholds.limits.own
        if own != self._own:
            self._own = own
            is_shipped = own == OwnThresholds()
            self._judged = self._shipped if is_shipped else self._shipped.judged_by(own)
        return self._judged
