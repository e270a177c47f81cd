"""Frequency and power of each host: policies, turbo, caps. Work takes longer at a low frequency."""

from __future__ import annotations

import numpy as np

from lab.core_speed import TURBO, usual_frequency
from lab.grouping import between
from lab.inventory import Cluster
from sessions.model import FloatArray

_IDLE_WATTS_PER_CORE = 4.5
_BUSY_WATTS_PER_CORE = 9.0
_BASE_WATTS = 70.0
_LOWEST = 0.38
"""Frequency of the deepest P-state over nominal."""


def full_watts(cores: int) -> float:
    """Return the watts of a host with all cores busy at nominal frequency."""
    return _BASE_WATTS + (_IDLE_WATTS_PER_CORE + _BUSY_WATTS_PER_CORE) * cores


class Power:
    """For each host: ``factor``, the frequency of busy cores over nominal, and ``watts``,
    the host's power.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cores = np.array([float(host.cores) for host in cluster.hosts])
        self._saving = np.array([host.powersaving for host in cluster.hosts])
        self.factor = np.ones(len(cluster.hosts))
        self.watts = np.zeros(len(cluster.hosts))

    def step(self, utilisation: FloatArray, frequency: FloatArray, cap_watts: FloatArray) -> None:
        """Set the frequency from the utilisation of the last tick (fraction of PCPUs), the
        policy and the cap.
        """
        wanted = usual_frequency(utilisation, self._saving) * frequency
        static = _BASE_WATTS + _IDLE_WATTS_PER_CORE * self._cores
        dynamic = _BUSY_WATTS_PER_CORE * self._cores * np.minimum(1.0, utilisation * 1.25)
        room = np.maximum(cap_watts - static, 1.0) / np.maximum(dynamic, 1.0)
        allowed = np.where(cap_watts > 0, np.maximum(room, 0.0) ** 0.4, np.inf)
        self.factor = between(np.minimum(wanted, allowed), _LOWEST, 1.0 + TURBO)
        self.watts = static + dynamic * self.factor**2.5
