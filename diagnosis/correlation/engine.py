"""Finds what moved with a series, a finding or in a window: reads, compares, ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from diagnosis.correlation.incidents import Incident, incidents
from diagnosis.correlation.meeting import Meeting
from diagnosis.correlation.movement import Move, moves_in
from diagnosis.correlation.patterns import Pattern, find_pattern
from diagnosis.correlation.question import Question, Span, samples_of, span_of, step_of, strangest_window
from diagnosis.correlation.ranking import Group, Ranking
from diagnosis.correlation.refining import refined
from diagnosis.correlation.stays import times_away
from diagnosis.correlation.tables import Tables
from resources.catalogue import Catalogue, load_catalogue
from resources.correlation_roles import CorrelationKnowledge, load_correlation
from resources.failures import CancelledError, NotFoundError
from resources.problem_cards import load_problems
from resources.stopping import StopSignal
from sessions.current_records import with_current_names
from sessions.model import EntityRef, SampleSource, Series

Progress = Callable[[float | None, str], None]
NO_SAMPLES = "This session has no samples."
_WITH_PATTERNS = 5  # of the first entities, who makes load is asked for a rhythm


@dataclass(frozen=True, slots=True)
class Compared:
    """How many series were compared, and how many were not: constant or with too few samples."""

    series: int
    constant: int
    sparse: int
    step_s: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """What moved: entities with their series, the likeliest culprit first.

    ``itself`` are the other series of the reference's own entity; ``own`` is how the reference moved,
    ``owner`` its entity, or the VM that this is a part of. ``hosts`` says where the ranked entities are.
    """

    reference: Series | None
    span: Span
    groups: tuple[Group, ...]
    itself: Group | None
    compared: Compared
    own: Move | None = None
    owner: EntityRef | None = None
    names: Mapping[EntityRef, str] = field(default_factory=dict)
    patterns: tuple[tuple[Series, Pattern], ...] = ()
    incidents: tuple[Incident, ...] = ()
    hosts: Mapping[EntityRef, EntityRef] = field(default_factory=dict)

    def name(self, ref: EntityRef) -> str:
        """Return the display name of an entity; of a virtual switch's uplinks, the host and the switch."""
        return self.names.get(ref, ref.key)


def correlate(
    session: SampleSource,
    question: Question,
    knowledge: CorrelationKnowledge | None = None,
    catalogue: Catalogue | None = None,
    *,
    progress: Progress = lambda _part, _text: None,
    cancel: StopSignal | None = None,
) -> Correlation:
    """Return what moved with the reference of the question, or in its window.

    Raises NotFoundError for a session without samples there, CancelledError once ``cancel`` is set.
    """
    known = knowledge or load_correlation()
    span = _span(session, question, known, _direction(question.reference, catalogue))
    series = _of_somebody(session, question.reference, known)

    def check(part: float) -> None:
        progress(part, "")
        if cancel is not None and cancel.is_set():
            raise CancelledError("The search for what moved was stopped.")

    found: list[Move] = []
    compared = constant = sparse = 0
    step = 0
    loads = {one.id: one.entity for one in series if known.role(one.counter)[0] == "load"}
    meeting = Meeting(session, span.window)
    away = times_away(session, question.reference, series, meeting, known, span.whole)
    for table in Tables(session, span, question.reference, known.numbers, loads, away).each(series, check):
        found += moves_in(table, known.numbers)
        compared += table.ids.size
        constant, sparse, step = constant + table.constant, sparse + table.sparse, max(step, table.step)
    by_id = {one.id: one for one in series}
    limit = known.numbers.chance.value / max(compared, 1)
    sure = [
        (by_id[move.series], move)
        for move in found
        if move.chance <= limit and _is_worth_a_look(by_id[move.series], move, known)
    ]
    own = _own(question.reference, found)
    worse = _worse(question, own, catalogue)
    certain = {move.series for _, move in sure}
    doubtful = [
        (by_id[move.series], move)
        for move in found
        if move.series not in certain and known.role(by_id[move.series].counter)[0] == "load"
    ]
    ranking = Ranking(known, meeting, question.reference, worse, own)
    groups = ranking.groups(_but(question.reference, sure), doubtful if question.reference else ())
    ranked = tuple(one for one in groups if one.part != "itself")
    if question.reference is not None:
        ranked = refined(session, question.reference, span, ranked, known, worse, away)
    return Correlation(
        question.reference,
        span,
        ranked,
        next((one for one in groups if one.part == "itself"), None),
        Compared(compared, constant, sparse, step / 1000),
        own,
        meeting.owner(question.reference.entity) if question.reference else None,
        _names(session),
        _patterns(session, question.reference, ranked, known),
        _incidents(session, question.reference, span, ranked, meeting),
        {one.entity: host for one in ranked if (host := meeting.host(one.lead.series)) is not None},
    )


def _names(session: SampleSource) -> dict[EntityRef, str]:
    current = with_current_names(session.entities(), session.facts())
    return {ref: entity.name for ref, entity in current.items()}


def _patterns(
    session: SampleSource, reference: Series | None, groups: Sequence[Group], known: CorrelationKnowledge
) -> tuple[tuple[Series, Pattern], ...]:
    """The rhythms of the reference and of those who make its load, over the whole session."""
    whole = session.span()
    loads = [one.lead.series for one in groups[:_WITH_PATTERNS] if one.part == "culprit"]
    sources = {one.id: one for one in session.sources()}
    found = []
    for series in ([reference] if reference else []) + loads:
        if whole is None:
            break
        times, values = samples_of(session, series, whole)
        pattern = find_pattern(times, values, step_of(sources[series.source], times), known.numbers)
        if pattern is not None:
            found.append((series, pattern))
    return tuple(found)


def _of_somebody(
    session: SampleSource, reference: Series | None, known: CorrelationKnowledge
) -> Sequence[Series]:
    """Return all series but those of worlds that run when nobody does; the reference may be one."""
    worlds = {ref: one.name for ref, one in session.entities().items() if ref.kind == "world"}
    idle = {ref: counters for ref, name in worlds.items() if (counters := known.idle_counters(name))}

    def is_idle(one: Series) -> bool:
        return any(fnmatchcase(one.counter, key) for key in idle.get(one.entity, ()))

    asked = reference.id if reference else None
    return [one for one in session.series() if one.id == asked or not is_idle(one)]


def _incidents(
    session: SampleSource, reference: Series | None, span: Span, groups: Sequence[Group], meeting: Meeting
) -> tuple[Incident, ...]:
    around = {one.entity for one in groups if one.part in ("culprit", "shared")}
    if reference is not None:
        around |= {meeting.owner(reference.entity), reference.entity}
        host = meeting.host(reference)
        around |= {host} if host else set()
    return incidents(session, span.window, frozenset(around), meeting, load_problems().changes)


def _is_worth_a_look(series: Series, move: Move, known: CorrelationKnowledge) -> bool:
    least = known.least_changes.get(series.spec.unit, 0.0)
    change = abs(move.change) if math.isfinite(move.change) else 0.0
    return max(change, move.swing) >= least


def _own(reference: Series | None, moves: Sequence[Move]) -> Move | None:
    return next((move for move in moves if reference is not None and move.series == reference.id), None)


def _but(reference: Series | None, moves: Sequence[tuple[Series, Move]]) -> Iterator[tuple[Series, Move]]:
    return ((series, move) for series, move in moves if reference is None or series.id != reference.id)


def _direction(reference: Series | None, catalogue: Catalogue | None) -> float:
    """1 if the reference is worse when it is higher, −1 when it is lower, 0 if the catalogue does not say."""
    counter = (catalogue or load_catalogue()).get(reference.counter) if reference else None
    return {"low": 1.0, "high": -1.0}.get(counter.better if counter else "", 0.0)


def _worse(question: Question, own: Move | None, catalogue: Catalogue | None) -> float:
    """The direction of the reference; where nobody says it, the one in which it moved."""
    known = _direction(question.reference, catalogue)
    return known or (-1.0 if own is not None and own.change < 0 else 1.0)


def _span(session: SampleSource, question: Question, known: CorrelationKnowledge, worse: float) -> Span:
    whole = session.span()
    if whole is None:
        raise NotFoundError(NO_SAMPLES, advice="Record or import something first.")
    sources = {one.id: one for one in session.sources()}
    if question.reference is None:
        first = next(iter(sources.values()))
        step = step_of(first, session.times(first.id, question.window))
        return span_of(question.window or whole, whole, step, known.numbers, found=False)
    times, values = samples_of(session, question.reference, whole)
    if not times.size:
        raise NotFoundError("The series has no samples in this session.")
    step = step_of(sources[question.reference.source], times)
    window = question.window
    if window is None:
        least = known.least_changes.get(question.reference.spec.unit, 0.0)
        window = strangest_window(times, values, step, known.numbers, worse, least)
        return span_of(window or whole, whole, step, known.numbers, found=window is not None)
    return span_of(window, whole, step, known.numbers, found=False)
