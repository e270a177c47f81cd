"""Compares a recorded session with the samples that the test vCenter
says it had: lost and wrong samples, gaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sessions.model import Entity, EntityRef, Gap, Series
from sessions.store import SessionReader, check_session
from tests.recorder.vcenters import owner_of, server_key
from tests.vcenter.running import TestVCenter
from tests.vsphere.recording import Key, server_samples


@dataclass(frozen=True, slots=True)
class Recorded:
    """One series of a session: its samples in the server's own numbers, and
    the entities whose gaps may explain holes.
    """

    samples: Mapping[int, int]
    entities: frozenset[EntityRef]


def recorded(reader: SessionReader) -> dict[Key, Recorded]:
    """Read the realtime series of a session, keyed by the names that the server uses."""
    found: dict[Key, Recorded] = {}
    entities = reader.entities()
    live = {source.id for source in reader.sources() if not source.spec.name.endswith(" rollups")}
    by_id = {one.id: one for one in reader.series() if one.source in live}
    for frame in reader.read(np.array(list(by_id), np.int64)):
        for column, number in enumerate(frame.ids.tolist()):
            one, values = by_id[number], frame.values[:, column]
            there = np.flatnonzero(~np.isnan(values))
            numbers = np.rint(values[there] / one.spec.scale).astype(int).tolist()
            samples = dict(zip(frame.times[there].tolist(), numbers, strict=True))
            owner = owner_of(one, entities)
            found[server_key(one, owner)] = Recorded(samples, _line(one, owner, entities))
    return found


def _line(one: Series, owner: Entity, entities: Mapping[EntityRef, Entity]) -> frozenset[EntityRef]:
    """The series' entity, those between it and the object that answers for it, and that object."""
    line, at = {owner.ref}, entities[one.entity]
    while at.ref != owner.ref:
        line.add(at.ref)
        if at.parent is None:
            break
        at = entities[at.parent]
    return frozenset(line)


def findings(
    session: Path, server: TestVCenter, wanted: frozenset[Key], start_ms: int, end_ms: int
) -> Iterator[str]:
    """Yield a sentence for each error in the samples from ``start_ms`` (excluded) to ``end_ms``.

    ``wanted`` are the keys of all series that the session should have.
    """
    yield from (f"the session is damaged: {problem}" for problem in check_session(session, thorough=True))
    truth = server_samples(server, start_ms, end_ms)
    with SessionReader.open(session) as reader:
        sources = {one.id: one for one in reader.sources() if not one.spec.name.endswith(" rollups")}
        gaps = [gap for gap in reader.gaps() if gap.source in sources]
        mine = recorded(reader)
        counted = [one.spec.counted or (0, 0) for one in sources.values()]
    missing = 0
    for key in sorted(wanted | mine.keys()):
        there = {at: round(value) for at, value in truth.get(key, {}).items()}
        own = mine.get(key, Recorded({}, frozenset()))
        samples = {at: value for at, value in own.samples.items() if start_ms < at <= end_ms}
        lacking = sorted(there.keys() - samples.keys())
        missing += len(lacking)
        yield from _of_series(key, samples, there, lacking, _concerning(gaps, own))
    expected, received = (sum(numbers) for numbers in zip(*counted, strict=True))
    if expected - received < missing:
        yield f"{missing} samples are missing; expected {expected}, received {received}"


def _concerning(gaps: Sequence[Gap], own: Recorded) -> list[Gap]:
    return [gap for gap in gaps if gap.entity is None or gap.entity in own.entities]


def _of_series(
    key: Key, samples: Mapping[int, int], there: Mapping[int, int], lacking: Sequence[int], gaps: list[Gap]
) -> Iterator[str]:
    if more := sorted(samples.keys() - there.keys()):
        yield f"{key} has samples that never were, at {more}"
    if wrong := [at for at, value in samples.items() if at in there and there[at] != value]:
        yield f"{key} has other values than the server at {wrong}"
    covering = {at: [gap for gap in gaps if gap.start <= at <= gap.end] for at in lacking}
    if bare := [at for at, found in covering.items() if not any(gap.reason for gap in found)]:
        yield f"{key} lacks samples that are in no gap, at {bare}"
    if doubly := [at for at, found in covering.items() if len(found) > 1]:
        yield f"{key} lacks samples that are in two gaps, at {doubly}"
    whole = [gap for gap in gaps if gap.entity is None]
    if denied := [at for at in samples if any(gap.start <= at <= gap.end for gap in whole)]:
        yield f"{key} has samples where its source has a gap, at {denied}"
