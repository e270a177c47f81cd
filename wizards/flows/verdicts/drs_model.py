"""What a placement of VMs on hosts can serve: the capacity model of the DRS study.

A host serves the share min(1, capacity / demand) of what its VMs want (tests.md W3). Real contention
costs more than this linear model, but the order of placements that it predicts holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from resources.study_numbers import DrsStudy
from sessions.model import FloatArray


@dataclass(frozen=True, slots=True)
class Demand:
    """What a VM wants, in the unit of the hosts' capacity (cores or MHz)."""

    vm: str
    amount: float
    is_heavy: bool = True


@dataclass(frozen=True, slots=True)
class Cluster:
    """Hosts with their capacity, the VMs' demands, and the host of each VM."""

    capacity: Mapping[str, float]
    demands: Sequence[Demand]
    hosts: Mapping[str, str]

    def load(self) -> dict[str, float]:
        """Return the demand on each host."""
        found = dict.fromkeys(self.capacity, 0.0)
        for one in self.demands:
            found[self.hosts[one.vm]] += one.amount
        return found

    def imbalance(self) -> float:
        """Return the standard deviation of the hosts' demands, as the study's charts show it."""
        loads = list(self.load().values())
        mean = sum(loads) / len(loads)
        return sqrt(sum((one - mean) ** 2 for one in loads) / len(loads))

    def served(self) -> float:
        """Return the share (0 to 1) of the heavy VMs' demand that their hosts can serve; 1 without demand."""
        load = self.load()
        wanted = got = 0.0
        for one in self.demands:
            if one.is_heavy:
                host = self.hosts[one.vm]
                share = min(1.0, self.capacity[host] / load[host]) if load[host] > 0 else 1.0
                wanted += one.amount
                got += one.amount * share
        return got / wanted if wanted > 0 else 1.0

    def balanced(self) -> tuple[Cluster, int]:
        """Return the placement after moves that each make the fullest host less full, and how many there
        were.

        Each step moves one VM or swaps two between the fullest host and another, whichever lowers the
        sum of the squared relative loads most; it ends when nothing does.
        """
        hosts = dict(self.hosts)
        current, moves = self, 0
        while (step := current.best_step()) is not None and moves < 4 * len(self.demands):
            hosts = {**hosts, **step}
            moves += len(step)
            current = Cluster(self.capacity, self.demands, hosts)
        return current, moves

    def best_step(self) -> dict[str, str] | None:
        """Return the move or swap that evens the loads out most: new hosts by VM; None if none does."""
        load = self.load()
        fullest = max(load, key=lambda host: load[host] / self.capacity[host])
        on: dict[str, list[Demand]] = {host: [] for host in self.capacity}
        for one in self.demands:
            on[self.hosts[one.vm]].append(one)
        here = on[fullest]
        amounts = np.array([one.amount for one in here])
        best: tuple[float, dict[str, str]] = (1e-9, {})
        for other in self.capacity:
            if other == fullest or not here:
                continue
            there = [Demand("", 0.0), *on[other]]
            change = amounts[:, None] - np.array([one.amount for one in there])[None, :]
            gains = self._gains(load, fullest, other, change)
            vm, back = divmod(int(gains.argmax()), len(there))
            if gains[vm, back] > best[0] * (1 + 1e-9):
                swapped = {there[back].vm: fullest} if back else {}
                best = float(gains[vm, back]), {here[vm].vm: other} | swapped
        return best[1] or None

    def _gains(self, load: Mapping[str, float], fullest: str, other: str, change: FloatArray) -> FloatArray:
        """Return by how much the sum of the squared relative loads falls for each change of amount."""

        def squares(amount: FloatArray | float) -> FloatArray | float:
            return ((load[fullest] - amount) / self.capacity[fullest]) ** 2 + (
                (load[other] + amount) / self.capacity[other]
            ) ** 2

        return np.asarray(squares(0.0) - squares(change))


def predicted_gain_percent(before: Cluster, after: Cluster) -> float:
    """Return by how much more of the heavy VMs' demand is served, in percent."""
    return (after.served() / before.served() - 1.0) * 100.0


def of_study(hosts: Sequence[str], study: DrsStudy) -> Cluster:
    """Return a placement of the study, whose hosts are written as ``3H1L``."""
    demands: list[Demand] = []
    where: dict[str, str] = {}
    for number, text in enumerate(hosts, start=1):
        for at in range(0, len(text), 2):
            is_heavy = text[at + 1] == "H"
            for _ in range(int(text[at])):
                letter = "h" if is_heavy else "l"
                name = f"{letter}{1 + sum(one.is_heavy == is_heavy for one in demands):02}"
                cores = study.heavy_cores if is_heavy else study.light_cores
                demands.append(Demand(name, cores.value, is_heavy))
                where[name] = f"host{number}"
    capacity = {f"host{number}": study.host_cores.value for number in range(1, len(hosts) + 1)}
    return Cluster(capacity, demands, where)
