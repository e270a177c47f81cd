"""Compares two windows; run this in a worker."""

from __future__ import annotations

from app.gui.jobs import Job
from diagnosis.comparison import Choice, Comparison, Side, compare
from diagnosis.comparison.windows import apart
from resources.catalogue import Catalogue
from resources.comparison_rules import load_comparison_rules
from resources.failures import NotFoundError
from resources.problem_cards import Problems
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.comparison_choices import PairOffer
from viewmodels.comparison_page import ComparisonPage, comparison_page
from viewmodels.possible_samples import without_impossible_samples

_COMPARED, _RANKED = 0.9, 0.95
"""The parts of the work that are done after comparing, and before the rows are made."""


def compared(
    pair: PairOffer,
    readers: tuple[SessionReader, SessionReader],
    left_out: tuple[TimeRange, ...],
    knowledge: tuple[Catalogue, Problems],
    job: Job,
) -> tuple[Comparison, ComparisonPage]:
    """Return the comparison of a pair and its page.

    Raises UsageError if the windows overlap, NotFoundError if one has no samples, CancelledError once the
    job is cancelled.
    """
    catalogue, problems = knowledge
    windows = pair.a.window, pair.b.window
    if readers[0] is readers[1]:
        windows = apart(*windows)
    one, other = without_impossible_samples(readers)
    sides = Side(one, windows[0], left_out), Side(other, windows[1], left_out)
    _require_samples(*sides)
    found = compare(
        *sides,
        Choice(),
        (catalogue, problems, load_comparison_rules(catalogue)),
        progress=lambda part, text: job.progress((part or 0) * _COMPARED, text),
        cancel=job,
    )
    job.check()
    job.progress(_RANKED, "ranking")
    return found, comparison_page(found, catalogue)


def _require_samples(a: Side, b: Side) -> None:
    for name, side in (("A", a), ("B", b)):
        if not any(side.ticks(one.id) for one in side.session.sources()):
            raise NotFoundError(
                f"Window {name} has no samples.",
                meaning="Nothing was recorded then, or all of it was left out.",
                advice="Choose another window.",
            )
