"""Which entities have a problem, and when: runs a rule over all entities of a source at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from diagnosis.arrays import BoolArray, usual_step
from diagnosis.compiled import CompiledRule
from diagnosis.evaluate import Bounds
from diagnosis.gates import gate_of
from diagnosis.placement import Periods, within_periods
from diagnosis.pruning import Pruning
from diagnosis.signals import Scene
from diagnosis.sustained import (
    CloseBursts,
    Windows,
    close_bursts,
    fitted,
    is_coarse,
    present_windows,
    sustained_windows,
    too_short,
)
from diagnosis.topology import Topology
from sessions.distinct import distinct
from sessions.findings import Severity
from sessions.model import EntityRef, FloatArray, IntArray
from sessions.times import TimeRange

_BLOCK = 4_000_000  # samples of one signal's members looked at together: 32 MB an array

_SMALL = 250_000  # samples of a signal that may be held until all rules were run: 2 MB


@dataclass(frozen=True, slots=True)
class Hit:
    """One entity that meets a rule in one source, or the part of the hit on one of the hosts that
    the entity was on.

    ``spans`` are (first, last) positions on the source's time axis; ``windows`` are the time ranges of the
    whole hit. ``peak`` is the worst sample of the rule's number. ``bursts`` are those that come back in the
    windows, None if none do: then ``spans`` are only these, without the good time in between. ``host`` is set
    in a part; ``periods`` are the times when the entity was on that host, None for always.
    """

    compiled: CompiledRule
    source: int
    entity: EntityRef
    severity: Severity
    spans: tuple[tuple[int, int], ...]
    windows: tuple[TimeRange, ...]
    seconds: float
    share: float
    short: bool
    peak: float = math.nan
    bursts: CloseBursts | None = None
    host: EntityRef | None = None
    periods: Periods | None = None

    def by_host(self, topology: Topology, times: IntArray) -> list[Hit]:
        """Split the hit into one part for each host on which the entity met the rule."""
        parts = []
        for placed in topology.hosts(self.source, self.entity):
            if placed.periods is None:
                return [replace(self, host=placed.ref)]
            spans = _runs(window_mask([self], times.size)[0] & within_periods(times, placed.periods))
            if spans:
                parts.append(
                    replace(
                        self,
                        spans=spans,
                        seconds=_seconds(spans, times),
                        host=placed.ref,
                        periods=placed.periods,
                    )
                )
        return parts or [self]


@dataclass(frozen=True, slots=True)
class Detection:
    """The result of a rule in one source: numbers of entities, of entities that could be
    judged, and the hits.

    ``decidable`` says of each row whether what the condition needs is there, ``short`` whether the source is
    shorter than the rule's minimum duration: then only a state (``level``) is judged. ``suspects`` meet the
    condition in every sample of such a source, or in a lone sample of a coarse one; each with the worst of
    its number. ``measured`` are the bounds of each row's number, from chunk statistics. ``blocks`` are the
    rows whose samples were looked at, and the scenes that have them, as far as these are small.
    """

    entities: int
    judged: int
    hits: list[Hit]
    suspects: dict[EntityRef, float]
    decidable: BoolArray
    short: bool
    measured: Bounds | None = None
    blocks: Sequence[tuple[IntArray, Scene]] = ()


def detect(scene: Scene, pruning: Pruning) -> Detection:
    """Judge every row of the scene: by chunk statistics first, and by samples where these leave it open."""
    if not scene.rows or not scene.times.size:
        return Detection(len(scene.rows), 0, [], {}, np.zeros(len(scene.rows), np.bool_), short=True)
    gated = gate_of(scene, pruning)
    rule = scene.compiled.rule
    short = too_short(scene.times, scene.compiled.sustained.warning)
    hits: list[Hit] = []
    suspects: dict[EntityRef, float] = {}
    decidable = gated.decidable.copy()
    looked_at: list[tuple[IntArray, Scene]] = []
    chosen = np.flatnonzero(gated.possible)
    begin = 0
    for block in blocks(scene, chosen, scene.compiled.detecting()):
        found, windows, known = _judge(block, short=short)
        # Bounds say what can be; a row whose condition is unknown at each of its samples is not judged.
        own = chosen[begin : begin + known.size]
        decidable[own] &= known
        begin += known.size
        if known.size * scene.times.size <= _SMALL:
            looked_at.append((own, block))
        if short and scene.compiled.sustained.only_bursts:
            continue  # what was there for a moment has not come back yet
        if short and not rule.level:
            peaks = block.peaks()
            suspects.update((block.rows[row], float(peaks[row])) for row in windows.entity.tolist())
        else:
            hits.extend(found)
            suspects.update(_in_lone_samples(block, windows))
    enough = not short or (rule.level and scene.times.size > 1)
    judged = int(decidable.sum()) if enough else 0
    return Detection(len(scene.rows), judged, hits, suspects, decidable, short, gated.measured, looked_at)


def _in_lone_samples(scene: Scene, windows: Windows) -> dict[EntityRef, float]:
    """Return the rows that meet the condition in coarse samples, but in none of the windows; each with the
    worst of its number.
    """
    compiled = scene.compiled
    if compiled.rule.severity == "info" or compiled.sustained.only_bursts:
        return {}
    if not is_coarse(scene.times, compiled.sustained.warning.hold_s):
        return {}
    met = (scene.full(compiled.condition) == 1).any(axis=1)
    met[windows.entity] = False
    if not met.any():
        return {}
    peaks = scene.peaks()
    return {scene.rows[row]: float(peaks[row]) for row in np.flatnonzero(met).tolist()}


def blocks(scene: Scene, chosen: IntArray, names: list[str]) -> Iterator[Scene]:
    """Yield the scene in pieces of its ``chosen`` rows, small enough that the samples of the named
    signals fit in memory.
    """
    if not chosen.size:
        return
    members = [scene.members(name).row.size for name in names if scene.compiled.signals[name].counters]
    widest = max([1.0, *(count / len(scene.rows) for count in members)])
    size = max(1, int(_BLOCK / (widest * max(1, scene.times.size))))
    for start in range(0, chosen.size, size):
        yield scene.part(chosen[start : start + size])


def _judge(scene: Scene, *, short: bool) -> tuple[list[Hit], Windows, BoolArray]:
    """Hits, their windows, and whose condition is known at any sample; ``short``: the source is too short for
    the sustained rule.
    """
    compiled, rule = scene.compiled, scene.compiled.sustained
    scene.load(compiled.detecting())
    true = scene.full(compiled.condition)
    windows = present_windows(true) if short else sustained_windows(true, scene.times, rule.warning, rule)
    if compiled.bad_sample and windows.entity.size and not short:
        windows = fitted(windows, scene.full(compiled.bad_sample), scene.times, rule.clear_s)
    critical = _critical(scene, windows, short)
    known = np.logical_not(np.isnan(true).all(axis=1))
    return _hits(scene, true, windows, critical, short), windows, known


def _critical(scene: Scene, windows: Windows, short: bool) -> BoolArray:
    """Rows that are critical: their critical condition holds as long as its own rule asks."""
    compiled, rule = scene.compiled, scene.compiled.sustained
    result = np.zeros(len(scene.rows), dtype=np.bool_)
    if compiled.critical is None or short or compiled.rule.severity == "info":
        return result
    rows = distinct(windows.entity)
    if not rows.size:
        return result
    worst = scene.full(compiled.critical)[rows]
    found = sustained_windows(worst, scene.times, rule.critical, rule)
    result[rows[distinct(found.entity)]] = True
    return result


def _hits(scene: Scene, true: FloatArray, windows: Windows, critical: BoolArray, short: bool) -> list[Hit]:
    if not windows.entity.size:
        return []
    known = (~np.isnan(true)).sum(axis=1)
    share = (true == 1).sum(axis=1) / np.maximum(known, 1)
    info = scene.compiled.rule.severity == "info"
    hits = []
    peaks = scene.peaks()
    lead = _lead_ms(scene)
    for row in distinct(windows.entity).tolist():
        own = windows.entity == row
        spans = tuple(zip(windows.first[own].tolist(), windows.last[own].tolist(), strict=True))
        times = scene.times
        bursts = close_bursts(true[row] == 1, times, scene.compiled.sustained)
        hit = Hit(
            compiled=scene.compiled,
            source=scene.source,
            entity=scene.rows[row],
            severity="info" if info else "warning",
            spans=spans if bursts is None else _within(bursts.spans, spans),
            windows=tuple(
                TimeRange(max(int(times[first]) - lead, int(times[0])), int(times[last]))
                for first, last in spans
            ),
            seconds=_seconds(spans, times),
            share=float(share[row]),
            short=short,
            peak=float(peaks[row]),
            bursts=bursts,
        )
        hits.append(replace(hit, severity="critical") if critical[row] else hit)
    return hits


def _within(
    bursts: tuple[tuple[int, int], ...], spans: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """The bursts that lie in the spans: what is told of a problem is told of its bad times."""
    return tuple(
        (first, last) for first, last in bursts if any(start <= first and last <= end for start, end in spans)
    )


def _lead_ms(scene: Scene) -> int:
    """How long before its first sample a window begins (ms): a sample that stands for more time than ends a
    problem is a spell of its own, which began when the sample's interval did.
    """
    step = usual_step(scene.times)
    return round(step) if step > scene.compiled.sustained.clear_s * 1000 else 0


def window_mask(hits: list[Hit], samples: int) -> BoolArray:
    """Return which samples lie in the windows of each hit; shape (hits, samples), bool."""
    mask = np.zeros((len(hits), samples), dtype=np.bool_)
    for row, hit in enumerate(hits):
        for first, last in hit.spans:
            mask[row, first : last + 1] = True
    return mask


def on_host_mask(hits: list[Hit], times: IntArray) -> BoolArray | None:
    """Return at which samples each hit's entity was on the hit's host; (hits, samples), bool.

    None for always.
    """
    if all(hit.periods is None for hit in hits):
        return None
    always = np.ones(times.shape, dtype=np.bool_)
    return np.stack([always if hit.periods is None else within_periods(times, hit.periods) for hit in hits])


def _runs(mask: BoolArray) -> tuple[tuple[int, int], ...]:
    """First and last position of each run of true samples."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False]))))
    return tuple((first, end - 1) for first, end in edges.reshape(-1, 2).tolist())


def _seconds(spans: tuple[tuple[int, int], ...], times: IntArray) -> float:
    return sum(float(times[last] - times[first]) for first, last in spans) / 1000
