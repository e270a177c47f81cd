"""How far two sources' curves of one quantity are apart: in a sentence, and as the area between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from resources.catalogue import Catalogue
from sessions.model import FloatArray, IntArray, Series, Source
from sessions.times import TimeRange
from viewmodels.curve import Curve
from viewmodels.distinct_names import counter_label
from viewmodels.host_domains import without
from viewmodels.joined_sources import SourcesApart, same_quantity, short_sentence, side_by_side
from viewmodels.shared_devices import part_measured, source_names
from viewmodels.snapshot import Snapshot

_GUESSED = "; that they mean one VM is known by its name alone: a guess"
_KINDS = {"vcenter": "vCenter", "esxi": "the host's API", "esxtop": "esxtop", "guest": "the guest"}


def sources_apart(
    series: Sequence[Series],
    curves: Mapping[int, Curve],
    snapshot: Snapshot,
    window: TimeRange,
    catalogue: Catalogue | None = None,
) -> list[SourcesApart]:
    """Return how far those of a chart's series that two sources have are apart in its window."""
    return list(_found(series, curves, snapshot, window, catalogue))


def _found(
    series: Sequence[Series],
    curves: Mapping[int, Curve],
    snapshot: Snapshot,
    window: TimeRange,
    catalogue: Catalogue | None,
) -> Iterator[SourcesApart]:
    sources = {source.id: source for source in snapshot.sources}
    part_of = part_measured(snapshot.entities, source_names(snapshot))
    for pair in same_quantity((one for one in series if one.id in curves), part_of):
        first, second = (_samples(curves[one.id], window) for one in pair)
        compared = side_by_side(first, second)
        if compared is None:
            continue
        finer, coarser = pair if compared.is_first_finer else pair[::-1]
        measured = compared.disagreement(finer, coarser)
        if measured is not None and {finer.source, coarser.source} <= sources.keys():
            names = _names(sources[finer.source], sources[coarser.source], snapshot.entity_index.host_domain)
            label = counter_label(finer.counter, catalogue)
            sentence = short_sentence(measured, names)
            sentence += _GUESSED if snapshot.is_guessed(finer.entity) else ""
            yield SourcesApart(finer.id, coarser.id, measured, compared, label, sentence)


def sentence_of(apart: Sequence[SourcesApart]) -> str:
    """Return the sentence of those that are furthest apart; empty for none."""
    worst = max(apart, key=lambda one: one.measured.relative, default=None)
    if worst is None:
        return ""
    text = f"{worst.sentence[:1].upper()}{worst.sentence[1:]}" if _is_word(worst.sentence) else worst.sentence
    return f"{worst.counter}: {worst.sentence}" if len({one.counter for one in apart}) > 1 else text


def _is_word(sentence: str) -> bool:
    """True for a sentence that begins with an article, False for one that begins with a name."""
    return sentence.startswith("the ")


def _names(finer: Source, coarser: Source, domain: str) -> dict[int, str]:
    """What the sources are called beside each other: what they are, or, of one kind, their names."""
    kinds = finer.spec.kind, coarser.spec.kind
    if kinds[0] != kinds[1] and all(kind in _KINDS for kind in kinds):
        return {finer.id: _KINDS[kinds[0]], coarser.id: _KINDS[kinds[1]]}
    return {one.id: without(domain, one.spec.name) for one in (finer, coarser)}


def _samples(curve: Curve, window: TimeRange) -> tuple[IntArray, FloatArray]:
    """A curve's samples in a window; those just before it are within the first interval of a coarser one."""
    first, last = np.searchsorted(curve.x, [window.start, window.end + 0.5])
    return curve.x[first:last].astype(np.int64), curve.y[first:last]
