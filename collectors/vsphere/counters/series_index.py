"""Numbers the series of a source: the number of a series is the column in which its samples are stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from collectors.vsphere.counters.metrics import KINDS, Meaning, MetricSet
from collectors.vsphere.counters.naming import Subject, series_of
from collectors.vsphere.counters.reply import EntitySamples
from sessions.model import Entity, EntityRef, FloatArray, IntArray, SeriesSpec

UNKNOWN = -1


@dataclass(slots=True)
class _Answered:
    """What an object answered last, and where that went: equal lists mean equal columns."""

    counters: list[str]
    instances: list[str]
    columns: IntArray


class SeriesIndex:
    """Numbers the series of a source from 0, in the order of their first sample; a number never changes.

    ``owner`` (n,) is the number of the object that returns the series of a column. ``factor`` (n,) is what
    the numbers of a column are multiplied with before they are stored: 1, except after the vCPUs of a VM have
    changed.
    """

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._sets: Mapping[str, MetricSet] = {}
        self._by_identity: dict[tuple[EntityRef, str, str], int] = {}
        self._known: dict[str, _Answered] = {}
        self._owners: dict[EntityRef, int] = {}
        self._per_vcpu: dict[int, dict[int, int]] = {}
        self._vcpus: dict[int, int] = {}
        self._state_numbers: dict[int, FloatArray] = {}
        self.specs: list[SeriesSpec] = []
        self.unlisted: dict[EntityRef, Entity] = {}
        self._owner: _Growing[np.int64] = _Growing(np.int64)
        self._factor: _Growing[np.float64] = _Growing(np.float64)

    @property
    def owner(self) -> IntArray:
        """For each column, the number of the object that returns its series; shape (n,), int64."""
        return self._owner.values

    @property
    def factor(self) -> FloatArray:
        """For each column, what its numbers are multiplied with before they are stored;
        shape (n,), float64.
        """
        return self._factor.values

    @property
    def owners(self) -> Mapping[EntityRef, int]:
        """All objects ever seen with their numbers, in the order of the numbers."""
        return self._owners

    def __len__(self) -> int:
        return len(self.specs)

    @property
    def metric_sets(self) -> Sequence[MetricSet]:
        """The metric sets by which replies are resolved now."""
        return list(self._sets.values())

    def set_metric_sets(self, sets: Iterable[MetricSet]) -> None:
        """Resolve replies by these metric sets from now on."""
        self._sets = {chosen.kind: chosen for chosen in sets}
        self._known.clear()

    def number(self, ref: EntityRef) -> int:
        """Return the number of an object; a new object gets a new number."""
        return self._owners.setdefault(ref, len(self._owners))

    def columns_of(self, subject: Subject, samples: EntitySamples) -> IntArray:
        """Return the column of each series of the reply, (n,) int64; ``UNKNOWN`` for one that
        was not queried.
        """
        known = self._known.get(subject.moid)
        if known is not None and known.counters == samples.counters and known.instances == samples.instances:
            return known.columns
        columns = self._resolve(subject, samples)
        self._known[subject.moid] = _Answered(samples.counters, samples.instances, columns)
        return columns

    def forget(self, moid: str) -> None:
        """Resolve the series of an object anew next time, because the object is gone or has changed."""
        self._known.pop(moid, None)

    def change_vcpus(self, subject: Subject) -> None:
        """Adapt the factors of a VM's series to its present number of vCPUs.

        A series keeps one scale (made for the vCPUs of its first sample) for all of its life. After a change
        a VM's milliseconds are multiplied with old vCPUs / new vCPUs before they are stored: the canonical
        values stay right, only the stored numbers are no longer vCenter's own.
        """
        number, vcpus = self.number(subject.ref), max(subject.vcpus, 1)
        if self._vcpus.get(number) == vcpus:
            return
        self._vcpus[number] = vcpus
        for column, scaled_for in self._per_vcpu.get(number, {}).items():
            self._factor.values[column] = scaled_for / vcpus

    def rescale(self, first: int, scales: FloatArray) -> None:
        """Adapt the factors of the columns from ``first`` on to ``scales`` (n,), which an earlier run
        stored for them.
        """
        for column, scale in enumerate(scales.tolist(), first):
            factor = self.specs[column].scale / scale
            if factor != 1.0:
                self._factor.values[column] = factor
                owner = int(self._owner.values[column])
                if column in self._per_vcpu.get(owner, {}):
                    self._per_vcpu[owner][column] = round(self._vcpus[owner] * factor)

    def translate_states(self, row: FloatArray) -> None:
        """Replace the server's numbers of states by our catalogue's, in place; ``row`` has
        one value a column.
        """
        for column, numbers in self._state_numbers.items():
            if column < row.size and 0 <= row[column] < numbers.size:
                row[column] = numbers[int(row[column])]

    def _resolve(self, subject: Subject, samples: EntitySamples) -> IntArray:
        chosen = self._sets.get(KINDS.get(subject.type, ""))
        columns = np.full(len(samples.counters), UNKNOWN, np.int64)
        pairs = zip(samples.counters, samples.instances, strict=True)
        taken: set[int] = set()
        for row, (counter, instance) in enumerate(pairs):
            meaning = chosen.meaning(counter, instance) if chosen else None
            if meaning is not None:
                column = self._column(subject, meaning, instance)
                if column not in taken:  # a server may answer "" and "*" with the same series
                    taken.add(column)
                    columns[row] = column
        return columns

    def _column(self, subject: Subject, meaning: Meaning, instance: str) -> int:
        spec, unlisted_entity = series_of(subject, meaning, instance, self._interval_s)
        identity = spec.entity, spec.counter, spec.instance
        column = self._by_identity.get(identity)
        if column is None:
            column = self._by_identity[identity] = len(self.specs)
            self._add(spec, self.number(subject.ref), meaning, max(subject.vcpus, 1))
            if unlisted_entity is not None:
                self.unlisted.setdefault(unlisted_entity.ref, unlisted_entity)
        return column

    def _add(self, spec: SeriesSpec, owner: int, meaning: Meaning, vcpus: int) -> None:
        column = len(self.specs)
        self.specs.append(spec)
        self._owner.append(owner)
        self._factor.append(1.0)
        if meaning.per_vcpu:
            self._per_vcpu.setdefault(owner, {})[column] = vcpus
            self._vcpus[owner] = vcpus
        if meaning.state_numbers:
            self._state_numbers[column] = np.array(meaning.state_numbers, np.float64)


_N = TypeVar("_N", np.int64, np.float64)


class _Growing(Generic[_N]):
    """An array that grows at its end."""

    def __init__(self, kind: type[_N]) -> None:
        self._room: NDArray[_N] = np.zeros(1024, kind)
        self._size = 0

    @property
    def values(self) -> NDArray[_N]:
        return self._room[: self._size]

    def append(self, value: float) -> None:
        if self._size == self._room.size:
            self._room = np.concatenate((self._room, np.zeros_like(self._room)))
        self._room[self._size] = value
        self._size += 1
