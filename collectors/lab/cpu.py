"""The CPU scheduler: who runs, who waits, and why; ready, co-stop and max-limited follow.

Fluid model of one tick. Work that a vCPU asks for takes longer at a low frequency or on a shared core. Limits of
VMs and pools cap it (max-limited); the rest shares each NUMA node's PCPUs in proportion to shares (ready, what
was wanted and not given). On top, finding a free PCPU takes time as utilisation rises, wide VMs need several at
once, and siblings of a vCPU that lags are stopped (co-stop).
"""

from __future__ import annotations

import numpy as np

from collectors.lab.activity import NormalNoise
from collectors.lab.inventory import NODES, POOL_SHARES, POOLS, Cluster
from collectors.lab.knobs import Index, Knobs
from collectors.lab.queueing import wait_ratio, water_fill
from collectors.lab.speed import SHARED_CORE_LOSS, shared_cores
from sessions.model import FloatArray, IntArray

_BACKLOG_S = 1.0
"""Seconds of unserved work that a vCPU still carries; what is older has timed out in the guest."""
_SKEW_TOLERANCE = 0.03
"""Lag of one vCPU behind its siblings, as a share of time, that relaxed co-scheduling forgives."""
_SKEW_WEIGHT = 0.45
_GANG = 0.4
"""How much of a PCPU each further sibling that wants to run at the same time takes from the choice."""
_LIMIT_SKEW = 0.12
_MAX_QUEUE_RATIO = 0.6
_LUCK = 0.3
"""Spread of how long equal vCPUs wait in one tick."""
_SCHEDULER_NOISE = 0.0015
"""Share of time that even an undisturbed vCPU spends ready around each wake-up."""


class Cpu:
    """State and results of the scheduler. Shares of wall time per vCPU unless said otherwise.

    ``run`` ``ready`` (with ``limited`` inside it, as esxtop counts it) ``costop`` ``limited`` ``system``
    ``overlap`` ``used`` (frequency and hyper-threading adjusted) ``latency`` ``demand``; per host ``busy``
    (PCPU utilisation), ``queueing`` (waiting over running); per node ``node_busy``; ``speed`` per host.
    """

    def __init__(self, cluster: Cluster, index: Index, rng: np.random.Generator) -> None:
        self._index = index
        self._luck = NormalNoise(rng, len(index.vcpu_vm))
        hosts = cluster.hosts
        self._threads = np.repeat([host.pcpus / NODES for host in hosts], NODES)
        self._pcpus = np.array([float(host.pcpus) for host in hosts])
        self._domains = _Domains(cluster, index)
        self._pool = np.array([vm.host * len(POOLS) + vm.pool for vm in cluster.vms])
        self._pool_shares = np.tile(POOL_SHARES, len(hosts))
        self._reserved = np.array([vm.cpu_reservation for vm in cluster.vms])[index.vcpu_vm]
        size = len(index.vcpu_vm)
        self._backlog = np.zeros(size)
        self._sharing = np.full(index.hosts, 0.1)
        self.run = np.zeros(size)
        self.ready = np.zeros(size)
        self.costop = np.zeros(size)
        self.limited = np.zeros(size)
        self.system = np.zeros(size)
        self.overlap = np.zeros(size)
        self.used = np.zeros(size)
        self.latency = np.zeros(size)
        self.demand = np.zeros(size)
        self.busy = np.zeros(index.hosts)
        self.node_busy = np.zeros(index.hosts * NODES)
        self.queueing = np.zeros(index.hosts)
        self.speed = np.ones(index.hosts)
        self.kernel = np.zeros(index.hosts)

    def step(
        self, knobs: Knobs, activity: FloatArray, stalled: FloatArray, system: FloatArray, frequency: FloatArray,
        tick_s: float,
    ) -> None:  # fmt: skip
        """Schedule one tick.

        ``activity`` (vCPUs) scales demand, ``stalled`` (vCPUs) is the share of time waiting for memory,
        ``system`` (vCPUs) vmkernel time spent on the vCPU's I/O, ``frequency`` (hosts) cores over nominal.
        """
        index = self._index
        self.speed = frequency * (1.0 - SHARED_CORE_LOSS * self._sharing)
        available = np.clip(1.0 - knobs.blocked - stalled, 0.02, 1.0)
        work = np.minimum(knobs.demand * activity + knobs.spin, 1.0)
        asked = np.minimum(work / self.speed[index.vcpu_host], available)
        need = np.minimum(asked + self._backlog / tick_s, available)
        allowed = self._limited_need(knobs, need, frequency)
        self.kernel = np.minimum(knobs.kernel * self._pcpus + self._per_host(system), 0.6 * self._pcpus)
        run, wait, gang, saturated = self._schedule(knobs, allowed)
        late = np.maximum(run + wait - available, 0.0)
        run = np.maximum(run - 0.5 * late * ~saturated, 0.0)
        wait = np.minimum(wait, available - run)
        self.limited = np.minimum(need - allowed, available - run - wait)
        self._costop(knobs, run, wait, gang, available)
        self.run, self.system = run, system
        self._backlog = np.clip(self._backlog + (asked - run) * tick_s, 0.0, _BACKLOG_S)
        self._account(available, asked, frequency)

    def _limited_need(self, knobs: Knobs, need: FloatArray, frequency: FloatArray) -> FloatArray:
        """What VM and pool limits (nominal cores) leave of the need."""
        index = self._index
        vm_need = np.add.reduceat(need, index.vcpu_start) * frequency[index.vm_host]
        share = np.minimum(1.0, knobs.limit / np.maximum(vm_need, 1e-9))
        if np.isfinite(knobs.pool_limit).any():
            inside = vm_need * share
            pools = np.bincount(self._pool, inside, minlength=len(knobs.pool_limit))
            cut = np.minimum(1.0, knobs.pool_limit / np.maximum(pools, 1e-9))
            share = share * cut[self._pool]
        allowed: FloatArray = need * share[index.vcpu_vm]
        return allowed

    def _schedule(
        self, knobs: Knobs, need: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Run time, waiting time, extra waiting of wide VMs, and whether the vCPU's PCPUs are saturated."""
        domains = self._domains
        capacity = domains.capacity(self._threads, knobs.parked, self.kernel / NODES, need)
        weight = self._weights(knobs, need)
        run = domains.fill(capacity, need, weight, self._reserved)
        load = np.bincount(domains.of_vcpu, run, minlength=domains.count)
        wanted = np.bincount(domains.of_vcpu, need, minlength=domains.count)
        rho = load / np.maximum(capacity, 1e-9)
        variability = knobs.variability[domains.host]
        ratio = np.minimum(wait_ratio(rho, capacity, variability), _MAX_QUEUE_RATIO)
        siblings = domains.siblings(need)
        narrower = np.maximum(capacity[domains.of_vcpu] - _GANG * (siblings - 1.0), 1.0)
        crowded = rho[domains.of_vcpu] * capacity[domains.of_vcpu] / narrower
        wide = np.minimum(wait_ratio(crowded, narrower, variability[domains.of_vcpu]), _MAX_QUEUE_RATIO)
        shared = ratio[domains.of_vcpu]
        gang = run * np.maximum(wide - shared - _SKEW_TOLERANCE, 0.0)
        wait = np.maximum(need - run, 0.0) + run * shared * self._impatience(run, weight)
        wait = (wait + _SCHEDULER_NOISE * np.minimum(1.0, 4.0 * run)) * np.exp(_LUCK * self._luck.take())
        self._remember(load, ratio)
        return run, wait, gang, (wanted > capacity * 0.999)[domains.of_vcpu]

    def _weights(self, knobs: Knobs, need: FloatArray) -> FloatArray:
        """Weight of each vCPU: its VM's part of what the pool's shares are worth, spread over its vCPUs."""
        index = self._index
        shares = knobs.shares * index.vcpus
        asking = np.add.reduceat(need, index.vcpu_start) > 0.02
        total = np.bincount(self._pool, shares * asking, minlength=len(self._pool_shares))
        worth = self._pool_shares[self._pool] * shares / np.maximum(total, 1.0)[self._pool]
        weight: FloatArray = (worth / index.vcpus)[index.vcpu_vm]
        return weight

    def _impatience(self, run: FloatArray, weight: FloatArray) -> FloatArray:
        """How a domain's waiting is spread: inversely to weight, its run-weighted mean kept at 1 (Kleinrock)."""
        domains = self._domains
        inverse = 1.0 / np.maximum(weight, 1e-9)
        load = np.bincount(domains.of_vcpu, run, minlength=domains.count)
        mean = np.bincount(domains.of_vcpu, run * inverse, minlength=domains.count) / np.maximum(load, 1e-9)
        spread: FloatArray = np.clip(inverse / np.maximum(mean[domains.of_vcpu], 1e-12), 0.2, 6.0)
        return spread

    def _costop(
        self, knobs: Knobs, run: FloatArray, wait: FloatArray, gang: FloatArray, available: FloatArray
    ) -> None:
        """Split what a vCPU waited into ready and co-stop; add co-stop from siblings stuck in the kernel."""
        index = self._index
        lag = np.maximum(wait / np.maximum(run + wait, 1e-9) - _SKEW_TOLERANCE, 0.0)
        active = np.add.reduceat((run > 0.1).astype(float), index.vcpu_start)[index.vcpu_vm]
        others = np.maximum(active - 1.0, 0.0)
        stopped = 1.0 - (1.0 - np.minimum(_SKEW_WEIGHT * lag, 0.9)) ** others
        from_limit = self.limited * np.minimum(_LIMIT_SKEW * others, 0.3)
        stuck = np.maximum.reduceat(knobs.blocked, index.vcpu_start)[index.vcpu_vm] - knobs.blocked
        from_block = np.where(
            index.vcpus[index.vcpu_vm] > 1, 0.5 * stuck * np.minimum(1.0, 2.0 * run + 0.2), 0.0
        )
        costop = wait * stopped + from_limit + from_block + gang
        self.ready = wait * (1.0 - stopped) + self.limited - from_limit
        self.limited = self.limited - from_limit
        room = np.maximum(available - run - self.ready, 0.0)
        self.costop = np.where(index.vcpus[index.vcpu_vm] > 1, np.minimum(costop, room), 0.0)

    def _account(self, available: FloatArray, asked: FloatArray, frequency: FloatArray) -> None:
        """Used, overlap, latency and demand, as esxtop derives them."""
        index = self._index
        host_system = (self.kernel / self._pcpus)[index.vcpu_host]
        self.overlap = self.run * np.minimum(0.3 * host_system, 0.25)
        speed = self.speed[index.vcpu_host]
        self.used = self.run * speed + self.system - self.overlap * speed
        slow = np.maximum(0.0, 1.0 - np.minimum(speed, 1.0))
        self.latency = np.clip(self.ready - self.limited + self.costop + self.run * slow, 0.0, 1.0)
        self.demand = np.minimum(asked + self.ready + self.costop, available) * frequency[index.vcpu_host]

    def _remember(self, load: FloatArray, ratio: FloatArray) -> None:
        """Utilisation of nodes and hosts, and how many cores have both threads busy (for the next tick)."""
        busy = self._domains.by_node(load) + np.repeat(self.kernel / NODES, NODES)
        self.node_busy = np.minimum(busy / self._threads, 1.0)
        per_host = busy.reshape(-1, NODES).sum(axis=1)
        self.busy = np.minimum(per_host / self._pcpus, 1.0)
        self._sharing = shared_cores(self.busy)
        self.queueing = ratio[: len(self._threads)].reshape(-1, NODES).mean(axis=1)

    def _per_host(self, vcpu_values: FloatArray) -> FloatArray:
        return np.bincount(self._index.vcpu_host, vcpu_values, minlength=self._index.hosts)


class _Domains:
    """Sets of PCPUs that worlds are scheduled on: each NUMA node, and after them one affinity set a host.

    A VM that spans nodes has a part in each. Pinned VMs of a host share its affinity set on node 1, whose
    capacity is then missing there.
    """

    def __init__(self, cluster: Cluster, index: Index) -> None:
        nodes = index.hosts * NODES
        pinned = np.array([vm.pinned for vm in cluster.vms])
        self.sizes = np.zeros(index.hosts)
        for vm in cluster.vms:
            self.sizes[vm.host] = max(self.sizes[vm.host], vm.pinned)
        is_pinned = pinned[index.vcpu_vm] > 0
        self.of_vcpu: IntArray = np.where(is_pinned, nodes + index.vcpu_host, index.vcpu_node)
        self.count = nodes + index.hosts
        self.host = np.concatenate([np.repeat(np.arange(index.hosts), NODES), np.arange(index.hosts)])
        self._nodes = nodes
        key = index.vcpu_vm * self.count + self.of_vcpu
        starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        self._starts = starts
        self._part = np.cumsum(np.concatenate([[True], key[1:] != key[:-1]])) - 1
        self._row = self.of_vcpu[starts]
        self._column = np.zeros(len(starts), dtype=np.int64)
        filled = np.zeros(self.count, dtype=np.int64)
        for part, row in enumerate(self._row):
            self._column[part] = filled[row]
            filled[row] += 1
        self._shape = (self.count, int(filled.max()))

    def capacity(
        self, threads: FloatArray, parked: FloatArray, kernel: FloatArray, need: FloatArray
    ) -> FloatArray:
        """PCPUs that each domain has for VMs, after parked ones, vmkernel and pinned VMs."""
        pinned = np.bincount(self.of_vcpu, need, minlength=self.count)[self._nodes :]
        taken = np.minimum(pinned, self.sizes)
        node = threads * (1.0 - np.repeat(parked, NODES)) - np.repeat(kernel, NODES)
        node[1::NODES] -= taken
        return np.concatenate([np.maximum(node, 0.5), np.maximum(self.sizes, 1e-6)])

    def fill(
        self, capacity: FloatArray, need: FloatArray, weight: FloatArray, reserved: FloatArray
    ) -> FloatArray:
        """Run time of each vCPU: the needs where they fit, the shares' proportion where they don't."""
        wanted = np.bincount(self.of_vcpu, need, minlength=self.count)
        if (wanted <= capacity).all():
            return need
        part_need = np.add.reduceat(need, self._starts)
        part_weight = np.add.reduceat(weight, self._starts)
        table = np.zeros((3, *self._shape))
        table[0, self._row, self._column] = part_need
        table[1, self._row, self._column] = part_weight
        table[2, self._row, self._column] = np.add.reduceat(reserved, self._starts)
        filled = water_fill(capacity, *table)
        given = filled[self._row, self._column] / np.maximum(part_need, 1e-12)
        run: FloatArray = need * given[self._part]
        return run

    def siblings(self, need: FloatArray) -> FloatArray:
        """For each vCPU, how many of its VM's vCPUs in the same domain want to run much of the time."""
        wanting = np.add.reduceat((need > 0.2).astype(float), self._starts)
        count: FloatArray = np.maximum(wanting[self._part], 1.0)
        return count

    def by_node(self, load: FloatArray) -> FloatArray:
        """Load per NUMA node, that of affinity sets on the node that they lie on."""
        nodes = load[: self._nodes].copy()
        nodes[1::NODES] += load[self._nodes :]
        return nodes
