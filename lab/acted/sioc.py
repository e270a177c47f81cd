"""Storage I/O Control: each host's queue to a congested datastore is as deep as its VMs' shares say.

All hosts together let W commands to the datastore, which follows the latency that they see together (PARDA):
W ← (1 − γ) · W + γ · (ℒ / L · W + β), with ℒ the threshold and L the normalised latency, so that L settles
just above ℒ. The hosts tell each other their VMs' shares in a file on the datastore, and each takes its part
of W. A disk that uses less than its part counts with as much of its shares as it uses, so that idle slots are
handed on. Source: A. Gulati, I. Ahmad, C. Waldspurger, "PARDA: Proportional Allocation of Resources for
Distributed Storage Access", FAST 2009; tests.md W2 for thresholds and what vCenter counts of it.
"""

from __future__ import annotations

import numpy as np

from lab.acted.storage import ActedStorage
from lab.grouping import sums
from lab.parameters import Index, Parameters
from lab.queueing import water_fill
from sessions.model import FloatArray

_GAMMA = 0.5
_BETA = 0.06
"""Part of W that it gains in each step, which probes for room: it holds L a little above ℒ."""
_FASTEST = 1.5
"""How much W may grow in one step, so that a datastore that has just become idle is not flooded."""
_TOWARDS = 0.7
_LEAST_WINDOW = 2.0
_LEAST_WEIGHT = 1e-3
_SMOOTH = 0.5
THRESHOLD_MS = (5.0, 100.0)
_AUTOMATIC_SHARE = 0.9
"""The automatic threshold is the latency at 90 % of the datastore's peak throughput (vSphere 5.1)."""


class Sioc:
    """The settings and state of each LUN's datastore.

    ``enabled`` bool; ``threshold_ms``, NaN for automatic; results of a tick: ``active``, 1.0 where queues
    were throttled, ``latency_ms``, normalised and smoothed, and ``in_force_ms``, the threshold.
    """

    def __init__(self, index: Index, parameters: Parameters, storage: ActedStorage) -> None:
        self._index, self._parameters, self._storage = index, parameters, storage
        self.enabled = np.zeros(index.luns, dtype=bool)
        self.threshold_ms = np.full(index.luns, np.nan)
        self.active = np.zeros(index.luns)
        self.latency_ms = np.zeros(index.luns)
        self.in_force_ms = self._thresholds()

    def step(self) -> None:
        """Adjust all windows after a tick of storage."""
        index, storage = self._index, self._storage
        self.in_force_ms = self._thresholds()
        now = storage.normalised_ms
        self.latency_ms = np.where(
            self.latency_ms > 0, self.latency_ms + _SMOOTH * (now - self.latency_ms), now
        )
        depth = self._parameters.depth
        window = np.minimum(storage.window.reshape(depth.shape), depth)
        latency = np.maximum(self.latency_ms, 0.1)
        whole = window.sum(axis=0)
        wanted = (1.0 - _GAMMA) * whole + _GAMMA * (self.in_force_ms / latency * whole + _BETA * whole)
        wanted = np.minimum(wanted, _FASTEST * whole)
        least = np.full(depth.T.shape, _LEAST_WINDOW)
        parts = water_fill(wanted, depth.T.copy(), self._weights(window).T, least).T
        window = np.where(self.enabled, window + _TOWARDS * (parts - window), depth)
        congested = self.latency_ms > self.in_force_ms
        throttled = (window < 0.98 * depth).any(axis=0)
        self.active = (self.enabled & congested & throttled).astype(float)
        storage.window = window.reshape(index.hosts * index.luns)

    def queue_depths(self) -> FloatArray:
        """Return the queue depth that each host shows for each LUN, shape (hosts, luns)."""
        depth: FloatArray = np.rint(
            np.minimum(self._storage.window.reshape(self._parameters.depth.shape), self._parameters.depth)
        )
        return depth

    def _weights(self, window: FloatArray) -> FloatArray:
        """The shares of each host and LUN that count: of what its disks use."""
        storage, index = self._storage, self._index
        pair, pairs = storage.pair_of_disk, index.hosts * index.luns
        used = storage.slots
        shares = np.where(used > 0, storage.shares, 0.0)
        total = np.maximum(sums(pair, shares, pairs), 1e-9)
        part = window.reshape(-1)[pair] * shares / total[pair]
        counted = shares * np.minimum(1.0, used / np.maximum(part, 1e-9))
        weights: FloatArray = sums(pair, counted, pairs).reshape(index.hosts, index.luns)
        return np.maximum(weights, _LEAST_WEIGHT)

    def _thresholds(self) -> FloatArray:
        odds = _AUTOMATIC_SHARE / (1.0 - _AUTOMATIC_SHARE)
        parameters, array = self._parameters, self._storage.array_of_lun
        idle = 0.7 * parameters.read_ms[array] + 0.3 * parameters.write_ms[array]
        automatic = np.clip(idle * (1.0 + _AUTOMATIC_SHARE**3 * odds), *THRESHOLD_MS)
        result: FloatArray = np.where(np.isnan(self.threshold_ms), automatic, self.threshold_ms)
        return result
