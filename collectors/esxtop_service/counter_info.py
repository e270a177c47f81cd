"""What a host's CounterInfo says: the records of its replies, and their fields in the order of the values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from resources.failures import DisconnectedError
from resources.foreign_text import shown

_SIGNED = frozenset({"S32", "S64"})
_NUMBERS = _SIGNED | {"U32", "U64", "B"}
_BITS = {"U32": 32, "S32": 32}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MOST_FIELDS = 4096


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name, and its type (``U32``, ``U64``, ``S32``, ``S64``, ``B``, ``STR`` or ``CSTR``).

    A type that is none of these is kept as the words that the service wrote.
    """

    name: str
    type: str

    @property
    def is_text(self) -> bool:
        """True for words, False for numbers."""
        return self.type not in _NUMBERS

    @property
    def is_signed(self) -> bool:
        """True for numbers that may be negative."""
        return self.type in _SIGNED

    @property
    def bits(self) -> int:
        """After how many bits a count starts again from 0."""
        return _BITS.get(self.type, 64)


@dataclass(frozen=True, slots=True)
class RecordType:
    """A type of record: its name and its fields, in the order of a reply's values."""

    name: str
    fields: tuple[Field, ...]

    def line(self) -> str:
        """Return the line of CounterInfo that says so."""
        return "".join(["|", self.name, "|", *(f"{one.name},{one.type}|" for one in self.fields)])


@dataclass(frozen=True, slots=True)
class CounterInfo:
    """The types of records by name."""

    types: Mapping[str, RecordType]

    @classmethod
    def of(cls, types: Iterable[RecordType]) -> CounterInfo:
        """Return the CounterInfo that has these types."""
        return cls({one.name: one for one in types})

    def text(self) -> str:
        """Return it as the service writes it."""
        return "".join(one.line() + "\n" for one in self.types.values())


def read_counter_info(text: str) -> CounterInfo:
    """Read a CounterInfo: a line ``|Type|Field,U64|…|`` for each type of record.

    Raises DisconnectedError when it is none.
    """
    types: dict[str, RecordType] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        read = _read_line(line.strip())
        if read is None:
            raise DisconnectedError(
                f"Line {number} of the esxtop service’s CounterInfo is none: {shown(line, 60)!r}.",
                meaning="Without it the service’s numbers have no names.",
            )
        if types.setdefault(read.name, read) != read:
            raise DisconnectedError(f"CounterInfo has two different lines for {read.name}.")
    if not types:
        raise DisconnectedError(
            "The esxtop service’s CounterInfo is empty.",
            meaning="Without it the service’s numbers have no names.",
        )
    return CounterInfo(types)


def _read_line(line: str) -> RecordType | None:
    start, *parts, end = line.split("|") if line.count("|") > 1 else ("no", "record")
    if start or end or not 1 <= len(parts) <= _MOST_FIELDS or not _NAME.fullmatch(parts[0]):
        return None
    fields = [_read_field(part) for part in parts[1:]]
    found = tuple(one for one in fields if one is not None)
    if len(found) < len(fields) or len({one.name for one in found}) < len(found):
        return None
    return RecordType(parts[0], found)


def _read_field(text: str) -> Field | None:
    name, _, kind = text.partition(",")
    return Field(name, kind) if _NAME.fullmatch(name) and _NAME.fullmatch(kind) else None
