"""Finds what moved with a series or a finding; run this in a worker."""

from __future__ import annotations

from app.gui.jobs import Job
from diagnosis.correlation import Correlation, Question, correlate
from sessions.findings import Finding
from sessions.model import Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.correlation_question import question_of_finding
from viewmodels.possible_samples import PossibleSource

_TOP = 30


def moved_with(
    reader: SessionReader, series: Series | None, window: TimeRange | None, finding: Finding | None, job: Job
) -> Correlation:
    """Return what moved with a finding, or else with a series in a window; None of either as in ``Question``.

    Raises NotFoundError without samples, CancelledError once the job is cancelled.
    """
    if finding is not None:
        question = question_of_finding(reader, finding, _TOP)
    else:
        question = Question(series, window, _TOP)
    return correlate(PossibleSource(reader), question, progress=job.progress, cancel=job)
