"""Why entities have a problem: evidence, causes with verdicts, and remedies, for all hits
of a rule at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diagnosis.common_way import BadWay, WaysOf
from diagnosis.compiled import CompiledCause
from diagnosis.detect import Hit, blocks, on_host_mask, window_mask
from diagnosis.language import Node
from diagnosis.orders import GIVING_ORDERS, JudgedSteps, orders
from diagnosis.settled import Numbers, settled_of
from diagnosis.signals import Scene
from diagnosis.wording import SentenceWriter
from resources.catalogue import Catalogue
from resources.problem_cards import EvidenceItem
from sessions.findings import CauseVerdict, Evidence, Verdict
from sessions.model import FloatArray

_RETURNS = 3  # spells, from which on something may be said to come back
_APART = 0.6  # of the number in the spells: what stays above that in between is near its limit all the time
_VERDICTS: tuple[Verdict, ...] = ("likely", "possible", "unknown", "ruled out")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The text of one hit: conclusion, evidence, causes, remedies; ``way`` is what its bad paths share.

    ``decided`` is the fraction of its causes that the data can decide, 0 to 1.
    """

    hit: Hit
    conclusion: str
    evidence: tuple[Evidence, ...]
    causes: tuple[CauseVerdict, ...]
    remedies: tuple[str, ...]
    notes: tuple[str, ...]
    way: BadWay | None = None
    stands_out: bool = True
    """Whether the rule's number was clearly better between the windows than in them."""

    @property
    def decided(self) -> float:
        """The fraction of the causes that the data can decide, 0 to 1."""
        known = sum(cause.verdict != "unknown" for cause in self.causes)
        return known / len(self.causes) if self.causes else 1.0


def explain(hits: list[Hit], scene: Scene, catalogue: Catalogue) -> list[Explanation]:
    """Return the explanations of the hits of a scene, in their order; one for each host of a hit."""
    parts = [part for hit in hits for part in hit.by_host(scene.topology, scene.times)]
    whole = scene.of_entities([part.entity for part in parts])
    names = scene.compiled.explaining()
    explained: list[Explanation] = []
    for block in blocks(whole, np.arange(len(parts)), names):
        own = parts[len(explained) : len(explained) + len(block.rows)]
        explained.extend(_Block(block, own, catalogue).explanations())
    return explained


class _Block:
    """Some hits of one rule in one source, with their signals loaded."""

    def __init__(self, scene: Scene, hits: list[Hit], catalogue: Catalogue) -> None:
        self._scene, self._hits, self._catalogue = scene, hits, catalogue
        self._compiled = scene.compiled
        operands = scene.operands(window_mask(hits, scene.times.size), on_host_mask(hits, scene.times))
        self._numbers = Numbers(scene, operands, settled_of(scene, hits))
        hosts = [hit.host for hit in hits]
        self._speaker = SentenceWriter(scene, operands, hosts, catalogue, self._numbers)
        self._ways = WaysOf(scene, operands, hosts)
        self._stated = {one.cause.id: self._stated_of(one) for one in self._compiled.causes}

    def explanations(self) -> Iterator[Explanation]:
        evidence = [(item, self._scalar(node)) for item, node in self._compiled.evidence]
        causes = self._causes()
        for row, hit in enumerate(self._hits):
            ranked = [
                (cause, wanted) for wanted in _VERDICTS for cause, found in causes if found[row] == wanted
            ]
            yield Explanation(
                hit=hit,
                conclusion=self._speaker.text(self._compiled.conclusion, row),
                evidence=tuple(
                    self._evidence(item, float(values[row]), row)
                    for item, values in evidence
                    if np.isfinite(values[row])
                ),
                causes=tuple(self._cause(cause, verdict, row) for cause, verdict in ranked),
                remedies=self._remedies(ranked, row),
                notes=tuple(
                    said for note in self._compiled.notes if (said := self._speaker.text(note, row).strip())
                ),
                way=self._bad_way(ranked, row),
                stands_out=self._stands_out(row),
            )
        self._numbers.keep_statistics()

    def _stands_out(self, row: int) -> bool:
        """Whether what comes and goes is another state than the time between, not a number near its limit."""
        hit, measure = self._hits[row], self._compiled.rule.measure
        if measure is None or self._compiled.measure is None or len(hit.spans) < _RETURNS:
            return True
        self._scene.load(self._compiled.measuring())
        first, end = hit.spans[0][0], hit.spans[-1][1] + 1
        values = self._scene.full(self._compiled.measure)[row, first:end]
        inside = np.zeros(values.size, dtype=np.bool_)
        for begin, last in hit.spans:
            inside[begin - first : last + 1 - first] = True
        known = ~np.isnan(values)
        if not (known & ~inside).any() or not (known & inside).any():
            return True
        bad, between = float(values[known & inside].mean()), float(values[known & ~inside].mean())
        return bad <= _APART * between if measure.below else between <= _APART * bad

    def _bad_way(self, ranked: list[tuple[CompiledCause, Verdict]], row: int) -> BadWay | None:
        """What the hit's bad paths share, where it is likely that they are its cause."""
        way = self._compiled.card.way
        found = {one.cause.id for one, verdict in ranked if verdict == "likely"}
        return self._ways.bad(row) if way is not None and way.cause in found else None

    def _causes(self) -> list[tuple[CompiledCause, list[Verdict]]]:
        """Every cause with its verdict for each hit; likely ones step back while a better one is unknown."""
        found = {one.cause.id: self._verdicts(one) for one in self._compiled.causes}
        return [
            (one, _after(found[one.cause.id], [found[name] for name in one.cause.after if name in found]))
            for one in self._compiled.causes
        ]

    def _scalar(self, node: Node) -> FloatArray:
        """The expression's one value for each hit."""
        return self._numbers.of(node)[:, 0]

    def _verdicts(self, cause: CompiledCause) -> list[Verdict]:
        likely, possible = (self._scalar(node) if node else None for node in (cause.likely, cause.possible))
        stated = self._stated[cause.cause.id]
        return [
            verdict_of(float(stated[row]), None)
            if not np.isnan(stated[row])
            else verdict_of(
                None if likely is None else float(likely[row]),
                None if possible is None else float(possible[row]),
            )
            for row in range(len(self._hits))
        ]

    def _stated_of(self, cause: CompiledCause) -> FloatArray:
        """What an inventory says of the cause for each hit: true, false, or NaN where it says nothing."""
        if cause.stated is None:
            return np.full(len(self._hits), np.nan)
        known = ~np.isnan(self._scalar(cause.stated.known))
        return np.where(known, self._scalar(cause.stated.test), np.nan)

    def _cause(self, compiled: CompiledCause, verdict: Verdict, row: int) -> CauseVerdict:
        sentences = {
            "likely": compiled.because,
            "possible": compiled.because_possible,
            "unknown": compiled.unknown,
            "ruled out": compiled.otherwise,
        }
        cause = compiled.cause
        if compiled.stated and not np.isnan(self._stated[cause.id][row]):
            sentences["likely"], sentences["ruled out"] = compiled.stated.because, compiled.stated.otherwise
        return CauseVerdict(cause.id, cause.title, verdict, self._speaker.text(sentences[verdict], row))

    def _remedies(self, ranked: list[tuple[CompiledCause, Verdict]], row: int) -> tuple[str, ...]:
        """The steps of the causes that the numbers support."""
        return orders(
            JudgedSteps(verdict, one.cause.title, [self._speaker.text(step, row) for step in one.remedies])
            for one, verdict in ranked
            if verdict in GIVING_ORDERS
        )

    def _evidence(self, item: EvidenceItem, value: float, row: int) -> Evidence:
        signal = self._compiled.signals[item.signal]
        counter = item.counter or signal.signal.counter or next(iter(signal.counters.values()), item.signal)
        known = self._catalogue.get(counter)
        threshold = self._compiled.card.thresholds.get(item.threshold)
        unit = item.unit or (threshold.unit if threshold else "") or (known.unit if known else "")
        return Evidence(
            counter=counter,
            instance=self._instance(item.signal, row),
            statistic=item.statistic,
            value=value,
            threshold=self._limit(item.threshold, row) if threshold else None,
            unit=unit,
            what=item.what,
        )

    def _limit(self, name: str, row: int) -> float:
        """A threshold as it holds for the hit's entity."""
        values = np.asarray(self._scene.values[name])
        return float(values[row, 0] if values.ndim else values)

    def _instance(self, name: str, row: int) -> str:
        """Which member the number is of, where the signal is the worst of several."""
        signal = self._compiled.signals[name].signal
        if (
            signal.derived
            or signal.told
            or signal.reduce not in ("max", "min")
            or signal.of in ("", "self", "host")
        ):
            return self._speaker.who(name, row) if signal.each_instance else ""
        return self._speaker.who(name, row)


def _after(verdicts: list[Verdict], better: list[list[Verdict]]) -> list[Verdict]:
    """The verdicts of a cause, possible instead of likely where a better one is unknown."""
    return [
        "possible" if verdict == "likely" and any(one[row] == "unknown" for one in better) else verdict
        for row, verdict in enumerate(verdicts)
    ]


def verdict_of(likely: float | None, possible: float | None) -> Verdict:
    """Return the verdict of a cause from its two tests; each is 1 (true), 0 (false), NaN (unknown)
    or None (no test).
    """
    if likely == 1:
        return "likely"
    if possible == 1:
        return "possible"
    tests = [test for test in (likely, possible) if test is not None]
    return "ruled out" if tests and all(test == 0 for test in tests) else "unknown"
