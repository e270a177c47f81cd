"""How busy every VM is at each tick: a slow drift shared by CPU, I/O and network, and quick jitter."""

from __future__ import annotations

import numpy as np

from lab.parameters import Index
from sessions.model import FloatArray

_CORRELATION_S = 90.0
_DRIFT = 0.1
_JITTER_CPU = 0.10
_JITTER_DISK = 0.16
_JITTER_PORT = 0.14
_BLOCK = 64


class NormalNoise:
    """Standard normal random vectors of one length, drawn in blocks because one big draw is cheaper than
    many small ones.
    """

    def __init__(self, rng: np.random.Generator, size: int) -> None:
        self._rng = rng
        self._size = size
        self._block = np.empty((0, size))
        self._next = 0

    def take(self) -> FloatArray:
        """Return the next vector, shape (size,)."""
        if self._next >= len(self._block):
            self._block = self._rng.standard_normal((_BLOCK, self._size))
            self._next = 0
        row: FloatArray = self._block[self._next]
        self._next += 1
        return row


class Activity:
    """Random activity factors around 1: ``vm`` follows an AR(1) process with a time constant of 90 s, the
    others jitter around it.
    """

    def __init__(self, index: Index, tick_s: float, rng: np.random.Generator) -> None:
        drift, jitter = rng.spawn(2)
        self._drift = NormalNoise(drift, index.vms)
        self._sizes = (len(index.vcpu_vm), len(index.disk_vm), index.vms, index.vms)
        self._jitter = NormalNoise(jitter, sum(self._sizes))
        self._index = index
        self._memory = float(np.exp(-tick_s / _CORRELATION_S))
        self._state = self._drift.take().copy()
        self.vm = np.ones(index.vms)
        self.vcpu = np.ones(self._sizes[0])
        self.disk = np.ones(self._sizes[1])
        self.tx = np.ones(index.vms)
        self.rx = np.ones(index.vms)

    def step(self, scale: FloatArray) -> None:
        """Advance by one tick. ``scale`` (VMs) is the activity factor that injections set for each VM."""
        fresh = np.sqrt(1.0 - self._memory**2)
        self._state = self._memory * self._state + fresh * self._drift.take()
        self.vm = scale * np.exp(_DRIFT * self._state)
        noise = self._jitter.take()
        vcpus, disks, ports, _ = self._sizes
        self.vcpu = self.vm[self._index.vcpu_vm] * np.exp(_JITTER_CPU * noise[:vcpus])
        self.disk = self.vm[self._index.disk_vm] * np.exp(_JITTER_DISK * noise[vcpus : vcpus + disks])
        wire = np.exp(_JITTER_PORT * noise[vcpus + disks :])
        self.tx = self.vm * wire[:ports]
        self.rx = self.vm * wire[ports:]
