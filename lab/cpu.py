"""The CPU scheduler: which vCPUs run, which wait, and why; gives ready, co-stop and max-limited.

Fluid model of one tick. The work that a vCPU demands takes longer at a low frequency or on a shared core.
Limits of VMs and pools cap it (max-limited); the rest shares the host's PCPUs in proportion to shares (ready
is what was demanded and not given). In addition, finding a free PCPU takes longer as utilisation rises, wide
VMs need several at once, and siblings of a vCPU that lags are stopped (co-stop).
"""

from __future__ import annotations

import numpy as np

from lab.activity import NormalNoise
from lab.core_speed import CHARGED_LOSS, WORK_LOSS, shared_cores
from lab.grouping import between, run_sums, sums
from lab.inventory import NORMAL_SHARES, POOL_SHARES, POOLS, Cluster
from lab.parameters import BoolArray, Index, Parameters
from lab.pcpu_sets import PcpuSets
from lab.queueing import wait_ratio
from sessions.model import FloatArray

_BACKLOG_S = 1.0
"""Seconds of unserved work that a vCPU still carries; what is older has timed out in the guest."""
_SKEW_TOLERANCE = 0.045
"""Lag of one vCPU behind its siblings, as a share of time, that relaxed co-scheduling forgives."""
_SKEW_WEIGHT = 0.35
_GANG = 0.55
"""How much of a PCPU each further sibling that wants to run at the same time takes from the choice, for a VM
that has as many vCPUs as there are PCPUs. With relaxed co-scheduling only siblings that lag must run
together; a VM that is a small part of the host finds PCPUs for them as easily as several narrow VMs do.
"""
_LIMIT_SKEW = 0.12
_MAX_QUEUE_RATIO = 0.6
_LUCK = 0.3
"""Spread of how long equal vCPUs wait in one tick."""
_REMOTE_LOSS = 0.25
"""How much longer work takes if all memory is on another NUMA node: remote memory takes half as long again,
and a busy core waits for memory about half of its time.
"""
_SCHEDULER_NOISE = 0.0015
"""Share of time that even an undisturbed vCPU spends ready around each wake-up."""


class Cpu:
    """State and results of the scheduler: fractions of wall time for each vCPU unless noted.

    ``run``, ``ready`` (which includes ``limited``, as in esxtop), ``costop``, ``limited``, ``system``,
    ``overlap``, ``used`` (adjusted for frequency and hyper-threading), ``latency``, ``demand``, ``wanted``
    (what it would run if nobody else did). For each host ``busy`` (PCPU utilisation), ``queueing`` (waiting
    time over run time), ``speed`` and ``pace`` (work done in a second of run time); for each PCPU set
    ``load``, the number of PCPUs in use.
    """

    def __init__(self, cluster: Cluster, index: Index, rng: np.random.Generator) -> None:
        self._index = index
        self._luck = NormalNoise(rng, len(index.vcpu_vm))
        hosts = cluster.hosts
        self._pcpus = np.array([float(host.pcpus) for host in hosts])
        self._threaded = np.array([float(host.threads > 1) for host in hosts])
        self._cluster = cluster
        self.place()
        self._pool_shares = np.tile(POOL_SHARES, len(hosts))
        self._reserved = np.array([vm.cpu_reservation for vm in cluster.vms])[index.vcpu_vm]
        size = len(index.vcpu_vm)
        self._backlog = np.zeros(size)
        self._sharing = np.full(index.hosts, 0.1) * self._threaded
        self.run = np.zeros(size)
        self.ready = np.zeros(size)
        self.costop = np.zeros(size)
        self.limited = np.zeros(size)
        self.system = np.zeros(size)
        self.overlap = np.zeros(size)
        self.used = np.zeros(size)
        self.latency = np.zeros(size)
        self.demand = np.zeros(size)
        self.wanted = np.zeros(size)
        self.busy = np.zeros(index.hosts)
        self.load = np.zeros(self.pcpu_sets.count)
        self.queueing = np.zeros(index.hosts)
        self.speed = np.ones(index.hosts)
        self.pace = np.ones(index.hosts)
        self.kernel = np.zeros(index.hosts)

    def place(self) -> None:
        """Take over the placement of all VMs: at the start, and after one has moved."""
        self.pcpu_sets = PcpuSets(self._cluster, self._index)
        self._pool = np.array([vm.host * len(POOLS) + vm.pool for vm in self._cluster.vms])

    def step(
        self,
        parameters: Parameters,
        activity: FloatArray,
        stalled: FloatArray,
        system: FloatArray,
        frequency: FloatArray,
        tick_s: float,
    ) -> None:
        """Schedule one tick of ``tick_s`` seconds.

        ``activity`` (vCPUs) scales the demand, ``stalled`` (vCPUs) is the fraction of time waiting for
        memory, ``system`` (vCPUs) the VMkernel time for the vCPU's I/O, ``frequency`` (hosts) the core
        frequency over nominal.
        """
        index = self._index
        self.speed = frequency * (1.0 - CHARGED_LOSS * self._sharing)
        self.pace = frequency * (1.0 - WORK_LOSS * self._sharing)
        available = between(1.0 - parameters.blocked - stalled, 0.02, 1.0)
        work = self._spread(parameters.demand * activity * self._remote_loss(parameters))
        demanded = np.minimum(work / self.pace[index.vcpu_host] + parameters.spin, available)
        self.wanted = demanded
        need = np.minimum(demanded + self._backlog / tick_s, available)
        allowed = self._limited_need(parameters, need, frequency)
        self.kernel = np.minimum(parameters.kernel * self._pcpus + self._per_host(system), 0.6 * self._pcpus)
        run, wait, gang, saturated = self._schedule(parameters, allowed)
        late = np.maximum(run + wait - available, 0.0)
        run = np.maximum(run - late * np.where(saturated, 0.08, 0.5), 0.0)
        wait = np.minimum(wait, available - run)
        self.limited = np.minimum(need - allowed, available - run - wait)
        self._costop(parameters, run, wait, gang, available)
        self.run, self.system = run, system
        self._backlog = between(self._backlog + (demanded - run) * tick_s, 0.0, _BACKLOG_S)
        self._account(available, demanded, frequency)
        self._remember()

    def _remote_loss(self, parameters: Parameters) -> FloatArray:
        """How many times longer work takes for memory on another NUMA node."""
        remote = np.where(np.isnan(parameters.remote), 0.0, parameters.remote)
        slower: FloatArray = (1.0 + _REMOTE_LOSS * remote)[self._index.vcpu_vm]
        return slower

    def _spread(self, work: FloatArray) -> FloatArray:
        """A guest's scheduler gives what is too much for one vCPU to those that have room."""
        if not (work > 1.0).any():
            return work
        start, vm = self._index.vcpu_start, self._index.vcpu_vm
        room = np.maximum(1.0 - work, 0.0)
        over = run_sums(np.maximum(work - 1.0, 0.0), start)
        part = np.minimum(over / np.maximum(run_sums(room, start), 1e-9), 1.0)
        spread: FloatArray = np.minimum(work, 1.0) + room * part[vm]
        return spread

    def _limited_need(self, parameters: Parameters, need: FloatArray, frequency: FloatArray) -> FloatArray:
        """What VM and pool limits (nominal cores) leave of the need."""
        index = self._index
        vm_need = run_sums(need, index.vcpu_start) * frequency[index.vm_host]
        share = np.minimum(1.0, parameters.limit / np.maximum(vm_need, 1e-9))
        if np.isfinite(parameters.pool_limit).any():
            inside = vm_need * share
            pools = sums(self._pool, inside, len(parameters.pool_limit))
            cut = np.minimum(1.0, parameters.pool_limit / np.maximum(pools, 1e-9))
            share = share * cut[self._pool]
        allowed: FloatArray = need * share[index.vcpu_vm]
        return allowed

    def _schedule(
        self, parameters: Parameters, need: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
        """Run time, waiting time, extra waiting of wide VMs, and whether the vCPU's PCPUs are saturated."""
        pcpu_sets = self.pcpu_sets
        mine = pcpu_sets.of_vcpu
        capacity = pcpu_sets.capacity(parameters.parked, self.kernel, need)
        run = pcpu_sets.fill(capacity, need, self._weights(parameters, need), self._reserved)
        self.load = pcpu_sets.sums(run)
        wanted = pcpu_sets.sums(need)
        rho = self.load / np.maximum(capacity, 1e-9)
        variability = parameters.variability[pcpu_sets.host]
        ratio = np.minimum(wait_ratio(rho, capacity, variability), _MAX_QUEUE_RATIO)
        wide = self._wide_ratio(need, rho, capacity, variability)
        gang = run * np.maximum(wide - ratio[mine] - _SKEW_TOLERANCE, 0.0)
        wait = np.maximum(need - run, 0.0) + run * ratio[mine] * self._impatience(parameters, run)
        wait = wait + _SCHEDULER_NOISE * np.minimum(1.0, 4.0 * run)
        wait = wait * np.exp(_LUCK * self._luck.take())
        self.queueing = ratio[: self._index.hosts]
        return run, wait, gang, (wanted > capacity * 0.999)[mine]

    def _wide_ratio(
        self, need: FloatArray, rho: FloatArray, capacity: FloatArray, variability: FloatArray
    ) -> FloatArray:
        """Waiting over running of vCPUs that want to run along with their siblings: fewer PCPUs will do."""
        mine, start = self.pcpu_sets.of_vcpu, self._index.vcpu_start
        wanting = run_sums((need > 0.2).astype(float), start)[self._index.vcpu_vm]
        part = np.minimum(wanting / np.maximum(self.pcpu_sets.width[mine], 1.0), 1.0)
        narrower = np.maximum(capacity[mine] - _GANG * part * np.maximum(wanting - 1.0, 0.0), 1.0)
        crowded = rho[mine] * capacity[mine] / narrower
        ratio: FloatArray = np.minimum(wait_ratio(crowded, narrower, variability[mine]), _MAX_QUEUE_RATIO)
        return ratio

    def _weights(self, parameters: Parameters, need: FloatArray) -> FloatArray:
        """Weight of each vCPU: its VM's part of what the pool's shares are worth, spread over its vCPUs."""
        index = self._index
        shares = parameters.shares * index.vcpus
        asking = run_sums(need, index.vcpu_start) > 0.02
        total = sums(self._pool, shares * asking, len(self._pool_shares))
        worth = self._pool_shares[self._pool] * shares / np.maximum(total, 1.0)[self._pool]
        weight: FloatArray = (worth / index.vcpus)[index.vcpu_vm]
        return weight

    def _impatience(self, parameters: Parameters, run: FloatArray) -> FloatArray:
        """How a domain's waiting is spread: inversely to shares, its mean over run time kept at 1."""
        pcpu_sets = self.pcpu_sets
        inverse = (NORMAL_SHARES / np.maximum(parameters.shares, 1.0))[self._index.vcpu_vm]
        mean = pcpu_sets.sums(run * inverse) / np.maximum(pcpu_sets.sums(run), 1e-9)
        spread: FloatArray = between(inverse / np.maximum(mean[pcpu_sets.of_vcpu], 1e-9), 0.3, 10.0)
        return spread

    def _costop(
        self,
        parameters: Parameters,
        run: FloatArray,
        wait: FloatArray,
        gang: FloatArray,
        available: FloatArray,
    ) -> None:
        """Split what a vCPU waited into ready and co-stop; add co-stop from siblings stuck in the kernel."""
        index = self._index
        lag = np.maximum(wait / np.maximum(run + wait, 1e-9) - _SKEW_TOLERANCE, 0.0)
        active = run_sums((run > 0.1).astype(float), index.vcpu_start)[index.vcpu_vm]
        others = np.maximum(active - 1.0, 0.0)
        stopped = 1.0 - (1.0 - np.minimum(_SKEW_WEIGHT * lag, 0.9)) ** others
        from_limit = self.limited * np.minimum(_LIMIT_SKEW * others, 0.3)
        stuck = np.maximum.reduceat(parameters.blocked, index.vcpu_start)[index.vcpu_vm] - parameters.blocked
        from_block = np.where(
            index.vcpus[index.vcpu_vm] > 1, 0.5 * stuck * np.minimum(1.0, 2.0 * run + 0.2), 0.0
        )
        costop = wait * stopped + from_limit + from_block + gang
        self.ready = wait * (1.0 - stopped) + self.limited - from_limit
        self.limited = self.limited - from_limit
        room = np.maximum(available - run - self.ready, 0.0)
        self.costop = np.where(index.vcpus[index.vcpu_vm] > 1, np.minimum(costop, room), 0.0)

    def _account(self, available: FloatArray, demanded: FloatArray, frequency: FloatArray) -> None:
        """Used, overlap, latency and demand, as esxtop derives them."""
        index = self._index
        host_system = (self.kernel / self._pcpus)[index.vcpu_host]
        self.overlap = self.run * np.minimum(0.3 * host_system, 0.25)
        speed = self.speed[index.vcpu_host]
        self.used = self.run * speed + self.system - self.overlap * speed
        slow = np.maximum(0.0, 1.0 - np.minimum(speed, 1.0))
        self.latency = between(self.ready - self.limited + self.costop + self.run * slow, 0.0, 1.0)
        self.demand = np.minimum(demanded + self.ready + self.costop, available) * frequency[index.vcpu_host]

    def _remember(self) -> None:
        """Utilisation of hosts, and how many cores have both threads busy (for the next tick)."""
        hosts = self._index.hosts
        per_host = self.load[:hosts] + self.load[hosts:] + self.kernel
        self.busy = np.minimum(per_host / self._pcpus, 1.0)
        self._sharing = shared_cores(self.busy) * self._threaded

    def _per_host(self, vcpu_values: FloatArray) -> FloatArray:
        return sums(self._index.vcpu_host, vcpu_values, self._index.hosts)
