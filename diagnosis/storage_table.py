"""Which class of storage the devices, datastores and VMs of a session are of, why, and what judges them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from diagnosis.facts import FactTable
from resources.foreign_text import shown
from resources.storage_classes import ANY, ClassSign
from resources.threshold_sets import ChosenClass, StorageLimits
from sessions.model import DISK_PLACE, Entity, EntityRef, FloatArray
from sessions.shared_devices import device_ref

_NAME = 80


@dataclass(frozen=True, slots=True)
class Classed:
    """The class of an entity, and why it is that one: "the device says so (SSD)"; empty where nothing
    tells.
    """

    storage_class: str
    because: str = ""


_UNKNOWN = Classed(ANY)
_LIES = "it lies on"


@dataclass(slots=True)
class StorageTable:
    """Classes of the storage of one session, worked out when first asked for.

    ``base`` gives the session's entity for a host's view of it, ``entity`` its name.
    """

    judged_by: StorageLimits
    base: Callable[[EntityRef], EntityRef]
    entity: Callable[[EntityRef], Entity]
    facts: FactTable
    _known: dict[EntityRef, Classed] = field(default_factory=dict)
    _stores: dict[EntityRef, set[EntityRef]] | None = None
    _below: dict[str, list[EntityRef]] | None = None
    _led_to: dict[EntityRef, set[EntityRef]] | None = None

    def of(self, ref: EntityRef) -> Classed:
        """Return the class of a device, a datastore, a VM's disks, or of all that a path or an adapter leads
        to; "other" for everything else.
        """
        base = self.base(ref)
        if base not in self._known:
            self._known[base] = _UNKNOWN  # a forged session may say that two things lie on each other
            self._known[base] = self._found(base)
        return self._known[base]

    def limit(self, number: str, ref: EntityRef, otherwise: float) -> float:
        """Return the number that judges an entity; ``otherwise`` where its class has none of that name."""
        found = self.judged_by.number(self.of(ref).storage_class, number)
        return otherwise if found is None else found

    def limits(self, number: str, refs: Sequence[EntityRef], otherwise: float) -> FloatArray | float:
        """Return the numbers that judge some entities: one for all, or shape (entities, 1) where they
        differ.
        """
        by_class: dict[str, float] = {}
        found = []
        for ref in refs:
            name = self.of(ref).storage_class
            if name not in by_class:
                by_class[name] = self.limit(number, ref, otherwise)
            found.append(by_class[name])
        if len(set(by_class.values())) <= 1:
            return next(iter(by_class.values()), otherwise)
        return np.array(found, dtype=np.float64)[:, None]

    def note(self, ref: EntityRef) -> str:
        """Return how an entity was judged: "Judged as NVMe, because its name is one of an NVMe device.";
        empty for what no class is known of and the shipped numbers judged.
        """
        found, limits = self.of(ref), self.judged_by
        is_own = limits.own.used(found.storage_class) is not None
        if found.storage_class == ANY and not (is_own or found.because):
            return ""
        known = limits.classes.get(found.storage_class)
        title = known.title if known else found.storage_class
        why = f", because {found.because}" if found.because else ""
        by = f" Judged with {limits.label(found.storage_class)}." if is_own else ""
        return f"Class {title}{why}.{by}"

    def own_sets(self) -> tuple[str, ...]:
        """Return the admin's own sets that judged something of the session, in the order of the classes."""
        met = {one.storage_class for one in self._known.values()}
        used = (self.judged_by.own.used(one.id) for one in self.judged_by.classes.classes if one.id in met)
        return tuple(one.label for one in used if one)

    def _found(self, base: EntityRef) -> Classed:
        match base.kind:
            case "device":
                return self._chosen(base) or self._signed(base) or self._as_store(base) or _UNKNOWN
            case "datastore":
                return self._chosen(base) or self._signed(base) or self._of_several(self._devices(base))
            case "vm":
                return self._of_several(self._places(base))
            case "path" | "adapter":
                return self._of_all(self._behind(base))
        return _UNKNOWN

    def _chosen(self, base: EntityRef) -> Classed | None:
        """What the admin chose for the entity's name, or for the datastore that lies on a device."""
        names = {base.kind: self.entity(base).name}
        if store := self._store_of(base):
            names["datastore"] = self.entity(store).name
        for one in self.judged_by.own.chosen:
            if one.kind in names and fnmatchcase(names[one.kind].casefold(), one.pattern.casefold()):
                return Classed(one.storage_class, _choice(one))
        return None

    def _signed(self, base: EntityRef) -> Classed | None:
        name = self.entity(base).name
        for sign in self.judged_by.classes.signs:
            if sign.kind == base.kind and self._fits(sign, base, name):
                return Classed(sign.storage_class, sign.because)
        return None

    def _fits(self, sign: ClassSign, base: EntityRef, name: str) -> bool:
        if sign.name and not re.fullmatch(sign.name, name):
            return False
        known = ((like, self.facts.latest(fact).get(base)) for fact, like in sign.facts.items())
        return all(value is not None and re.fullmatch(like, str(value)) for like, value in known)

    def _as_store(self, base: EntityRef) -> Classed | None:
        """What the datastore's own type tells of a device."""
        store = self._store_of(base)
        return self._signed(store) if store else None

    def _store_of(self, base: EntityRef) -> EntityRef | None:
        key = self.facts.latest("device.datastore").get(base) if base.kind == "device" else None
        return EntityRef("datastore", str(key)) if key is not None else None

    def _devices(self, store: EntityRef) -> Iterable[EntityRef]:
        if self._below is None:
            self._below = {}
            for ref, key in self.facts.latest("device.datastore").items():
                self._below.setdefault(str(key), []).append(ref)
        return self._below.get(store.key, ())

    def _places(self, vm: EntityRef) -> Iterable[EntityRef]:
        if self._stores is None:
            self._stores = {}
            for fact in self.facts.holding(DISK_PLACE):
                self._stores.setdefault(fact.entity, set()).add(EntityRef("datastore", str(fact.value)))
        return sorted(self._stores.get(vm, ()))

    def _behind(self, base: EntityRef) -> Iterable[EntityRef]:
        """The devices that a path or an adapter leads to, as far as facts tell."""
        if self._led_to is None:
            self._led_to = {}
            for path, device in self.facts.latest("path.device").items():
                host, _, runtime = path.key.rpartition("/")
                adapter = EntityRef("adapter", f"{host}/{runtime.partition(':')[0]}")
                for ref in (path, adapter):
                    self._led_to.setdefault(ref, set()).add(device_ref(host, str(device)))
        return sorted(self._led_to.get(base, ()))

    def _of_all(self, refs: Iterable[EntityRef]) -> Classed:
        """The class that all of them have; of a mixture, none."""
        found = {self.of(ref).storage_class for ref in refs}
        if len(found) != 1 or found == {ANY}:
            return _UNKNOWN
        return Classed(found.pop(), "all devices that it leads to are of it")

    def _of_several(self, refs: Iterable[EntityRef]) -> Classed:
        """The slowest class of what something lies on, and on which of them."""
        order = [one.id for one in self.judged_by.classes.classes]
        found = [(ref, self.of(ref)) for ref in refs]
        if not found:
            return _UNKNOWN
        ref, slowest = min(found, key=lambda one: order.index(one[1].storage_class))
        if not slowest.because:
            return slowest
        name = shown(self.entity(ref).name, _NAME)
        below = (
            f", which{slowest.because[2:]}" if slowest.because.startswith(_LIES) else f": {slowest.because}"
        )
        return Classed(slowest.storage_class, f"{_LIES} {name}{below}")


def _choice(one: ChosenClass) -> str:
    note = f" ({shown(one.note)})" if one.note else ""
    return f"you chose it for names like {shown(one.pattern)}{note}"
