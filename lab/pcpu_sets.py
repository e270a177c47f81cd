"""Sets of PCPUs on which vCPUs are scheduled: a whole host, or the part that some VMs are confined to."""

from __future__ import annotations

import numpy as np

from lab.grouping import sums
from lab.inventory import NODES, Cluster
from lab.parameters import Index
from lab.queueing import water_fill
from sessions.model import FloatArray, IntArray


class PcpuSets:
    """The sets: one for each host (all of its PCPUs), then one confined set for each host (of size 0
    if it has none).

    The NUMA scheduler moves VMs between nodes to balance them, so a VM normally has the whole host. VMs with
    CPU affinity share a set of a few PCPUs at the start of the last node; VMs that are stuck to their home
    node share that node. The capacity that a confined set uses is missing for the other VMs, which avoid it.

    ``of_vcpu`` is the set of each vCPU, ``host`` the host of each set, ``width`` its number of PCPUs;
    ``first`` and ``size`` are the PCPUs of each host's confined set.
    """

    def __init__(self, cluster: Cluster, index: Index) -> None:
        hosts = index.hosts
        self.pcpus = np.array([float(host.pcpus) for host in cluster.hosts])
        self.size = np.zeros(hosts)
        self.first = np.zeros(hosts, dtype=np.int64)
        for vm in cluster.vms:
            half = cluster.hosts[vm.host].pcpus // NODES
            if vm.pinned:
                self.first[vm.host], self.size[vm.host] = half, max(self.size[vm.host], vm.pinned)
            elif vm.node_bound:
                self.first[vm.host], self.size[vm.host] = vm.node * half, half
        confined = np.array([vm.pinned > 0 or vm.node_bound for vm in cluster.vms])[index.vcpu_vm]
        self.of_vcpu: IntArray = np.where(confined, hosts + index.vcpu_host, index.vcpu_host)
        self.host = np.tile(np.arange(hosts), 2)
        self.width = np.concatenate([self.pcpus, self.size])
        self.count = 2 * hosts
        self._start = index.vcpu_start
        self._vm = index.vcpu_vm
        self._row = self.of_vcpu[self._start]
        self._column = np.zeros(index.vms, dtype=np.int64)
        filled = np.zeros(self.count, dtype=np.int64)
        for vm_number, row in enumerate(self._row):
            self._column[vm_number] = filled[row]
            filled[row] += 1
        self._shape = (self.count, int(filled.max()))
        self._hosts = np.repeat(np.arange(hosts), self.pcpus.astype(np.int64))
        place = np.arange(len(self._hosts)) - (np.cumsum(self.pcpus) - self.pcpus)[self._hosts]
        first = self.first[self._hosts]
        self._is_inside = (place >= first) & (place < first + self.size[self._hosts])

    def capacity(self, parked: FloatArray, kernel: FloatArray, need: FloatArray) -> FloatArray:
        """Return how many PCPUs each set has for its VMs, after parked ones, the VMkernel
        and confined VMs.
        """
        hosts = len(self.size)
        confined = sums(self.of_vcpu, need, self.count)[hosts:]
        free = self.pcpus * (1.0 - parked) - kernel - np.minimum(confined, self.size)
        return np.concatenate([np.maximum(free, 0.5), np.maximum(self.size, 1e-6)])

    def fill(
        self, capacity: FloatArray, need: FloatArray, weight: FloatArray, reserved: FloatArray
    ) -> FloatArray:
        """Return the run time of each vCPU: its need where all needs fit, a part in proportion to
        shares where not.
        """
        wanted = self.sums(need)
        if (wanted <= capacity).all():
            return need
        per_vm = np.add.reduceat(np.stack([need, weight, reserved]), self._start, axis=1)
        table = np.zeros((3, *self._shape))
        table[:, self._row, self._column] = per_vm
        filled = water_fill(capacity, *table)
        given = filled[self._row, self._column] / np.maximum(per_vm[0], 1e-12)
        run: FloatArray = need * given[self._vm]
        return run

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum a quantity of vCPUs in each set."""
        return sums(self.of_vcpu, values, self.count)

    def pcpu_busy(self, load: FloatArray, kernel: FloatArray) -> FloatArray:
        """Return the mean utilisation of each PCPU of all hosts: confined VMs load their set, the
        others the rest. ``load`` and ``kernel`` may have axes before their last one.
        """
        hosts = len(self.size)
        inside = np.minimum(load[..., hosts:] / np.maximum(self.size, 1.0), 1.0)
        outside = np.minimum((load[..., :hosts] + kernel) / (self.pcpus - self.size), 1.0)
        busy: FloatArray = np.where(self._is_inside, inside[..., self._hosts], outside[..., self._hosts])
        return busy
