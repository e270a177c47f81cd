"""Computes the signals of a rule for many entities: finds members, evaluates their
expression, reduces them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from diagnosis.arrays import BoolArray, Moves
from diagnosis.compiled import FACT, CompiledRule, CompiledSignal
from diagnosis.evaluate import Bounds, Later, Operands, evaluate, forward_ms, is_pointwise, over_time
from diagnosis.grown_values import before_change, settled
from diagnosis.language import Node
from diagnosis.members import MemberBook, Members
from diagnosis.pruning import Gate
from diagnosis.samples import SampleTable
from diagnosis.session_events import SessionEvents, events_at
from diagnosis.storage_events import of_uncounted_storage, told_of_stores
from diagnosis.topology import Topology, store_names
from resources.problem_cards import Signal
from sessions.model import EntityRef, Event, FloatArray, IntArray
from sessions.times import TimeRange

if TYPE_CHECKING:
    from diagnosis.settled import Settled

_MAX_PARTS = 64


def thresholds_of(
    compiled: CompiledRule, topology: Topology, refs: Sequence[EntityRef]
) -> Mapping[str, FloatArray | float]:
    """Return the card's thresholds for these entities: one number for all, or shape (entities, 1) where their
    classes of storage differ.
    """
    if not compiled.classed:
        return compiled.thresholds
    limits, shipped = topology.storage.limits, compiled.thresholds
    return {**shipped, **{name: limits(one, refs, shipped[name]) for name, one in compiled.classed.items()}}


@dataclass(frozen=True, slots=True)
class Stays:
    """How long the values of a signal that is made of series stay open: until samples come that are more than
    ``after_ms`` later, and as long as the nearest instants of other ``sources`` are not the same.
    """

    after_ms: int
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """What an expression over signals is made of: their names, statistics over all samples, and for how long
    after an instant samples count for it.
    """

    names: tuple[str, ...]
    statistics: tuple[Node, ...]
    after_ms: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Which counters of a rule's condition the scene's source has, which it lacks, and what of an inventory
    nobody told.
    """

    present: frozenset[str]
    lacking: frozenset[str]
    untold: frozenset[str]


@dataclass(slots=True)
class SceneKept:
    """What does not depend on the samples, or stays while the bounds of the series do."""

    parts: dict[bytes, Scene] = field(default_factory=dict)
    others: dict[tuple[EntityRef, ...], Scene] = field(default_factory=dict)
    places: tuple[IntArray, IntArray] | None = None
    look: int = -1
    moved: Mapping[int, IntArray] | None = None
    """The rows whose VM moved, with the times (ms) at which it came to each later host."""
    measured: dict[str, Stays | None] = field(default_factory=dict)
    derived: dict[object, Derivation] = field(default_factory=dict)
    gate: Gate | None = None
    asked: Asked | None = None
    events: SessionEvents | None = None
    settled: Settled | None = None
    """What is kept of hits that are the rows; see ``diagnosis.settled``."""
    forward_ms: int | None = None
    worst: tuple[Bounds, list[tuple[int, float, float]]] | None = None
    """The rows whose numbers can be the worst by these bounds, with the worst number, and how bad it is."""
    peaks: dict[int, tuple[float, int]] = field(default_factory=dict)
    """The worst number of a row than which its bounds allow none worse, and how often samples had been
    rewritten before.
    """


@dataclass(slots=True)
class Scene:
    """One rule, the entities of one source that it judges (the rows), and the signals computed so far."""

    compiled: CompiledRule
    source: int
    rows: Sequence[EntityRef]
    topology: Topology
    table: SampleTable
    events: SessionEvents
    book: MemberBook
    values: dict[str, FloatArray | float] = field(default_factory=dict)
    _members: dict[str, Members] = field(default_factory=dict)
    kept: SceneKept = field(default_factory=SceneKept)
    _same: dict[object, int] = field(default_factory=dict)
    """How many instants of a signal have the values of the look before."""

    def __post_init__(self) -> None:
        self.values.update(thresholds_of(self.compiled, self.topology, self.rows))

    def without_values(self, events: SessionEvents) -> Scene:
        """Return the scene without the values that were computed, with the members that were found."""
        return Scene(
            self.compiled, self.source, self.rows, self.topology, self.table, events, self.book,
            _members=self._members, kept=self.kept,
        )  # fmt: skip

    def part(self, chosen: IntArray) -> Scene:
        """Return the scene of some of its rows; their members are looked up only once."""
        key, parts = chosen.tobytes(), self.kept.parts
        if key not in parts:
            if len(parts) >= _MAX_PARTS:
                parts.clear()
            rows = [self.rows[row] for row in chosen.tolist()]
            parts[key] = Scene(
                self.compiled, self.source, rows, self.topology, self.table, self.events, self.book
            )
        return parts[key].without_values(self.events)

    def take(self, other: Scene, row: int) -> None:
        """Take the values that another scene of the same rule has of a row, which is the only one here."""
        for name in other.values.keys() & self.compiled.signals.keys():
            value = np.asarray(other.values[name])
            self.values[name] = value[row : row + 1] if value.ndim else value
        self._same.update(other._same)

    def of_entities(self, rows: list[EntityRef]) -> Scene:
        """Return the scene of the same rule with other rows; their members are looked up only once."""
        key, others = tuple(rows), self.kept.others
        if key not in others:
            if len(others) >= _MAX_PARTS:
                others.clear()
            others[key] = Scene(
                self.compiled, self.source, rows, self.topology, self.table, self.events, self.book
            )
        return others[key].without_values(self.events)

    @property
    def times(self) -> IntArray:
        """The source's sampling instants; shape (n,), int64, ms."""
        return self.table.axis(self.source)

    def members(self, name: str) -> Members:
        """Return the series behind a measured signal."""
        if name not in self._members:
            signal = self.compiled.signals[name]
            keys = {local: key for local, key in signal.counters.items() if not key.startswith(FACT)}
            self._members[name] = self.book.of(signal.signal, keys, self.source, self.rows)
        return self._members[name]

    def load(self, names: Iterable[str]) -> None:
        """Compute those of the named signals that are not computed yet, in the given order."""
        missing = [name for name in dict.fromkeys(names) if name not in self.values]
        _read_together(self, missing)
        for name in missing:
            self.values[name] = self._value(self.compiled.signals[name], name)

    def operands(self, windows: BoolArray | None = None, there: BoolArray | None = None) -> Operands:
        """Return the values for evaluating expressions; the masks (rows, times) are those of ``Operands``."""
        shape = len(self.rows), self.times.size
        return Operands(self.values, self.times, shape, windows, there, moves=self.moves)

    def moves(self) -> Moves:
        """Return at which instants the VMs of the rows began to be on another host."""
        if self.kept.moved is None:
            self.kept.moved = self.topology.moved(self.source, self.rows)
        found = {row: np.searchsorted(self.times, begun) for row, begun in self.kept.moved.items()}
        within = {row: np.unique(at[(at > 0) & (at < self.times.size)]) for row, at in found.items()}
        return {row: at for row, at in within.items() if at.size}

    def full(self, node: Node) -> FloatArray:
        """Evaluate an expression at every sample of every row; shape (rows, times)."""
        shape = (len(self.rows), self.times.size)
        values = _derived(self, id(node), node)
        return values if values.shape == shape else np.broadcast_to(values, shape)

    def grown(
        self,
        name: object,
        compute: Callable[[Later], FloatArray],
        same: Callable[[int], int],
        given: bytes = b"",
    ) -> FloatArray:
        """Return values that are kept between two looks at a growing session; see ``GrownValues.of``."""
        assert self.table.grown
        found, self._same[name] = self.table.grown.of(self.kept, name, self.times, compute, same, given)
        return found

    def peaks(self, focus: TimeRange | None = None) -> FloatArray:
        """Return the worst sample of each row's number, whose signals are loaded; (rows,), NaN for none.

        ``focus``: of the samples in this part of the time.
        """
        node, measure = self.compiled.measure, self.compiled.rule.measure
        if node is None or measure is None or not self.times.size:
            return np.full(len(self.rows), np.nan)
        values = self.full(node)
        if focus is not None:
            first, end = np.searchsorted(self.times, (focus.start, focus.end + 1)).tolist()
            values = values[:, first:end]
        if not values.shape[1]:
            return np.full(len(self.rows), np.nan)
        worst: FloatArray = (np.fmin if measure.below else np.fmax).reduce(values, axis=1)
        return worst

    def member_values(self, name: str, span: slice = slice(None)) -> FloatArray:
        """Return the values of the signal's members before they are reduced, in a part of the time; shape
        (members, instants).
        """
        signal = self.compiled.signals[name]
        assert signal.node
        if not is_pointwise(signal.node):
            return self._over_members(signal.node, signal, self.members(name))[:, span]
        part = Later(span.start or 0, self.times[: span.stop], {})
        return self._over_members(signal.node, signal, self.members(name), part)

    def arrivals(self, signal: Signal) -> FloatArray:
        """Return how many VMs arrived lately on each row's host; shape (rows, times)."""
        return self.events.arrivals(self.rows, signal.arrived, signal.within_s, self.times)

    def events_of(self, signal: Signal, row: int) -> list[Event]:
        """Return the events that a signal of events is about, of one row."""
        found = self._events_near(signal, row)
        if not signal.says:
            return found
        pattern = re.compile(signal.says, re.IGNORECASE)
        return [event for event in found if pattern.search(event.text)]

    def _events_near(self, signal: Signal, row: int) -> list[Event]:
        """Return the events of the signal's kinds that concern one row."""
        ref, topology = self.rows[row], self.topology
        if signal.of == "all":
            return self.events.of_kinds(signal.happening)
        if signal.of == "uncounted":
            return list(of_uncounted_storage(self.events, topology, ref, signal.happening))
        if signal.of == "host":
            hosts = [one.ref for one in topology.hosts(self.source, ref)]
            of_host = self.events.naming(topology.entity(ref).name, signal.happening, hosts) if hosts else []
            names = {"", *(topology.entity(one).name for one in hosts)}
            of_device = self.events.happened((topology.base(ref),), signal.happening)
            own = [event for event in of_device if event.log_host in names]  # as this host's logs tell it
            if ref.kind == "device":
                own += told_of_stores(self.events, topology.entity(ref).name, signal)
            return sorted({*of_host, *own}, key=lambda event: event.at) if own else list(of_host)
        if not signal.of:
            return self.events.happened((topology.base(ref),), signal.happening)
        if ref.kind == "pool":
            return self.events.happened((ref, *topology.pools.members(ref)), signal.happening)
        stores = dict.fromkeys([topology.base(ref), *topology.stored_on(ref)])
        found = self.events.happened(stores, signal.happening)
        named = (self.events.naming(name, signal.happening) for name in store_names(topology, ref))
        told = [one for events in named for one in events]
        return list(dict.fromkeys([*found, *told]))

    def _over_members(
        self, node: Node, signal: CompiledSignal, members: Members, part: Later | None = None
    ) -> FloatArray:
        """The expression for each member, at all instants or later ones; worked out once for a member that
        several rows share.
        """
        start, end = (part.start, part.times.size) if part else (0, self.times.size)
        times = self.times[start:end] if part else self.times
        first, place = members.distinct
        series, refs = members.once
        is_classed = not signal.limits.isdisjoint(self.compiled.classed)
        limits = thresholds_of(self.compiled, self.topology, refs) if is_classed else self.compiled.thresholds
        values = {name: limits[name] for name in signal.limits}
        for name, key in signal.counters.items():
            if name in series:
                values[name] = self.table.rows(self.source, series[name], start, end)
            else:
                values[name] = self.topology.facts.over_time(key.removeprefix(FACT), refs, times)
        shape = (first.size, times.size)
        found = evaluate(node, Operands(values, times, shape, part=part))
        if found.shape != shape:
            found = np.broadcast_to(found, shape)
        return members.on_host_values(found if first is place else found[place], times)

    def _value(self, signal: CompiledSignal, name: str) -> FloatArray:
        if signal.signal.fact:
            return self.topology.facts.over_time(signal.signal.fact, self.rows, self.times)
        if signal.signal.arrived:
            return self.arrivals(signal.signal)
        if signal.signal.happening:
            return _happening(self, signal.signal)
        assert signal.node
        if signal.signal.derived:
            return _derived(self, name, signal.node)
        compute = partial(self._measured, signal, name)
        stays = _stays(self, name, signal) if self.table.grown else None
        return compute(None) if stays is None else self.grown(name, compute, partial(_same, self, stays))

    def _measured(self, signal: CompiledSignal, name: str, part: Later | None) -> FloatArray:
        """A signal that is made of series, of all instants or of later ones."""
        members = self.members(name)
        assert signal.node
        values = self._over_members(signal.node, signal, members, part)
        weight = self._over_members(signal.weight, signal, members, part) if signal.weight else None
        reduced = members.groups.reduce(values, signal.signal.reduce, weight)
        if signal.signal.whole:
            reduced = members.groups.without_lacking(reduced, _lacks(self, signal.signal, members, part))
        return reduced if members.units == len(self.rows) else reduced[members.unit]


def _happening(scene: Scene, signal: Signal) -> FloatArray:
    """Return the length of the longest event that happens; shape (rows, times).

    A log that tells nothing of a row says nothing: NaN.
    """
    if not scene.events.are_reported and not (
        scene.events.are_told and scene.events.has_any(signal.happening)
    ):
        return np.full((len(scene.rows), 1), np.nan)
    told = [scene.events_of(signal, row) for row in range(len(scene.rows))]
    rows = [events_at(events, scene.times, signal) for events in told]
    if not rows:
        return np.zeros((0, scene.times.size))
    values = np.stack(rows)
    if not scene.events.are_reported:
        values[[not events for events in told]] = np.nan
    return values


def _lacks(scene: Scene, signal: Signal, members: Members, part: Later | None) -> BoolArray:
    """Return at which samples members lack some that their host should give; (members, times), bool; of all
    instants or of later ones.

    A VM that uses a device may come and go; what another host sees of the same device does not.
    """
    first = part.start if part else 0
    if signal.of == "elsewhere":
        rows = [np.isnan(scene.table.rows(scene.source, ids, first)) for ids in members.ids.values()]
        lacks: BoolArray = np.logical_and.reduce(rows)
        return lacks
    covered = {one: scene.table.covers(one, scene.source)[first:] for one in set(members.sources)}
    every = [~covered[one] for one in members.sources]
    return np.stack(every) if every else np.zeros((0, scene.times.size - first), np.bool_)


def are_final(scene: Scene) -> bool:
    """Return True if what was measured of the rule's number stays, whatever samples come later."""
    compiled, nodes = scene.compiled, [scene.compiled.measure]
    for name in compiled.measuring():
        signal = compiled.signals[name]
        if signal.signal.told:
            return False
        if signal.counters:
            stays = _stays(scene, name, signal)
            if stays is None or stays.after_ms or stays.sources:
                return False
        else:
            nodes.append(signal.node)
    number = partial(_number, scene)
    return not any(node and (over_time(node) or forward_ms(node, number)) for node in nodes)


def _derived(scene: Scene, name: object, node: Node) -> FloatArray:
    """An expression over signals; where the session grows only those instants at which something changed."""
    grown = scene.table.grown
    if not grown:
        return evaluate(node, scene.operands())
    if asked := grown.asked(scene.kept, name):
        found, scene._same[name] = asked
        return found
    known = scene.kept.derived
    if name not in known:
        after_ms = forward_ms(node, partial(_number, scene))
        known[name] = Derivation(tuple(dict.fromkeys(node.names())), tuple(over_time(node)), after_ms)
    made, operands = known[name], scene.operands()
    statistics = {one: evaluate(one, operands) for one in made.statistics}
    given = [*statistics.values(), *(value for one in made.names if (value := _flat(scene, one)) is not None)]
    return scene.grown(
        name,
        partial(_from_instant, scene, node, made.names, statistics),
        lambda before: min(before, before_change(scene.times, _unchanged(scene, made.names), made.after_ms)),
        b"".join(one.tobytes() for one in given),
    )


def _flat(scene: Scene, name: str) -> FloatArray | None:
    """The value of a signal that is the same at all instants; None for others, and for thresholds."""
    if name not in scene.compiled.signals:
        return None
    value = np.asarray(scene.values[name])
    return None if value.ndim == 2 and value.shape[1] == scene.times.size else value


def _unchanged(scene: Scene, names: Iterable[str]) -> int:
    """How many instants have the values of the look before in all of these signals."""
    over_samples = [one for one in names if one in scene.compiled.signals and _flat(scene, one) is None]
    return min((scene._same.get(one, 0) for one in over_samples), default=scene.times.size)


def _same(scene: Scene, stays: Stays, before: int) -> int:
    """How many instants of a measured signal nothing new changes."""
    found = settled(scene.times, before, stays.after_ms)
    others = (scene.table.same_instants(one, scene.source) for one in stays.sources)
    return min([found, *(before_change(scene.times, one, stays.after_ms) for one in others)])


def _stays(scene: Scene, name: str, signal: CompiledSignal) -> Stays | None:
    """How long the values of a measured signal stay open; None where all samples change all of them."""
    known = scene.kept.measured
    if name not in known:
        known[name] = _stays_of(scene, scene.members(name), signal)
    return known[name]


def _stays_of(scene: Scene, members: Members, signal: CompiledSignal) -> Stays | None:
    nodes = [one for one in (signal.node, signal.weight) if one]
    if any(over_time(one) for one in nodes):
        return None
    ids = np.concatenate([np.zeros(0, np.int64), *members.ids.values()])
    sources = {*members.sources, *scene.table.owners(ids[ids >= 0]).tolist()} - {scene.source}
    return Stays(max(forward_ms(one, partial(_number, scene)) for one in nodes), tuple(sorted(sources)))


def _number(scene: Scene, node: Node) -> float:
    """The value of an expression of thresholds, as of a stretch of time."""
    return float(evaluate(node, scene.operands()))


def _from_instant(
    scene: Scene, node: Node, names: Iterable[str], statistics: dict[Node, FloatArray], part: Later
) -> FloatArray:
    """An expression over signals that grow, from an instant on; its ``statistics`` are over all samples."""
    arrays = ((name, np.asarray(scene.values[name])) for name in names)
    values: dict[str, FloatArray | float] = {
        name: value[:, part.start :] if value.ndim and value.shape[1] == scene.times.size else value
        for name, value in arrays
    }
    times = scene.times[part.start :]
    shape = len(scene.rows), times.size
    given = Operands(values, times, shape, part=part, moves=scene.moves, known=dict(statistics))
    return evaluate(node, given)


def _read_together(scene: Scene, names: Iterable[str]) -> None:
    """Read the samples of several signals in one request: each request looks at every block."""
    measured = [name for name in names if scene.compiled.signals[name].counters]
    found = [ids for name in measured for ids in scene.members(name).ids.values()]
    if len(found) > 1:
        scene.table.read_ahead(np.concatenate(found))
