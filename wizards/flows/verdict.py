"""What a test's numbers prove, as a value: whether they are valid, the verdict, its confidence, its
figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sessions.journal import Figure

Confidence = Literal["high", "medium", "indicative", "none"]
"""``high``: at least three valid rounds and
an interval outside of the noise floor; ``indicative``: under three rounds; ``none``: there is no verdict.
"""

Answer = Literal["good", "against", "no difference"]
"""What a valid verdict says: what was hoped for, what was not, or that nothing differs beyond the noise."""

MAX_NOTES = 6


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that must hold for the result to count: what was measured of what limit, as texts.

    ``holds`` is None where it could not be determined. ``refusal`` says in a few words why there is no
    verdict without it (“the datastore was never full”); a condition without one only lowers the
    confidence. ``source`` says where the limit comes from, ``advice`` what to do where it does
    not hold.
    """

    name: str
    measured: str
    limit: str
    holds: bool | None
    source: str = ""
    refusal: str = ""
    advice: str = ""

    @property
    def forbids_a_verdict(self) -> bool:
        """True if it is required and does not hold, or nobody knows whether it does."""
        return bool(self.refusal) and self.holds is not True


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a test. Without validity there is no verdict: ``line`` then begins with “No verdict”.

    ``why`` is a sentence for a result that is not valid, ``line`` the verdict in one line, ``sentence``
    the same with its intervals, ``answer`` which way it came out. ``notes`` are at most six further lines,
    the price first.
    """

    valid: bool
    why: str
    line: str
    sentence: str
    confidence: Confidence
    conditions: tuple[Condition, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    needs: str = ""
    answer: Answer = "good"

    def __post_init__(self) -> None:
        if len(self.notes) > MAX_NOTES:
            raise ValueError(f"{len(self.notes)} notes of a verdict")
