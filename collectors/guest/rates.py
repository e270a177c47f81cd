"""Two readings of a guest make a sample: growth on the guest's own clock, and what is now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from collectors.guest.readings import Reading
from resources.guest_counters import GuestCounter, GuestCounters, GuestTable

_DIGITS = 3
_LONG = {"i386", "i486", "i586", "i686", "armv6l", "armv7l", "ppc"}
"""Machines whose long integers have 32 bits."""
_MEGABYTE = 1 << 20
_TURN = 1 << 32


@dataclass(frozen=True, slots=True)
class Machine:
    """What a guest's numbers depend on: its kind of processor, and the size of its pages (bytes), 0 for one
    that it does not tell.
    """

    processor: str = ""
    page: int = 0

    @property
    def page_mb(self) -> float | None:
        """The size of a page in MB; x86 has one for all."""
        page = self.page or (4096 if self.processor == "x86_64" else 0)
        return page / _MEGABYTE if page else None


@dataclass(frozen=True, slots=True)
class Sample:
    """Values in the counters' units, by counter and instance; what is not known is absent.

    ``seconds`` is the time since the reading before, by the guest's clock since its boot.
    """

    seconds: float
    values: Mapping[tuple[str, str], float]


class Sampler:
    """Makes samples of readings that come in order of time."""

    def __init__(self, counters: GuestCounters) -> None:
        self._counters = counters.counter
        self._tables = {table.name: table for table in counters.table}
        self._before: Reading | None = None

    def forget(self) -> None:
        """Forget the last reading: the next one begins anew, as after an outage."""
        self._before = None

    def add(self, reading: Reading, machine: Machine) -> Sample | None:
        """Return the sample that the reading ends; None for the first one since the boot or an outage."""
        before, self._before = self._before, reading
        if before is None or before.boot != reading.boot or reading.uptime_s <= before.uptime_s:
            return None
        seconds = reading.uptime_s - before.uptime_s
        change = _Change(before, reading, seconds, machine)
        values = {
            (counter.key, instance): round(value, _DIGITS)
            for counter in self._counters
            for instance, value in change.values(counter, self._tables[counter.table])
        }
        return Sample(seconds, values)


class _Change:
    """What changed from a reading to the next."""

    def __init__(self, before: Reading, now: Reading, seconds: float, machine: Machine) -> None:
        self._before, self._now = before.tables, now.tables
        self._seconds, self._machine = seconds, machine

    def values(self, counter: GuestCounter, table: GuestTable) -> Iterator[tuple[str, float]]:
        """Yield the counter's value of each instance that has one."""
        factor = counter.factor
        if counter.pages:
            page_mb = self._machine.page_mb
            if page_mb is None:
                return
            factor *= page_mb
        for instance in self._now.get(table.name, {}):
            value = self._value(counter, table, instance)
            if value is not None:
                yield instance, min(value * factor, counter.at_most)

    def _value(self, counter: GuestCounter, table: GuestTable, instance: str) -> float | None:
        add = self._growth if counter.how in ("rate", "ratio") else self._level
        of = add(counter.of, table, instance)
        if of is None or counter.how == "now":
            return of
        if counter.how == "rate":
            return of / self._seconds
        per = add(counter.per, table, instance)
        return None if not per else of / per

    def _level(self, names: tuple[str, ...], table: GuestTable, instance: str) -> float | None:
        row = self._now[table.name][instance]
        total = 0.0
        for name in names:
            value = row.get(name.removeprefix("-"))
            if value is None:
                return None
            total += -value if name.startswith("-") else value
        return total if total >= 0 else None

    def _growth(self, names: tuple[str, ...], table: GuestTable, instance: str) -> float | None:
        """The growth of a sum; None where a field fell, or was not there before."""
        row = self._now[table.name][instance]
        past = self._before.get(table.name, {}).get(instance, {})
        total = 0.0
        for name in names:
            now, before = row.get(name), past.get(name)
            if now is None or before is None:
                return None
            grown = now - before
            if grown < 0 and self._is_narrow(table, name):
                grown = (grown + _TURN) if grown + _TURN < _TURN // 2 else grown
            if grown < 0:  # the device was taken away and came back, or the kernel corrected itself
                return None
            total += grown
        return total

    def _is_narrow(self, table: GuestTable, name: str) -> bool:
        return name in table.narrow or self._machine.processor in _LONG
