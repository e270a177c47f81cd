"""Decodes a reply to FetchStats: what CounterInfo names as arrays by field; the rest is kept as it came.

All numbers of a reply are parsed at once: whatever is no number is blanked, and the rest read as one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from collectors.esxtop_service.counter_info import CounterInfo, RecordType
from collectors.esxtop_service.tree import parents_of
from resources.esxtop_records import EsxtopRecords, load_esxtop_records
from resources.failures import DisconnectedError
from resources.foreign_text import shown
from resources.units import format_bytes, format_count
from sessions.model import FloatArray, IntArray

UintArray = NDArray[np.uint64]
BoolArray = NDArray[np.bool_]

_OBJECTS, _VALUES = b"==NUM-OF-OBJ==\n", b"==COUNTER-VALUE==\n"
_BAR, _LINE_END, _SPACE, _MINUS, _ZERO, _NINE = b"|\n -09"
_HIDDEN_BAR = b"\x1f"
"""Stands for a bar within a name while a reply is read: no name has this control character."""
_ALL_ONES = np.uint64(2**64 - 1)
_UNKNOWN = -1
_EARLIEST_S, _LATEST_S = 0, 7_258_118_400
"""A host's time is after 1970 and before 2200."""


class Records:
    """All records of one type in a reply, in the reply's order.

    ``parent`` (n,) is the position of each one's parent among the records of the parent's type, −1 for none;
    ``lines`` (n,) are line numbers in the reply's second section, from 0.
    """

    def __init__(
        self, of: RecordType, lines: IntArray, parent: IntArray, values: UintArray, texts: _Texts
    ) -> None:
        self.type = of
        self.lines = lines
        self.parent = parent
        self._values = values
        self._texts = texts
        numbers = (one for one in of.fields if not one.is_text)
        self._column = {one.name: (column, one.is_signed) for column, one in enumerate(numbers)}
        self._words: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, name: object) -> bool:
        return name in self._column

    @property
    def raw(self) -> UintArray:
        """All numbers (n, fields without those of text) as sent; negative ones in two's complement."""
        return self._values

    def counts(self, name: str) -> UintArray:
        """Return a field's numbers as they were sent (n,); negative ones in two's complement."""
        column: UintArray = self._values[:, self._column[name][0]]
        return column

    def numbers(self, name: str) -> FloatArray:
        """Return a field's numbers (n,); NaN where all bits of an unsigned one are set, which means none."""
        column, is_signed = self._column[name]
        sent = self._values[:, column]
        if is_signed:
            return sent.view(np.int64).astype(np.float64)
        found = sent.astype(np.float64)
        found[sent == _ALL_ONES] = np.nan
        return found

    def words(self, name: str) -> list[str]:
        """Return a field's texts (n,)."""
        if name not in self._words:
            self._words[name] = self._texts.of(name)
        return self._words[name]


@dataclass(frozen=True, slots=True)
class _Texts:
    """Where the texts of records stand: field → (n, 2) begins and ends in ``data``."""

    data: bytes
    places: Mapping[str, IntArray]

    def of(self, name: str) -> list[str]:
        data = self.data
        pieces = [data[begin:end] for begin, end in self.places[name].tolist()]
        return [one.replace(_HIDDEN_BAR, b"|").decode("utf-8", "replace") for one in pieces]


@dataclass(frozen=True, slots=True)
class Reply:
    """A decoded reply: the records by type.

    ``unknown`` are the lines whose type CounterInfo does not name, ``objects`` is the first section, each as
    it was sent.
    """

    records: Mapping[str, Records]
    unknown: tuple[str, ...] = ()
    objects: bytes = field(default=b"", repr=False)

    def __getitem__(self, name: str) -> Records:
        return self.records[name]

    def __contains__(self, name: object) -> bool:
        return name in self.records

    def object_lines(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yield the first section's lines: what is listed, with its properties (``[("PathName", …)]``).

        A value may hold commas; where it holds a bar the properties after it are lost.
        """
        for line in self.objects.decode("utf-8", "replace").splitlines():
            name, *pairs = line.strip("|").split("|")
            yield name, [(key, value) for key, _, value in (pair.partition(",") for pair in pairs)]


def decode(text: str | bytes, info: CounterInfo, known: EsxtopRecords | None = None) -> Reply:
    """Decode a reply to FetchStats.

    Raises DisconnectedError, naming the line, for what is not whole: cut off, no reply at all, counts that
    disagree with what follows, records with other fields than CounterInfo names.
    """
    known = known or load_esxtop_records()
    data = _normalised(text, known)
    before, found, values = data.partition(_VALUES)
    if not found:
        raise _broken("has no values", shown(before[:60].decode("utf-8", "replace")) or "It is empty.")
    objects = before.partition(_OBJECTS)[2]
    reply = _Section(values, info).reply(known, objects)
    _check_whole(reply, objects)
    return reply


def _normalised(text: str | bytes, known: EsxtopRecords) -> bytes:
    if len(text) > known.limits.reply_bytes:
        raise _broken(
            "is too large",
            f"It has {format_bytes(len(text))}, {known.limits.reply_bytes >> 20} MB is allowed.",
        )
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    data = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    return data if data.endswith(b"\n") else data + b"\n"


def _check_whole(reply: Reply, objects: bytes) -> None:
    """The first line of the first section says which records a whole reply ends with."""
    first = objects[: objects.find(b"\n") + 1].decode("utf-8", "replace").strip()
    for part in first.split("|")[2:-1] if first.startswith("|Server|") else ():
        name, _, count = part.partition(",")
        there = len(reply[name]) if name in reply else 0
        if count.isdecimal() and name in reply.records and there != int(count):
            raise _broken("breaks off", f"It announces {count} × {name} and has {format_count(there)}.")
    if "Server" not in reply or len(reply["Server"]) != 1 or not {"Time", "TimeStampInUsec"} <= _names(reply):
        raise _broken("has no time", "Its record Server is missing.")
    if not _EARLIEST_S <= reply["Server"].numbers("Time")[0] <= _LATEST_S:
        raise _broken("has no time", "That of its record Server is in no calendar.")


def _names(reply: Reply) -> set[str]:
    return {one.name for one in reply["Server"].type.fields}


class _Section:
    """The second section of a reply: a line for each record.

    ``bars`` are the places of all bars; line i has ``count[i]`` of them from number ``first[i]`` on, so that
    its field k stands between bars ``first[i] + k`` and ``first[i] + k + 1``.
    """

    def __init__(self, data: bytes, info: CounterInfo) -> None:
        self._info = info
        self._types = list(info.types.values())
        self._split(data)
        odd = self._odd_lines()
        if odd:
            self._split(self._with_hidden_bars(odd))

    def _split(self, data: bytes) -> None:
        self._data = data
        self._bytes = np.frombuffer(data, dtype=np.uint8)
        self._bars = np.flatnonzero(self._bytes == _BAR)
        ends = np.flatnonzero(self._bytes == _LINE_END)
        starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        filled = ends > starts
        self._starts, self._ends = starts[filled], ends[filled]
        self._first = np.searchsorted(self._bars, self._starts)
        self._count = np.searchsorted(self._bars, self._ends) - self._first
        framed = (self._bytes[self._starts] == _BAR) & (self._bytes[self._ends - 1] == _BAR)
        self._require(framed & (self._count >= 2), "is no record")
        self._kind = self._kinds()

    def _kinds(self) -> IntArray:
        """The type of each line's record, as a position among the types; −1 for one without a type."""
        numbers = {one.name.encode(): number for number, one in enumerate(self._types)}
        data, find = self._data, numbers.get
        begins = (self._starts + 1).tolist()
        ends = self._bars[self._first + 1].tolist() if len(self._first) else []
        kinds = [find(data[begin:end], _UNKNOWN) for begin, end in zip(begins, ends, strict=True)]
        return np.array(kinds, dtype=np.int64)

    def _odd_lines(self) -> list[int]:
        """The lines that have more or fewer fields than CounterInfo names."""
        wanted = np.array([len(one.fields) + 2 for one in self._types] + [0], dtype=np.int64)[self._kind]
        odd: list[int] = np.flatnonzero((self._kind != _UNKNOWN) & (self._count != wanted)).tolist()
        return odd

    def _with_hidden_bars(self, odd: Sequence[int]) -> bytes:
        """The section with other characters for the bars within the names of the lines ``odd``."""
        pieces: list[bytes] = []
        at = 0
        for number in odd:
            begin, end = int(self._starts[number]), int(self._ends[number])
            kind = self._types[int(self._kind[number])]
            mended = _hide_bars(self._data[begin:end], kind)
            if mended is None:
                there = int(self._count[number]) - 2
                raise _broken(
                    "does not fit CounterInfo",
                    f"Line {number + 1} has {format_count(there)} fields of {kind.name}, "
                    f"which has {format_count(len(kind.fields))}.",
                )
            pieces += [self._data[at:begin], mended]
            at = end
        return b"".join([*pieces, self._data[at:]])

    def reply(self, known: EsxtopRecords, objects: bytes) -> Reply:
        """Parse all numbers, and give each record its parent."""
        lines = {one.name: np.flatnonzero(self._kind == number) for number, one in enumerate(self._types)}
        places = {
            one.name: self._first[lines[one.name]][:, None] + np.arange(1, len(one.fields) + 1)
            for one in self._types
        }
        flat, position = self._numbers(places)
        values: dict[str, UintArray] = {}
        for one in self._types:
            columns = [number for number, of in enumerate(one.fields) if not of.is_text]
            values[one.name] = flat[position[places[one.name][:, columns]]]
        counts = {
            (one.name, of.name): values[one.name][:, column]
            for one in self._types
            for column, of in enumerate(of for of in one.fields if not of.is_text)
        }
        parents = parents_of(lines, len(self._starts), counts, known)
        records = {
            one.name: Records(
                one, lines[one.name], parents[one.name], values[one.name], self._texts(one, places[one.name])
            )
            for one in self._types
        }
        return Reply(records, self._unknown(), objects)

    def _texts(self, of: RecordType, places: IntArray) -> _Texts:
        bars = self._bars
        return _Texts(
            self._data,
            {
                one.name: np.stack([bars[places[:, column]] + 1, bars[places[:, column] + 1]], axis=1)
                for column, one in enumerate(of.fields)
                if one.is_text
            },
        )

    def _unknown(self) -> tuple[str, ...]:
        lines = np.flatnonzero(self._kind == _UNKNOWN).tolist()
        return tuple(
            self._data[self._starts[line] : self._ends[line]].decode("utf-8", "replace") for line in lines
        )

    def _numbers(self, places: Mapping[str, IntArray]) -> tuple[UintArray, IntArray]:
        """All numbers of the section, and which of them stands after each bar."""
        bars = self._bars
        wanted = np.zeros(len(bars), dtype=np.bool_)
        for one in self._types:
            for column, of in enumerate(one.fields):
                if not of.is_text:
                    wanted[places[one.name][:, column]] = True
        after = np.minimum(bars + 1, len(self._bytes) - 1)
        negative = wanted & (self._bytes[after] == _MINUS)
        kept = np.zeros(len(self._bytes), dtype=np.bool_)
        if len(bars):
            kept[bars[0] : bars[-1]] = np.repeat(wanted[:-1], np.diff(bars))
        digits = self._bytes - np.uint8(_ZERO) <= _NINE - _ZERO
        lengths = np.diff(bars, append=len(self._bytes)) - 1 - negative
        expected = int((lengths[wanted]).sum())
        digits &= kept
        if int(np.count_nonzero(digits)) != expected or np.any(lengths[wanted] < 1):
            self._refuse_words(wanted, negative)
        flat = _parse(np.where(digits, self._bytes, np.uint8(_SPACE)).tobytes())
        self._refuse_overflows(np.flatnonzero(wanted)[flat == _ALL_ONES])
        below_zero = negative[wanted]
        flat[below_zero] = ~flat[below_zero] + np.uint64(1)
        return flat, np.cumsum(wanted) - 1

    def _refuse_words(self, wanted: BoolArray, negative: BoolArray) -> None:
        for bar in np.flatnonzero(wanted).tolist():
            text = self._after(bar)
            if not (text[1:] if negative[bar] else text).isdigit():
                raise self._no_number(bar, "is no number")

    def _refuse_overflows(self, bars: IntArray) -> None:
        """Parsing ends at the largest number of 64 bits, which a larger one becomes."""
        for bar in bars.tolist():
            if self._after(bar).lstrip(b"0") != b"%d" % _ALL_ONES:
                raise self._no_number(bar, "is no 64-bit number")

    def _after(self, bar: int) -> bytes:
        """The field after a bar."""
        return self._data[int(self._bars[bar]) + 1 : int(self._bars[bar + 1])]

    def _no_number(self, bar: int, why: str) -> DisconnectedError:
        line = int(np.searchsorted(self._starts, int(self._bars[bar]), side="right"))
        word = shown(self._after(bar)[:40].decode("utf-8", "replace"))
        return _broken("does not fit CounterInfo", f"In line {line} {word!r} {why}.")

    def _require(self, right: BoolArray, what: str) -> None:
        wrong = np.flatnonzero(~right)
        if len(wrong):
            number = int(wrong[0])
            text = self._data[self._starts[number] : self._ends[number]][:60].decode("utf-8", "replace")
            raise _broken("breaks off or is garbled", f"Line {number + 1} {what}: {shown(text)!r}.")


def _parse(text: bytes) -> UintArray:
    """The numbers of a text that has only digits and spaces."""
    if not text.strip():
        return np.zeros(0, dtype=np.uint64)
    return np.fromstring(text, sep=" ", dtype=np.uint64)


def _hide_bars(line: bytes, kind: RecordType) -> bytes | None:
    """A line whose names hold bars, with others in their place; None if it can't be of that type.

    Numbers are counted from both ends: what is left is the names'. Where several names could have a bar the
    first is given it.
    """
    if line.count(b"|") < len(kind.fields) + 2 or not any(one.is_text for one in kind.fields):
        return None
    fields = "".join(r"(.*?)\|" if one.is_text else r"(-?[0-9]+)\|" for one in kind.fields)
    found = re.fullmatch(rf"\|{kind.name}\|{fields}", line.decode("latin-1"), re.DOTALL)
    if found is None:
        return None
    parts = (part.encode("latin-1").replace(b"|", _HIDDEN_BAR) for part in found.groups())
    return b"|".join([b"", kind.name.encode(), *parts, b""])


def _broken(what: str, why: str) -> DisconnectedError:
    return DisconnectedError(
        f"The esxtop service’s reply {what}. {why}", meaning="Its sample is lost; the next one is asked for."
    )
