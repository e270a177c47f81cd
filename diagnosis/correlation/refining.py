"""Who came first: the lags of the few series that matter, from the samples about the onset.

Over a long window a lag of some samples hardly changes a correlation, and a block is longer than any lag;
about the beginning of the trouble it shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from diagnosis.correlation.movement import Move, moves_in
from diagnosis.correlation.question import Span, samples_of, step_of, strangest_window
from diagnosis.correlation.ranking import Group
from diagnosis.correlation.stays import Away
from diagnosis.correlation.tables import Tables
from resources.correlation_roles import CorrelationKnowledge
from sessions.model import SampleSource, Series
from sessions.times import TimeRange

_REFINED = 40  # of the first entities, the leading series is read sample by sample
_AGREES = 0.5  # so strong must the correlation be there to tell who came first
_FEW = 8  # samples; with fewer before the beginning nobody can tell
_ONSET = 40  # samples before and after the beginning


def refined(
    session: SampleSource,
    reference: Series,
    span: Span,
    groups: Sequence[Group],
    known: CorrelationKnowledge,
    worse: float,
    away: Away,
) -> tuple[Group, ...]:
    """Return the groups with the lags of their leading series to the interval of the samples.

    They are measured where the reference's worst part of the window begins. Series that don't agree there
    keep the lag that they had.
    """
    source = next(one for one in session.sources() if one.id == reference.source)
    times, values = samples_of(session, reference, span.window)
    step = step_of(source, times)
    least = known.least_changes.get(reference.spec.unit, 0.0)
    worst = strangest_window(times, values, step, known.numbers, worse, least)
    onset = worst.start if worst is not None else span.window.start
    window = TimeRange(onset, onset + _ONSET * step).intersect(span.window)
    first = max(span.whole.start, onset - _ONSET * step)
    if window is None or window.end <= window.start or onset - first < _FEW * step:
        return tuple(groups)
    part = Span(window, TimeRange(first, onset - 1), found=True)
    leads = [one.lead.series for one in groups[:_REFINED]]
    fine: dict[int, Move] = {}
    for table in Tables(session, part, reference, known.numbers, None, away).each(leads, lambda _part: None):
        fine.update({move.series: move for move in moves_in(table, known.numbers)})
    return tuple(_with_lag(group, fine.get(group.lead.series.id)) for group in groups)


def _with_lag(group: Group, fine: Move | None) -> Group:
    coarse = group.lead.move
    if fine is None or math.isnan(fine.correlation) or fine.step_s > coarse.step_s:
        return group
    if fine.correlation * coarse.correlation <= 0 or abs(fine.correlation) < _AGREES:
        return group
    move = replace(coarse, lag_s=fine.lag_s, step_s=fine.step_s, is_at_edge=fine.is_at_edge)
    return replace(group, lead=replace(group.lead, move=move))
