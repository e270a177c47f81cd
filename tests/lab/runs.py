"""Runs of the lab for tests: printed values by object class, counter and instance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lab import FieldSet, Lab, load_scenarios
from sessions.model import FloatArray

SCENARIOS = load_scenarios()


class Run:
    """One run: series by object class, counter, host and instance; ``seconds`` when each was sampled."""

    def __init__(
        self, scenario: str, seed: int, *, fields: FieldSet = "diagnosis", seconds: float | None = None
    ) -> None:
        self.lab = Lab(SCENARIOS[scenario], seed=seed, fields=fields)
        duration = self.lab.duration_s if seconds is None else seconds
        ticks = [tick for _ in range(round(duration / 5)) if (tick := self.lab.tick()) is not None]
        self.expected = round(duration / 5)
        self.seconds = np.array([(tick.t_ms - self.lab.start_ms) / 1000 for tick in ticks])
        self._tables = [np.stack([tick.rows[host] for tick in ticks]) for host in range(len(self.lab.hosts))]
        self._places: dict[tuple[str, str, int], dict[str, int]] = {}
        for host, paths in enumerate(self.lab.columns()):
            for column, path in enumerate(paths):
                self._places.setdefault((path.cls, path.counter, host), {})[path.instance] = column

    def host(self, name: str) -> int:
        return self.lab.hosts.index(name)

    def all(self, cls: str, counter: str, host: int) -> Mapping[str, FloatArray]:
        """The series of every instance on a host."""
        places = self._places.get((cls, counter, host), {})
        return {instance: self._tables[host][:, column] for instance, column in places.items()}

    def one(self, cls: str, counter: str, host: int, instance: str = "") -> FloatArray:
        return self._tables[host][:, self._places[cls, counter, host][instance]]

    def vm(self, name: str) -> tuple[int, str, int]:
        """Host, group instance and number of vCPUs of a VM."""
        found = next(one for one in self.lab.cluster.vms if one.name == name)
        return found.host, f"{found.group_id}:{found.name}", found.vcpus

    def group(self, cls: str, counter: str, name: str) -> FloatArray:
        host, instance, _ = self.vm(name)
        return self.one(cls, counter, host, instance)

    def vcpus(self, counter: str, name: str) -> FloatArray:
        """A counter of a VM's vCPUs, one row each."""
        host, group, _ = self.vm(name)
        series = self.all("Vcpu", counter, host)
        mine = [name for name in series if name.startswith(f"{group}:") and "vmx-vcpu-" in name]
        return np.stack([series[name] for name in mine])
