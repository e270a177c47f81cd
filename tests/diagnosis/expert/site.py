"""A small vSphere site with what an expert changes in it: hosts, VMs, disks, devices, NICs, and their levels.

Everything that one number says of another is computed: idle time from run and ready, a host's load from its
VMs', a virtual disk's latency from its device's, an uplink's traffic from its ports', commands in flight from
rate and latency (Little's law).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from sessions.model import FloatArray
from tests.diagnosis.expert.shapes import Level, min_free_mb, weighted

_HT_LOSS = 0.375
"""Both threads of a core busy: each is credited 62.5 % (problems.md P10)."""

USUAL: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "vm": {
        "run": (14, 0.2), "ready": (0.4, 0.35), "costop": (0, 0.3), "mlmtd": (0, 0.2), "swpwt": (0, 0.3),
        "vmwait": (0.1, 0.4), "sys": (0.4, 0.3), "freq": (1, 0.004), "active": (20, 0.05),
        "consumed": (85, 0.002), "balloon": (0, 0.002), "balloon_target": (0, 0.002), "swapped": (0, 0.001),
        "swap_in": (0, 0.4), "swap_out": (0, 0.4), "zipped": (0, 0.002), "zip": (0, 0.4), "unzip": (0, 0.4),
        "lat_m": (0, 0.3), "local": (100, 0), "numa_migrations": (0, 0), "ht_loss": (0, 0.1),
        "llswap_in": (0, 0.4), "hot": (-1, 0), "migrates": (6, 0.3),
    },
    "vdisk": {
        "reads": (40, 0.25), "writes": (60, 0.25), "kb_read": (16, 0.05), "kb_write": (12, 0.05),
        "extra_read": (0.05, 0.2), "extra_write": (0.05, 0.2),
    },
    "port": {
        "rx": (400, 0.25), "tx": (350, 0.25), "rx_bytes": (500, 0.1), "tx_bytes": (600, 0.1),
        "drop_rx": (0, 0.4), "drop_tx": (0, 0.4), "multicast_rx": (1, 0.3), "broadcast_rx": (3, 0.3),
    },
    "device": {
        "davg_read": (1.1, 0.15), "davg_write": (0.7, 0.15), "kavg": (0.02, 0.3), "qavg": (0.01, 0.3),
        "own_reads": (0.5, 0.3), "own_writes": (1.5, 0.3), "aborts": (0, 0.5), "resets": (0, 0.5),
        "failed": (0, 0.5), "conflicts": (0, 0.5), "depth": (64, 0), "dead": (0, 0), "active": (-1, 0.1),
        "queued": (-1, 0.1), "own_kb": (8, 0.1),
        "sioc": (0, 0.1),
    },
    "path": {"slower": (0, 0.2), "share": (1, 0), "aborts": (0, 0.5), "failed": (0, 0.5), "up": (1, 0)},
    "nfs": {"latency_read": (1.4, 0.2), "latency_write": (1.2, 0.2), "failed": (0, 0.4)},
    "nic": {
        "speed": (10_000, 0), "up": (1, 0), "duplex": (1, 0), "rx": (60, 0.3), "tx": (40, 0.3),
        "rx_bytes": (400, 0.1), "tx_bytes": (400, 0.1), "drop_rx": (0, 0.4), "drop_tx": (0, 0.4),
        "errors_rx": (0, 0.4), "vmotion": (0, 0.1), "ft": (0, 0.1), "other_mbits_tx": (0, 0.1),
        "other_mbits_rx": (0, 0.1),
    },
    "host": {
        "freq": (1, 0.004), "overhead": (2, 0.15), "watts": (0, 0.02), "core_util": (-1, 0.01),
        "free_of_minfree": (-1, 0.01), "aperf": (100, 0.002), "kernel_gb": (5, 0.001), "hot_node": (0, 0),
        "pinned": (-1, 0.01), "connected": (1, 0),
    },
}  # fmt: skip
"""Usual level and noise of everything that a scenario can change."""


_CONFIGURED = frozenset({
    "tools", "snapshots", "cpu_limit_mhz", "cpu_reservation_mhz", "cpu_shares", "mem_limit_mb",
    "mem_reservation_mb", "moves", "off_at", "cpu_limits", "mem_limits", "pools", "shown", "fewer_vcpus",
    "offs", "renames", "uplinks",
})  # fmt: skip
"""What a VM may be given beside what every VM has: ``moves`` are times (s) with the host to which it moves
then (and ``ha`` if HA restarts it there), and at ``off_at`` (s) it is switched off; ``offs`` are times from
when until when it is off. ``renames`` are times with the name that it gets then, ``uplinks`` times with the
uplink over which its team sends it then. ``cpu_limits`` (MHz) and
``mem_limits`` (MB) are limits that change: each from when until when (s), and how much. ``pools`` are times
with the pool to which it is moved then, ``shown`` is the name that people see where another VM has the same,
and ``fewer_vcpus`` is a time with the number of its vCPUs until then: the others are added in mid-recording.

A virtual disk's ``moves`` are times with the device to which Storage vMotion has brought it then."""


_RECLAIMED = ("balloon", "balloon_target", "swapped", "swap_in", "swap_out", "zipped", "zip", "unzip")
_Made = TypeVar("_Made")


@dataclass(slots=True)
class Thing:
    """An object of the site: what is fixed of it, and the levels that change."""

    kind: str
    name: str
    fixed: dict[str, Any]
    levels: dict[str, Level] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """How scenarios call it: ``vm:web01``, ``nic:esx01/vmnic0``, ``vdisk:web01/scsi0:0``."""
        return f"{self.kind}:{self.name}"


def once_each(make: Callable[[Site, Thing], _Made]) -> Callable[[Site, Thing], _Made]:
    """Make it once for each object of a site: half of a site is computed from the other half."""

    def made(site: Site, one: Thing) -> _Made:
        key = (make.__name__, one.ref)
        if key not in site.memo:
            site.memo[key] = make(site, one)
        return cast("_Made", site.memo[key])

    return made


class Site:
    """The objects of a site, and their levels at the seconds of one recording."""

    def __init__(self, shape: Mapping[str, Any], seconds: FloatArray, seed: int) -> None:
        self.seconds, self._seed = seconds, seed
        self.things: dict[str, Thing] = {}
        self._made: dict[tuple[str, str], FloatArray] = {}
        self.memo: dict[tuple[str, str], object] = {}
        self.shape = shape
        for number in range(shape.get("hosts", 1)):
            self._host(f"esx{number + 1:02d}")
        for device in shape.get("device", ()):
            for host in self.of("host"):
                self._device(host, device)
        for nfs in shape.get("nfs", ()):
            for host in self.of("host"):
                self._add("nfs", f"{host.name}/{nfs['name']}", {**nfs, "host": host.name})
        for group in shape.get("vm", ()):
            self._group(group)

    # ------------------------------------------------------------ what there is

    def of(self, kind: str, **fixed: Any) -> list[Thing]:
        """The objects of a kind whose fixed properties are these."""
        found = [one for one in self.things.values() if one.kind == kind]
        return [one for one in found if all(one.fixed.get(key) == value for key, value in fixed.items())]

    def change(self, on: str, told: Mapping[str, Any]) -> None:
        """Change levels or fixed properties of the objects that ``on`` names (``*`` at its end: of all)."""
        front = on.rstrip("*")
        chosen = [
            one for ref, one in self.things.items() if ref == on or (on != front and ref.startswith(front))
        ]
        if not chosen:
            raise ValueError(f"{on}: no such object; there are {', '.join(self.things)}")
        for one in chosen:
            for key, value in told.items():
                self._change(one, key, value)

    def _change(self, one: Thing, key: str, value: object) -> None:
        known, _, number = key.partition(".")
        if known not in USUAL[one.kind] or (number and one.kind != "vm"):
            known_of_disk = one.kind == "vdisk" and key == "moves"
            if key not in one.fixed and key not in _CONFIGURED and not known_of_disk:
                raise ValueError(f"{one.ref} has no {key}")
            one.fixed[key] = value
            return
        before = one.levels.get(key) or one.levels.get(known) or Level(USUAL[one.kind][known][0])
        one.levels[key] = before.changed(value)

    def _add(self, kind: str, name: str, fixed: dict[str, Any]) -> Thing:
        one = Thing(kind, name, fixed)
        for key, value in list(fixed.items()):
            if key in USUAL[kind]:
                one.levels[key] = Level(float(USUAL[kind][key][0])).changed(value)
        self.things[one.ref] = one
        return one

    def _host(self, name: str) -> None:
        shape = self.shape
        self._add(
            "host",
            name,
            {
                "cores": shape.get("cores", 16),
                "threads": shape.get("threads", 2),
                "mhz": shape.get("mhz", 2600),
                "memory_gb": shape.get("memory_gb", 256),
                "numa_nodes": shape.get("numa_nodes", 2),
                "policy": "static",
            },
        )
        for number in range(shape.get("nics", 4)):
            self._add("nic", f"{name}/vmnic{number}", {
                "host": name, "switch": f"vSwitch{number // 2}", "speed": shape.get("nic_mbits", 10_000),
            })  # fmt: skip

    def _device(self, host: Thing, told: Mapping[str, Any]) -> None:
        name = f"{host.name}/{told['name']}"
        self._add("device", name, {"paths": [], **told, "name": told["name"], "host": host.name})
        for path in told.get("paths", ()):
            self._add("path", f"{name}/{path}", {"device": name, "path": path, "host": host.name})

    def _group(self, told: Mapping[str, Any]) -> None:
        hosts = self.of("host")
        number = told.get("number", 1)
        for at in range(number):
            name = told["name"] if number == 1 else f"{told['name']}{at + 1:02d}"
            host = told.get("host") or hosts[at % len(hosts)].name
            kept = {key: value for key, value in told.items() if key not in ("name", "number", "disk", "net")}
            vm = self._add("vm", name, {
                "vcpus": 2, "memory_gb": 8, "pool": "", "uplink": f"vmnic{at % 2}", "switch": "vSwitch0",
                "nic": "vmxnet3", "affinity": "", **kept, "host": host,
            })  # fmt: skip
            vm.fixed["id"] = 1_300_000 + 1_000 * len(self.of("vm"))
            for place, disk in enumerate(told.get("disk", ())):
                unit = disk.get("unit", f"scsi0:{place}")
                self._add("vdisk", f"{name}/{unit}", {"share": 1.0, **disk, "unit": unit, "vm": name})
            self._add("port", name, {"vm": name, **told.get("net", {})})

    # ------------------------------------------------------------ levels

    def level(self, one: Thing, key: str) -> FloatArray:
        """The samples of a level of an object; ``run.0`` is vCPU 0's, the VM's own where it has none."""
        if (one.ref, key) not in self._made:
            known = key.partition(".")[0]
            usual, noise = USUAL[one.kind][known]
            level = one.levels.get(key) or one.levels.get(known) or Level(usual)
            seed = (self._seed, zlib.crc32(f"{one.ref} {key}".encode()))
            self._made[one.ref, key] = level.at(self.seconds, seed, noise)
        return self._made[one.ref, key]

    def zeros(self) -> FloatArray:
        """Zero at all seconds."""
        return np.zeros(len(self.seconds))

    def host_of(self, one: Thing) -> Thing:
        """The host on which a VM or its part runs."""
        host = one.fixed["host"] if one.kind != "port" else self.things[f"vm:{one.name}"].fixed["host"]
        return self.things[f"host:{host}"]

    def vms(self, host: Thing) -> list[Thing]:
        """The VMs that run on a host, if only for a part of the recording."""
        return [one for one in self.of("vm") if host.name in hosts_of(one)]

    def there(self, vm: Thing, host: Thing) -> FloatArray:
        """1 while a VM runs on a host, 0 otherwise."""
        if (vm.ref, host.ref) not in self._made:
            self._made[vm.ref, host.ref] = self._there(vm, host)
        return self._made[vm.ref, host.ref]

    def _there(self, vm: Thing, host: Thing) -> FloatArray:
        result = np.full(len(self.seconds), float(vm.fixed["host"] == host.name))
        for at, to, *_ in vm.fixed.get("moves", ()):
            result = np.where(self.seconds >= at, float(to == host.name), result)
        for start, end in offs_of(vm):
            result = np.where((self.seconds >= start) & (self.seconds < end), 0.0, result)
        return result

    def stays(self, vm: Thing) -> bool:
        """True for a VM that runs on one host all the time."""
        return not vm.fixed.get("moves") and not offs_of(vm)

    def limit(self, vm: Thing, what: str) -> FloatArray:
        """A VM's limit of ``cpu`` (MHz) or ``mem`` (MB) over time, as esxtop has it: -1 is none."""
        unit = {"cpu": "mhz", "mem": "mb"}[what]
        result: FloatArray = self.zeros() + vm.fixed.get(f"{what}_limit_{unit}", -1)
        for start, end, limit in vm.fixed.get(f"{what}_limits", ()):
            result = np.where((self.seconds >= start) & (self.seconds < end), float(limit), result)
        return result

    def vcpus(self, vm: Thing) -> FloatArray:
        """How many vCPUs a VM has at each second."""
        until, fewer = vm.fixed.get("fewer_vcpus", (0.0, 0))
        result: FloatArray = np.where(self.seconds < until, float(fewer), float(vm.fixed["vcpus"]))
        return result

    def disks(self, vm: Thing) -> list[Thing]:
        """The virtual disks of a VM."""
        return self.of("vdisk", vm=vm.name)

    # ------------------------------------------------------------ CPU

    @once_each
    def cpu(self, vm: Thing) -> list[dict[str, FloatArray]]:
        """Percent of time of each vCPU: run, ready (with what a limit took), co-stop, waits, idle, used."""
        return [self._vcpu(vm, number) for number in range(vm.fixed["vcpus"])]

    def _vcpu(self, vm: Thing, number: int) -> dict[str, FloatArray]:
        def get(key: str) -> FloatArray:
            return self.level(vm, f"{key}.{number}")

        mlmtd, costop = get("mlmtd"), get("costop")
        ready = np.minimum(get("ready") + mlmtd, 95.0)
        run = np.minimum(self._run(vm, number), 99.8 - ready - costop)
        run = np.maximum(run, 0.02)
        wait = np.maximum(100.0 - run - ready - costop, 0.0)
        swpwt = np.minimum(get("swpwt"), wait)
        vmwait = np.minimum(get("vmwait") + swpwt, wait)
        loss = np.maximum(get("ht_loss") / 100.0, _HT_LOSS * self.overlapped(self.host_of(vm)))
        host = self.host_of(vm)
        used = run * (1.0 - loss) * get("freq") * self.level(host, "freq") + get("sys")
        return {
            "run": run, "ready": ready, "costop": costop, "mlmtd": mlmtd, "swpwt": swpwt, "vmwait": vmwait,
            "wait": wait, "idle": wait - vmwait, "used": used, "sys": get("sys"),
            "latency": ready - mlmtd + costop + run * loss, "demand": np.minimum(run + ready, 100.0),
        }  # fmt: skip

    def _run(self, vm: Thing, number: int) -> FloatArray:
        """How much a vCPU wants to run; ``hot`` is one thread that changes its vCPU each sample."""
        hot = self.level(vm, "hot")
        has_it = (np.arange(len(self.seconds)) % vm.fixed["vcpus"] == number) & (hot >= 0)
        result: FloatArray = np.where(has_it, hot, self.level(vm, f"run.{number}"))
        return result

    @once_each
    def busy(self, host: Thing) -> FloatArray:
        """How many logical CPUs of a host are busy on average."""
        pcpus = host.fixed["cores"] * host.fixed["threads"]
        own = self.level(host, "overhead") / 100.0 * pcpus
        runs = [
            self._run(vm, number) * self.there(vm, host)
            for vm in self.vms(host)
            for number in range(vm.fixed["vcpus"])
        ]
        total = own + np.sum(runs, axis=0) / 100.0 if runs else own
        result: FloatArray = np.minimum(total, 0.995 * pcpus)
        return result

    @once_each
    def core_util(self, host: Thing) -> FloatArray:
        """The share of a core's time in which a thread of it is busy, 0 to 1."""
        told, share = self.level(host, "core_util"), self.busy(host) / host.fixed["cores"]
        if told[0] >= 0:
            share = told / 100.0
        elif host.fixed["threads"] > 1:
            share = np.where(share < 1, share * (1 - 0.06 * share), 0.94 + 0.06 * (share - 1))
        result: FloatArray = np.minimum(share, 1.0)
        return result

    @once_each
    def overlapped(self, host: Thing) -> FloatArray:
        """The share of busy time in which the other thread of the core is busy as well."""
        share = self.busy(host) / host.fixed["cores"]
        both = np.maximum(share - self.core_util(host), 0.0)
        result: FloatArray = np.divide(2 * both, share, out=self.zeros(), where=share > 0)
        return result

    # ------------------------------------------------------------ storage

    def device_of(self, disk: Thing) -> Thing | None:
        """The device below a virtual disk on its VM's host; None for NFS, vSAN and vVols."""
        host = self.things[f"vm:{disk.fixed['vm']}"].fixed["host"]
        return self.things.get(f"device:{host}/{disk.fixed.get('device')}")

    def nfs_of(self, disk: Thing) -> Thing | None:
        """The NFS datastore of a virtual disk, as its VM's host sees it."""
        host = self.things[f"vm:{disk.fixed['vm']}"].fixed["host"]
        return self.things.get(f"nfs:{host}/{disk.fixed.get('nfs')}")

    def alive(self, device: Thing | None) -> FloatArray:
        """1 where a device answers, 0 where it is dead."""
        return np.ones(len(self.seconds)) if device is None else 1.0 - self.level(device, "dead")

    @once_each
    def disk(self, disk: Thing) -> dict[str, FloatArray]:
        """Rates and latencies of a virtual disk."""
        device, nfs = self.device_of(disk), self.nfs_of(disk)
        alive = self.alive(device)
        reads, writes = self.level(disk, "reads") * alive, self.level(disk, "writes") * alive
        vm = self.things[f"vm:{disk.fixed['vm']}"]
        if not self.stays(vm):
            on = np.sum([self.there(vm, self.things[f"host:{name}"]) for name in set(hosts_of(vm))], axis=0)
            reads, writes = reads * on, writes * on
        if device is not None:
            below_read, below_write = self._below(disk, vm)
        elif nfs is not None:
            below_read, below_write = self.level(nfs, "latency_read"), self.level(nfs, "latency_write")
        else:
            below_read = below_write = self.zeros()
        return {
            "reads": reads,
            "writes": writes,
            "mb_read": reads * self.level(disk, "kb_read") / 1024,
            "mb_write": writes * self.level(disk, "kb_write") / 1024,
            "latency_read": np.where(reads > 0.05, below_read + self.level(disk, "extra_read"), 0.0),
            "latency_write": np.where(writes > 0.05, below_write + self.level(disk, "extra_write"), 0.0),
        }

    def _below(self, disk: Thing, vm: Thing) -> tuple[FloatArray, FloatArray]:
        """The latency of reads and writes at the device on which the disk lies then, as the host sees it on
        which the VM runs then.
        """
        late = {
            (name, device): self.device_latency(self.things[f"device:{name}/{device}"])
            for name in dict.fromkeys(hosts_of(vm))
            for device in dict.fromkeys(devices_of(disk))
        }
        if len(late) == 1:
            (only,) = late.values()
            return only["gavg_read"], only["gavg_write"]
        here = {
            (name, device): self.there(vm, self.things[f"host:{name}"]) * self.lies_on(disk, device)
            for name, device in late
        }
        read, write = (
            np.sum([one[way] * here[place] for place, one in late.items()], axis=0)
            for way in ("gavg_read", "gavg_write")
        )
        return read, write

    def lies_on(self, disk: Thing, device: str) -> FloatArray:
        """1 while a virtual disk lies on a device, 0 otherwise."""
        result: FloatArray = self.zeros() + float(disk.fixed["device"] == device)
        for at, to in disk.fixed.get("moves", ()):
            result = np.where(self.seconds >= at, float(to == device), result)
        return result

    @once_each
    def device_latency(self, device: Thing) -> dict[str, FloatArray]:
        """DAVG of reads and writes with what a slow path adds, KAVG, QAVG and their sums."""
        paths = self.of("path", device=device.name)
        shares = [self.level(one, "share") * self.level(one, "up") for one in paths]
        slower = weighted([self.level(one, "slower") for one in paths], shares) if paths else self.zeros()
        kavg = self.level(device, "kavg") + self.level(device, "qavg")
        read, write = self.level(device, "davg_read") + slower, self.level(device, "davg_write") + slower
        return {"davg_read": read, "davg_write": write, "kavg": kavg, "qavg": self.level(device, "qavg"),
                "gavg_read": read + kavg, "gavg_write": write + kavg}  # fmt: skip

    @once_each
    def device_load(self, device: Thing) -> dict[str, FloatArray]:
        """Rates of a device: its virtual disks' and the host's own."""
        alive = self.alive(device)
        disks = list(self._disks_on(device))
        own_r, own_w = self.level(device, "own_reads") * alive, self.level(device, "own_writes") * alive
        share = self.level(device, "own_kb") / 1024
        loads = [self.disk(one) for one in disks]
        host = self.things[f"host:{device.fixed['host']}"]
        scale = [
            float(one.fixed["share"])
            * self.there(self.things[f"vm:{one.fixed['vm']}"], host)
            * self.lies_on(one, device.fixed["name"])
            for one in disks
        ]
        total = {
            key: np.sum([load[key] * part for load, part in zip(loads, scale, strict=True)], axis=0)
            if loads
            else self.zeros()
            for key in ("reads", "writes", "mb_read", "mb_write")
        }
        return {
            "reads": total["reads"] + own_r,
            "writes": total["writes"] + own_w,
            "mb_read": total["mb_read"] + own_r * share,
            "mb_write": total["mb_write"] + own_w * share,
        }

    def _disks_on(self, device: Thing) -> Iterator[Thing]:
        for disk in self.of("vdisk"):
            if device.fixed["name"] not in devices_of(disk):
                continue
            if device.fixed["host"] in hosts_of(self.things[f"vm:{disk.fixed['vm']}"]):
                yield disk

    def disks_on_nfs(self, nfs: Thing) -> list[Thing]:
        """The virtual disks of a host on one of its NFS datastores."""
        return [one for one in self.of("vdisk") if self.nfs_of(one) is nfs]

    # ------------------------------------------------------------ memory

    @once_each
    def memory(self, host: Thing) -> dict[str, FloatArray]:
        """Megabytes of a host: free, to keep free, state (0 high … 4 low), and the sums over its VMs."""
        size = host.fixed["memory_gb"] * 1024.0
        keep = min_free_mb(size)
        vms = self.vms(host)
        total = {
            key: np.sum([self.level(vm, key) * self.there(vm, host) for vm in vms], axis=0)
            if vms
            else self.zeros()
            for key in _RECLAIMED
        }
        sizes = [vm.fixed["memory_gb"] * 1024.0 for vm in vms]
        held = [self.consumed(vm) * self.there(vm, host) for vm in vms]
        consumed = np.sum(held, axis=0) if vms else self.zeros()
        told = self.level(host, "free_of_minfree")
        kernel = self.level(host, "kernel_gb") * 1024
        free = np.where(told >= 0, told * keep, np.maximum(size - kernel - consumed, 0.2 * keep))
        state = np.digitize(-free / keep, [-3.0, -0.99, -0.64, -0.32]).astype(float)
        return {
            **total,
            "size": np.full(len(free), size),
            "keep": np.full(len(free), keep),
            "free": free,
            "state": state,
            "kernel": kernel,
            "consumed": consumed,
            "configured": np.full(len(free), sum(sizes)),
        }

    def consumed(self, vm: Thing) -> FloatArray:
        """Megabytes of host memory that a VM holds."""
        size = vm.fixed["memory_gb"] * 1024.0
        taken = self.level(vm, "balloon") + self.level(vm, "swapped") + self.level(vm, "zipped")
        result: FloatArray = np.maximum(
            np.minimum(size * self.level(vm, "consumed") / 100, size - taken), 32.0
        )
        return result

    # ------------------------------------------------------------ network

    def ports_of(self, nic: Thing) -> list[Thing]:
        """The VM ports that go out through an uplink."""
        uplink = nic.name.rpartition("/")[2]
        host = self.things[f"host:{nic.fixed['host']}"]
        return [
            self.things[f"port:{vm.name}"]
            for vm in self.vms(host)
            if uplink in uplinks_of(vm) and vm.fixed["switch"] == nic.fixed["switch"]
        ]

    def goes_over(self, vm: Thing, uplink: str) -> FloatArray:
        """1 while a VM sends over an uplink of its team, 0 otherwise."""
        result: FloatArray = self.zeros() + float(vm.fixed["uplink"] == uplink)
        for at, to in vm.fixed.get("uplinks", ()):
            result = np.where(self.seconds >= at, float(to == uplink), result)
        return result

    @once_each
    def traffic(self, one: Thing) -> dict[str, FloatArray]:
        """Packets and megabits a second of a port or an uplink, both ways."""
        kept = {
            "rx": self.level(one, "rx"), "tx": self.level(one, "tx"),
            "mbits_rx": self.level(one, "rx") * self.level(one, "rx_bytes") * 8e-6,
            "mbits_tx": self.level(one, "tx") * self.level(one, "tx_bytes") * 8e-6,
        }  # fmt: skip
        if one.kind == "port":
            return kept
        host = self.host_of(one)
        for port in self.ports_of(one):
            vm = self.things[f"vm:{port.name}"]
            here = self.there(vm, host) * self.goes_over(vm, one.name.rpartition("/")[2])
            for key, value in self.traffic(port).items():
                kept[key] = kept[key] + value * here
        for way in ("rx", "tx"):
            more = self.level(one, f"other_mbits_{way}") + self.level(one, "vmotion") + self.level(one, "ft")
            kept[f"mbits_{way}"] = kept[f"mbits_{way}"] + more
            kept[way] = kept[way] + more / 8e-6 / 1400
        ceiling = self.level(one, "speed") * 0.985
        for way in ("rx", "tx"):
            share = np.minimum(1.0, ceiling / np.maximum(kept[f"mbits_{way}"], 1e-9))
            kept[way], kept[f"mbits_{way}"] = kept[way] * share, kept[f"mbits_{way}"] * share
        return kept


def hosts_of(vm: Thing) -> tuple[str, ...]:
    """The names of the hosts on which a VM runs, one after the other."""
    return (vm.fixed["host"], *(to for _, to, *_ in vm.fixed.get("moves", ())))


def offs_of(vm: Thing) -> tuple[tuple[float, float], ...]:
    """From when until when (s) a VM is off."""
    ends = [(vm.fixed["off_at"], np.inf)] if "off_at" in vm.fixed else []
    return (*((start, end) for start, end in vm.fixed.get("offs", ())), *ends)


def uplinks_of(vm: Thing) -> tuple[str, ...]:
    """The uplinks over which a VM sends, one after the other."""
    return (vm.fixed["uplink"], *(to for _, to in vm.fixed.get("uplinks", ())))


def devices_of(disk: Thing) -> tuple[str, ...]:
    """The names of the devices on which a virtual disk lies, one after the other."""
    first = (disk.fixed["device"],) if "device" in disk.fixed else ()
    return (*first, *(to for _, to in disk.fixed.get("moves", ())))


def shown_name(vm: Thing) -> str:
    """The name of a VM that people see: two may have the same."""
    return str(vm.fixed.get("shown", vm.name))
