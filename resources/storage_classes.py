"""Classes of storage (problems/_storage_classes.toml): what each is judged by, and what tells which one it
is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

ClassedKind = Literal["device", "datastore"]
ANY = "other"
"""The class of what does not say what it is."""


class NumberSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that every class may have: its name, unit, and the range (``low`` to ``high``) that is
    possible.

    ``over`` names a number that must not be larger: the warning below a critical limit.
    """

    title: str
    meaning: str
    unit: str
    low: float
    high: float
    over: str = ""


class ClassNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number as it ships, and who says so."""

    value: float
    source: str


class StorageClass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A class of devices with its numbers, by the names of ``StorageClasses.numbers``."""

    id: str
    title: str
    meaning: str
    numbers: dict[str, ClassNumber]


class ClassSign(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What tells that a device or datastore is of a class: its name matches ``name`` as a whole, and each
    of the ``facts`` its pattern.
    """

    storage_class: str = msgspec.field(name="class")
    kind: ClassedKind
    because: str
    source: str
    name: str = ""
    facts: dict[str, str] = msgspec.field(default_factory=dict)


class StorageClasses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All classes, the slowest first; ``signs`` in the order in which they are looked at."""

    numbers: dict[str, NumberSpec] = msgspec.field(default_factory=dict)
    classes: list[StorageClass] = msgspec.field(default_factory=list)
    signs: list[ClassSign] = msgspec.field(default_factory=list)

    def get(self, name: str) -> StorageClass | None:
        """Return the class with this id."""
        return next((one for one in self.classes if one.id == name), None)

    def has(self, number: str, unit: str) -> bool:
        """Return True if classes have a number of this name and unit."""
        spec = self.numbers.get(number)
        return spec is not None and spec.unit == unit

    def cited(self) -> Iterator[tuple[str, str]]:
        """Yield who says each number and sign, as (entry, source)."""
        for one in self.classes:
            yield from ((f"class {one.id}", number.source) for number in one.numbers.values())
        yield from ((f"sign {sign.because}", sign.source) for sign in self.signs)

    def faults(self) -> list[tuple[str, str]]:
        """Return where the table contradicts itself, as (entry, what is wrong)."""
        found = []
        for one in self.classes:
            for name, number in one.numbers.items():
                spec = self.numbers.get(name)
                if spec is None:
                    found.append((f"class {one.id}", f"there is no number {name!r}"))
                elif not spec.low <= number.value <= spec.high:
                    found.append((f"class {one.id}", f"{name} is not from {spec.low:g} to {spec.high:g}"))
        for sign in self.signs:
            if self.get(sign.storage_class) is None:
                found.append((f"sign {sign.because}", f"there is no class {sign.storage_class!r}"))
            for pattern in (sign.name, *sign.facts.values()):
                try:
                    re.compile(pattern)
                except re.error as error:
                    found.append((f"sign {sign.because}", f"{pattern!r} is no pattern: {error}"))
        return found
