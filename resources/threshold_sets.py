"""An admin's own threshold sets and choices of classes: a TOML file, read strictly and written whole."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated

import msgspec

from resources.failures import BadInputError
from resources.files import opened_for_reading
from resources.foreign_text import shown, storable
from resources.storage_classes import ClassedKind, NumberSpec, StorageClasses
from resources.toml_files import parse_toml, plain_fault
from resources.typed_data import ready
from resources.units import format_value

MAX_BYTES = 1 << 20
MAX_NAME = 60
MAX_NOTE = 1_000
MAX_PATTERN = 200
_MAX_ITEMS = 500
MAX_EARLIER = 20
"""Versions of a set that are kept behind the newest."""
FORMAT = 1
_ADVICE = "See what is in it with 'hyperscope thresholds check FILE', or save it anew from the preferences."
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]
_Note = Annotated[str, msgspec.Meta(max_length=MAX_NOTE)]
_Version = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


class EarlierVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set as it was before it was changed."""

    version: _Version
    saved: str
    numbers: dict[str, float]
    note: _Note = ""


class OwnSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An admin's numbers for a class. A number that is missing is the shipped one.

    ``version`` counts up whenever a change is saved, at the day ``saved`` (ISO). Of the sets of one class
    the one that is ``used`` judges; if there is none, the shipped one does.
    """

    name: _Name
    storage_class: str = msgspec.field(name="class")
    numbers: dict[str, float]
    version: _Version = 1
    saved: str = ""
    note: _Note = ""
    used: bool = True
    earlier: Annotated[list[EarlierVersion], msgspec.Meta(max_length=MAX_EARLIER)] = []

    @property
    def label(self) -> str:
        """The set as a verdict names it: "SSD, yours v3 of 2026-11-22"."""
        day = f" of {self.saved}" if self.saved else ""
        return f"{shown(self.name, MAX_NAME)} v{self.version}{day}"


class ChosenClass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The class of all devices or datastores whose name fits ``pattern`` (``*`` and ``?`` as in file
    names).
    """

    pattern: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_PATTERN)]
    storage_class: str = msgspec.field(name="class")
    kind: ClassedKind = "device"
    note: _Note = ""


class OwnThresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of an admin's sets, and the classes that the admin chose; the first pattern that fits decides."""

    format: int = FORMAT
    sets: Annotated[list[OwnSet], msgspec.Meta(max_length=_MAX_ITEMS)] = []
    chosen: Annotated[list[ChosenClass], msgspec.Meta(max_length=_MAX_ITEMS)] = []

    def used(self, storage_class: str) -> OwnSet | None:
        """Return the set that judges devices of a class; None: the shipped one does."""
        return next((one for one in self.sets if one.used and one.storage_class == storage_class), None)


class StorageLimits(msgspec.Struct, frozen=True):
    """What storage is judged by: the shipped classes, the admin's own sets, and why these are not used
    (``trouble``, a sentence), if so.
    """

    classes: StorageClasses = StorageClasses()
    own: OwnThresholds = OwnThresholds()
    trouble: str = ""

    def number(self, storage_class: str, name: str) -> float | None:
        """Return the number that judges a class; None where the class has none of that name."""
        shipped = self.shipped(storage_class, name)
        own = self.own.used(storage_class)
        return shipped if own is None else own.numbers.get(name, shipped)

    def shipped(self, storage_class: str, name: str) -> float | None:
        """Return the number of a class as it ships."""
        known = self.classes.get(storage_class)
        number = known.numbers.get(name) if known else None
        return None if number is None else number.value

    def label(self, storage_class: str) -> str:
        """Return which set judges a class: "SSD, yours v3 of 2026-11-22", "SSD, as shipped"."""
        own = self.own.used(storage_class)
        known = self.classes.get(storage_class)
        return own.label if own else f"{known.title if known else storage_class}, as shipped"


NO_LIMITS = StorageLimits()


def read_thresholds(path: Path, classes: StorageClasses) -> OwnThresholds:
    """Read a file of threshold sets. Raises BadInputError with one sentence, NotFoundError,
    AccessDeniedError.
    """
    with opened_for_reading(path, BadInputError, "Name a TOML file of threshold sets.") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadInputError(
            f"{path.name} is larger than 1 MB: that is no file of threshold sets.", advice=_ADVICE
        )
    return thresholds_of(data, path.name, classes)


def thresholds_of(data: bytes, name: str, classes: StorageClasses) -> OwnThresholds:
    """Return what a file named ``name`` says. Raises BadInputError that says where it is wrong."""
    try:
        found = msgspec.convert(parse_toml(data), ready(OwnThresholds))
    except (ValueError, RecursionError) as error:
        what = plain_fault(error) if isinstance(error, msgspec.ValidationError) else str(error)
        raise BadInputError(
            f"{shown(name)} can't be used: {shown(what).rstrip('.')}.", advice=_ADVICE
        ) from None
    if wrong := fault(found, classes):
        raise BadInputError(f"{shown(name)} can't be used: {wrong}.", advice=_ADVICE)
    return found


def fault(own: OwnThresholds, classes: StorageClasses) -> str:
    """Return what is wrong with the sets, as a part of a sentence; empty if nothing is."""
    return next(_faults(own, classes), "")


def _faults(own: OwnThresholds, classes: StorageClasses) -> Iterator[str]:
    if own.format != FORMAT:
        yield f"its format is {own.format}, and this version knows format {FORMAT}"
    names = Counter(one.name.casefold() for one in own.sets)
    judging = Counter(one.storage_class for one in own.sets if one.used)
    for one in own.sets:
        if names[one.name.casefold()] > 1:
            yield f"two sets are named {shown(one.name)!r}"
        yield from (f"set {shown(one.name)!r}: {wrong}" for wrong in _set_faults(one, classes))
        if judging[one.storage_class] > 1:
            yield f"two sets are used for the class {one.storage_class!r}"
    for chosen in own.chosen:
        if wrong := _class_fault(chosen.storage_class, classes):
            yield f"pattern {shown(chosen.pattern)!r}: {wrong}"


def _set_faults(one: OwnSet, classes: StorageClasses) -> Iterator[str]:
    if wrong := _class_fault(one.storage_class, classes):
        yield wrong
        return
    for numbers, saved in [(one.numbers, one.saved), *((old.numbers, old.saved) for old in one.earlier)]:
        if wrong := numbers_fault(one.storage_class, numbers, classes) or _day_fault(saved):
            yield wrong


def _class_fault(name: str, classes: StorageClasses) -> str:
    known = [one.id for one in classes.classes]
    return "" if name in known else f"there is no class {shown(name)!r} ({', '.join(known)})"


def numbers_fault(storage_class: str, numbers: dict[str, float], classes: StorageClasses) -> str:
    """Return what is wrong with the numbers of a set, as a part of a sentence; empty if nothing is."""
    shipped = classes.get(storage_class)
    own = shipped.numbers if shipped else {}
    for name, value in numbers.items():
        spec = classes.numbers.get(name)
        if spec is None or name not in own:
            return f"the class {storage_class!r} has no number {shown(name)!r}"
        if not (math.isfinite(value) and spec.low <= value <= spec.high):
            return f"{spec.title} can't be {value:g}: it goes from {range_text(spec)}"
    whole = {**{name: number.value for name, number in own.items()}, **numbers}
    for name, spec in classes.numbers.items():
        if spec.over and name in whole and whole[name] < whole.get(spec.over, whole[name]):
            lower = classes.numbers[spec.over].title
            return f"{spec.title} is lower than {lower}"
    return ""


def range_text(spec: NumberSpec) -> str:
    """Return the range that is possible: "0.05 ms to 10 s"."""
    return f"{format_value(spec.low, spec.unit)} to {format_value(spec.high, spec.unit)}"


def _day_fault(day: str) -> str:
    if not day:
        return ""
    try:
        date.fromisoformat(day)
    except ValueError:
        return f"{shown(day)!r} is no day (2026-11-22)"
    return "" if _DAY.fullmatch(day) else f"{shown(day)!r} is no day (2026-11-22)"


def thresholds_text(own: OwnThresholds, classes: StorageClasses) -> str:
    """Return the sets as TOML, which ``thresholds_of`` reads back."""
    lines = [
        "# Threshold sets of Hyperscope: what storage is judged by. What is left out is the shipped number.",
        f"format = {own.format}",
    ]
    for one in own.sets:
        lines += ["", "[[sets]]", f"name = {_text(one.name)}", f"class = {_text(one.storage_class)}"]
        lines += [f"version = {one.version}", f"saved = {_text(one.saved)}", f"note = {_text(one.note)}"]
        lines.append(f"used = {str(one.used).lower()}")
        lines += ["[sets.numbers]", *_numbers(one.numbers, classes)]
        for old in one.earlier:
            lines += ["[[sets.earlier]]", f"version = {old.version}", f"saved = {_text(old.saved)}"]
            lines += [f"note = {_text(old.note)}", "[sets.earlier.numbers]", *_numbers(old.numbers, classes)]
    for chosen in own.chosen:
        lines += ["", "[[chosen]]", f"pattern = {_text(chosen.pattern)}", f"kind = {_text(chosen.kind)}"]
        lines += [f"class = {_text(chosen.storage_class)}", f"note = {_text(chosen.note)}"]
    return "\n".join(lines) + "\n"


def _numbers(numbers: dict[str, float], classes: StorageClasses) -> list[str]:
    units = {name: spec.unit for name, spec in classes.numbers.items()}
    return [f"{name} = {float(value)!r}  # {units.get(name, '')}" for name, value in numbers.items()]


def _text(value: str) -> str:
    return json.dumps(storable(value), ensure_ascii=False).replace("\x7f", "\\u007f")
