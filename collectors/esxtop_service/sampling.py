"""Two replies make a sample: the growth of counts on each object's own clock, as esxtop's columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from collectors.esxtop_names import ColumnPath
from collectors.esxtop_service.matching import Match, rows_before, signature_of
from collectors.esxtop_service.objects import Instances, block_sizes, read_instances
from collectors.esxtop_service.reply import Records, Reply
from resources.esxtop_columns import (
    ALL_STATES,
    Column,
    ColumnTable,
    EsxtopColumns,
    Terms,
    load_esxtop_columns,
)
from sessions.model import FloatArray

_MICROSECONDS = 1e6
_TOTAL = "_Total"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a reply has columns of; replies of the same objects have one shape.

    ``paths`` are the columns as batch mode would name them, in the order of the values.
    """

    host: str
    signature: tuple[object, ...]
    tables: tuple[tuple[ColumnTable, Instances], ...]
    paths: tuple[ColumnPath, ...]
    blocks: tuple[FloatArray, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of a host.

    ``t_ms`` is the host's own time of the newer reply, ``interval_s`` the time between the two by the host's
    clock since it booted; ``values`` (columns of the shape,) are as batch mode prints them, NaN where absent.
    """

    t_ms: int
    interval_s: float
    shape: Shape
    values: FloatArray


class Sampler:
    """Makes samples of one host's replies, which come in order of time."""

    def __init__(self, host: str, columns: EsxtopColumns | None = None) -> None:
        self._host = host
        self._columns = columns or load_esxtop_columns()
        self._before: Reply | None = None
        self._shape: Shape | None = None

    def forget(self) -> None:
        """Forget the last reply: the next one begins anew, as after an outage."""
        self._before = None

    def add(self, reply: Reply) -> Sample | None:
        """Return the sample that the reply ends; None for the first, and for one that is not newer."""
        before, seconds = self._before, _seconds_between(self._before, reply)
        if before is not None and seconds == 0:
            return None
        signature = signature_of(reply)
        same = self._shape is not None and self._shape.signature == signature
        if self._shape is None or not same:
            self._shape = shape_of(reply, signature, self._host, self._columns)
        self._before = reply
        if before is None or seconds < 0:  # the host booted: nothing to compare with
            return None
        match = None if same else rows_before(before, reply)
        return Sample(
            time_ms(reply),
            seconds,
            self._shape,
            _values(self._shape, _Changes(before, reply, match, seconds)),
        )

    def alone(self, reply: Reply) -> Sample:
        """Return what a single reply shows: levels, as memory and queues; whatever grows is NaN.

        Its ``interval_s`` is NaN: it is an instant.
        """
        shape = shape_of(reply, signature_of(reply), self._host, self._columns)
        return Sample(time_ms(reply), np.nan, shape, _values(shape, _Changes(None, reply, None, np.nan)))


def time_ms(reply: Reply) -> int:
    """Return the host's time when it answered, in ms since 1970; it tells whole seconds."""
    return int(reply["Server"].numbers("Time")[0]) * 1000


def shape_of(reply: Reply, signature: tuple[object, ...], host: str, columns: EsxtopColumns) -> Shape:
    """Return which columns a reply gives."""
    tables: list[tuple[ColumnTable, Instances]] = []
    for table in columns.tables:
        instances = read_instances(reply, table)
        if instances is not None and instances.names:
            tables.append((_with_fields(table, reply[table.record]), instances))
    paths = tuple(path for table, instances in tables for path in _paths(host, table, instances))
    blocks = tuple(block_sizes(reply, table.record) for table, _ in tables)
    return Shape(host, signature, tuple(tables), paths, blocks)


def _with_fields(table: ColumnTable, records: Records) -> ColumnTable:
    """The table with those columns alone whose fields this host's records have."""
    there = {one.name for one in records.type.fields if not one.is_text}
    needed = {table.clock} - {""}
    columns = tuple(one for one in table.columns if one.fields | needed <= there)
    return replace(table, lives=table.lives if table.lives in there else "", columns=columns)


def _paths(host: str, table: ColumnTable, instances: Instances) -> Iterator[ColumnPath]:
    names = [*instances.names, *([_TOTAL] if table.total else [])]
    counters = [*([table.count] if table.count else []), *(column.counter for column in table.columns)]
    for number, name in enumerate(names):
        for counter in counters:
            state = instances.states[number] if instances.states else ""
            yield ColumnPath(
                host, table.cls, name, f"{table.state}{state}{counter}" if table.state else counter
            )


def _seconds_between(before: Reply | None, reply: Reply) -> float:
    if before is None:
        return 0.0
    now, then = (one["Server"].numbers("TimeStampInUsec")[0] for one in (reply, before))
    return float(now - then) / _MICROSECONDS


def _values(shape: Shape, changes: _Changes) -> FloatArray:
    """The values of every column of ``shape``, in its order."""
    parts = [
        changes.values(table, instances, blocks)
        for (table, instances), blocks in zip(shape.tables, shape.blocks, strict=True)
    ]
    return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)


class _Changes:
    """The growth of counts between two replies; ``match`` says where they differ in objects. Without the
    reply before nothing has grown by an amount that is known.
    """

    def __init__(self, before: Reply | None, reply: Reply, match: Match | None, seconds: float) -> None:
        self._before, self._reply, self._match, self._seconds = before, reply, match, seconds
        self._cache: dict[tuple[str, str], FloatArray] = {}

    def values(self, table: ColumnTable, instances: Instances, blocks: FloatArray) -> FloatArray:
        """Return the values of a table (instances, counters), with the total's row and the count's column."""
        view = _TableView(self, table, instances, blocks, self._seconds)
        columns = [view.value(column) for column in table.columns]
        if table.count:
            columns.insert(0, np.bincount(instances.owner, minlength=len(instances.names)).astype(float))
        values = np.stack(columns, axis=1) if columns else np.zeros((len(instances.names), 0))
        if not table.total:
            return values
        return np.concatenate([values, values.mean(axis=0, keepdims=True)])

    @property
    def is_alone(self) -> bool:
        """True if there is no reply before."""
        return self._before is None

    def records(self, name: str) -> Records:
        """The records of the newer reply."""
        return self._reply[name]

    def growth(self, record: str, field: str) -> FloatArray:
        """How much a field grew (records of the newer reply,); NaN where it fell or was not there before."""
        key = (record, field)
        if key not in self._cache:
            self._cache[key] = self._growth(record, field)
        return self._cache[key]

    def _growth(self, record: str, field: str) -> FloatArray:
        records = self._reply[record]
        now = records.counts(field)
        if self._before is None or record not in self._before or field not in self._before[record]:
            return np.full(len(now), np.nan)
        then = self._before[record].counts(field)
        rows = None if self._match is None else self._match[record]
        if rows is not None:
            then = np.concatenate([then, np.zeros(1, dtype=np.uint64)])[rows]
        of = next(one for one in records.type.fields if one.name == field)
        grown = _grown(now, then, of.bits, is_signed=of.is_signed)
        if rows is not None:
            grown[rows < 0] = np.nan
        return grown


def _grown(now: NDArray[np.uint64], then: NDArray[np.uint64], bits: int, *, is_signed: bool) -> FloatArray:
    """Growth of counts that start again from 0 after ``bits`` bits; NaN for one that fell, which one of 32
    bits does that seems to have grown by more than half of its range.
    """
    difference = now - then
    if bits == 32 and not is_signed:
        difference &= np.uint64(0xFFFFFFFF)
        return np.where(difference < 1 << 31, difference.astype(np.float64), np.nan)
    grown = difference.view(np.int64)
    return np.where(grown >= 0, grown.astype(np.float64), np.nan)


class _TableView:
    """One table's values, column by column."""

    def __init__(
        self, changes: _Changes, table: ColumnTable, instances: Instances, blocks: FloatArray, seconds: float
    ) -> None:
        self._changes, self._table, self._instances = changes, table, instances
        self._records = changes.records(table.record)
        self._blocks = blocks[instances.rows]
        self._seconds: FloatArray | float = seconds
        self._alive = self._living()
        if table.clock:
            clock = changes.growth(table.record, table.clock)[instances.rows]
            self._seconds = np.where(clock > 0, clock, np.nan) / _MICROSECONDS

    def _living(self) -> NDArray[np.bool_]:
        """Which records can be compared with those before, and are valid at all."""
        rows = self._instances.rows
        alive = np.ones(len(rows), dtype=np.bool_)
        if "IsValid" in self._records and not self._table.valid_or_not:
            alive &= self._records.counts("IsValid")[rows] != 0
        if self._table.lives and not self._changes.is_alone:
            alive &= ~np.isnan(self._changes.growth(self._table.record, self._table.lives)[rows])
        return alive

    def value(self, column: Column) -> FloatArray:
        """Return a column's values (instances,)."""
        if column.how == "now":
            result = self._now(column)
        elif column.how == "ratio":
            result = self._ratio(column)
        elif self._table.gather == "amounts":
            result = self._sum(self._grown(column)) / self._seconds
        else:
            result = self._paced(column)
        if self._table.gather == "results" or (column.how == "now" and self._table.gather):
            result = self._sum(result)
        scaled = result * column.factor
        scaled = np.where(result < 0, result, scaled) if column.words_below_zero else scaled
        return 100.0 - scaled if column.rest else scaled

    def _now(self, column: Column) -> FloatArray:
        rows = self._instances.rows
        total = sum(sign * self._records.numbers(name)[rows] for sign, name in column.of)
        found: FloatArray = np.where(self._alive, total, np.nan)
        if column.one_bit:
            bits = np.where(found > 0, found, np.nan)
            found = np.where(np.log2(bits) % 1 == 0, np.log2(bits), np.nan)
        if column.per:
            per = sum(sign * self._records.numbers(name)[rows] for sign, name in column.per)
            found = np.divide(found, per, out=np.full(len(found), np.nan), where=per > 0)
        return found

    def _paced(self, column: Column) -> FloatArray:
        """Growth, a second or in percent of the clock."""
        grown = self._grown(column)
        if column.how == "change":
            return grown
        per_second: FloatArray = grown / self._seconds
        return per_second / _MICROSECONDS * 100.0 if column.how == "percent" else per_second

    def _grown(self, column: Column) -> FloatArray:
        grown = self._growth(column.of)
        return grown * self._blocks if column.blocks else grown

    def _growth(self, terms: Terms) -> FloatArray:
        rows = self._instances.rows
        grown = np.zeros(len(rows))
        for sign, name in terms:
            grown = grown + sign * self._one_growth(name)[rows]
        return np.where(self._alive, grown, np.nan)

    def _one_growth(self, name: str) -> FloatArray:
        if name != ALL_STATES:
            return self._changes.growth(self._table.record, name)
        grown = np.nan_to_num(self._changes.growth(self._table.record, "ResidentTimeInUsec"))
        parent = np.maximum(self._records.parent, 0)
        by_parent: FloatArray = np.bincount(parent, grown).astype(np.float64)
        return by_parent[parent]

    def _ratio(self, column: Column) -> FloatArray:
        of, per = self._growth(column.of), self._growth(column.per)
        if column.at_most:
            of = np.where(of <= self._growth(column.at_most), of, np.nan)
        if self._table.gather == "amounts":
            absent = np.isnan(of) | np.isnan(per)
            of, per = self._sum(np.where(absent, np.nan, of)), self._sum(np.where(absent, np.nan, per))
        idle = np.nan if column.absent_if_idle else 0.0
        found = np.divide(of, per, out=np.full(len(of), np.nan), where=per > 0)
        return np.where((per == 0) & ~np.isnan(of), idle, found)

    def _sum(self, values: FloatArray) -> FloatArray:
        """The sum over each instance's records, of those that have a value; NaN where none has."""
        owner, count = self._instances.owner, len(self._instances.names)
        there = ~np.isnan(values)
        total = np.bincount(owner, np.where(there, values, 0.0), minlength=count)
        return np.where(np.bincount(owner, there, minlength=count) > 0, total, np.nan)
