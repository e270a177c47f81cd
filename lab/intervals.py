"""What esxtop shows of several ticks together: means of what it counts, the last of what it looks at."""

from __future__ import annotations

import numpy as np

from lab.esxtop_tables import EsxtopTables, Table
from lab.fields import APERF
from sessions.model import FloatArray, IntArray

_WEIGHTS = {
    "MilliSec/Command": "Commands/sec", "MilliSec/Read": "Reads/sec", "MilliSec/Write": "Writes/sec",
    "% Outbound Packets Dropped": "Packets Transmitted/sec",
    "% Received Packets Dropped": "Packets Received/sec",
    "Average Packet Size  Transmitted (Bytes)": "Packets Transmitted/sec",
    "Average Packet Size  Received (Bytes)": "Packets Received/sec",
    "MicroSec/Interrupt": "Interrupts/second",
}  # fmt: skip
"""Means of events, by the end of their names: over a longer interval each event counts once."""
_COUNTED = ("/sec", "/second")
_SHARES_OF_TIME = frozenset(
    {"Group Cpu", "Vcpu", "Physical Cpu", "PCPU Power State"}
)  # their other percentages are estimates of the moment
_ESTIMATES = frozenset({"% Demand", "% Active Estimate"})
_DELTAS = frozenset({"Numa Rebalance Count Delta"})


class Interval:
    """Joins ticks to one sample, as ``esxtop -d`` with a longer delay shows them.

    Rates and shares of time are means over the interval; latencies, packet sizes and shares of packets are
    means over the commands and packets of it; a delta is the sum of its ticks. Everything else (memory,
    queues, states, counts since boot) is what esxtop reads at the end of the interval.
    """

    def __init__(self, tables: EsxtopTables) -> None:
        self._tables = tables
        size = len(tables.flat)
        self._means, self._deltas = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        self._weight: IntArray = np.full(size, -1, np.int64)
        for table in tables.tables.values():
            self._plan(table)
        self._weighed = np.flatnonzero(self._weight >= 0)
        self._weights = self._weight[self._weighed]
        self._start()

    def add(self) -> None:
        """Add what the tables hold now."""
        flat = self._tables.flat
        self._ticks += 1
        self._sum += flat
        self._products += flat[self._weighed] * flat[self._weights]

    def end(self) -> FloatArray:
        """Return the values of the interval, in the order of the tables, and begin the next one."""
        flat = self._tables.flat.copy()
        flat[self._means] = self._sum[self._means] / max(self._ticks, 1)
        flat[self._deltas] = self._sum[self._deltas]
        events = self._sum[self._weights]
        flat[self._weighed] = np.where(events > 0, self._products / np.where(events > 0, events, 1.0), 0.0)
        self._start()
        return flat

    def _start(self) -> None:
        self._ticks = 0
        self._sum: FloatArray = np.zeros(len(self._tables.flat))
        self._products: FloatArray = np.zeros(self._weighed.size)

    def _plan(self, table: Table) -> None:
        names = [field.name for field in table.fields]
        for number, name in enumerate(names):
            cells = np.arange(table.size) + table.offset + number * table.size
            weight = next((rate for end, rate in _WEIGHTS.items() if name.endswith(end)), "")
            if weight in names:
                if name in table.wanted:
                    table.wanted |= {weight}  # nobody may read it, but a mean needs it
                self._weight[cells] = cells + (names.index(weight) - number) * table.size
            elif name in _DELTAS:
                self._deltas[cells] = True
            elif _is_mean(table.cls, name):
                self._means[cells] = True


def _is_mean(cls: str, name: str) -> bool:
    """True for what esxtop computes from two readings of a counter that only grows."""
    is_share = name.startswith("%") and cls in _SHARES_OF_TIME and name not in _ESTIMATES
    return name.endswith(_COUNTED) or is_share or name == APERF
