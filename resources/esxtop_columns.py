"""Loads how the numbers of the API's esxtop service become esxtop's columns
(resources/esxtop_service/columns.toml).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from resources.toml_files import checked, knowledge_error, knowledge_files, read_toml, shipped_once

__all__ = ["ALL_STATES", "Column", "ColumnTable", "EsxtopColumns", "Terms", "load_esxtop_columns"]

_FILE = "columns.toml"
ALL_STATES = "all states"
"""What stands for the sum over all states of a processor, as ``per`` of a column."""

Terms = tuple[tuple[float, str], ...]
"""Fields that are added or subtracted: (1.0 or −1.0, name)."""


class _ColumnEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    now: str = ""
    rate: str = ""
    change: str = ""
    percent: str = ""
    of: str = ""
    per: str = ""
    times: Literal["", "block"] = ""
    factor: float = 1.0
    rest: bool = False
    at_most: str = ""
    idle: Literal["zero", "absent"] = "zero"
    words_below_zero: bool = False
    one_bit: bool = False


class _TableEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"cls": "class"}):
    cls: str
    record: str
    instances: str
    clock: str = ""
    lives: str = ""
    gather: Literal["", "amounts", "results"] = ""
    total: Literal["", "mean"] = ""
    count: str = ""
    state: str = ""
    valid_or_not: bool = False
    parts: tuple[str, ...] = ()
    columns: dict[str, _ColumnEntry] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    parts: dict[str, dict[str, _ColumnEntry]]
    table: tuple[_TableEntry, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """How one counter follows from the fields of a record.

    ``how``: "now" (the number itself, or over ``per``), "rate" (growth a second), "change" (growth),
    "percent" (growth in percent of the clock's) or "ratio" (growth of ``of`` over growth of ``per``); then
    times ``factor``. ``blocks``: times the device's block size. ``rest``: what is left of 100. ``at_most``: a
    ratio whose ``of`` grew by more than this is absent. ``absent_if_idle``: a ratio over no growth is absent,
    else 0. ``words_below_zero``: negative numbers are words, which no factor changes.
    ``one_bit``: the number of the bit that is set, absent unless it is one.
    """

    counter: str
    how: Literal["now", "rate", "change", "percent", "ratio"]
    of: Terms
    per: Terms
    factor: float
    blocks: bool
    rest: bool
    at_most: Terms
    absent_if_idle: bool
    words_below_zero: bool
    one_bit: bool

    @property
    def fields(self) -> frozenset[str]:
        """The fields that it needs."""
        return frozenset(name for _, name in (*self.of, *self.per, *self.at_most)) - {ALL_STATES}


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """The columns that records of one type give: ``cls`` is esxtop's object class.

    ``instances`` names the reader of their instances. ``clock`` is the record's own (µs), ``lives`` a count
    that falls only when the object restarts. ``gather``: several records make an instance, by the sum of
    their "amounts" or of their "results"; ``total`` "mean" adds an instance with the mean of all. ``count``
    is a counter for the number of records. ``state`` begins the name of a counter that a state's number ends.
    ``valid_or_not`` takes records that their host marks as not valid, too.
    """

    cls: str
    record: str
    instances: str
    clock: str
    lives: str
    gather: Literal["", "amounts", "results"]
    total: Literal["", "mean"]
    count: str
    state: str
    valid_or_not: bool
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class EsxtopColumns:
    """All tables, in the order of a capture's classes."""

    tables: tuple[ColumnTable, ...]


@shipped_once
def load_esxtop_columns(extra_dirs: Sequence[Path] = ()) -> EsxtopColumns:
    """Load it; a file of the same name in ``extra_dirs`` replaces ours. Raises KnowledgeError."""
    places = [path for place in knowledge_files("esxtop_service", extra_dirs) for path in place]
    path = [one for one in places if one.name == _FILE][-1]
    file = checked(read_toml(path), _File, path)
    return EsxtopColumns(tuple(_table(entry, file, path) for entry in file.table))


def _table(entry: _TableEntry, file: _File, path: Path) -> ColumnTable:
    columns: dict[str, _ColumnEntry] = {}
    for part in entry.parts:
        if part not in file.parts:
            raise knowledge_error(path, entry.cls, f"there is no part {part}")
        columns |= file.parts[part]
    columns |= entry.columns
    return ColumnTable(
        entry.cls, entry.record, entry.instances, entry.clock, entry.lives, entry.gather, entry.total,
        entry.count, entry.state, entry.valid_or_not,
        tuple(_column(name, one, entry, path) for name, one in columns.items()),
    )  # fmt: skip


def _column(name: str, entry: _ColumnEntry, table: _TableEntry, path: Path) -> Column:
    where = f"{table.cls}: {name}"
    given: list[tuple[Literal["now", "rate", "change", "percent", "ratio"], str]] = [
        ("now", entry.now), ("rate", entry.rate), ("change", entry.change), ("percent", entry.percent),
        ("ratio", entry.of),
    ]  # fmt: skip
    used = [(how, text) for how, text in given if text]
    if len(used) != 1:
        raise knowledge_error(path, where, "needs one of now, rate, change, percent, of")
    how, text = used[0]
    if how == "ratio" and not entry.per:
        raise knowledge_error(path, where, "has an `of` without `per`")
    if how == "percent" and not table.clock:
        raise knowledge_error(path, where, "is a percentage of a clock that its table lacks")
    per = ((1.0, ALL_STATES),) if entry.per == ALL_STATES else _terms(entry.per)
    return Column(
        name, how, _terms(text), per, entry.factor, entry.times == "block", entry.rest,
        _terms(entry.at_most), entry.idle == "absent", entry.words_below_zero, entry.one_bit,
    )  # fmt: skip


def _terms(text: str) -> Terms:
    sign = 1.0
    found: list[tuple[float, str]] = []
    for word in text.split():
        if word in ("+", "-"):
            sign = 1.0 if word == "+" else -1.0
        else:
            found.append((sign, word))
            sign = 1.0
    return tuple(found)
