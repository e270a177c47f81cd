"""Puts a verdict together, so that every test says the same things in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sessions.journal import Figure
from wizards.flows.verdict import MAX_NOTES, Answer, Condition, Confidence, Verdict


def no_verdict(
    line: str,
    why: str,
    conditions: Sequence[Condition],
    figures: Iterable[Figure] = (),
    needs: str = "",
) -> Verdict:
    """Return a result without verdict: ``line`` says in a few words why there is none."""
    return Verdict(
        False, why, f"No verdict: {line}.", why, "none", tuple(conditions), tuple(figures), (), needs
    )


def refused(conditions: Sequence[Condition], figures: Iterable[Figure] = ()) -> Verdict | None:
    """Return a result without verdict if a required condition does not hold; None if all do."""
    failed = next((one for one in conditions if one.forbids_a_verdict), None)
    if failed is None:
        return None
    why = f"{failed.name} {failed.measured}; needed: {failed.limit}. {failed.advice}".rstrip()
    return no_verdict(failed.refusal, why, conditions, figures)


def verdict(
    line: str,
    sentence: str,
    confidence: Confidence,
    conditions: Sequence[Condition],
    figures: Iterable[Figure],
    notes: Iterable[str | None],
    needs: str = "",
    answer: Answer = "good",
) -> Verdict:
    """Return a valid result; notes that are None are left out, and of too many the first six are kept."""
    kept = [one for one in notes if one][:MAX_NOTES]
    return Verdict(
        True, "", line, sentence, confidence, tuple(conditions), tuple(figures), tuple(kept), needs, answer
    )
