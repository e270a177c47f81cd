"""Whether there are enough samples to judge: of each source, and of each entity in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import msgspec
import numpy as np

from diagnosis.arrays import usual_step
from diagnosis.compiled import Template, compile_template
from diagnosis.derived import FIRST_DERIVED
from diagnosis.evaluate import Operands, evaluate
from diagnosis.explain import verdict_of
from diagnosis.language import Node, Shape, parse
from diagnosis.orders import JudgedSteps, orders
from diagnosis.pruning import Pruning
from diagnosis.ranking import score
from diagnosis.samples import SampleTable
from diagnosis.topology import Topology
from resources.problem_cards import Card, Cause, Presence
from resources.units import format_value
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.model import EntityRef, FloatArray, Gap, IntArray, Source
from sessions.times import TimeRange

NAMES = ("samples", "expected", "coverage", "seconds", "interval", "left_s", "came_s", "ended_with")
_NEVER = -1.0
"""Stands for when something left or came that was there at the end, or from the beginning."""
_MOSTLY = 0.8  # of the missing time: what was away at one end only
_SLACK = 2  # intervals: what ends so shortly before the recording, or after its host, ends with it
_LATE = 1.5  # intervals: a sample later than this leaves a gap
EntityGaps = Mapping[tuple[int, EntityRef], Sequence[TimeRange]]
"""The gaps of each entity in each source, (source id, entity), ordered by start."""


def gaps_by_entity(gaps: Iterable[Gap], window: TimeRange) -> EntityGaps:
    """Return the parts of the entities' gaps that lie in the window; gaps of whole sources are left out."""
    found: dict[tuple[int, EntityRef], list[TimeRange]] = {}
    for gap in gaps:
        part = TimeRange(gap.start, gap.end).intersect(window)
        if gap.entity is not None and part is not None:
            found.setdefault((gap.source, gap.entity), []).append(part)
    return found


@dataclass(frozen=True, slots=True)
class Subject:
    """A source or an entity whose number of samples is judged; ``values`` are the operands of the
    card's condition.
    """

    ref: EntityRef
    name: str
    values: dict[str, float]
    windows: tuple[TimeRange, ...]
    seen_by: str = ""
    is_source: bool = False

    @property
    def text(self) -> str:
        """The name in a sentence; of what several hosts share, with the host that ``seen_by`` names."""
        return f"{self.name}, as {self.seen_by} sees it," if self.seen_by else self.name


def source_subject(source: Source, times: IntArray, topology: Topology) -> Subject | None:
    """Return the source as a whole, named by its host if it has exactly one; None if it has no sample."""
    if not times.size:
        return None
    ref = _whole(source, topology)
    steps = np.diff(times) / 1000
    interval = source.spec.interval_s or (float(np.median(steps)) if steps.size else 0.0)
    length = float(times[-1] - times[0]) / 1000
    expected = max(float(times.size), round(length / interval) + 1.0) if interval else float(times.size)
    late = np.flatnonzero(steps > _LATE * interval)
    gaps = tuple(TimeRange(int(times[i]), int(times[i + 1])) for i in late.tolist())
    values = _values(times.size, expected, interval)
    windows = gaps or (TimeRange(int(times[0]), int(times[-1])),)
    return Subject(ref, topology.entity(ref).name, values, windows, is_source=True)


def _whole(source: Source, topology: Topology) -> EntityRef:
    """What a source is: its only host, or the vCenter."""
    for kind in ("host", "vcenter"):
        found = topology.rows(source.id, kind)
        if len(found) == 1:
            return found[0]
    return EntityRef("vcenter" if source.spec.kind == "vcenter" else "host", source.spec.name)


def entity_subjects(
    source: Source,
    times: IntArray,
    kinds: Sequence[str],
    topology: Topology,
    pruning: Pruning,
    gaps: EntityGaps,
    table: SampleTable,
) -> Iterator[Subject]:
    """Yield the entities of a source, each with the samples of its fullest series and its gaps
    within ``times``. One of which no gap is told is expected from its own first sample on: it was made, or
    switched on, then. What ends with its host is told of the host, not of each VM, device and NIC.
    """
    counts = dict(zip(pruning.ids.tolist(), pruning.stats.count.tolist(), strict=True))
    whole = TimeRange(int(times[0]), int(times[-1]))
    interval = usual_step(times) / 1000
    present = _Present(source.id, times, topology, counts, gaps, table)
    chosen, hosts = present.of(kinds), present.gone_hosts()
    ends = present.ends_of(chosen)
    ended_with = Counter(present.ended_with(hosts, present.of(["vm"])).values()) if hosts else Counter()
    with_host = present.ended_with(hosts, chosen) if hosts else {}
    for ref, fullest, missing in chosen:
        if ref in with_host:
            continue
        end = ends.get(ref, _ALL_THERE)
        known = [part for gap in missing if (part := gap.intersect(whole))] or end.gone(times)
        values = {
            **_values(counts[fullest], float(times.size - end.before), interval),
            **_whereabouts(known, whole, 1000 * _SLACK * interval),
            "ended_with": float(ended_with[ref]),
        }
        entity, base = topology.entity(ref), topology.base(ref)
        name = topology.entity(entity.parent).name if ref != base and entity.parent else ""
        yield Subject(base, entity.name, values, tuple(known) or (whole,), name)


class _End(msgspec.Struct, frozen=True):
    """Where the samples of an entity of which no gap is told begin and end: how many instants of its source
    were ``before`` them, the index of the ``last`` one, and how many of the instants between have none.
    """

    before: int = 0
    last: int = -1
    holes: int = 0

    def gone(self, times: IntArray) -> list[TimeRange]:
        """The time after its last sample, if most of what it lacks is there and it is more than a moment."""
        after = times.size - 1 - self.last
        if self.last < 0 or after <= _SLACK or after < _MOSTLY * (after + self.holes):
            return []
        return [TimeRange(int(times[self.last + 1]), int(times[-1]))]


_ALL_THERE = _End()
_Row = tuple[EntityRef, int, Sequence[TimeRange]]
"""An entity, its fullest series, and the gaps that are told of it."""


class _Present:
    """The entities of a source that have any series, and when their samples end."""

    def __init__(
        self,
        source: int,
        times: IntArray,
        topology: Topology,
        counts: Mapping[int, int],
        gaps: EntityGaps,
        table: SampleTable,
    ) -> None:
        self._source, self._times, self._topology = source, times, topology
        self._counts, self._gaps, self._table = counts, gaps, table

    def of(self, kinds: Sequence[str]) -> list[_Row]:
        topology, counts = self._topology, self._counts
        found: list[_Row] = []
        for kind in kinds:
            for ref in topology.rows(self._source, kind):
                own = [one for one in topology.series.of_entity(self._source, ref) if one in counts]
                own = [one for one in own if one < FIRST_DERIVED] or own  # what follows from facts goes on
                if own:
                    told = self._gaps.get((self._source, ref))
                    told = told or self._gaps.get((self._source, topology.base(ref)), ())
                    found.append((ref, max(own, key=lambda one: counts[one]), told))
        return found

    def ends_of(self, rows: Sequence[_Row]) -> dict[EntityRef, _End]:
        """Of the entities that lack some samples, though no gap is told of them."""
        some = [
            (ref, one)
            for ref, one, missing in rows
            if not missing and 0 < self._counts[one] < self._times.size
        ]
        if not some:
            return {}
        ids = np.array([one for _, one in some], dtype=np.int64)
        there = ~np.isnan(self._table.rows(self._source, ids))
        first = there.argmax(axis=1)
        last = self._times.size - 1 - there[:, ::-1].argmax(axis=1)
        holes = last + 1 - first - there.sum(axis=1)
        pairs = zip(some, zip(first.tolist(), last.tolist(), holes.tolist(), strict=True), strict=True)
        return {ref: _End(*numbers) for (ref, _), numbers in pairs}

    def gone_hosts(self) -> dict[EntityRef, _End]:
        """The hosts whose samples end before those of the source do."""
        ends = self.ends_of(self.of(["host"]))
        return {ref: end for ref, end in ends.items() if end.gone(self._times)}

    def ended_with(self, hosts: Mapping[EntityRef, _End], rows: Sequence[_Row]) -> dict[EntityRef, EntityRef]:
        """Return the host of each entity on it whose samples end with those of its host."""
        found = {}
        for ref, end in self.ends_of(rows).items():
            host = self._topology.host(self._source, ref)
            if host in hosts and host not in (None, ref) and abs(end.last - hosts[host].last) <= _SLACK:
                found[ref] = host
        return found


def _whereabouts(missing: Sequence[TimeRange], whole: TimeRange, slack_ms: float) -> dict[str, float]:
    """When an entity left and did not come back, and when it came: seconds from the source's first sample."""
    left = [one for one in missing if one.end >= whole.end - slack_ms and one.start > whole.start]
    came = [one for one in missing if one.start <= whole.start + slack_ms and one.end < whole.end]
    away, all_s = sum(one.seconds for one in (*left, *came)), sum(one.seconds for one in missing)
    if away < _MOSTLY * all_s:  # samples are missing now and then, and at the end by chance
        left, came = [], []
    return {
        "left_s": (left[0].start - whole.start) / 1000 if left else _NEVER,
        "came_s": (came[-1].end - whole.start) / 1000 if came else _NEVER,
    }


def insufficient(card: Card, rule: Presence, subjects: Sequence[Subject]) -> list[Finding]:
    """Return findings for the subjects with too few samples, by the condition on the card."""
    if not subjects:
        return []
    values: dict[str, FloatArray | float] = {
        name: np.array([subject.values[name] for subject in subjects])[:, None] for name in NAMES
    }
    values.update({name: threshold.value for name, threshold in card.thresholds.items()})
    shapes = {name: Shape.ENTITY if name in NAMES else Shape.CONSTANT for name in values}
    operands = Operands(values, np.zeros(0, dtype=np.int64), (len(subjects), 0))

    def column(text: str) -> FloatArray:
        result: FloatArray = np.broadcast_to(
            evaluate(_parsed(text, tuple(shapes.items())), operands), (len(subjects), 1)
        )[:, 0]
        return result

    short = np.flatnonzero(column(rule.condition) == 1)
    likely = [(cause, column(cause.likely)) for cause in card.causes]
    texts = _Texts(subjects, operands, shapes)
    found = []
    for row in short.tolist():
        kind = "" if subjects[row].is_source else subjects[row].ref.kind
        asked = [one for one in likely if not one[0].entities or kind in one[0].entities]
        found.append(_finding(card, rule, subjects[row], row, asked, texts))
    return found


@lru_cache(maxsize=64)
def _parsed(text: str, shapes: tuple[tuple[str, Shape], ...]) -> Node:
    return parse(text, dict(shapes))


@dataclass(frozen=True, slots=True)
class _Texts:
    subjects: Sequence[Subject]
    operands: Operands
    shapes: dict[str, Shape]

    def fill(self, text: str, row: int) -> str:
        template: Template = compile_template(text, self.shapes)
        parts = [template.literals[0]]
        for placeholder, literal in zip(template.placeholders, template.literals[1:], strict=True):
            parts += [
                self._value(placeholder.node, placeholder.unit, row)
                if placeholder.node
                else self.subjects[row].text,
                literal,
            ]
        return "".join(parts)

    def _value(self, node: Node, unit: str, row: int) -> str:
        values = np.broadcast_to(evaluate(node, self.operands), (len(self.subjects), 1))
        return format_value(float(values[row, 0]), unit)


def _finding(
    card: Card,
    rule: Presence,
    subject: Subject,
    row: int,
    likely: Sequence[tuple[Cause, FloatArray]],
    texts: _Texts,
) -> Finding:
    causes = []
    judged: list[JudgedSteps] = []
    for cause, values in likely:
        verdict = verdict_of(float(values[row]), None)
        sentence = cause.because if verdict == "likely" else cause.otherwise
        causes.append(CauseVerdict(cause.id, cause.title, verdict, texts.fill(sentence, row)))
        judged.append(JudgedSteps(verdict, cause.title, [texts.fill(step, row) for step in cause.remedies]))
    causes.sort(key=lambda cause: cause.verdict != "likely")
    missing = 1.0 - subject.values["coverage"]
    return Finding(
        problem=card.id,
        title=card.title,
        severity="info",
        entity=subject.ref,
        entity_name=subject.name,
        windows=subject.windows,
        share=missing,
        conclusion=texts.fill(rule.conclusion, row),
        evidence=tuple(_evidence(card, subject)),
        causes=tuple(causes),
        remedies=orders(judged),
        score=score("info", max(missing, 0.1), 1.0),
    )


def _evidence(card: Card, subject: Subject) -> Iterator[Evidence]:
    """The numbers of a finding; a limit stands only beside one that is below it."""
    for name, threshold, part, unit, what in (
        ("samples", "least", 1.0, "count", "Samples"),
        ("seconds", "enough_s", 1.0, "s", "Time that they cover"),
        ("coverage", "enough", 100.0, "%", "Of the samples that were expected"),
    ):
        value, limit = subject.values[name] * part, card.thresholds[threshold].value * part
        yield Evidence(name, "", "", value, limit if value < limit else None, unit, what)


def _values(samples: int, expected: float, interval: float) -> dict[str, float]:
    coverage = samples / expected if expected else 0.0
    return {
        "left_s": _NEVER,
        "came_s": _NEVER,
        "ended_with": 0.0,
        "samples": float(samples),
        "expected": expected,
        "coverage": coverage,
        "seconds": samples * interval,
        "interval": interval,
    }
