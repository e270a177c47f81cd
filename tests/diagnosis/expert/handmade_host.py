"""A host as its own numbers describe it, written as ``esxtop -b -a`` prints it: nothing here is simulated.

Each number is set by hand, sample by sample if need be; only sums (a VM's over its worlds, a CPU's over the
VMs) are computed. Values are numbers, or arrays with one number a sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from sessions.model import FloatArray
from tests.diagnosis.expert.handmade_numbers import Value, at_place, io_counters, told_of

_WORLD = (
    "% Used",
    "% Run",
    "% System",
    "% Wait",
    "% VmWait",
    "% Ready",
    "% Idle",
    "% Overlap",
    "% CoStop",
    "% Max Limited",
    "% Swap Wait",
)
_FIRST_IS_EMPTY = ("Physical Disk", "Virtual Disk")
"""Rates of these are 0 in the first row of a capture: there is no sample before it."""
_KEPT = ("Depth", "Shares")


class Host:
    """One host's capture: columns in the order of esxtop's screens, a number for each of its rows."""

    def __init__(
        self,
        name: str,
        *,
        cores: int,
        memory_gb: int,
        rows: int,
        every_s: float,
        seed: int,
        starts: str = "2026-10-13 01:00:00",
        threads: int = 2,
    ) -> None:
        self.name, self.rows, self.every_s = name, rows, every_s
        self.cores, self.pcpus, self.memory_mb = cores, cores * threads, memory_gb * 1024.0
        self.starts = datetime.fromisoformat(starts).replace(tzinfo=UTC)
        self._random = np.random.default_rng(seed)
        self._columns: dict[str, list[tuple[str, FloatArray]]] = {}
        self._worlds = 2_100_400
        self._run = self._array(0.0)
        self._configured = 0.0
        self.ids: dict[str, int] = {}

    # ------------------------------------------------------------ numbers

    def around(self, value: Value, spread: float = 0.08) -> FloatArray:
        """Samples around a value, with the scatter that counters have."""
        return np.maximum(self._array(value) * (1 + spread * self._random.standard_normal(self.rows)), 0.0)

    def between(self, first_s: float, last_s: float, inside: float, outside: float) -> FloatArray:
        """One value from a second to a second of the capture, another one before and after."""
        at = np.arange(self.rows) * self.every_s
        return np.where((at >= first_s) & (at < last_s), inside, outside)

    def _array(self, value: Value) -> FloatArray:
        return np.zeros(self.rows) + value

    def put(self, screen: str, place: str, counters: Mapping[str, Value]) -> None:
        """Columns of one object: ``place`` is its class with its instance."""
        for counter, value in counters.items():
            values = self._array(value)
            if place.startswith(_FIRST_IS_EMPTY) and not counter.endswith(_KEPT):
                values[0] = 0.0
            self._columns.setdefault(screen, []).append((rf"\\{self.name}\{place}\{counter}", values))

    # ------------------------------------------------------------ virtual machines

    def vm(
        self,
        name: str,
        vcpus: int,
        gb: float,
        run: Value | Sequence[Value],
        *,
        ready: Value | Sequence[Value] = 0.35,
        costop: Value = 0.0,
        limited: Value = 0.0,
        swap_wait: Value = 0.0,
        blocked: Value | Sequence[Value] = 0.1,
        system: Value | Sequence[Value] = 0.4,
        used_of_run: Value = 1.02,
        cpu_limit: int = -1,
        reserved: int = 0,
        memory: Mapping[str, Value] | None = None,
        runs_on: Sequence[int] | None = None,
    ) -> None:
        """A VM: its vCPUs' percentages (each, or one for all), memory in MB, the CPUs it runs on."""
        group = self._worlds = self._worlds + 40
        self.ids[name] = group
        total: dict[str, FloatArray] = {}
        for at in range(vcpus):
            one = self._vcpu(
                at_place(run, at),
                at_place(ready, at),
                costop,
                limited,
                swap_wait,
                at_place(blocked, at),
                at_place(system, at),
                used_of_run,
            )
            self._run = self._run + one["% Run"]
            for counter, values in one.items():
                total[counter] = total.get(counter, self._array(0.0)) + values
            more = {
                "% CPU Latency": one["% Ready"] - one["% Max Limited"] + one["% CoStop"],
                "% Memory Latency": told_of(memory, "lat_m"),
                "Physical Cpu": self._random.choice(runs_on or self.pcpus, self.rows).astype(float),
            }
            self.put("cpu", f"Vcpu({group}:{name}:{group + 4 + at}:vmx-vcpu-{at}:{name})", {**one, **more})
        helper = dict.fromkeys(_WORLD, self._array(0.0)) | {
            "% Run": self._array(0.05),
            "% Used": self._array(0.05),
        }
        for at, world in enumerate(("vmx", f"NetWorld-VM-{group + 1}", f"vmast.{group + 1}")):
            told = {**helper, "% Wait": self._array(99.9), "% VmWait": self._array(99.9)}
            self.put("cpu", f"Vcpu({group}:{name}:{group + 30 + at}:{world})", told)
        self.put(
            "group",
            f"Group Cpu({group}:{name})",
            {
                "Members": vcpus + 7,
                **total,
                "Alloc Min": reserved,
                "Alloc Max": cpu_limit,
                "Alloc Shares": -3,
                "% CPU Latency": total["% Ready"] - total["% Max Limited"] + total["% CoStop"],
                "% Memory Latency": told_of(memory, "lat_m") * vcpus,
            },
        )
        self._vm_memory(f"Group Memory({group}:{name})", gb * 1024.0, memory or {})

    def _vcpu(
        self,
        run: Value,
        ready: Value,
        costop: Value,
        limited: Value,
        swap_wait: Value,
        blocked: Value,
        system: Value,
        used_of_run: Value,
    ) -> dict[str, FloatArray]:
        mine = {"limited": self.around(limited, 0.1), "costop": self.around(costop, 0.2)}
        waits = self.around(ready, 0.25) + mine["limited"]
        runs = np.minimum(self.around(run, 0.06), np.maximum(99.7 - waits - mine["costop"], 0.05))
        rest = np.maximum(100.0 - runs - waits - mine["costop"], 0.0)
        stuck = np.minimum(self.around(blocked, 0.2) + self._array(swap_wait), rest)
        kernel = self.around(system, 0.15)
        return dict(
            zip(
                _WORLD,
                (
                    runs * used_of_run + kernel,
                    runs,
                    kernel,
                    rest,
                    stuck,
                    waits,
                    rest - stuck,
                    runs * 0.01,
                    mine["costop"],
                    mine["limited"],
                    np.minimum(self._array(swap_wait), rest),
                ),
                strict=True,
            )
        )

    def _vm_memory(self, place: str, size: float, told: Mapping[str, Value]) -> None:
        self._configured += size
        active, local = told_of(told, "active", 18.0), told_of(told, "local", 100.0)
        consumed = self._array(told_of(told, "consumed", size * 0.96))
        self.put(
            "memory",
            place,
            {
                "Alloc Min": told_of(told, "reserved"),
                "Alloc Max": told_of(told, "limit", -1.0),
                "Alloc Shares": -3,
                "Numa Home Nodes": told_of(told, "home", 1.0),
                "Numa Rebalance Count Delta": 0.0,
                "Numa Remote Memory MBytes": consumed * (1 - local / 100.0),
                "Numa Local Memory MBytes": consumed * local / 100.0,
                "Numa % Local": local,
                "Memory Size MBytes": size,
                "Memory Granted Size MBytes": np.minimum(consumed * 1.01, size),
                "Memory Consumed Size MBytes": consumed,
                "Target Size MBytes": consumed,
                "Touched MBytes": size * active / 100.0,
                "Touched Write MBytes": size * active / 250.0,
                "% Active Estimate": active,
                "Memctl?": told_of(told, "driver", 1.0),
                "Memctl MBytes": told_of(told, "balloon"),
                "Memctl Target MBytes": told_of(told, "target"),
                "Memctl Max MBytes": size * 0.65,
                "Swapped MBytes": told_of(told, "swapped"),
                "Swap Target MBytes": told_of(told, "swapped"),
                "Swap Read MBytes/sec": told_of(told, "swap_in"),
                "Swap Written MBytes/sec": told_of(told, "swap_out"),
                "Llswap Read MBytes/sec": 0.0,
                "Llswap Written MBytes/sec": 0.0,
                "Overhead MBytes": 70.0 + size * 0.004,
                "Compressed Memory MBytes": told_of(told, "zipped"),
                "Used Compressed Memory MBytes": told_of(told, "zipped"),
                "Compression MBytes/sec": told_of(told, "zip"),
                "Decompression MBytes/sec": told_of(told, "unzip"),
            },
        )

    # ------------------------------------------------------------ storage

    def lun(
        self,
        name: str,
        paths: Mapping[str, float],
        reads: Value,
        writes: Value,
        *,
        read_ms: Value = 0.6,
        write_ms: Value = 0.5,
        kb: float = 16.0,
        kernel_ms: Value = 0.02,
        queue_ms: Value = 0.0,
        depth: int = 64,
        active: Value | None = None,
        queued: Value = 0.0,
        failed: Value = 0.0,
        aborts: Value = 0.0,
        resets: Value = 0.0,
        conflicts: Value = 0.0,
        path_ms: Mapping[str, Value] | None = None,
        path_failed: Mapping[str, Value] | None = None,
        worlds: Mapping[str, float] | None = None,
    ) -> None:
        """A LUN: ``paths`` with their shares of the commands; ``path_ms`` is for those that differ."""
        reads, writes = self.around(reads), self.around(writes)
        read, write, kernel = self.around(read_ms, 0.12), self.around(write_ms, 0.12), self._array(kernel_ms)
        total = reads + writes
        davg = np.divide(reads * read + writes * write, total, out=self._array(0.0), where=total > 0)
        flight = np.minimum(total * davg / 1000.0, depth) if active is None else self._array(active)
        load = {
            "Active Commands": np.rint(flight),
            "Queued Commands": self._array(queued),
            "% Used": 100.0 * flight / depth,
            "Load": (flight + queued) / depth,
        }
        waits = (davg, kernel, self._array(queue_ms))
        faults = {
            "Failed Commands/sec": failed,
            "Aborts/sec": aborts,
            "Resets/sec": resets,
            "Failed Reserves/sec": 0.0,
            "Conflicts/sec": conflicts,
            "Reserves/sec": 0.0,
        }
        self.put(
            "device",
            f"Physical Disk SCSI Device({name})",
            {
                "Device Q Depth": depth,
                "World Q Depth": 0.0,
                **load,
                **io_counters(reads, writes, kb, *waits),
                **faults,
            },
        )
        for path, share in paths.items():
            late = self._array((path_ms or {}).get(path, davg))
            broken = {
                "Failed Commands/sec": (path_failed or {}).get(path, 0.0),
                "Aborts/sec": aborts if path in (path_failed or {}) else 0.0,
                "Resets/sec": 0.0,
            }
            self.put(
                "device",
                f"Physical Disk Path({path})",
                {**io_counters(reads * share, writes * share, kb, late, *waits[1:]), **broken},
            )
        for vm, share in (worlds or {}).items():
            self.put(
                "device",
                f"Physical Disk Per-Device-Per-World({name}-{self.ids[vm] + 1})",
                {
                    "Shares": 1000,
                    "Device Q Depth": depth,
                    "World Q Depth": depth,
                    "Active Commands": np.rint(flight * share),
                    "Queued Commands": self._array(queued) * share,
                    **io_counters(reads * share, writes * share, kb, *waits),
                },
            )

    def nfs(
        self, name: str, reads: Value, writes: Value, *, ms: Value, active: Value = 1.0, failed: Value = 0.0
    ) -> None:
        """An NFS datastore, of which esxtop has the guest's latency alone."""
        reads, writes = self.around(reads), self.around(writes)
        self.put(
            "nfs",
            f"Physical Disk NFS Volume({name})",
            {
                "Active Commands": active,
                "Commands/sec": reads + writes,
                "Reads/sec": reads,
                "Writes/sec": writes,
                "MBytes Read/sec": reads / 64,
                "MBytes Written/sec": writes / 64,
                "Average Guest MilliSec/Command": ms,
                "Average Guest MilliSec/Read": ms,
                "Average Guest MilliSec/Write": ms,
                "Failed Commands/sec": failed,
                "Aborts/sec": 0.0,
                "Resets/sec": 0.0,
            },
        )

    def disk(
        self, place: str, reads: Value, writes: Value, read_ms: Value, write_ms: Value, kb: float = 16.0
    ) -> None:
        """A virtual disk, ``vm:scsi0:1``, or a VM's total."""
        reads, writes = self.around(reads), self.around(writes)
        self.put(
            "vdisk",
            f"Virtual Disk({place})",
            {
                "Commands/sec": reads + writes,
                "Reads/sec": reads,
                "Writes/sec": writes,
                "MBytes Read/sec": reads * kb / 1024,
                "MBytes Written/sec": writes * kb / 1024,
                "Average MilliSec/Read": np.where(reads > 0, read_ms, 0.0),
                "Average MilliSec/Write": np.where(writes > 0, write_ms, 0.0),
            },
        )

    # ------------------------------------------------------------ network, interrupts

    def port(
        self,
        place: str,
        tx_pps: Value,
        rx_pps: Value,
        *,
        size: float = 700.0,
        drop_tx: Value = 0.0,
        drop_rx: Value = 0.0,
        speed: Value = 0.0,
        up: Value = 1.0,
        broadcasts: Value = 2.0,
    ) -> None:
        """A port of a switch, ``vSwitch0:33554434:vmnic0``; ``speed`` in Mb/s of an uplink."""
        sent, got = self.around(tx_pps, 0.1), self.around(rx_pps, 0.1)
        self.put(
            "network",
            f"Network Port({place})",
            {
                "Link Up?": up,
                "Link Speed (Mb/s)": speed,
                "Full Duplex?": 1.0 if np.any(speed) else 0.0,
                "Packets Transmitted/sec": sent,
                "MBits Transmitted/sec": sent * size * 8e-6,
                "Average Packet Size  Transmitted (Bytes)": size,
                "Packets Received/sec": got,
                "MBits Received/sec": got * size * 8e-6,
                "Average Packet Size  Received (Bytes)": size,
                "% Outbound Packets Dropped": drop_tx,
                "% Received Packets Dropped": drop_rx,
                "Actions Posted/sec": 0.0,
                "Multicast Packets Transmitted/sec": 0.1,
                "Multicast Packets Received/sec": 0.4,
                "Broadcast Packets Transmitted/sec": 0.1,
                "Broadcast Packets Received/sec": broadcasts,
            },
        )

    def interrupts(self, vector: str, each: Mapping[int, Value], us: float) -> None:
        """A vector's interrupts a second on each CPU that takes them, and microseconds for one."""
        self.put(
            "interrupt",
            f"Interrupt Cookie({vector})",
            {
                "Interrupts/second": sum(each.values(), start=self._array(0.0)),
                "Processing Time MicroSec/Interrupt": us,
            },
        )
        for cpu, number in each.items():
            self.put(
                "interrupt",
                f"Interrupt Cookie({vector}:CPU{cpu})",
                {
                    "Interrupts/second": number,
                    "Processing Time MicroSec/Interrupt": us,
                },
            )

    # ------------------------------------------------------------ the host itself

    def finish(
        self,
        *,
        free_mb: Value,
        state: int = 0,
        overhead: float = 2.0,
        core_util: Value | None = None,
        used_of_util: Value = 1.0,
        watts: Value = 310.0,
        cap_watts: float = 0.0,
        hot: Mapping[int, Value] | None = None,
        sums: Mapping[str, Value] | None = None,
    ) -> None:
        """The host's own lines, after its VMs: CPUs from what runs, memory as told."""
        sums = sums or {}
        util = np.minimum(100.0 * (self._run / 100.0) / self.pcpus + overhead, 99.6)
        core = np.minimum(util * 1.55, 99.0) if core_util is None else self._array(core_util)
        ratio = max(self._configured / self.memory_mb - 1.0, 0.0)
        self.put("first", "Memory", {f"Memory Overcommit ({n} Minute Avg)": ratio for n in (1, 5, 15)})
        self.put(
            "first", "Physical Cpu Load", {f"Cpu Load ({n} Minute Avg)": util / 100.0 for n in (1, 5, 15)}
        )
        names = [*map(str, range(self.pcpus)), "_Total"]
        each = {one: util if one == "_Total" else np.clip(self.around(util, 0.12), 0, 100) for one in names}
        each |= {str(cpu): self.around(value, 0.02) for cpu, value in (hot or {}).items()}
        for one in names:
            self.put("first", f"Physical Cpu({one})", {"% Processor Time": each[one] * used_of_util})
        for one in names:
            self.put("first", f"Physical Cpu({one})", {"% Util Time": each[one]})
        if self.pcpus > self.cores:
            for one in names:
                self.put("first", f"Physical Cpu({one})", {"% Core Util Time": np.maximum(core, each[one])})
        kernel = self.memory_mb * 0.022
        self.put(
            "first",
            "Memory",
            {
                "Machine MBytes": self.memory_mb,
                "Kernel MBytes": kernel,
                "NonKernel MBytes": self.memory_mb - kernel - free_mb,
                "Free MBytes": free_mb,
                "Kernel Managed MBytes": self.memory_mb * 0.99,
                "Kernel MinFree MBytes": 245.76 + 327.68 + 327.68 + (self.memory_mb - 28672.0) * 0.01,
                "Kernel Reserved MBytes": self.memory_mb * 0.12,
                "Kernel Unreserved MBytes": self.memory_mb * 0.86,
                "Kernel State": state,
                "PShare Shared MBytes": 2200,
                "PShare Common MBytes": 140,
                "PShare Savings MBytes": 2060,
                "Swap Used MBytes": told_of(sums, "swapped"),
                "Swap Target MBytes": 0.0,
                "Swap MBytes Read/sec": told_of(sums, "swap_in"),
                "Swap MBytes Write/sec": told_of(sums, "swap_out"),
                "Total Compressed MBytes": told_of(sums, "zipped"),
                "Total Saved By Compression MBytes": told_of(sums, "zipped") * 0.5,
                "Memctl Current MBytes": told_of(sums, "balloon"),
                "Memctl Target MBytes": told_of(sums, "target"),
                "Memctl Max MBytes": self._configured * 0.65,
            },
        )
        self.put("first", "Power", {"Power Usage Now Watts": watts, "Power Usage Cap Watts": cap_watts})
        self.put("first", "VSAN", {"Enabled?": 0.0})

    def write(self, path: Path) -> None:
        """The capture as esxtop writes it: quoted, two decimals, a comma at each line's end, UTC."""
        screens = ("first", "group", "cpu", "memory", "device", "nfs", "vdisk", "network", "interrupt")
        made = [one for screen in screens for one in self._columns.get(screen, ())]
        with path.open("w", encoding="utf-8", newline="\n") as out:
            out.write(
                "".join(f'"{name}",' for name in ["(PDH-CSV 4.0) (UTC)(0)", *(name for name, _ in made)])
                + "\n"
            )
            for row in range(self.rows):
                at = self.starts + timedelta(seconds=row * self.every_s)
                out.write(f'"{at:%m/%d/%Y %H:%M:%S}",' + "".join(f'"{v[row]:.2f}",' for _, v in made) + "\n")
