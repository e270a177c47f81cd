"""The numbers of one check of one entity over time: the one that it is told by, and its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from diagnosis.compiled import FACT, OF_HOST, CompiledRule
from diagnosis.language import Node
from diagnosis.prepared import Prepared
from diagnosis.signals import Scene
from resources.catalogue import Catalogue
from resources.problem_cards import EvidenceItem
from sessions.model import EntityRef, FloatArray, IntArray
from sessions.times import TimeRange

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True, eq=False)
class CheckCurve:
    """A number of a check over time.

    ``times`` int64, ms; ``values`` float64 in ``unit``, NaN where absent; both of shape (n,). ``limit`` is
    None where the number has none; ``is_below``: values under it are the bad ones. ``is_measure`` is true for
    the one number that the check is told by. ``counter`` is the counter that it is made of, the first one if
    there are several.
    """

    what: str
    counter: str
    unit: str
    times: IntArray
    values: FloatArray
    limit: float | None
    is_below: bool
    is_measure: bool

    def within(self, window: TimeRange) -> FloatArray:
        """Return the samples in a window that are there; shape (n,)."""
        first, end = np.searchsorted(self.times, (window.start, window.end + 1)).tolist()
        inside = self.values[first:end]
        return inside[~np.isnan(inside)]


def check_curves(prepared: Prepared, catalogue: Catalogue, problem: str, ref: EntityRef) -> list[CheckCurve]:
    """Return the numbers of a check of an entity, the one that it is told by first; empty if it was not
    judged.

    Of several sources, hosts' views and rules the one with the most samples of that number counts.
    """
    found: list[list[CheckCurve]] = []
    for source in prepared.sources:
        if prepared.table.axis(source.id).size and source.spec.kind != "log":
            for scene in prepared.scenes_of(source.id):
                if scene.compiled.card.id == problem:
                    found += [_curves(scene, row, catalogue) for row in rows_of(scene, ref)]
    return max(found, key=_samples, default=[])


def _samples(curves: list[CheckCurve]) -> tuple[bool, int]:
    if not curves:
        return False, 0
    known = ~np.isnan(curves[0].values)
    return curves[0].is_measure, int(known.sum())


def rows_of(scene: Scene, ref: EntityRef) -> Iterator[int]:
    """Yield the rows of a scene that are an entity, or a host's view of it."""
    for row, one in enumerate(scene.rows):
        if one == ref or scene.topology.base(one) == ref:
            yield row


def _curves(scene: Scene, row: int, catalogue: Catalogue) -> list[CheckCurve]:
    part = scene.part(np.array([row]))
    compiled = part.compiled
    measure = compiled.rule.measure
    items = [item for item, _ in compiled.evidence]
    names = {item.signal for item in items} | set(compiled.measure.names() if compiled.measure else ())
    part.load(compiled.closure(names))
    curves = []
    measured = ""
    if compiled.measure is not None and measure is not None:
        measured = _only_signal(compiled.measure, compiled)
        threshold = compiled.card.thresholds[measure.limit]
        curves.append(
            CheckCurve(
                measure.what,
                first_counter(compiled, compiled.measure.names()),
                threshold.unit,
                part.times,
                part.full(compiled.measure)[0],
                limit_of(part, measure.limit),
                measure.below,
                is_measure=True,
            )
        )
    told: set[str] = {measured}
    for item in items:
        if item.signal not in told:
            told.add(item.signal)
            if curve := _evidence_curve(part, item, catalogue):
                curves.append(curve)
    return curves


def _evidence_curve(part: Scene, item: EvidenceItem, catalogue: Catalogue) -> CheckCurve | None:
    compiled = part.compiled
    values = np.asarray(part.values.get(item.signal, np.nan))
    if values.ndim != 2 or values.shape[1] != part.times.size:
        return None  # a fact: no number over time
    counter = item.counter or first_counter(compiled, [item.signal])
    known = catalogue.get(counter)
    threshold = compiled.card.thresholds.get(item.threshold)
    return CheckCurve(
        what=item.what or (known.label if known else item.signal),
        counter=counter,
        unit=item.unit or (threshold.unit if threshold else "") or (known.unit if known else ""),
        times=part.times,
        values=values[0],
        limit=limit_of(part, item.threshold) if threshold else None,
        is_below=is_below(compiled, item.signal, item.threshold),
        is_measure=False,
    )


def limit_of(scene: Scene, name: str) -> float:
    """Return a threshold as it holds for the scene's first row."""
    values = np.asarray(scene.values[name])
    return float(values.reshape(-1)[0])


def is_below(compiled: CompiledRule, signal: str, threshold: str) -> bool:
    """Return True if a rule's condition asks for a signal under a threshold."""
    for node in (compiled.condition, compiled.critical):
        if node is not None and (asked := _asked(node, signal, threshold)):
            return asked.startswith("<")
    return False


def _asked(node: Node, signal: str, threshold: str) -> str:
    """The comparison of the signal with the threshold in an expression: ``>``, ``<`` …; empty for none."""
    if node.op in _FLIPPED:
        left, right = (arg.names() for arg in node.args)
        if signal in left and threshold in right:
            return node.op
        if signal in right and threshold in left:
            return _FLIPPED[node.op]
    return next((asked for arg in node.args if (asked := _asked(arg, signal, threshold))), "")


def _only_signal(node: Node, compiled: CompiledRule) -> str:
    """The signal that an expression is nothing but; empty where it is made of more."""
    return node.name if node.op == "name" and node.name in compiled.signals else ""


def first_counter(compiled: CompiledRule, names: Iterable[str]) -> str:
    """Return the first counter that signals are made of; empty for none."""
    keys = (key for name in compiled.closure(names) for key in compiled.signals[name].counters.values())
    return next((key.removeprefix(OF_HOST) for key in keys if not key.startswith(FACT)), "")
