"""How many samples a check of one entity has in a part of the time, and how many its rule needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diagnosis.arrays import usual_step
from diagnosis.check_curves import first_counter, rows_of
from diagnosis.prepared import Prepared
from diagnosis.signals import Scene
from diagnosis.sustained import fewest_samples
from sessions.model import EntityRef
from sessions.times import TimeRange

_LATE = 2.5
"""Usual intervals without a sample after which a source has stopped, as ``diagnosis.reach`` has it."""


@dataclass(frozen=True, slots=True)
class CheckSamples:
    """The samples of one source that decide a check of an entity.

    ``instants`` are the source's in the part of the time, ``known`` those of them at which the rule's
    condition can be told; ``fewest`` is with how many known ones the rule can be met at the least. A rule
    that only finds is not told in between: all instants count. ``last`` (ms) is the source's newest instant,
    ``is_late`` if others have gone on without it. ``what`` names
    the number that decides, ``counter`` the first counter that it is made of.
    """

    what: str
    counter: str
    source: str
    instants: int
    known: int
    fewest: int
    interval_s: float
    last: int
    is_late: bool


def check_samples(
    prepared: Prepared, problem: str, ref: EntityRef, part: TimeRange | None
) -> CheckSamples | None:
    """Return the samples that a check of an entity has in a part of the prepared time (None: of no time).

    Of several sources, hosts' views and rules the one that has the most of what it needs counts. None if no
    source has such an entity, or too few samples to tell how often they come.
    """
    sources = [one for one in prepared.sources if prepared.table.axis(one.id).size > 1]
    newest = max((prepared.table.reference_end(one.id) for one in sources), default=0)
    found = [
        _samples(scene, row, part, one.spec.name, newest)
        for one in sources
        if one.spec.kind != "log"
        for scene in prepared.scenes_of(one.id)
        if scene.compiled.card.id == problem
        for row in rows_of(scene, ref)
    ]
    return max(found, key=lambda one: (one.known / one.fewest, one.instants), default=None)


def _samples(scene: Scene, row: int, part: TimeRange | None, source: str, newest: int) -> CheckSamples:
    scene = scene.part(np.array([row]))
    compiled, times = scene.compiled, scene.times
    inside = np.zeros(times.size, np.bool_)
    if part is not None:
        inside = (times >= part.start) & (times <= part.end)
    known = inside
    if not compiled.rule.finds_only:
        scene.load(compiled.detecting())
        known = inside & ~np.isnan(scene.full(compiled.condition)[0])
    step, measure = usual_step(times), compiled.rule.measure
    told_by = compiled.measure.names() if compiled.measure is not None else compiled.detecting()
    behind = newest - scene.table.reference_end(scene.source)
    return CheckSamples(
        what=(measure.what if measure is not None else compiled.card.title).rstrip(", "),
        counter=first_counter(compiled, told_by),
        source=source,
        instants=int(inside.sum()),
        known=int(known.sum()),
        fewest=fewest_samples(times, compiled.sustained.warning),
        interval_s=step / 1000,
        last=int(times[-1]),
        is_late=behind > _LATE * max(step, scene.table.longest_step()),
    )
