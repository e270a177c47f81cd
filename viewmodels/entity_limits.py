"""The limits by which numbers of an entity are coloured: those of its class of storage where it has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from threading import Lock

import numpy as np

from diagnosis.facts import FactTable
from diagnosis.seen_twice import known_to_vcenter
from diagnosis.storage_table import StorageTable
from resources.problem_cards import Threshold
from resources.storage_classes import ANY
from resources.threshold_sets import StorageLimits
from resources.units import format_value
from resources.views import CounterLimits, LimitsByCounter
from sessions.model import Entity, EntityRef, Fact, IntArray
from sessions.times import TimeRange
from viewmodels.snapshot import EntityIndex, Snapshot

_ALL_TIMES = TimeRange(-(1 << 62), 1 << 62)
_Decides = tuple[EntityIndex, Sequence[Fact], StorageLimits]
"""What decides the limits of a session's entities: names, facts that tell a class, and numbers."""


class EntityLimits:
    """The limits of numbers of entities; ``general`` are those of everything without a class of its own.

    ``storage`` makes the table of classes when the first class is asked for; without it all limits are
    general. Views and workers may share one: what was found of an entity is kept, so that asking again costs
    a look-up.
    """

    def __init__(
        self,
        general: LimitsByCounter,
        storage: Callable[[], StorageTable] | None = None,
        classes: dict[EntityRef, str] | None = None,
    ) -> None:
        """``classes`` are those that are known already; what is found is added to them."""
        self.general = general
        self.classes = {} if classes is None else classes
        self._storage = cache(storage) if storage is not None else None
        self._finding = Lock()
        self._limits: dict[tuple[str, str, str], CounterLimits | None] = {}

    def depend_on_class(self, counter: str) -> bool:
        """True if the limits of a counter may differ from entity to entity of a kind."""
        if self._storage is None:
            return False
        return any(key == counter and one.depends_on_class for (key, _), one in self.general.items())

    def find_classes(self, refs: Iterable[EntityRef], check: Callable[[], None] = lambda: None) -> None:
        """Find the classes of entities whose limits may depend on them, in a worker, before a view asks.

        ``check`` is called between entities, and raises to stop.
        """
        if self._storage is None:
            return
        kinds = {kind for (_, kind), one in self.general.items() if one.depends_on_class}
        for ref in refs:
            if ref.kind in kinds:
                check()
                self._class_of(ref, self._storage)

    def of(self, counter: str, ref: EntityRef) -> CounterLimits | None:
        """Return the limits of a counter of an entity, None if there are none."""
        known = self.general.of(counter, ref.kind)
        if known is None or self._storage is None or not known.depends_on_class:
            return known
        which = counter, ref.kind, self._class_of(ref, self._storage)
        if which not in self._limits:
            self._limits[which] = _of_class(known, which[2], self._storage().judged_by)
        return self._limits[which]

    def alike(self, refs: Sequence[EntityRef]) -> tuple[IntArray, Sequence[EntityRef]]:
        """Return groups of entities with the same limits: of each its group (n,), and one of each group."""
        groups: dict[tuple[str, str], int] = {}
        first: list[EntityRef] = []
        found = []
        for ref in refs:
            which = ref.kind, self._class_of(ref, self._storage) if self._storage else ""
            if which not in groups:
                groups[which] = len(first)
                first.append(ref)
            found.append(groups[which])
        return np.array(found, np.int64), first

    def _class_of(self, ref: EntityRef, storage: Callable[[], StorageTable]) -> str:
        found = self.classes.get(ref)
        if found is None:
            with self._finding:  # the table keeps what is half found
                table = storage()
                found = table.of(_judged_as(ref, table)).storage_class
            self.classes[ref] = found
        return found


def limit_words(limits: CounterLimits, unit: str) -> str:
    """Return ``5 ms: class NVMe, yours v2 of 2026-11-22 (…)`` with the source of the number."""
    because = f": {limits.because}" if limits.because else ""
    return f"{format_value(limits.warning.value, unit)}{because} ({limits.warning.source})"


def limit_text(limits: CounterLimits, unit: str) -> str:
    """Return ``limit 5 ms: class NVMe, yours v2 of 2026-11-22 (…)`` with the source of the number."""
    return f"limit {limit_words(limits, unit)}"


class LimitsCache:
    """Keeps the limits of a session's entities until what tells a class, or what judges it, changes."""

    def __init__(self) -> None:
        self._for: _Decides | None = None
        self._known: EntityLimits | None = None

    def of(self, snapshot: Snapshot, general: LimitsByCounter, judged_by: StorageLimits) -> EntityLimits:
        """Return the limits of a session's entities; other numbers leave the classes that were found."""
        now = snapshot.entity_index, snapshot.records.storage, judged_by
        before, known = self._for, self._known
        if before is None or known is None:
            known = entity_limits(snapshot, general, judged_by)
        elif any(a is not b for a, b in zip(now, before, strict=True)):
            classes = known.classes if _same_classes(before, now) else None
            known = entity_limits(snapshot, general, judged_by, classes)
        self._for, self._known = now, known
        return known


def _same_classes(a: _Decides, b: _Decides) -> bool:
    """True if entities have the same classes, whatever the numbers are that these are judged by."""
    is_told_alike = a[0] is b[0] and a[1] is b[1] and a[2].classes is b[2].classes
    return is_told_alike and a[2].own.chosen == b[2].own.chosen


def entity_limits(
    snapshot: Snapshot,
    general: LimitsByCounter,
    judged_by: StorageLimits,
    classes: dict[EntityRef, str] | None = None,
) -> EntityLimits:
    """Return the limits of a session's entities; ``judged_by`` are those of classes, and an admin's own.

    ``classes`` are those of entities that are known already.
    """
    return EntityLimits(general, lambda: storage_table(snapshot, judged_by), classes)


def storage_table(snapshot: Snapshot, judged_by: StorageLimits) -> StorageTable:
    """Return the table that tells the class of each device, datastore and VM of a session."""
    entities, facts = snapshot.entities, snapshot.records.storage
    relations = snapshot.records.relations

    @cache
    def known_twice() -> dict[EntityRef, EntityRef]:
        placements = [one for told in relations.values() for one in told if one.name == "host"]
        return known_to_vcenter(entities, placements)

    return StorageTable(
        judged_by,
        lambda ref: known_twice().get(ref, ref) if ref.kind == "vm" else ref,
        lambda ref: entities.get(ref) or Entity(ref, ref.key),
        FactTable(facts, _ALL_TIMES),
    )


def _judged_as(ref: EntityRef, storage: StorageTable) -> EntityRef:
    """A virtual disk is judged as its VM is."""
    parent = storage.entity(ref).parent if ref.kind == "vdisk" else None
    return parent or ref


def _of_class(general: CounterLimits, name: str, judged_by: StorageLimits) -> CounterLimits:
    """Return the limits of a class of storage; the general ones where it has no numbers of its own."""
    own, known = judged_by.own.used(name), judged_by.classes.get(name)
    if known is None or (name == ANY and own is None):
        return general
    warning = _number(general.warning, name, judged_by)
    critical = _number(general.critical, name, judged_by) if general.critical else None
    if (warning, critical) == (general.warning, general.critical):
        return general
    because = f"class {known.title}"
    if own is not None:
        because = _with_set(known.title, own.label)
    return replace(general, warning=warning, critical=critical, storage_class=known.title, because=because)


def _with_set(title: str, label: str) -> str:
    """Return ``class NVMe, yours v2 of 2026-11-22`` for a set of that name; ``class NVMe, Gold v2`` for
    another one.
    """
    return f"class {label}" if label.startswith(f"{title},") else f"class {title}, {label}"


def _number(general: Threshold, name: str, judged_by: StorageLimits) -> Threshold:
    value = judged_by.number(name, general.of_class) if general.of_class else None
    if value is None:
        return general
    own = judged_by.own.used(name)
    if own is not None and general.of_class in own.numbers:
        return Threshold(value, general.unit, f"your set {own.label}", general.of_class)
    known = judged_by.classes.get(name)
    source = known.numbers[general.of_class].source if known else general.source
    return Threshold(value, general.unit, source, general.of_class)
