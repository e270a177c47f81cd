"""Counts a host of the lab since its boot as the esxtop service does: from rates and shares of time."""

from __future__ import annotations

import numpy as np

from lab.esxtop_tables import INTERRUPT_PER_CPU
from lab.fields import APERF, C_STATES, P_STATES, T_STATES
from lab.inventory import NODES
from lab.lab import Lab
from lab.service_counts import Counts
from lab.worlds import NO_OWNER
from sessions.model import FloatArray

BOOTED_S = 3_000_000.0
"""How long a host has been running when the lab begins."""
_VM_UP_S = 80_000.0
_ALMOST_WRAPPED = 2.0**32 - 2_000.0
_BLOCKS_OF_A_MB = 2048.0
_KB = 1024.0
_DISKS = (
    "Physical Disk SCSI Device", "Physical Disk Path", "Physical Disk Per-Device-Per-World",
    "Physical Disk Partition",
)  # fmt: skip
_WORLD_TIMES = {
    "UsedTimeInUsec": "% Used", "SysTimeInUsec": "% System", "SysOverlapTimeInUsec": "% Overlap",
    "MaxLimitedTimeInUsec": "% Max Limited", "SwapWaitTimeInUsec": "% Swap Wait",
    "CpuLatencyInUsec": "% CPU Latency", "MemLatencyInUsec": "% Memory Latency",
}  # fmt: skip
_WORLD_EVENTS = {
    "NumOfWorldSwitches": "Switches/sec", "NumOfTotalMigrations": "Migrates/sec",
    "NumOfQuantumExpires": "Quantum Expires/sec", "NumOfWakeups": "Wakeups/sec",
}  # fmt: skip
TROUBLES = {
    "NumOfReserveOps": "Reserves/sec", "NumOfReservationConflicts": "Conflicts/sec",
    "NumOfAborts": "Aborts/sec", "NumOfTotalResets": "Resets/sec",
}  # fmt: skip
_MEMORY_RATES = {
    "SwapReadInKB": "Swap Read MBytes/sec", "SwapWriteInKB": "Swap Written MBytes/sec",
    "LlswapReadInKB": "Llswap Read MBytes/sec", "LlswapWriteInKB": "Llswap Written MBytes/sec",
    "CompressedInKB": "Compression MBytes/sec", "DecompressedInKB": "Decompression MBytes/sec",
}  # fmt: skip
PORT_COUNTS = {
    "NumOfActions": "Actions Posted/sec", "PktsTxMulticast": "Multicast Packets Transmitted/sec",
    "PktsTxBroadcast": "Broadcast Packets Transmitted/sec",
    "PktsRxMulticast": "Multicast Packets Received/sec", "PktsRxBroadcast": "Broadcast Packets Received/sec",
}  # fmt: skip


class HostCounts:
    """One host; ``step`` follows each tick of the lab.

    ``absent`` (VMs,) are those that are not there now, ``elapsed_s`` is the time since the host's boot.
    """

    def __init__(self, lab: Lab, host: int) -> None:
        self._lab, self._host = lab, host
        self.layout = lab.layouts[host]
        self.elapsed_s = BOOTED_S
        self._all: dict[str, Counts] = {}
        self._vm_of_world = np.array([group.vm for group in self.layout.groups for _ in group.worlds])
        self.absent = lab.absent_at_start.copy()
        worlds, processors = self.counts("Vcpu"), self.counts("Physical Cpu")
        worlds.start("UpTimeInUsec", np.where(self._vm_of_world == NO_OWNER, BOOTED_S, _VM_UP_S) * 1e6)
        worlds.start("NumOfWorldSwitches", _ALMOST_WRAPPED)
        self.counts("Memory").start("SwapReadInKB", _ALMOST_WRAPPED)
        for name, share in (("Elapsed", 1.0), ("Halt", 0.9), ("CoreHalt", 0.85)):
            processors.start(f"{name}TimeInUsec", BOOTED_S * share * 1e6)

    @property
    def time_s(self) -> float:
        """The host's time, in seconds since 1970."""
        return self._lab.start_ms / 1000 + self.elapsed_s - BOOTED_S - self._lab.tick_s

    def step(self, seconds: float) -> None:
        """Count what the lab's tables tell of the last ``seconds``."""
        self.elapsed_s += seconds
        self._follow_vms()
        self._step_processors(seconds)
        self._step_worlds(seconds)
        self._step_memory(seconds)
        for cls in _DISKS:
            self._step_disks(cls, seconds)
        self._step_volumes_and_virtual_disks(seconds)
        self._step_ports(seconds)
        self._step_interrupts_and_power(seconds)

    def counts(self, cls: str) -> Counts:
        """Return what was counted of a table of the lab."""
        if cls not in self._all:
            self._all[cls] = Counts(len(self.row(cls, next(iter(self._lab.esxtop_tables[cls].row)))))
        return self._all[cls]

    def row(self, cls: str, counter: str) -> FloatArray:
        """Return a counter of this host, as the lab's tables hold it now."""
        table = self._lab.esxtop_tables[cls]
        return table.row[counter][int(table.start[self._host]) : int(table.start[self._host + 1])]

    def now(self, cls: str, counter: str, row: int) -> int:
        """Return a counter of one instance, as a whole number."""
        return round(float(self.row(cls, counter)[row]))

    def is_there(self, vm: int) -> bool:
        """Return True for a VM that runs on the host now, and for what is no VM's."""
        return vm == NO_OWNER or not bool(self.absent[vm])

    def home_nodes(self, vm: int) -> int:
        """Return a bit for each NUMA node that is a VM's home: all bits where it is wider than a node."""
        node = self._lab.cluster.vms[vm].node
        return 1 << node if node >= 0 else (1 << NODES) - 1

    def group_count(self) -> int:
        """Return how many scheduler groups there are: beside some are others that only hold their memory."""
        groups = [group for group in self.layout.groups if self.is_there(group.vm)]
        beside = sum(1 if group.vm == NO_OWNER else 2 for group in groups if not group.kernel)
        return len(groups) + beside

    def _follow_vms(self) -> None:
        """What has come back counts from nothing again."""
        absent = self._lab.absent()
        returned = self.absent & ~absent
        if returned.any():
            self.counts("Vcpu").restart((self._vm_of_world != NO_OWNER) & returned[self._vm_of_world])
            owners = np.array([user.vm for user in self.layout.users])
            self.counts("Physical Disk Per-Device-Per-World").restart((owners != NO_OWNER) & returned[owners])
        self.absent = absent.copy()

    def _step_processors(self, seconds: float) -> None:
        counts = self.counts("Physical Cpu")
        time_us = np.full(counts.size, seconds * 1e6)
        counts.grow("ElapsedTimeInUsec", time_us)
        counts.grow("UsedTimeInUsec", time_us * self.row("Physical Cpu", "% Processor Time") / 100)
        counts.grow("HaltTimeInUsec", time_us * (1 - self.row("Physical Cpu", "% Util Time") / 100))
        counts.grow("CoreHaltTimeInUsec", time_us * (1 - self.row("Physical Cpu", "% Core Util Time") / 100))

    def _step_worlds(self, seconds: float) -> None:
        """Time that is neither running, ready nor co-stopped is waiting, so that all adds up."""
        counts = self.counts("Vcpu")
        share = {name: self.row("Vcpu", name) / 100 for name in ("% Run", "% Ready", "% CoStop", "% VmWait")}
        run = np.minimum(share["% Run"], 1.0)
        costop = np.minimum(share["% CoStop"], 1.0 - run)
        ready = np.minimum(share["% Ready"], 1.0 - run - costop)
        time_us = np.full(counts.size, seconds * 1e6)
        counts.grow("UpTimeInUsec", time_us)
        for name, part in (("RunTimeInUsec", run), ("CoStopTimeInUsec", costop), ("ReadyTimeInUsec", ready)):
            counts.grow(name, time_us * part)
        busy = counts["RunTimeInUsec"] + counts["CoStopTimeInUsec"] + counts["ReadyTimeInUsec"]
        counts.set("TotalWaitTimeInUsec", counts["UpTimeInUsec"] - busy)
        wait = 1.0 - run - costop - ready
        counts.grow("IdleTimeInUsec", time_us * (wait - np.minimum(share["% VmWait"], wait)))
        for name, counter in _WORLD_TIMES.items():
            part = self.row("Vcpu", counter) / 100
            least = ready + costop if name == "CpuLatencyInUsec" else 0.0
            counts.grow(name, time_us * np.maximum(part, least))
        for name, counter in _WORLD_EVENTS.items():
            counts.grow(name, seconds * self.row("Vcpu", counter))

    def _step_memory(self, seconds: float) -> None:
        groups = self.counts("Group Memory")
        for name, counter in _MEMORY_RATES.items():
            groups.grow(name, seconds * _KB * self.row("Group Memory", counter))
        groups.grow("NumOfBalanceMigrations", self.row("Group Memory", "Numa Rebalance Count Delta"))
        host = self.counts("Memory")
        host.grow("SwapReadInKB", seconds * _KB * self.row("Memory", "Swap MBytes Read/sec"))
        host.grow("SwapWrtnInKB", seconds * _KB * self.row("Memory", "Swap MBytes Write/sec"))

    def _step_disks(self, cls: str, seconds: float) -> None:
        """Times are those of whole commands: commands × their latency."""
        counts = self.counts(cls)
        grown = {
            "": counts.grow("NumOfCommands", seconds * self.row(cls, "Commands/sec")),
            "Read": counts.grow("NumOfReadOps", seconds * self.row(cls, "Reads/sec")),
            "Write": counts.grow("NumOfWriteOps", seconds * self.row(cls, "Writes/sec")),
        }
        counts.grow("NumOfBlocksRead", seconds * _BLOCKS_OF_A_MB * self.row(cls, "MBytes Read/sec"))
        counts.grow("NumOfBlocksWritten", seconds * _BLOCKS_OF_A_MB * self.row(cls, "MBytes Written/sec"))
        for name, counter in TROUBLES.items():
            if counter in self._lab.esxtop_tables[cls].row:
                counts.grow(name, seconds * self.row(cls, counter))
        if "MBytes Zeroed/sec" in self._lab.esxtop_tables[cls].row:
            zeroed = self.row(cls, "MBytes Zeroed/sec")
            counts.grow("NumOfBlocksZeroed", seconds * _BLOCKS_OF_A_MB * zeroed)
        for of, commands in grown.items():
            for time, layer in (("Issue", "Driver"), ("Total", "Guest"), ("Queue", "Queue")):
                latency = self.row(cls, f"Average {layer} MilliSec/{of or 'Command'}")
                counts.grow(f"{of}{time}TimeInUsec", commands * latency * 1000)

    def _step_volumes_and_virtual_disks(self, seconds: float) -> None:
        for cls, reads, writes, prefix in (
            ("Physical Disk NFS Volume", "ReadTimeInUsec", "WriteTimeInUsec", "Average Guest "),
            ("Virtual Disk", "LatencyReads", "LatencyWrites", "Average "),
        ):
            counts = self.counts(cls)
            for way, count, size, time, mb in (
                ("Read", "NumOfReads", "ReadByte", reads, "MBytes Read/sec"),
                ("Write", "NumOfWrites", "WriteByte", writes, "MBytes Written/sec"),
            ):
                grown = counts.grow(count, seconds * self.row(cls, f"{way}s/sec"))
                counts.grow(size, seconds * 1048576.0 * self.row(cls, mb))
                counts.grow(time, grown * self.row(cls, f"{prefix}MilliSec/{way}") * 1000)
        self.counts("Physical Disk NFS Volume").grow(
            "NumOfAborts", seconds * self.row("Physical Disk NFS Volume", "Aborts/sec")
        )

    def _step_ports(self, seconds: float) -> None:
        counts = self.counts("Network Port")
        for way, of, dropped in (
            ("Transmitted", "Send", "% Outbound Packets Dropped"),
            ("Received", "Recv", "% Received Packets Dropped"),
        ):
            packets = seconds * self.row("Network Port", f"Packets {way}/sec")
            counts.grow(f"NumOf{of}Packets", packets)
            counts.grow(f"NumOf{of}Bytes", seconds * 125_000.0 * self.row("Network Port", f"MBits {way}/sec"))
            part = np.minimum(self.row("Network Port", dropped) / 100, 0.99)
            counts.grow(f"NumOfDropped{of}", packets * part / (1 - part))
        for name, counter in PORT_COUNTS.items():
            counts.grow(name, seconds * self.row("Network Port", counter))

    def _step_interrupts_and_power(self, seconds: float) -> None:
        interrupts = self.counts(INTERRUPT_PER_CPU)
        grown = interrupts.grow("Count", seconds * self.row(INTERRUPT_PER_CPU, "Interrupts/second"))
        each = self.row(INTERRUPT_PER_CPU, "Processing Time MicroSec/Interrupt")
        interrupts.grow("SysTimeInUsec", grown * each)
        power = self.counts("PCPU Power State")
        power.grow("Mperf", np.full(power.size, seconds * 1e6))
        power.grow("Aperf", seconds * 1e4 * self.row("PCPU Power State", APERF))
        for kind, count in (("C", C_STATES), ("P", P_STATES), ("T", T_STATES)):
            for state in range(count):
                share = self.row("PCPU Power State", f"%{kind}-State {kind}{state}")
                power.grow(f"{kind}{state}", seconds * 1e4 * share)
