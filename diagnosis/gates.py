"""Which rows can meet a rule: decided by chunk statistics, without reading samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from diagnosis.compiled import FACT
from diagnosis.evaluate import Bounds, bound
from diagnosis.pruning import Gate, Pruning
from diagnosis.reduction import Groups
from diagnosis.session_events import length_s
from diagnosis.signals import Scene, thresholds_of
from resources.problem_cards import Signal
from sessions.model import FloatArray, IntArray


def gate_of(scene: Scene, pruning: Pruning) -> Gate:
    """Decide which rows can meet the condition; again only where bounds or events differ."""
    kept = scene.kept
    names = [scene.compiled.signals[name] for name in scene.compiled.detecting()]
    if any(one.signal.arrived for one in names):
        return _gate(scene, pruning)  # how many came lately depends on the time of the sample
    if kept.events is not scene.events and any(one.signal.happening for one in names):
        kept.gate = None
    is_same = kept.look + 1 == pruning.look and not pruning.differs[places_in(scene, pruning.ids)].any()
    if kept.gate is None or not is_same:
        kept.gate, kept.events = _gate(scene, pruning), scene.events
    kept.look = pruning.look
    return kept.gate


def places_in(scene: Scene, ids: IntArray) -> IntArray:
    """Return where the series of the condition are in ``ids``, which has all of them, ascending."""
    kept = scene.kept
    if kept.places is None or kept.places[0] is not ids:
        kept.places = ids, np.searchsorted(ids, series_of(scene))
    return kept.places[1]


def series_of(scene: Scene) -> IntArray:
    """Return the series that a scene's condition reads; some may be there more than once."""
    found = [
        ids
        for name in scene.compiled.detecting()
        if scene.rows and scene.compiled.signals[name].counters
        for ids in scene.members(name).ids.values()
    ]
    every = np.concatenate(found) if found else np.zeros(0, np.int64)
    return every[every >= 0]


def _gate(scene: Scene, pruning: Pruning) -> Gate:
    """Decide which rows of the scene can meet the condition, from the bounds of its signals.

    Interval arithmetic: the bounds are never too narrow, so no row that meets the condition is skipped.
    """
    rows = len(scene.rows)
    bounds = _threshold_bounds(scene.values, scene.compiled.thresholds)
    for name in scene.compiled.detecting():
        bounds[name] = _signal_bounds(scene, name, bounds, pruning)
    high = _wide(bound(scene.compiled.condition, bounds).high, rows)
    measure = scene.compiled.measure
    measured = None if measure is None else _of_rows(bound(measure, bounds), rows)
    return Gate(high == 1, ~np.isnan(high), measured)


def _threshold_bounds(values: Mapping[str, FloatArray | float], names: Iterable[str]) -> dict[str, Bounds]:
    """The thresholds as bounds: one number, or one for each entity."""
    flat = ((name, np.asarray(values[name])) for name in names)
    limits = ((name, value.reshape(-1) if value.ndim else value) for name, value in flat)
    return {name: Bounds(value, value) for name, value in limits}


def _of_rows(bounds: Bounds, rows: int) -> Bounds:
    return Bounds(_wide(bounds.low, rows), _wide(bounds.high, rows))


def _wide(values: FloatArray, number: int) -> FloatArray:
    """One value for each of a number of entities, which may all have the same."""
    return values if values.shape == (number,) else np.broadcast_to(values, (number,))


def _signal_bounds(scene: Scene, name: str, bounds: Mapping[str, Bounds], pruning: Pruning) -> Bounds:
    signal = scene.compiled.signals[name]
    if signal.signal.fact:
        return Bounds(*scene.topology.facts.ends(signal.signal.fact, scene.rows))
    if signal.signal.arrived:
        came = scene.arrivals(signal.signal)
        return Bounds(np.fmin.reduce(came, axis=1), np.fmax.reduce(came, axis=1))
    if signal.signal.happening:
        return _event_bounds(scene, signal.signal)
    assert signal.node
    if signal.signal.derived:
        return bound(signal.node, bounds)
    return pruning.measured(
        signal, scene.members(name), lambda: _measured_bounds(scene, name, bounds, pruning)
    )


def _measured_bounds(scene: Scene, name: str, bounds: Mapping[str, Bounds], pruning: Pruning) -> Bounds:
    signal, members = scene.compiled.signals[name], scene.members(name)
    assert signal.node
    local = {name: bounds[name] for name in signal.limits}
    if not signal.limits.isdisjoint(scene.compiled.classed):
        local = _threshold_bounds(thresholds_of(scene.compiled, scene.topology, members.refs), signal.limits)
    local.update((counter, pruning.bounds(ids)) for counter, ids in members.ids.items())
    for counter, key in signal.counters.items():
        if key.startswith(FACT):
            local[counter] = Bounds(*scene.topology.facts.ends(key.removeprefix(FACT), members.refs))
    found = _of_rows(bound(signal.node, local), members.row.size)
    reduced = _reduced_bounds(found, members.groups, signal.signal.reduce)
    if members.units == len(scene.rows):
        return reduced
    return Bounds(reduced.low[members.unit], reduced.high[members.unit])


def _event_bounds(scene: Scene, signal: Signal) -> Bounds:
    """No event at all, or the longest of the row's; without a value at every sample of every row."""
    low = np.full(len(scene.rows), 0.0 if scene.events.are_reported else np.nan)
    high = low.copy()
    if (scene.events.are_reported or scene.events.are_told) and scene.events.has_any(signal.happening):
        for row in range(len(scene.rows)):
            events = scene.events_of(signal, row)
            if not events and not scene.events.are_reported:
                continue
            long = [one for one in events if length_s(one) >= signal.within_s]
            low[row] = 0.0
            high[row] = len(long) if signal.reduce == "count" else max(map(length_s, long), default=0.0)
    return Bounds(low, high)


def _reduced_bounds(each: Bounds, groups: Groups, how: str) -> Bounds:
    # Members may be absent at some samples: a sum can lack any of them, a maximum can be of the smallest
    # only.
    low, high = each.low, each.high
    if how == "members":
        number = groups.reduce(low[:, None], how)[:, 0]
        return Bounds(number, number)
    if how == "count":
        low, high, least, most = np.zeros(low.shape), np.ones(high.shape), "min", "sum"
    elif how in ("sum", "top3"):
        low, high, least, most = np.minimum(low, 0.0), np.maximum(high, 0.0), "sum", "sum"
    else:
        least, most = "min", "max"
    if groups.are_single:
        return Bounds(low, high)
    return Bounds(groups.reduce(low[:, None], least)[:, 0], groups.reduce(high[:, None], most)[:, 0])
