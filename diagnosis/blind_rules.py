"""Whether a rule could find its problem at all with what a source tells: if not, its silence says nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from diagnosis.compiled import CompiledRule, CompiledSignal
from diagnosis.evaluate import Bounds, bound
from diagnosis.signals import Asked, Scene
from diagnosis.who_would_know import lacking_text, untold_text
from resources.catalogue import Catalogue

_UNKNOWN = Bounds(np.array(np.nan), np.array(np.nan))
_ANYTHING = Bounds(np.array(-1e9), np.array(1e9))
"""Stands for any number that a source may tell; what is made of it stays finite."""
_OF_NONE = ("members", "count")
"""Reductions that have a value where there are no members."""


def blind_reason(scenes: Sequence[Scene], kinds: Collection[str], catalogue: Catalogue) -> str:
    """Return what hides a problem from all of these scenes of its rules, and which source would tell it;
    empty if one of them could have found it.
    """
    missing = [what_blinds(scene) for scene in scenes]
    if not all(missing):
        return ""
    keys = set().union(*missing)
    counters = sorted(key for key in keys if catalogue.get(key))
    if counters:
        return lacking_text(counters, catalogue, kinds)
    return untold_text(keys, kinds) if keys else ""


def what_blinds(scene: Scene) -> set[str]:
    """Return what is missing of a rule that can't be met whatever else the source tells: keys of counters,
    names of facts, "events"; empty for a rule that can be met.
    """
    compiled = scene.compiled
    missing = {name: keys for name in compiled.detecting() if (keys := _missing(scene, name))}
    if not missing or _can_be_met(compiled, frozenset(missing)):
        return set()
    needed = (keys for name, keys in missing.items() if not _can_be_met(compiled, frozenset({name})))
    return set().union(*needed) or set().union(*missing.values())


@lru_cache(maxsize=512)  # the same of every host's source, and after every tick
def _can_be_met(compiled: CompiledRule, missing: frozenset[str]) -> bool:
    """Return True if the condition can be true where these signals are unknown, and all others anything."""
    known = _limits(compiled.thresholds, compiled.thresholds)
    for name in compiled.detecting():
        signal = compiled.signals[name]
        if name in missing:
            known[name] = _UNKNOWN
        elif signal.signal.derived and signal.node is not None:
            known[name] = bound(signal.node, known)
        else:
            known[name] = _ANYTHING
    return bool(np.all(bound(compiled.condition, known).high == 1))


def _limits(thresholds: Mapping[str, float], names: Iterable[str]) -> dict[str, Bounds]:
    return {name: Bounds(np.array(thresholds[name]), np.array(thresholds[name])) for name in names}


def _missing(scene: Scene, name: str) -> set[str]:
    """What a signal lacks for all rows; empty if it may have a value, and for what follows from others."""
    compiled = scene.compiled.signals[name]
    signal = compiled.signal
    if signal.told:
        is_told = scene.events.are_told and scene.events.has_any(signal.happening)
        return set() if scene.events.are_reported or is_told else {"events"}
    if signal.fact:
        return set() if scene.topology.texts(signal.fact) else {signal.fact}
    return set() if signal.derived else _missing_series(scene, name, compiled)


def _missing_series(scene: Scene, name: str, compiled: CompiledSignal) -> set[str]:
    """The counters that no member has, of a signal that can't do without them."""
    if compiled.signal.reduce in _OF_NONE or compiled.node is None:
        return set()
    members = scene.members(name)
    lacking = {local for local, ids in members.ids.items() if (ids < 0).all()}
    if not lacking:
        return set()
    known = _limits(scene.compiled.thresholds, compiled.limits)
    known.update((local, _UNKNOWN if local in lacking else _ANYTHING) for local in compiled.counters)
    found = bound(compiled.node, known)
    return {compiled.counters[local] for local in lacking} if bool(np.all(np.isnan(found.high))) else set()


def asked_of(scene: Scene) -> Asked:
    """Return what the condition asks of the scene's source and of the inventory; looked up only once."""
    kept = scene.kept
    if kept.asked is None:
        keys = frozenset() if scene.compiled.rule.finds_only else scene.compiled.needed()
        there = frozenset(key for key in keys if scene.topology.series.of_counter(scene.source, key))
        kept.asked = Asked(there, keys - there, frozenset(_untold_of(scene)))
    return kept.asked


def _untold_of(scene: Scene) -> set[str]:
    """Return what the condition asks of an inventory and nobody told: names of facts, events, paths."""
    measure, topology = scene.compiled.measure, scene.topology
    found: set[str] = set()
    if scene.compiled.rule.finds_only:
        return found
    for name in scene.compiled.detecting():
        signal = scene.compiled.signals[name].signal
        if signal.happening and not scene.events.are_reported:
            found.add("events")
        decides = measure is None or name in measure.names()
        if signal.fact and decides and not topology.texts(signal.fact):
            found.add(signal.fact)
        if signal.of == "path" and not topology.rows(scene.source, "path"):
            found.add("paths")
    return found
