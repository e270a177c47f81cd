"""Verdicts that an earlier version wrote into a session, told as they are judged now; the session stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from diagnosis.statistics.ratio import LEAST_FOR_INTERVAL
from sessions.journal import Figure
from wizards.flows.verdict import MAX_NOTES, Verdict

TWO_ROUNDS = (
    "Two rounds have no interval: an earlier version of Hyperscope recorded this with one, which is left out."
)
_TOLD = re.compile(r"9[05]\s%\sCI\s[^()]{1,60}?\sto\s[^();]{1,40}(?=[);]|$)")
"""An interval as sentences of verdicts tell it: ``95 % CI 20.9 to 27.8 %``."""


def figures_told(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return figures, those of one or two rounds without an interval."""
    return tuple(replace(one, interval=None) if _is_of_few(one) else one for one in figures)


def verdict_told(verdict: Verdict) -> Verdict:
    """Return a verdict of a session; if it told intervals of two rounds, without them and with a note."""
    if not any(_is_of_few(one) for one in verdict.figures):
        return verdict
    kept = [_without_intervals(one) for one in verdict.notes][: MAX_NOTES - 1]
    return replace(
        verdict,
        line=_without_intervals(verdict.line),
        sentence=_without_intervals(verdict.sentence),
        figures=figures_told(verdict.figures),
        notes=(*kept, TWO_ROUNDS),
    )


def _is_of_few(one: Figure) -> bool:
    return one.interval is not None and 0 < one.n < LEAST_FOR_INTERVAL


def _without_intervals(text: str) -> str:
    return _TOLD.sub("two rounds, no interval", text)
