"""Network: VM ports and uplinks; drops where a link is full, a ring overflows or a guest is late."""

from __future__ import annotations

import numpy as np

from lab.cpu import Cpu
from lab.grouping import between, run_sums, sums
from lab.inventory import UPLINKS, VSAN_UPLINK, Cluster
from lab.parameters import Index, Parameters
from sessions.model import FloatArray

_LINE_SHARE = 0.975
"""Payload that a link carries at most, of its nominal speed."""
_EXCESS_LOSS = 0.12
"""What is lost of an excess: TCP backs off long before, so only a part of what does not fit is dropped."""
_PACKETS_PER_VCPU = 160_000.0
"""Packets that one idle vCPU's softirq or DPC drains a second."""
_SLICE_S = 0.008
MBIT_PER_MB = 8.0 * 1.04
"""What a MB/s of data is on the wire, Mbit/s."""


class Network:
    """Results of a tick.

    For each VM port: ``tx`` and ``rx`` (Mbit/s), ``tx_packets`` and ``rx_packets`` (a second), ``tx_drops``
    and ``rx_drops`` (%). For each uplink (flat, hosts × uplinks) the same with the prefix ``nic_``; ``speed``
    (Mbit/s, 0 without a link), ``nic_errors`` frames a second that arrive damaged; ``overflow_tx`` and
    ``overflow_rx`` are the shares of packets that a full uplink loses.
    """

    def __init__(self, cluster: Cluster, index: Index, rng: np.random.Generator) -> None:
        self._index = index
        self._rng = rng
        self._cluster = cluster
        self.place()
        count = index.hosts * UPLINKS
        self.speed = np.zeros(count)
        self._first_vcpu = index.vcpu_start
        zero = np.zeros(index.vms)
        self.tx, self.rx, self.tx_drops, self.rx_drops = (zero.copy() for _ in range(4))
        self.tx_packets, self.rx_packets, self.packet = zero.copy(), zero.copy(), zero.copy()
        nics = np.zeros(count)
        self.nic_tx, self.nic_rx, self.nic_rx_drops = (nics.copy() for _ in range(3))
        self.nic_errors = nics.copy()
        self.overflow_tx, self.overflow_rx = nics.copy(), nics.copy()
        self.nic_tx_packets, self.nic_rx_packets = nics.copy(), nics.copy()
        self.vmk_tx, self.vmk_rx = np.zeros((index.hosts, 2)), np.zeros((index.hosts, 2))

    def place(self) -> None:
        """Take over the placement of all VMs: at the start, and after one has moved."""
        self.uplink = np.array([vm.host * UPLINKS + vm.uplink for vm in self._cluster.vms])

    def step(
        self,
        parameters: Parameters,
        tx_activity: FloatArray,
        rx_activity: FloatArray,
        cpu: Cpu,
        nfs_mb: FloatArray,
        vsan_mb: FloatArray | None = None,
    ) -> None:
        """Compute one tick. ``nfs_mb`` (hosts, 2) is what the hosts read from and write to NFS, in MB/s,
        ``vsan_mb`` what they receive and send for vSAN.
        """
        self._vsan_mb = np.zeros(nfs_mb.shape) if vsan_mb is None else vsan_mb
        self.speed = parameters.speed
        self.packet = between(parameters.packet, 60.0, 1514.0)
        offered = parameters.tx * tx_activity
        shaped = np.minimum(offered, parameters.shape)
        excess = 1.0 - shaped / np.maximum(offered, 1e-9)
        self._flicker = np.exp(0.25 * self._rng.standard_normal(2 * len(offered) + len(self.speed)))
        self._transmit(parameters, shaped, excess, nfs_mb)
        self._receive(parameters, parameters.rx * rx_activity, cpu, nfs_mb)

    def _transmit(
        self, parameters: Parameters, shaped: FloatArray, excess: FloatArray, nfs_mb: FloatArray
    ) -> None:
        kernel = self._kernel_ports(parameters.vmk_tx + parameters.ft_tx, nfs_mb[:, 1], parameters)
        kernel[:, VSAN_UPLINK] += self._vsan_mb[:, 1] * MBIT_PER_MB
        wanted = sums(self.uplink, shaped, len(self.speed)) + kernel.reshape(-1)
        fits = np.minimum(1.0, _LINE_SHARE * self.speed / np.maximum(wanted, 1e-9))
        self.overflow_tx = _EXCESS_LOSS * (1.0 - fits)
        self.vmk_tx = (kernel.reshape(-1) * fits).reshape(-1, UPLINKS)[:, :2]
        self.tx = shaped * fits[self.uplink]
        lost = 1.0 - (1.0 - _EXCESS_LOSS * excess) * (1.0 - _EXCESS_LOSS * (1.0 - fits[self.uplink]))
        self.tx_drops = 100.0 * lost * self._flicker[: len(lost)]
        self.tx_packets = self.tx * 125_000.0 / self.packet
        self.nic_tx = wanted * fits
        vms = sums(self.uplink, self.tx_packets, len(self.speed))
        self.nic_tx_packets = vms + kernel.reshape(-1) * fits * 125_000.0 / 1200.0

    def _receive(self, parameters: Parameters, offered: FloatArray, cpu: Cpu, nfs_mb: FloatArray) -> None:
        kernel = self._kernel_ports(parameters.vmk_rx, nfs_mb[:, 0], parameters)
        kernel[:, VSAN_UPLINK] += self._vsan_mb[:, 0] * MBIT_PER_MB
        wanted = sums(self.uplink, offered, len(self.speed)) + kernel.reshape(-1)
        fits = np.minimum(1.0, _LINE_SHARE * self.speed / np.maximum(wanted, 1e-9))
        self.overflow_rx = _EXCESS_LOSS * (1.0 - fits)
        clean = fits * (1.0 - parameters.rx_loss) * (1.0 - parameters.frame_errors)
        arriving = offered * clean[self.uplink]
        packets = arriving * 125_000.0 / self.packet
        lost = self._lost(parameters, packets, cpu)
        self.rx = arriving * (1.0 - lost)
        self.rx_packets = packets * (1.0 - lost)
        self.rx_drops = 100.0 * lost * self._flicker[len(lost) : 2 * len(lost)]
        self.nic_rx = wanted * clean
        self.vmk_rx = (kernel.reshape(-1) * clean).reshape(-1, UPLINKS)[:, :2]
        vms = sums(self.uplink, packets, len(self.speed))
        self.nic_rx_packets = vms + kernel.reshape(-1) * clean * 125_000.0 / 1200.0
        share = parameters.frame_errors
        self.nic_errors = self.nic_rx_packets * share / np.maximum(1.0 - share, 1e-9)
        self.nic_rx_drops = 100.0 * parameters.rx_loss * self._flicker[2 * len(lost) :]

    def _lost(self, parameters: Parameters, packets: FloatArray, cpu: Cpu) -> FloatArray:
        """Share of packets that find the ring full: the guest does not run, is saturated, or they burst."""
        count = self._index.vcpus
        start = self._first_vcpu
        late, alone = cpu.ready + cpu.costop, parameters.single_queue > 0.5
        waiting = np.where(alone, late[start], run_sums(late, start) / count)
        running = np.where(alone, cpu.run[start], run_sums(cpu.run, start) / count)
        taking = np.where(alone, 1.0, np.minimum(count, 4.0))
        stall_s = _SLICE_S * (1.0 + 6.0 * waiting)
        backlog = packets * stall_s
        descheduled = np.minimum(waiting, 1.0) * np.exp(-parameters.ring / np.maximum(backlog, 1e-6))
        drained = _PACKETS_PER_VCPU * taking * between(1.05 - running - waiting, 0.08, 1.0)
        saturated = 0.5 * np.maximum(0.0, 1.0 - drained / np.maximum(packets, 1.0))
        bursts = np.exp(-parameters.ring / np.maximum(parameters.burst, 1.0))
        lost: FloatArray = between(1.0 - (1.0 - descheduled) * (1.0 - saturated) * (1.0 - bursts), 0.0, 0.6)
        return np.where(lost < 2e-5, 0.0, lost)

    def _kernel_ports(
        self, management: FloatArray, storage_mb: FloatArray, parameters: Parameters
    ) -> FloatArray:
        """Vmkernel traffic per uplink: vmk0 (management, vMotion) where it is bound, vmk1 (NFS) on vmnic1."""
        table = np.zeros((self._index.hosts, UPLINKS))
        table[np.arange(self._index.hosts), parameters.vmk_uplink.astype(int)] = management
        table[:, 1] += storage_mb * MBIT_PER_MB
        return table
