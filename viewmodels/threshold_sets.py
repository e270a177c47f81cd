"""The sets that judge storage, as the preferences and the command show and change them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.storage_classes import StorageClass, StorageClasses
from resources.threshold_sets import (
    MAX_EARLIER,
    MAX_NAME,
    ChosenClass,
    EarlierVersion,
    OwnSet,
    OwnThresholds,
    StorageLimits,
    fault,
    numbers_fault,
)
from resources.units import format_value

replace = msgspec.structs.replace
_DIFFERENCES = 2


@dataclass(frozen=True, slots=True)
class SetRow:
    """A set in the list: ``name`` is empty for the one that ships. ``judges``: it is the one that is used."""

    storage_class: str
    name: str
    title: str
    state: str
    judges: bool


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A number of a set, with the one that ships beside it, who says that one, and what is possible."""

    name: str
    title: str
    meaning: str
    unit: str
    value: float
    shipped: float
    source: str
    low: float
    high: float

    @property
    def is_changed(self) -> bool:
        """True if it is not the shipped number."""
        return self.value != self.shipped


def set_rows(limits: StorageLimits) -> list[SetRow]:
    """Return all sets: of each class the shipped one, then the admin's own."""
    rows = []
    for one in limits.classes.classes:
        used = limits.own.used(one.id)
        rows.append(SetRow(one.id, "", one.title, _state("as shipped", judges=used is None), used is None))
        rows.extend(
            SetRow(one.id, own.name, own.label, _state("yours", judges=own.used), own.used)
            for own in limits.own.sets
            if own.storage_class == one.id
        )
    return rows


def _state(text: str, *, judges: bool) -> str:
    return f"{text}, in use" if judges else f"{text}, not used"


def number_rows(classes: StorageClasses, storage_class: str, numbers: Mapping[str, float]) -> list[NumberRow]:
    """Return the numbers of a class; ``numbers`` are those that are not as shipped."""
    shipped = _class(classes, storage_class).numbers
    return [
        NumberRow(
            name, spec.title, spec.meaning, spec.unit, numbers.get(name, shipped[name].value),
            shipped[name].value, shipped[name].source, spec.low, spec.high,
        )
        for name, spec in classes.numbers.items()
        if name in shipped
    ]  # fmt: skip


def own_set(own: OwnThresholds, name: str) -> OwnSet:
    """Return the admin's set of this name. Raises UsageError if there is none."""
    for one in own.sets:
        if one.name == name:
            return one
    raise UsageError(f"There is no threshold set {shown(name)!r}.")


@dataclass(frozen=True, slots=True)
class VersionRow:
    """An earlier version of a set: what it is called, with what differs from the newest, and what it held;
    ``numbers`` are all of its class.
    """

    label: str
    note: str
    numbers: tuple[tuple[str, float], ...]


def version_rows(limits: StorageLimits, name: str) -> list[VersionRow]:
    """Return the earlier versions of the admin's set of this name, the newest first."""
    own = own_set(limits.own, name)
    now = {row.name: row.value for row in number_rows(limits.classes, own.storage_class, own.numbers)}
    rows = []
    for one in own.earlier:
        numbers = number_rows(limits.classes, own.storage_class, one.numbers)
        differing = [
            f"{row.title} {format_value(row.value, row.unit)} (now {format_value(now[row.name], row.unit)})"
            for row in numbers
            if row.value != now[row.name]
        ]
        more = len(differing) - _DIFFERENCES
        named = "; ".join(differing[:_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")
        day = f" of {one.saved}" if one.saved else ""
        label = f"v{one.version}{day}: {named or 'the same numbers'}"
        rows.append(VersionRow(label, one.note, tuple((row.name, row.value) for row in numbers)))
    return rows


def duplicated(limits: StorageLimits, storage_class: str, of: str, today: date) -> tuple[OwnThresholds, str]:
    """Return the sets with a copy of one (``of`` empty: the shipped one), and the copy's name. It is not
    used yet.
    """
    own, known = limits.own, _class(limits.classes, storage_class)
    numbers = own_set(own, of).numbers if of else {}
    name = _free_name(f"{known.title}, yours", own.sets)
    copy = OwnSet(name, storage_class, dict(numbers), saved=today.isoformat(), used=False)
    return replace(own, sets=[*own.sets, copy]), name


def saved(
    limits: StorageLimits, old_name: str, *, name: str, note: str, numbers: Mapping[str, float], today: date
) -> OwnThresholds:
    """Return the sets with one changed: a new version of today, and the one before behind it.

    Without a change they are the same. Raises UsageError with a sentence for what can't be.
    """
    old = own_set(limits.own, old_name)
    shipped = {row.name: row.shipped for row in number_rows(limits.classes, old.storage_class, {})}
    kept = {key: float(value) for key, value in numbers.items() if value != shipped.get(key)}
    if wrong := numbers_fault(old.storage_class, kept, limits.classes):
        raise UsageError(f"{wrong[:1].upper()}{wrong[1:]}.")
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME:
        raise UsageError(f"A set needs a name of 1 to {MAX_NAME} characters.")
    if (name, note, kept) == (old.name, old.note, old.numbers):
        return limits.own
    before = EarlierVersion(old.version, old.saved, old.numbers, old.note)
    new = replace(
        old, name=name, note=note, numbers=kept, version=old.version + 1, saved=today.isoformat(),
        earlier=[before, *old.earlier][:MAX_EARLIER],
    )  # fmt: skip
    return _checked(replace(limits.own, sets=[new if one is old else one for one in limits.own.sets]), limits)


def used(own: OwnThresholds, storage_class: str, name: str) -> OwnThresholds:
    """Return the sets where this one judges its class; an empty name: the shipped one does."""
    sets = [
        replace(one, used=one.name == name) if one.storage_class == storage_class else one for one in own.sets
    ]
    return replace(own, sets=sets)


def removed(own: OwnThresholds, name: str) -> OwnThresholds:
    """Return the sets without this one."""
    return replace(own, sets=[one for one in own.sets if one.name != name])


def joined(limits: StorageLimits, imported: OwnThresholds) -> tuple[OwnThresholds, Sequence[str]]:
    """Return the sets with imported ones behind them, and the names that these got.

    One whose name is taken gets another; one judges only if no other does for its class. What is there
    already, number by number, is not added again.
    """
    sets, names = list(limits.own.sets), []
    for one in imported.sets:
        if any(replace(one, used=old.used) == old for old in sets):
            continue
        judges = one.used and not any(old.used and old.storage_class == one.storage_class for old in sets)
        names.append(_free_name(one.name, sets))
        sets.append(replace(one, name=names[-1], used=judges))
    chosen = [*limits.own.chosen, *(one for one in imported.chosen if one not in limits.own.chosen)]
    return _checked(OwnThresholds(sets=sets, chosen=chosen), limits), names


def with_chosen(limits: StorageLimits, chosen: Iterable[ChosenClass]) -> OwnThresholds:
    """Return the sets with other classes chosen for names. Raises UsageError for one that can't be."""
    found = list(chosen)
    if any(not one.pattern.strip() for one in found):
        raise UsageError("A choice needs the name of a device, or a pattern such as naa.600*.")
    return _checked(replace(limits.own, chosen=found), limits)


def sets_json(limits: StorageLimits) -> list[dict[str, object]]:
    """Return all sets as JSON values: class, name, version, day, numbers with the shipped ones."""
    return [set_json(limits, row) for row in set_rows(limits)]


def set_json(limits: StorageLimits, row: SetRow) -> dict[str, object]:
    """Return one set as JSON values."""
    own = own_set(limits.own, row.name) if row.name else None
    numbers = number_rows(limits.classes, row.storage_class, own.numbers if own else {})
    return {
        "class": row.storage_class,
        "name": row.name or row.title,
        "shipped": own is None,
        "judges": row.judges,
        "version": own.version if own else None,
        "saved": own.saved if own else None,
        "note": own.note if own else "",
        "numbers": [
            {
                "number": one.name, "title": one.title, "value": one.value, "unit": one.unit,
                "shipped": one.shipped, "source": one.source, "low": one.low, "high": one.high,
            }
            for one in numbers
        ],
    }  # fmt: skip


def _checked(own: OwnThresholds, limits: StorageLimits) -> OwnThresholds:
    if wrong := fault(own, limits.classes):
        raise UsageError(f"{wrong[:1].upper()}{wrong[1:]}.")
    return own


def _class(classes: StorageClasses, name: str) -> StorageClass:
    found = classes.get(name)
    if found is None:
        known = ", ".join(one.id for one in classes.classes)
        raise UsageError(f"There is no class {shown(name)!r}.", advice=f"There are: {known}.")
    return found


def _free_name(wanted: str, sets: Sequence[OwnSet]) -> str:
    taken = {one.name.casefold() for one in sets}
    room = wanted[: MAX_NAME - 4]
    names = (wanted if number == 1 else f"{room} {number}" for number in range(1, len(sets) + 2))
    return next(name for name in names if name.casefold() not in taken)
