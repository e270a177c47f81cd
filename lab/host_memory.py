"""Host memory: what guests touch, and how the VMkernel reclaims it: balloon, compression, swap.

A feedback loop for each tick, in MB: guests touch memory and fault swapped pages back in; free memory falls;
below the ``soft`` threshold balloons inflate, below ``hard`` pages are compressed and swapped, until enough
is free again. Limits of VMs and pools do the same to their members although the host has enough memory.
"""

from __future__ import annotations

import numpy as np

from lab.activity import NormalNoise
from lab.grouping import between, run_sums, sums
from lab.inventory import POOLS, Cluster
from lab.parameters import BoolArray, Index, Parameters
from lab.queueing import water_fill
from sessions.model import FloatArray, IntArray

HIGH, CLEAR, SOFT, HARD, LOW = range(5)
STATE_FLOORS = (3.0, 1.0, 0.64, 0.32)
"""Free memory over minFree that each state but the last needs at least (ESXi 6: 300, 100, 64, 32 %)."""

_BALLOON_S = 25.0
"""Time in which a balloon goes most of the way to its target."""
_BALLOON_PER_S = 0.006
"""Share of a VM's memory that its balloon driver pins or frees in a second at most."""
_BALLOON_SLACK = 0.04
"""Share of a VM's memory that a balloon may be behind before pages are swapped instead."""
_GOAL = 1.12
"""Free memory over minFree that reclamation aims for."""
_SWAP_MB_PER_S = 60.0
_SWAP_MB_PER_S_LOW = 160.0
_OWN_SWAP_MB_PER_S = 40.0
_MAX_COMPRESSED_SHARE = 0.10
"""The compression cache holds at most this share of a VM's memory (Mem.MemZipMaxPct)."""
_RETURN_S = 30.0
"""Time in which a guest touches half to two thirds of its working set again."""
_DRIFT_S = 500.0
"""Time in which a guest's working set moves on to other pages."""
_SHARING_S = 90.0
"""Time in which page sharing finds most of the pages that are zero."""
_FAULT_MB = 16.0 / 1024
"""Memory that one swap fault brings back: the page and its neighbours."""
_UNZIP_MS = 0.06
_PAGE_MB = 4.0 / 1024
_CACHE_MS = 0.25
_IDLE_TAX = 0.75
_TIER_FITS = 0.5
"""Share of DRAM up to which what guests use fits into it: the vendor's sizing rule (modern.md §1.3)."""
_TIER_MS, _TIER_MB_PER_S = 0.085, 2500.0
"""What an idle data-centre NVMe takes to read a few pages, and what it reads in a second at most."""


def min_free_mb(machine_mb: FloatArray) -> FloatArray:
    """Return minFree by ESXi's sliding scale: 6 % of the first 4 GB, 4 % up to 12, 2 % up to 28,
    1 % of the rest.
    """
    gb = machine_mb / 1024.0
    scale = (
        0.06 * between(gb, 0, 4) + 0.04 * between(gb - 4, 0, 8)
        + 0.02 * between(gb - 12, 0, 16) + 0.01 * np.maximum(gb - 28, 0)
    )  # fmt: skip
    result: FloatArray = scale * 1024.0
    return result


class Memory:
    """State and results, in MB unless noted.

    For each VM: ``touched``, ``balloon``, ``swapped`` (three rows: pages that the guest wants back now, may
    want later, never wants), ``zipped`` (guest pages in the compression cache), ``saved`` (by page sharing),
    ``balloon_target``, ``swap_target``; rates in MB/s: ``swap_in``, ``swap_out``, ``cache_in``,
    ``cache_out``, ``zip_rate``, ``unzip_rate``; ``stall``: fraction of each vCPU's time spent waiting for
    pages; ``tier_read`` what it reads from the host's slow tier of memory, ``tier_wait`` the fraction of its
    vCPUs' time that this takes. For each host: ``free``, ``state``, ``kernel``, ``dram`` (infinity where all
    memory is DRAM).
    """

    def __init__(self, cluster: Cluster, index: Index, rng: np.random.Generator) -> None:
        vms, hosts = cluster.vms, cluster.hosts
        self._index = index
        self._noise = NormalNoise(rng, index.vms + len(hosts))
        self.size = np.array([vm.mem_mb for vm in vms])
        self.overhead = 26.0 + 0.0045 * self.size + 6.0 * index.vcpus
        self.machine = np.array([float(host.mem_mb) for host in hosts])
        self.kernel = 1100.0 + 0.012 * self.machine + rng.uniform(0, 120, len(hosts))
        self._usual_kernel = self.kernel.copy()
        self.user = 900.0 + rng.uniform(0, 400, len(hosts))
        self.min_free = min_free_mb(self.machine)
        self.tools = np.array([vm.tools for vm in vms])
        most = np.array([host.balloon_most for host in hosts])[index.vm_host]
        self.balloon_max = np.where(self.tools, most * self.size, 0.0)
        self._compressible = np.array([vm.compressible for vm in vms])
        self.reserved = np.array([vm.mem_reservation for vm in vms]) * self.size
        self._cached = np.array([host.host_cache for host in hosts])[index.vm_host]
        self._pool = np.array([vm.host * len(POOLS) + vm.pool for vm in vms])
        self._moved = False
        self._column = np.arange(index.vms) - index.vm_start[index.vm_host]
        self._shape = (index.hosts, int(self._column.max()) + 1)
        self.touched = np.array([vm.touched for vm in vms]) * self.size
        away = np.array([vm.swapped for vm in vms]) * self.size
        hot = np.array([vm.hot for vm in vms])
        self.swap_hot, self.swap_cold, self.swap_dead = np.zeros(index.vms), away * hot, away * (1.0 - hot)
        self._lasting = np.array([vm.balloon for vm in vms]) * self.size
        self.balloon = self._lasting.copy()
        self.touched = np.maximum(self.touched, away + self.balloon)
        self.zipped = np.zeros(index.vms)
        self.zip_hot = np.zeros(index.vms)
        self.saved = self.touched * rng.uniform(0.02, 0.07, index.vms)
        self._usual_saved = self.saved.copy()
        zero = np.zeros(index.vms)
        self.balloon_target, self.swap_target, self._aim = zero.copy(), zero.copy(), zero.copy()
        self.swap_in, self.swap_out, self.cache_in, self.cache_out = (zero.copy() for _ in range(4))
        self.zip_rate, self.unzip_rate, self.stall = zero.copy(), zero.copy(), zero.copy()
        self.active = np.array([vm.active for vm in vms]) * self.size
        self.absent = np.zeros(index.vms, dtype=bool)
        self.dram = np.array([host.dram_mb or np.inf for host in hosts])
        self.tier_read, self.tier_wait = zero.copy(), zero.copy()
        self._update_free()

    def leave(self, absent: BoolArray) -> None:
        """Take away all memory of the VMs that are not there."""
        if not absent.any() and not self.absent.any():
            return
        self.absent = absent
        for name in (
            "touched", "balloon", "swap_hot", "swap_cold", "swap_dead", "zipped", "zip_hot", "saved",
            "_lasting", "_aim",
        ):  # fmt: skip
            setattr(self, name, np.where(absent, 0.0, getattr(self, name)))

    def step(self, parameters: Parameters, activity: FloatArray, fault_ms: FloatArray, tick_s: float) -> None:
        """Advance by one tick. ``fault_ms`` (VMs) is the latency of reading each VM's swap file."""
        self.active = between(parameters.active * self.size * activity**0.5, 0.0, self.touched)
        self._churn(parameters, tick_s)
        self._grow(parameters)
        self._return(fault_ms, tick_s)
        self._update_free()
        over = np.maximum(self._over_limit(parameters), 0.0)
        if self._is_calm(over):
            self._rest()
        else:
            self._inflate(over, tick_s)
            self._update_free()
            self._swap_out(over, tick_s)
            self._update_free()
        if np.isfinite(self.dram).any():
            self._read_tier()

    def _is_calm(self, over: FloatArray) -> bool:
        """True if there is nothing to take from any VM, and nothing to give back: most of the time."""
        enough = bool((self.free >= self.min_free).all())
        return enough and not (over.any() or self._aim.any() or (self.balloon != self._lasting).any())

    def _rest(self) -> None:
        """What ``_inflate`` and ``_swap_out`` come to while all is calm."""
        zero = np.zeros(self._index.vms)
        self.balloon_target = self._aim = self.swap_target = zero
        self.zip_rate = self.swap_out = self.cache_out = zero

    def _churn(self, parameters: Parameters, tick_s: float) -> None:
        """What never stands still: the VMkernel's heaps, pages that are shared and unshared."""
        noise = self._noise.take()
        vms = self._index.vms
        self.kernel = self.kernel + 1.5 * noise[vms:] - 0.02 * (self.kernel - self._usual_kernel)
        found = self._usual_saved + parameters.zero * self.size - self.saved
        self.saved = self.saved * (1.0 + 0.002 * noise[:vms]) + found * (1.0 - np.exp(-tick_s / _SHARING_S))

    def _grow(self, parameters: Parameters) -> None:
        """Guests touch new memory; below ``hard`` a host lets them have hardly any."""
        blocked = self.free[self._index.vm_host] < 0.2 * self.min_free[self._index.vm_host]
        wanted = np.where(self.absent, 0.0, np.minimum(parameters.touch, 1.0) * self.size - self.touched)
        self.touched = self.touched + np.maximum(wanted, 0.0) * np.where(blocked, 0.05, 1.0)

    def _return(self, fault_ms: FloatArray, tick_s: float) -> None:
        """The working set faults its pages back in, as fast as the device and the vCPUs allow."""
        if not (self.swap_hot.any() or self.swap_cold.any() or self.zipped.any() or self.zip_hot.any()):
            zero = np.zeros(self._index.vms)
            self.stall = self.swap_in = self.cache_in = self.unzip_rate = zero
            return
        share = 1.0 - np.exp(-tick_s / _RETURN_S)
        warmed = 1.0 - np.exp(-tick_s / _DRIFT_S)
        self.swap_hot = self.swap_hot + self.swap_cold * warmed
        self.zip_hot = self.zip_hot + (self.zipped - self.zip_hot) * warmed
        self.swap_cold = self.swap_cold * (1.0 - warmed)
        millis = np.where(self._cached, _CACHE_MS, np.maximum(fault_ms, 0.1))
        most = 0.85 * self._index.vcpus * tick_s * 1000.0 / millis * _FAULT_MB
        back = np.minimum(self.swap_hot * share, most)
        unzip = np.minimum(
            self.zip_hot * share, 0.5 * self._index.vcpus * tick_s * 1000.0 / _UNZIP_MS * _PAGE_MB
        )
        self.swap_hot = self.swap_hot - back
        self.zip_hot = self.zip_hot - unzip
        self.zipped = self.zipped - unzip
        waited = back / _FAULT_MB * millis + unzip / _PAGE_MB * _UNZIP_MS
        self.stall = np.minimum(waited / 1000.0 / (tick_s * self._index.vcpus), 0.95)
        self.swap_in = np.where(self._cached, 0.0, back / tick_s)
        self.cache_in = np.where(self._cached, back / tick_s, 0.0)
        self.unzip_rate = unzip / tick_s

    def _over_limit(self, parameters: Parameters) -> FloatArray:
        """How much of each VM must not be resident because of its own or its pool's limit."""
        wants = self.touched - self.saved
        over: FloatArray = wants - parameters.mem_limit * self.size
        if np.isfinite(parameters.pool_memory).any():
            pools = sums(self._pool, wants, len(parameters.pool_memory))
            excess = np.maximum(pools - parameters.pool_memory, 0.0) / np.maximum(pools, 1.0)
            over = np.maximum(over, wants * excess[self._pool])
        return over

    def _inflate(self, over: FloatArray, tick_s: float) -> None:
        """Set what is to be taken from each VM, and move balloons towards their part of it.

        A host below ``soft`` wants its shortage back from all VMs, idle memory first; it goes on until there
        is some room above. What a balloon cannot give (no driver, at its most) is left to swapping.
        """
        gone = self.balloon - self._lasting + self._aim
        held = self._per_host(gone)
        short = _GOAL * self.min_free - self.free
        wanted = np.where((self.free < self.min_free) | (held > 1.0), np.maximum(held + short, 0.0), 0.0)
        most = np.maximum(self.touched - self.saved - self.reserved, 0.0)
        share = np.minimum(np.maximum(self._fill(wanted, most, self._idle_weight()), over), most)
        self.balloon_target = np.minimum(share, self.balloon_max)
        self._aim = share - self.balloon_target
        rate = _BALLOON_PER_S * self.size * tick_s
        behind = np.maximum(self.balloon_target, self._lasting) - self.balloon
        step = behind * (1.0 - np.exp(-tick_s / _BALLOON_S))
        self.balloon = self.balloon + between(step, -rate, rate)

    def _swap_out(self, over: FloatArray, tick_s: float) -> None:
        """Compress and swap pages: of VMs whose balloon can't give their part, of VMs above a limit that
        the balloon is too slow for, and below ``hard`` of all.

        A page is swapped where compressing does not save half of it, or the cache is full. The coldest pages,
        which go first, compress better than a VM's pages do on average, and the last ones worse by as much
        (DESIGN): compression comes first, then swapping.
        """
        urgent = self.free < STATE_FLOORS[3] * self.min_free
        rate = np.where(urgent, _SWAP_MB_PER_S_LOW, _SWAP_MB_PER_S) * tick_s
        pressed = self.free < STATE_FLOORS[2] * self.min_free
        wanted = np.where(pressed, np.minimum(rate, np.maximum(0.82 * self.min_free - self.free, 0.0)), 0.0)
        gone = self.swapped + self.zipped
        resident = np.maximum(self.touched - self.balloon - gone - self.reserved, 0.0)
        slack = np.where(self.balloon < 0.99 * self.balloon_max, _BALLOON_SLACK * self.size, 0.0)
        self.swap_target = np.maximum(self._aim, over - self.balloon - slack)
        own = np.minimum(np.maximum(self.swap_target - gone, 0.0), _OWN_SWAP_MB_PER_S * tick_s)
        shared = self._fill(wanted, resident, self._idle_weight())
        out = np.minimum(np.maximum(shared, own), resident)
        most = _MAX_COMPRESSED_SHARE * self.size
        filled = np.minimum(self.zipped / most, 1.0)
        fits = self._compressible
        share = fits + fits * (1.0 - fits) * (1.0 - 2.0 * filled)
        zipped = np.minimum(share * out, np.maximum(most - self.zipped, 0.0))
        swapped = out - zipped
        in_use = np.maximum(self.active - self.swap_hot - self.zip_hot, 0.0)
        hot = between(in_use / np.maximum(resident, 1.0), 0.02, 0.95)
        self.zipped = self.zipped + zipped
        self.zip_hot = self.zip_hot + zipped * hot
        self.swap_hot = self.swap_hot + swapped * hot
        self.swap_cold = self.swap_cold + swapped * (1.0 - hot)
        self.zip_rate = zipped / tick_s
        self.swap_out = np.where(self._cached, 0.0, swapped / tick_s)
        self.cache_out = np.where(self._cached, swapped / tick_s, 0.0)

    def _read_tier(self) -> None:
        """Memory tiering: cold pages lie on NVMe, and a guest waits for those that it wants after all.

        Only what does not fit into DRAM lies there, coldest first (modern.md §1.3): nobody waits while what
        is in use fits. The more of DRAM is in use, the likelier a page in use is among those that left; one
        that was read stays. The device is a queue of one server (M/M/1).
        """
        used = self._per_host(self.consumed() + self.overhead)
        away = np.maximum(used + self.kernel + self.user - self.dram, 0.0)
        crowded = self._per_host(self.active) / self.dram
        missed = between((crowded - _TIER_FITS) / (1.0 - _TIER_FITS), 0.0, 1.0) ** 2
        share = missed * np.minimum(away / (0.25 * self.dram), 1.0)
        wanted = self.active * share[self._index.vm_host] / _DRIFT_S
        busy = self._per_host(wanted) / _TIER_MB_PER_S
        millis = (_TIER_MS / (1.0 - np.minimum(busy, 0.95)))[self._index.vm_host]
        self.tier_read = wanted / np.maximum(busy, 1.0)[self._index.vm_host]
        waited = self.tier_read / _FAULT_MB * millis / 1000.0
        self.tier_wait = np.minimum(waited / self._index.vcpus, 0.6)

    def _idle_weight(self) -> FloatArray:
        """Idle memory counts in full, memory in use a quarter (the idle memory tax of 75 %)."""
        weight: FloatArray = np.maximum(self.touched - _IDLE_TAX * self.active - self.reserved, 1.0)
        return weight

    def _fill(self, wanted: FloatArray, most: FloatArray, weight: FloatArray) -> FloatArray:
        """Spread what each host wants back over its VMs."""
        if not wanted.any():
            return np.zeros(self._index.vms)
        table = np.zeros((2, *self._shape))
        table[0, self._index.vm_host, self._column] = most
        table[1, self._index.vm_host, self._column] = weight
        filled = water_fill(wanted, table[0], table[1], np.zeros(self._shape))
        result: FloatArray = filled[self._index.vm_host, self._column]
        return result

    def consumed(self) -> FloatArray:
        """Return the machine memory of each VM: touched minus reclaimed, shared and compressed."""
        gone = self.balloon + self.swapped + self.saved + 0.5 * self.zipped
        result: FloatArray = np.where(self.absent, 0.0, np.maximum(self.touched - gone, 0.02 * self.size))
        return result

    @property
    def swapped(self) -> FloatArray:
        """Return the MB of each VM in its swap file (or the host cache)."""
        total: FloatArray = self.swap_hot + self.swap_cold + self.swap_dead
        return total

    def _update_free(self) -> None:
        used = self._per_host(self.consumed() + self.overhead * ~self.absent)
        self.free = np.maximum(self.machine - self.kernel - self.user - used, 0.06 * self.min_free)
        ratio = self.free / self.min_free
        self.state: IntArray = (ratio[:, None] < np.array(STATE_FLOORS)).sum(axis=1)

    def place(self) -> None:
        """Take over the placement of all VMs after one has moved."""
        self._moved = True
        self._column = np.arange(self._index.vms)
        self._shape = (self._index.hosts, self._index.vms)

    def _per_host(self, values: FloatArray) -> FloatArray:
        if self._moved:
            return sums(self._index.vm_host, values, self._index.hosts)
        result: FloatArray = run_sums(values, self._index.vm_start)
        return result
