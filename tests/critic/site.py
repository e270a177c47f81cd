"""A vSphere site by numpy: VMs with a working day and the hosts, LUNs and uplinks that they share.

Nothing here knows the product's judgement. A VM wants processor, disk and network; hosts, LUNs and uplinks
have only so much; what waits and how long follows from that. What is wrong is put into the wants before
``play``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sessions.model import (
    Entity,
    EntityRef,
    Event,
    Fact,
    FloatArray,
    Gap,
    IntArray,
    SeriesSpec,
    SourceSpec,
)
from sessions.store import SessionWriter, encode_block

T0 = 1_790_812_800_000  # 2026-10-01T00:00:00Z
MINUTE = 60_000
BLOCK = 2048
LINK = 1000.0
NOMINAL_MHZ = 2400.0

VM_COUNTERS = {
    "cpu.used": "%", "cpu.run": "%", "cpu.ready": "%", "cpu.costop": "%", "cpu.max_limited": "%",
    "cpu.demand": "%", "mem.active": "%", "mem.balloon": "MB", "mem.swap_read": "MB/s",
}  # fmt: skip
DISK_COUNTERS = {
    "vdisk.commands": "/s", "vdisk.reads": "/s", "vdisk.writes": "/s", "vdisk.read_mb": "MB/s",
    "vdisk.write_mb": "MB/s", "vdisk.latency_read": "ms", "vdisk.latency_write": "ms",
}  # fmt: skip
WORLD_COUNTERS = {
    "disk.commands": "/s",
    "disk.read_mb": "MB/s",
    "disk.write_mb": "MB/s",
    "disk.active": "count",
}
DEVICE_COUNTERS = {
    "disk.commands": "/s", "disk.reads": "/s", "disk.writes": "/s", "disk.read_mb": "MB/s",
    "disk.write_mb": "MB/s", "disk.device_latency": "ms", "disk.kernel_latency": "ms",
    "disk.queue_latency": "ms", "disk.guest_latency": "ms", "disk.active": "count", "disk.queued": "count",
    "disk.queue_depth": "count", "disk.aborts": "/s",
}  # fmt: skip
NET_COUNTERS = {
    "net.packets_tx": "/s", "net.mbits_tx": "Mbit/s", "net.packets_rx": "/s", "net.mbits_rx": "Mbit/s",
    "net.drops_tx": "%", "net.drops_rx": "%",
}  # fmt: skip
HOST_COUNTERS = {
    "cpu.pcpu_util": "%", "cpu.pcpu_used": "%", "cpu.core_util": "%", "mem.machine": "MB", "mem.free": "MB",
    "mem.kernel_minfree": "MB", "mem.state": "state",
}  # fmt: skip
VCPU_COUNTERS = ("cpu.used", "cpu.run", "cpu.ready", "cpu.costop", "cpu.max_limited")


@dataclass
class Vm:
    """A VM and what it wants at each tick; percent of one vCPU, commands a second, Mbit/s."""

    name: str
    host: str
    lun: str
    gid: int
    vcpus: int = 2
    kb: float = 8.0
    reads: float = 0.6
    cpu: FloatArray = field(default_factory=lambda: np.zeros(0))
    iops: FloatArray = field(default_factory=lambda: np.zeros(0))
    mbits: FloatArray = field(default_factory=lambda: np.zeros(0))
    here: FloatArray = field(default_factory=lambda: np.zeros(0))
    limit: FloatArray = field(default_factory=lambda: np.zeros(0))
    """Percent of a vCPU that a limit leaves; infinite without one."""

    @property
    def ref(self) -> EntityRef:
        return EntityRef("vm", f"{self.host}/vm/{self.gid}")


def wander(rng: np.random.Generator, ticks: int, memory: float) -> FloatArray:
    """AR(1) of spread 1 whose neighbours have the correlation ``memory``."""
    fresh = rng.standard_normal(ticks + 300) * np.sqrt(1 - memory**2)
    walked: FloatArray = np.convolve(fresh, memory ** np.arange(300), mode="full")[300 : 300 + ticks]
    return walked


def bursts(rng: np.random.Generator, ticks: int, every: float, lasts: float, tall: float) -> FloatArray:
    """A factor: 1, and now and then up to ``tall`` more for some ticks, as Poisson has it."""
    factor = np.ones(ticks)
    for _ in range(rng.poisson(ticks / every)):
        begin, length = rng.integers(ticks), 1 + int(rng.exponential(lasts))
        factor[begin : begin + length] += tall * rng.random()
    return factor


class Site:
    """Hosts, LUNs and VMs over a time; every wanted number can be changed until ``play``."""

    def __init__(
        self,
        seed: int,
        *,
        minutes: float = 240,
        step: float = 20,
        hosts: int = 3,
        vms: int = 24,
        luns: int = 2,
        cores: int = 20,
        begin: int = T0 + 8 * 60 * MINUTE,
        day: float = 0.3,
    ) -> None:
        self.seed, self.step, self.begin = seed, step, begin
        self.rng = np.random.default_rng(seed)
        self.ticks = int(minutes * 60 / step)
        self.times: IntArray = begin + np.arange(self.ticks, dtype=np.int64) * int(step * 1000)
        self.cores = cores
        self.hosts = [f"esx{i + 1:02d}.corp.example" for i in range(hosts)]
        self.luns = [f"naa.6006016{seed % 10_000:04d}00000000000000000{i:03d}" for i in range(luns)]
        self.base = {lun: np.full(self.ticks, 2.0) for lun in self.luns}  # ms
        self.capacity = dict.fromkeys(self.luns, 6000.0)  # commands of 8 KB a second
        self.vms: list[Vm] = []
        self.events: list[Event] = []
        self.facts: list[Fact] = []
        self.every = dict.fromkeys(self.hosts, 1)  # so many steps are one sample of this host
        self.ahead = dict.fromkeys(self.hosts, 0)  # its clock, ms
        self.missing = dict.fromkeys(self.hosts, 0.0)
        self.down: dict[str, tuple[int, int]] = {}
        self.day = day
        self.texts: dict[str, str] = {}
        for number in range(vms):
            self.add(
                f"app{number + 1:02d}",
                self.hosts[number % hosts],
                self.luns[number % luns],
                vcpus=int(self.rng.choice([1, 2, 2, 4])),
                cpu=float(self.rng.uniform(12, 45)),
                iops=float(self.rng.uniform(40, 160)),
                mbits=float(self.rng.uniform(2, 25)),
            )

    def add(
        self,
        name: str,
        host: str,
        lun: str,
        *,
        cpu: float = 25,
        iops: float = 90,
        mbits: float = 8,
        vcpus: int = 2,
        kb: float = 8,
        reads: float = 0.6,
        memory: float | None = None,
        spread: float = 0.25,
    ) -> Vm:
        """A VM with a working day, a memory of its load and bursts of its own."""
        n, rng = self.ticks, self.rng
        hour = (self.times / 3_600_000) % 24
        rhythm = 1 + self.day * np.sin((hour - 8) / 24 * 2 * np.pi)
        carry = float(rng.uniform(0.5, 0.95)) if memory is None else memory

        def load(level: float) -> FloatArray:
            shape = np.exp(spread * wander(rng, n, carry) - spread**2 / 2)
            done: FloatArray = level * rhythm * shape * bursts(rng, n, 240, 4, 0.8)
            return done

        machine = Vm(name, host, lun, 1000 + 7 * len(self.vms) + self.seed % 5, vcpus, kb, reads)
        machine.cpu, machine.iops, machine.mbits = np.minimum(load(cpu), 100), load(iops), load(mbits)
        machine.here, machine.limit = np.ones(n), np.full(n, np.inf)
        self.vms.append(machine)
        return machine

    def at(self, minute: float) -> int:
        """The time of a minute of the site, ms."""
        return self.begin + int(minute * MINUTE)

    def text(self, minute: float) -> str:
        """The same as a command takes it."""
        stamp = np.datetime64(self.at(minute), "ms")
        return str(stamp.astype("datetime64[s]"))

    def window(self, begin: float, end: float) -> str:
        return f"{self.text(begin)}..{self.text(end)}"

    def between(self, begin: float, end: float) -> slice:
        """The ticks of these minutes."""
        return slice(int(begin * 60 / self.step), int(end * 60 / self.step))

    # ---------------------------------------------------------------- physics

    def play(self) -> dict[tuple[EntityRef, str, str], tuple[str, str, FloatArray]]:
        """Who waits how long: (entity, counter, instance) → host that counts it, unit, values."""
        self._out: dict[tuple[EntityRef, str, str], tuple[str, str, FloatArray]] = {}
        self._processors()
        self._storage()
        self._network()
        return self._out

    def _put(
        self, host: str, ref: EntityRef, counter: str, unit: str, values: FloatArray, on: str = ""
    ) -> None:
        key = (ref, counter, f"{host}|{on}")
        self._out[key] = (host, unit, np.round(values, 2))

    def _noise(self, spread: float) -> FloatArray:
        done: FloatArray = np.exp(spread * self.rng.standard_normal(self.ticks))
        return done

    def _processors(self) -> None:
        for host in self.hosts:
            ref = EntityRef("host", host)
            mine = [vm for vm in self.vms if vm.host == host]
            wanted = {id(vm): np.minimum(vm.cpu, vm.limit) * vm.here for vm in mine}
            cores = sum((vm.vcpus * wanted[id(vm)] / 100 for vm in mine), np.zeros(self.ticks))
            rho = cores / self.cores
            scale = np.minimum(1.0, 0.98 / np.maximum(rho, 1e-6))
            for vm in mine:
                run = wanted[id(vm)] * scale
                held = np.maximum(vm.cpu - vm.limit, 0) * vm.here
                queue = 4.0 * np.minimum(rho, 1) ** 6 * self._noise(0.3) + 0.2 * self._noise(0.5)
                ready = np.minimum(wanted[id(vm)] - run + queue * vm.here + held, 100 - run)
                values = {
                    "cpu.used": run * 1.02, "cpu.run": run, "cpu.ready": ready,
                    "cpu.costop": 0.05 * self._noise(0.5) * (vm.vcpus > 1), "cpu.max_limited": held,
                    "cpu.demand": np.minimum(vm.cpu, 100) * vm.here,
                    "mem.active": np.clip(18 + 4 * wander(self.rng, self.ticks, 0.95), 1, 90),
                    "mem.balloon": np.zeros(self.ticks), "mem.swap_read": np.zeros(self.ticks),
                }  # fmt: skip
                self._of_vm(vm, values, VM_COUNTERS)
                for number in range(vm.vcpus):
                    world = EntityRef("vcpu", f"{host}/world/{vm.gid * 100 + number}")
                    tilt = 1 + 0.1 * (number - (vm.vcpus - 1) / 2)
                    for counter in VCPU_COUNTERS:
                        self._alive(vm, world, counter, "%", np.minimum(values[counter] * tilt, 100))
            util = 100 * np.minimum(rho * scale, 1.0) * self._noise(0.01)
            memory = np.full(self.ticks, 262_144.0)
            numbers = (
                util,
                util * 1.02,
                np.minimum(util * 1.3, 100),
                memory,
                memory * 0.3,
                memory * 0.008,
                memory * 0,
            )
            for (counter, unit), series in zip(HOST_COUNTERS.items(), numbers, strict=True):
                self._put(host, ref, counter, unit, series)

    def _alive(
        self, vm: Vm, ref: EntityRef, counter: str, unit: str, values: FloatArray, on: str = ""
    ) -> None:
        self._put(vm.host, ref, counter, unit, np.where(vm.here > 0, values, np.nan), on)

    def _of_vm(self, vm: Vm, values: dict[str, FloatArray], units: dict[str, str], on: str = "") -> None:
        for counter, unit in units.items():
            self._alive(vm, vm.ref, counter, unit, values[counter], on)

    def _storage(self) -> None:
        for lun in self.luns:
            mine = [vm for vm in self.vms if vm.lun == lun]
            cost = sum((vm.iops * vm.here * (0.5 + vm.kb / 16) for vm in mine), np.zeros(self.ticks))
            rho = cost / self.capacity[lun] * self.base[lun] / 2.0
            scale = np.minimum(1.0, 0.96 / np.maximum(rho, 1e-6))
            latency = self.base[lun] / (1 - np.minimum(rho, 0.96)) * self._noise(0.06)
            by_host: dict[str, dict[str, FloatArray]] = {
                host: {name: np.zeros(self.ticks) for name in ("r", "w", "rm", "wm")} for host in self.hosts
            }
            for vm in mine:
                self._disk(vm, scale, latency, by_host[vm.host])
            for host in self.hosts:
                self._device(host, lun, latency, by_host[host])

    def _disk(self, vm: Vm, scale: FloatArray, latency: FloatArray, host: dict[str, FloatArray]) -> None:
        done = vm.iops * vm.here * scale
        mb = done * vm.kb / 1024
        r, w = done * vm.reads, done * (1 - vm.reads)
        for name, what in (("r", r), ("w", w), ("rm", mb * vm.reads), ("wm", mb * (1 - vm.reads))):
            host[name] += what
        values = {
            "vdisk.commands": done, "vdisk.reads": r, "vdisk.writes": w, "vdisk.read_mb": mb * vm.reads,
            "vdisk.write_mb": mb * (1 - vm.reads), "vdisk.latency_read": latency * self._noise(0.08) + 0.05,
            "vdisk.latency_write": latency * 0.9 * self._noise(0.08) + 0.05,
        }  # fmt: skip
        self._of_vm(vm, values, DISK_COUNTERS)
        disk = EntityRef("vdisk", f"{vm.ref.key}/scsi0:0")
        for counter, unit in DISK_COUNTERS.items():
            self._alive(vm, disk, counter, unit, values[counter])
        world = {
            "disk.commands": done, "disk.read_mb": mb * vm.reads, "disk.write_mb": mb * (1 - vm.reads),
            "disk.active": np.floor(done * latency / 1000),
        }  # fmt: skip
        self._of_vm(vm, world, WORLD_COUNTERS, vm.lun)

    def _device(self, host: str, lun: str, latency: FloatArray, done: dict[str, FloatArray]) -> None:
        device = latency * self._noise(0.03)
        total = done["r"] + done["w"]
        active = total * device / 1000
        numbers = (
            total, done["r"], done["w"], done["rm"], done["wm"], device, 0.02 * self._noise(0.2),
            np.zeros(self.ticks), device + 0.02, np.floor(np.minimum(active, 64)),
            np.floor(np.maximum(active - 64, 0)), np.full(self.ticks, 64.0), np.zeros(self.ticks),
        )  # fmt: skip
        for (counter, unit), series in zip(DEVICE_COUNTERS.items(), numbers, strict=True):
            self._put(host, EntityRef("device", lun), counter, unit, series)

    def _network(self) -> None:
        for host in self.hosts:
            mine = [vm for vm in self.vms if vm.host == host]
            total = sum((vm.mbits * vm.here for vm in mine), np.zeros(self.ticks))
            scale = np.minimum(1.0, 0.99 * LINK / np.maximum(total, 1e-6))
            drops = np.clip((total / LINK - 0.95) * 12, 0, 30) * self._noise(0.2)
            for vm in mine:
                port = EntityRef("port", f"{host}/port/{50331600 + vm.gid}")
                sent = vm.mbits * scale
                self._net(host, port, sent, sent * 0.4 * self._noise(0.05), drops, vm)
            nic = EntityRef("nic", f"{host}/vmnic0")
            self._net(host, nic, total * scale, total * 0.4 * self._noise(0.02), np.zeros(self.ticks), None)

    def _net(
        self, host: str, ref: EntityRef, tx: FloatArray, rx: FloatArray, drops: FloatArray, vm: Vm | None
    ) -> None:
        numbers = (tx * 110, tx, rx * 120, rx, drops, np.zeros(self.ticks))
        for (counter, unit), series in zip(NET_COUNTERS.items(), numbers, strict=True):
            if vm is None:
                self._put(host, ref, counter, unit, series)
            else:
                self._alive(vm, ref, counter, unit, series)

    # ---------------------------------------------------------------- the file

    def write(self, path: Path, *, title: str = "", extra: Sequence[FloatArray] = ()) -> Path:
        """Play it and store it, a source for each host."""
        played = self.play()
        with SessionWriter.create(path, title=title, durable=False, bulk=True) as writer:
            writer.add_entities(self._entities(len(extra)))
            for host in self.hosts:
                rows = [(key, value) for key, value in played.items() if value[0] == host]
                specs = [SeriesSpec(k[0], k[1], v[1], k[2].split("|", 1)[1]) for k, v in rows]
                columns = [v[2] for _, v in rows]
                if host == self.hosts[0]:
                    specs += self._unrelated_specs(len(extra))
                    columns += list(extra)
                self._source(writer, host, specs, np.column_stack(columns))
            writer.add_facts([*self._known(), *self.facts])
            writer.add_events(self.events)
        return path

    def _source(self, writer: SessionWriter, host: str, specs: list[SeriesSpec], values: FloatArray) -> None:
        every = self.every[host]
        rows = self.ticks // every
        stored = np.round(values[: rows * every].reshape(rows, every, -1).mean(axis=1), 2)
        times = self.times[: rows * every : every] + self.ahead[host]
        keep = np.random.default_rng(self.seed + len(host)).random(rows) >= self.missing[host]
        source = writer.add_source(SourceSpec("esxtop", host, self.step * every, 0, (("file", "night.csv"),)))
        if host in self.down:
            first, last = self.down[host]
            keep &= ~((times >= first) & (times <= last))
            writer.add_gaps([Gap(source, first, last, "no samples: the host did not answer")])
        times, stored = times[keep], stored[keep]
        ids = writer.add_series(source, specs)
        layout = writer.add_layout(source, ids)
        for begin in range(0, times.size, BLOCK):
            writer.add_block(
                layout, encode_block(times[begin : begin + BLOCK], stored[begin : begin + BLOCK])
            )

    def _unrelated_specs(self, count: int) -> list[SeriesSpec]:
        counters = ("cpu.switches", "cpu.wakeups", "cpu.run", "cpu.used")
        return [
            SeriesSpec(
                EntityRef("world", f"{self.hosts[0]}/world/9{i // 4:05d}"),
                counters[i % 4],
                "/s" if i % 4 < 2 else "%",
            )
            for i in range(count)
        ]

    def _entities(self, unrelated: int) -> list[Entity]:
        all_of = [Entity(EntityRef("host", host), self.texts.get(host, host)) for host in self.hosts]
        all_of += [Entity(EntityRef("device", lun), lun) for lun in self.luns]
        for host in self.hosts:
            all_of.append(
                Entity(EntityRef("nic", f"{host}/vmnic0"), f"{host}/vmnic0", EntityRef("host", host))
            )
        for vm in self.vms:
            all_of.append(Entity(vm.ref, vm.name, EntityRef("host", vm.host)))
            all_of.append(Entity(EntityRef("vdisk", f"{vm.ref.key}/scsi0:0"), "scsi0:0", vm.ref))
            port = f"{50331600 + vm.gid}"
            all_of.append(Entity(EntityRef("port", f"{vm.host}/port/{port}"), f"vSwitch0:{port}", vm.ref))
            all_of += [
                Entity(EntityRef("vcpu", f"{vm.host}/world/{vm.gid * 100 + i}"), f"vCPU {i}", vm.ref)
                for i in range(vm.vcpus)
            ]
        for i in range((unrelated + 3) // 4):
            ref = EntityRef("world", f"{self.hosts[0]}/world/9{i:05d}")
            all_of.append(Entity(ref, f"helper.{i}", EntityRef("host", self.hosts[0])))
        return all_of

    def _known(self) -> list[Fact]:
        at = int(self.times[0])
        known = []
        for vm in self.vms:
            first = int(self.times[np.flatnonzero(vm.here)[0]])
            known += [
                Fact(vm.ref, "host", vm.host, first),
                Fact(vm.ref, "vcpus", float(vm.vcpus), first),
                Fact(vm.ref, "mem.size_mb", 8192.0, first),
                Fact(
                    EntityRef("port", f"{vm.host}/port/{50331600 + vm.gid}"), "port.switch", "vSwitch0", first
                ),
            ]
        for host in self.hosts:
            nic = EntityRef("nic", f"{host}/vmnic0")
            known += [Fact(nic, "nic.switch", "vSwitch0", at), Fact(nic, "nic.speed_mbps", LINK, at)]
        known += [Fact(EntityRef("device", lun), "device.queue_depth", 64.0, at) for lun in self.luns]
        return known

    def limited(self, vm: Vm, percent: float, begin: float, end: float) -> None:
        """A limit that leaves so many percent of each vCPU in these minutes, and the fact that says it."""
        vm.limit[self.between(begin, end)] = percent
        mhz = round(NOMINAL_MHZ * vm.vcpus * percent / 100)
        over = self.at(end) if end * 60 / self.step < self.ticks else None
        self.facts.append(Fact(vm.ref, "cpu.limit_mhz", float(mhz), self.at(begin), over))
