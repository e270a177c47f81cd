"""What was worked out of findings whose time is over, kept between two looks at a session that grows.

Later samples change a number only if it is made of statistics over all samples, or of what such are part of:
it is *open*. All others stay what they are, and so do the sentences that have no open number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from diagnosis.compiled import CompiledRule, Template
from diagnosis.detect import Hit
from diagnosis.evaluate import Operands, evaluate, forward_ms, is_over_windows, looks_beyond
from diagnosis.language import Node
from diagnosis.placement import Periods
from diagnosis.session_events import SessionEvents
from diagnosis.signals import Scene
from sessions.model import EntityRef, FloatArray

_Key = tuple[EntityRef, tuple[tuple[int, int], ...], EntityRef | None, Periods | None]


@dataclass(frozen=True, slots=True)
class Settled:
    """Numbers of hits by the id of their expression, statistics, the members of signals by their means, and
    sentences by the id of their template. They hold for these ``hits`` on this ``footing`` of the samples.
    """

    hits: tuple[_Key, ...] = ()
    footing: tuple[object, ...] = ()
    events: SessionEvents | None = None
    numbers: dict[int, FloatArray] = field(default_factory=dict)
    statistics: dict[Node, FloatArray] = field(default_factory=dict)
    rankings: dict[tuple[str, int], list[tuple[int, float]]] = field(default_factory=dict)
    texts: dict[tuple[int, int], str] = field(default_factory=dict)

    def is_of(self, other: Settled) -> bool:
        """Return True if both are of the same hits, samples and events."""
        return self.events is other.events and self.footing == other.footing and self.hits == other.hits


def settled_of(scene: Scene, hits: list[Hit]) -> Settled:
    """Return what is kept of the hits, which are the scene's rows; an empty one that is kept from now on, or,
    as long as later samples count for them, for this look alone.
    """
    keys = tuple((hit.entity, hit.spans, hit.host, hit.periods) for hit in hits)
    now = Settled(keys, scene.table.footing(), scene.events)
    kept = scene.kept.settled
    if kept is not None and kept.is_of(now):
        return kept
    scene.kept.settled = now if _are_over(scene, hits) else None
    return now


def _are_over(scene: Scene, hits: list[Hit]) -> bool:
    """True if all samples that count for the windows of the hits are there."""
    ends = [last for hit in hits for _, last in hit.spans]
    if not ends:
        return False
    if scene.kept.forward_ms is None:
        scene.kept.forward_ms = _forward_ms(scene)
    return scene.table.is_known_beyond(scene.source, int(scene.times[max(ends)]) + scene.kept.forward_ms)


def _forward_ms(scene: Scene) -> int:
    """For how long after a window samples count for what is told of it, at most: signals are made of others,
    so that their times may add up.
    """

    def forward(node: Node) -> int:
        return forward_ms(node, lambda one: float(evaluate(one, scene.operands())), inside=True)

    signals = [scene.compiled.signals[name] for name in scene.compiled.explaining()]
    nodes = [node for one in signals for node in (one.node, one.weight) if node]
    return sum(map(forward, nodes)) + max(map(forward, scene.compiled.expressions()), default=0)


@lru_cache(maxsize=512)
def _open_names(rule: CompiledRule) -> frozenset[str]:
    """The signals and values of a rule that later samples change even in windows that are over."""
    found: set[str] = set()
    for name in rule.order:
        nodes = (rule.signals[name].node, rule.signals[name].weight)
        if any(node is not None and looks_beyond(node, found) for node in nodes):
            found.add(name)
    for name, node in rule.values.items():
        if looks_beyond(node, found):
            found.add(name)
    return frozenset(found)


class Numbers:
    """The values of a rule's expressions for hits, which are the rows of the scene; what is settled is not
    worked out again, and the signals that only this is made of are not read.
    """

    def __init__(self, scene: Scene, operands: Operands, settled: Settled) -> None:
        self._scene, self._operands, self.settled = scene, operands, settled
        self._open = _open_names(scene.compiled)
        self._found: dict[int, FloatArray] = {}
        operands.known.update(settled.statistics)
        if not settled.numbers:
            scene.load(scene.compiled.explaining())
        for name, node in scene.compiled.values.items():
            scene.values[name] = self.of(node)

    def of(self, node: Node) -> FloatArray:
        """Return the expression's one value for each hit; shape (hits, 1)."""
        found = self.settled.numbers.get(id(node))
        if found is None:
            found = self._found.get(id(node))
        if found is None:
            self._load(node)
            values, shape = evaluate(node, self._operands), (len(self._scene.rows), 1)
            found = values if values.shape == shape else np.broadcast_to(values, shape)
            where = self._found if looks_beyond(node, self._open) else self.settled.numbers
            where[id(node)] = found
        return found

    def is_open(self, signal: str) -> bool:
        """Return True if later samples change a signal in windows that are over."""
        return signal in self._open

    def are_settled(self, template: Template) -> bool:
        """Return True if no later sample changes what a sentence says; where a member is named, it is told
        where it went.
        """
        return all(
            not looks_beyond(one.node, self._open) if one.node else one.kind not in ("who", "top")
            for one in template.placeholders
        )

    def keep_statistics(self) -> None:
        """Keep the statistics of windows that later looks need for numbers that are open."""
        self.settled.statistics.update(
            (node, value)
            for node, value in self._operands.known.items()
            if node not in self.settled.statistics and not looks_beyond(node, self._open)
        )

    def _load(self, node: Node) -> None:
        """Compute the signals that the expression still needs."""
        names = {one for one in self._unknown(node) if one not in self._scene.values}
        if names:
            self._scene.load(self._scene.compiled.closure(names))

    def _unknown(self, node: Node) -> Iterator[str]:
        if node.op == "name":
            yield node.name
        elif not (is_over_windows(node) and node in self._operands.known):
            for arg in node.args:
                yield from self._unknown(arg)
