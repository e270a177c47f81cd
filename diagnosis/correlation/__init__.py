"""What moved with it: which series of a session changed together with one, who led, and what they share."""

from __future__ import annotations

from diagnosis.correlation.engine import NO_SAMPLES, Compared, Correlation, correlate
from diagnosis.correlation.question import Question, Span
from diagnosis.correlation.ranking import Group, Ranked

__all__ = ["NO_SAMPLES", "Compared", "Correlation", "Group", "Question", "Ranked", "Span", "correlate"]
