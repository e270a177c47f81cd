"""A site as a vCenter shows it: inventory, configuration, and samples in whole numbers.

Samples are of 20 s (realtime) or of 300 s (the past day).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sessions.model import FloatArray
from tests.diagnosis.expert.esxtop_view import pcpu_times
from tests.diagnosis.expert.shapes import weighted
from tests.diagnosis.expert.site import Site, Thing, hosts_of, offs_of, shown_name

INTERVAL_S = 20
"""vCenter's realtime interval."""
Json = dict[str, Any]
Row = tuple[str, str, str, FloatArray]
"""Object, counter, instance and the samples in vCenter's unit."""
_KB = 1024.0
_NIC = "4000"


def document(site: Site, start_ms: int) -> Json:
    """What the vCenter shows, in the form that ``tests.vcenter_lab.vcenter_session`` reads."""
    return {
        "interval_s": interval_of(site),
        "start_ms": start_ms,
        "ticks": len(site.seconds),
        "clusters": [{"name": "cluster01", "drs": bool(site.shape.get("drs", True))}],
        "pools": [_pool(one) for one in site.shape.get("pool", ())],
        "hosts": [_host(site, one) for one in site.of("host")],
        "datastores": list(_datastores(site)),
        "vms": [_vm(site, one) for one in site.of("vm")],
        "facts": list(_changed_facts(site)),
        "happened": list(_happened(site)),
        "series": [
            _series(what, counter, instance, _seen(site, what, values))
            for what, counter, instance, values in _rows(site)
        ],
    }


def interval_of(site: Site) -> int:
    """The time between samples, s."""
    seconds = site.seconds
    return round(float(seconds[1] - seconds[0])) if len(seconds) > 1 else INTERVAL_S


def _seen(site: Site, what: str, values: FloatArray) -> FloatArray:
    """The samples that the vCenter has: none of a VM that is off or of a host that it cannot reach."""
    one = site.things[what]
    hosts = [site.things[f"host:{name}"] for name in dict.fromkeys(hosts_of(one))] if one.kind == "vm" else []
    if one.kind == "host":
        seen = site.level(one, "connected")
    elif site.stays(one) and not site.things[hosts[0].ref].levels.get("connected"):
        return values
    else:
        seen = np.sum([site.there(one, host) * site.level(host, "connected") for host in hosts], axis=0)
    return np.where(seen > 0, values, np.nan)


def _changed_facts(site: Site) -> Iterator[Json]:
    """Facts that change in mid-recording: what VMs have, how fast a NIC is, if a host answers."""
    for vm in site.of("vm"):
        yield from _changed_placement(site, vm)
        for what, unit in (("cpu", "mhz"), ("mem", "mb")):
            for start, end, limit in vm.fixed.get(f"{what}_limits", ()):
                name = f"{what}.limit_{unit}"
                until = end if end < site.seconds[-1] else None
                yield {"object": vm.ref, "name": name, "value": limit, "from_s": start, "until_s": until}
    for nic in site.of("nic"):
        yield from _changed_speed(site, nic)
    for host in site.of("host"):
        for at, is_there in _changes(site, host):
            state = "connected" if is_there else "notResponding"
            yield {"object": host.ref, "name": "connection_state", "value": state, "from_s": at}


def _changed_speed(site: Site, nic: Thing) -> Iterator[Json]:
    """How fast a NIC is from when until when; while its link is down it has no speed."""
    speeds = site.level(nic, "speed") * (site.level(nic, "up") > 0)
    ticks = [0, *(int(tick) for tick in np.flatnonzero(np.diff(speeds)) + 1)]
    for tick, after in zip(ticks, [*ticks[1:], None], strict=True):
        if len(ticks) > 1 and speeds[tick]:
            until = None if after is None else float(site.seconds[after])
            speed, at = int(speeds[tick]), float(site.seconds[tick])
            yield {
                "object": nic.ref, "name": "nic.speed_mbps", "value": speed, "from_s": at, "until_s": until
            }  # fmt: skip


def _changed_placement(site: Site, vm: Thing) -> Iterator[Json]:
    """Where a VM runs, if it is on, its pool, its vCPUs, and where its disks lie."""
    for at, to, *_ in vm.fixed.get("moves", ()):
        yield {"object": vm.ref, "name": "host", "value": to, "from_s": at}
    for start, end in offs_of(vm):
        yield {"object": vm.ref, "name": "power_state", "value": "poweredOff", "from_s": start}
        if end < site.seconds[-1]:
            yield {"object": vm.ref, "name": "power_state", "value": "poweredOn", "from_s": end}
    for at, name in vm.fixed.get("renames", ()):
        yield {"object": vm.ref, "name": "name", "value": name, "from_s": at}
    for at, pool in vm.fixed.get("pools", ()):
        yield {"object": vm.ref, "name": "pool", "value": f"pool:{pool}", "from_s": at}
    if "fewer_vcpus" in vm.fixed:
        at, _ = vm.fixed["fewer_vcpus"]
        yield {"object": vm.ref, "name": "vcpus", "value": vm.fixed["vcpus"], "from_s": at}
    for disk in site.disks(vm):
        for at, device in disk.fixed.get("moves", ()):
            store = site.things[f"device:{vm.fixed['host']}/{device}"].fixed["datastore"]
            name = f"vdisk.{disk.fixed['unit']}.datastore"
            yield {"object": vm.ref, "name": name, "value": f"datastore:{store}", "from_s": at}


def _happened(site: Site) -> Iterator[Json]:
    """What the vCenter's events say of the same changes."""
    for vm in site.of("vm"):
        before = vm.fixed["host"]
        for at, to, *why in vm.fixed.get("moves", ()):
            if why == ["ha"]:
                yield _at(at, "ha", vm, f"vSphere HA restarted virtual machine {vm.name} on host {to}")
            else:
                text = f"Migration of virtual machine {vm.name} from {before} to {to} completed"
                yield {**_at(at - 8, "vmotion", vm, text), "lasted_s": 8}
            before = to
        for start, end in offs_of(vm):
            on = f"{shown_name(vm)} on {before} in cluster01 is powered"
            if start > 0:
                yield _at(start, "power", vm, f"{on} off")
            if end < site.seconds[-1]:
                yield _at(end, "power", vm, f"{on} on")
        name = shown_name(vm)
        for at, new in vm.fixed.get("renames", ()):
            yield _at(at, "inventory", vm, f"Renamed {name} from {name} to {new} in Datacenter")
            name = new
    for host in site.of("host"):
        for at, is_there in _changes(site, host):
            told = "Connected to" if is_there else "Lost connection to"
            yield _at(at, "host", host, f"{told} {host.name}")


def _at(at_s: float, kind: str, of: Thing, text: str) -> Json:
    return {"at_s": at_s, "lasted_s": None, "kind": kind, "object": of.ref, "text": text}


def _changes(site: Site, host: Thing) -> Iterator[tuple[float, bool]]:
    """When a host is lost or comes back, and which of the two."""
    there = site.level(host, "connected") > 0
    for tick in np.flatnonzero(np.diff(there.astype(int))) + 1:
        yield float(site.seconds[tick]), bool(there[tick])


def _series(what: str, counter: str, instance: str, values: FloatArray) -> Json:
    whole = np.maximum(np.rint(np.nan_to_num(values, nan=-1.0)), -1).astype(int).tolist()
    return {"object": what, "counter": counter, "instance": instance, "values": whole}


def file_system(name: str) -> str:
    """A VMFS UUID that depends on the datastore's name alone."""
    digits = uuid.uuid5(uuid.NAMESPACE_DNS, name).hex
    return f"{digits[:8]}-{digits[8:16]}-{digits[16:20]}-{digits[20:]}"


# ------------------------------------------------------------ inventory


def _pool(told: Mapping[str, Any]) -> Json:
    return {
        "parent": None, "cluster": "cluster01", "cpu_limit_mhz": None, "cpu_shares": 4000,
        "cpu_reservation_mhz": 0, "mem_limit_mb": None, "mem_reservation_mb": 0, **told,
    }  # fmt: skip


def _host(site: Site, host: Thing) -> Json:
    devices = site.of("device", host=host.name)
    adapters = {
        path.fixed["path"].partition(":")[0] for one in devices for path in site.of("path", device=one.name)
    }
    return {
        "name": host.name,
        "cluster": "cluster01",
        "cores": host.fixed["cores"],
        "threads": host.fixed["cores"] * host.fixed["threads"],
        "mhz": host.fixed["mhz"],
        "memory_mb": host.fixed["memory_gb"] * 1024,
        "numa_nodes": host.fixed["numa_nodes"],
        "power_policy": host.fixed["policy"],
        "nics": [
            {
                "name": one.name.rpartition("/")[2],
                "speed_mbps": int(site.level(one, "speed")[0]) or None,
                "switch": one.fixed["switch"],
            }
            for one in site.of("nic", host=host.name)
        ],
        "devices": [
            {"name": one.fixed["name"], "queue_depth": int(site.level(one, "depth")[0])} for one in devices
        ],
        "adapters": sorted(adapters),
    }


def _datastores(site: Site) -> Iterator[Json]:
    hosts = [one.name for one in site.of("host")]
    shapes = [
        (one["datastore"], "VMFS", one["name"]) for one in site.shape.get("device", ()) if "datastore" in one
    ]
    shapes += [(one["name"], "NFS", None) for one in site.shape.get("nfs", ())]
    shapes += [(one, "vsan", None) for one in site.shape.get("vsan_datastore", ())]
    for name, kind, device in shapes:
        yield {
            "name": name,
            "type": kind,
            "url": f"ds:///vmfs/volumes/{file_system(name)}/",
            "uuid": file_system(name),
            "capacity_mb": 4_194_304,
            "free_mb": 1_572_864,
            "device": device,
            "hosts": hosts,
        }


def datastore_of(site: Site, disk: Thing) -> str:
    """The name of the datastore that holds a virtual disk."""
    device = site.device_of(disk)
    return str(device.fixed["datastore"]) if device else str(disk.fixed.get("nfs") or disk.fixed["datastore"])


def _vm(site: Site, vm: Thing) -> Json:
    fixed = vm.fixed
    return {
        "name": vm.name,
        "shown": shown_name(vm),
        "uuid": fixed.get("uuid", f"uuid-{vm.name}"),
        "host": fixed["host"],
        "vcpus": int(site.vcpus(vm)[0]),
        "memory_mb": fixed["memory_gb"] * 1024,
        "pool": fixed["pool"] or None,
        "cpu_limit_mhz": fixed.get("cpu_limit_mhz"),
        "cpu_reservation_mhz": fixed.get("cpu_reservation_mhz", 0),
        "cpu_shares": fixed.get("cpu_shares", 1000 * fixed["vcpus"]),
        "cpu_affinity": [one for one in fixed["affinity"].split(",") if one],
        "mem_limit_mb": fixed.get("mem_limit_mb"),
        "mem_reservation_mb": fixed.get("mem_reservation_mb", 0),
        "mem_shares": fixed["memory_gb"] * 10240,
        "tools": fixed.get("tools", "running"),
        "power": "on",
        "snapshots": fixed.get("snapshots", 0),
        "disks": [
            {"unit": one.fixed["unit"], "datastore": datastore_of(site, one)} for one in site.disks(vm)
        ],
        "nics": [{"key": _NIC, "label": "Network adapter 1", "network": "VM Network"}],
    }


# ------------------------------------------------------------ counters


def _rows(site: Site) -> Iterator[Row]:
    step = interval_of(site)
    for host in site.of("host"):
        what = f"host:{host.name}"
        yield from ((what, counter, "", values) for counter, values in _host_counters(site, host).items())
        for number, times in pcpu_times(site, host):
            if number != "_Total":
                yield what, "cpu.utilization.average", number, times["util"] * 100
                yield what, "cpu.usage.average", number, times["used"] * 100
        for nic in site.of("nic", host=host.name):
            name = nic.name.rpartition("/")[2]
            more = {
                "net.errorsRx.summation": site.level(nic, "errors_rx") * interval_of(site),
                "net.throughput.usage.vmotion.average": site.level(nic, "vmotion") * 125,
                "net.throughput.usage.ft.average": site.level(nic, "ft") * 125,
            }
            yield from (
                (what, counter, name, values) for counter, values in {**_net(site, nic), **more}.items()
            )
        yield from _device_rows(site, host)
    for vm in site.of("vm"):
        what = f"vm:{vm.name}"
        yield from ((what, counter, "", values) for counter, values in _vm_counters(site, vm).items())
        for vcpu, one in enumerate(site.cpu(vm)):
            has_it = site.vcpus(vm) > vcpu
            yield from (
                (what, counter, str(vcpu), np.where(has_it, values, np.nan))
                for counter, values in _cpu_times(one, step).items()
            )
        yield from (
            (what, counter, _NIC, values)
            for counter, values in _net(site, site.things[f"port:{vm.name}"]).items()
        )
        for disk in site.disks(vm):
            unit = disk.fixed["unit"]
            yield from (
                (what, counter, unit, values) for counter, values in _disk_counters(site, disk).items()
            )


def _host_counters(site: Site, host: Thing) -> dict[str, FloatArray]:
    memory, pcpus = site.memory(host), host.fixed["cores"] * host.fixed["threads"]
    util = 100 * site.busy(host) / pcpus
    worked = site.busy(host) * (1 - 0.5 * site.overlapped(host)) * site.level(host, "freq")
    usage = np.minimum(100 * worked / host.fixed["cores"], 100.0)
    active = [
        vm.fixed["memory_gb"] * 1024 * site.level(vm, "active") / 100 * site.there(vm, host)
        for vm in site.vms(host)
    ]
    return {
        "cpu.usage.average": usage * 100,
        "cpu.usagemhz.average": worked * host.fixed["mhz"],
        "cpu.utilization.average": util * 100,
        "cpu.coreUtilization.average": 100 * site.core_util(host) * 100,
        "mem.usage.average": (1 - memory["free"] / memory["size"]) * 10000,
        "mem.consumed.average": (memory["size"] - memory["free"]) * _KB,
        "mem.active.average": (np.sum(active, axis=0) if active else site.zeros()) * _KB,
        "mem.state.latest": memory["state"],
        "mem.lowfreethreshold.average": memory["keep"] * _KB,
        "mem.vmmemctl.average": memory["balloon"] * _KB,
        "mem.swapused.average": memory["swapped"] * _KB,
        "mem.swapinRate.average": memory["swap_in"] * _KB,
        "mem.swapoutRate.average": memory["swap_out"] * _KB,
        "mem.compressionRate.average": memory["zip"] * _KB,
        "mem.decompressionRate.average": memory["unzip"] * _KB,
        "mem.totalCapacity.average": memory["size"],
        "power.power.average": 140 + 260 * site.busy(host) / pcpus,
    }


def _vm_counters(site: Site, vm: Thing) -> dict[str, FloatArray]:
    cpu, vcpus = site.cpu(vm), site.vcpus(vm)
    total = {key: np.sum([one[key] for one in cpu], axis=0) for key in cpu[0]}
    mhz = site.host_of(vm).fixed["mhz"]
    # The recorder keeps the scale of a series, and stores milliseconds as if the VM had the vCPUs of then.
    times = {key: values * vcpus[0] / vcpus for key, values in total.items()}
    size = vm.fixed["memory_gb"] * 1024 * _KB
    return {
        "cpu.usage.average": total["used"] / vcpus * 100,
        "cpu.usagemhz.average": total["used"] / 100 * mhz,
        "cpu.demand.average": total["demand"] / 100 * mhz,
        "cpu.latency.average": total["latency"] / vcpus * 100,
        "cpu.readiness.average": total["ready"] / vcpus * 100,
        **_cpu_times(times, interval_of(site)),
        "mem.usage.average": site.level(vm, "active") * 100,
        "mem.active.average": size * site.level(vm, "active") / 100,
        "mem.consumed.average": site.consumed(vm) * _KB,
        "mem.granted.average": np.minimum(site.consumed(vm) * _KB * 1.02, size),
        "mem.vmmemctl.average": site.level(vm, "balloon") * _KB,
        "mem.vmmemctltarget.average": site.level(vm, "balloon_target") * _KB,
        "mem.swapped.average": site.level(vm, "swapped") * _KB,
        "mem.swapinRate.average": site.level(vm, "swap_in") * _KB,
        "mem.swapoutRate.average": site.level(vm, "swap_out") * _KB,
        "mem.compressionRate.average": site.level(vm, "zip") * _KB,
        "mem.decompressionRate.average": site.level(vm, "unzip") * _KB,
        "mem.llSwapInRate.average": site.level(vm, "llswap_in") * _KB,
        "mem.latency.average": site.level(vm, "lat_m") * 100,
        "sys.heartbeat.summation": site.zeros()
        + (20 if vm.fixed.get("tools", "running") == "running" else 0),
    }


_CPU_TIMES = (
    ("run", "run"), ("ready", "ready"), ("costop", "costop"), ("maxlimited", "mlmtd"), ("swapwait", "swpwt"),
    ("idle", "idle"), ("wait", "wait"), ("system", "sys"), ("used", "used"),
)  # fmt: skip
"""vCenter's counters of milliseconds in an interval, with the site's names of the same percentages."""


def _cpu_times(percent: Mapping[str, FloatArray], interval_s: int) -> dict[str, FloatArray]:
    """The times of a vCPU, or of all vCPUs of a VM."""
    return {f"cpu.{name}.summation": percent[key] * interval_s * 10 for name, key in _CPU_TIMES}


def _net(site: Site, one: Thing) -> dict[str, FloatArray]:
    traffic = site.traffic(one)
    dropped = {
        way: traffic[way] * share / (100 - share) * interval_of(site)
        for way in ("rx", "tx")
        for share in (np.minimum(site.level(one, f"drop_{way}"), 99.0),)
    }
    return {
        "net.packetsRx.summation": traffic["rx"] * interval_of(site),
        "net.packetsTx.summation": traffic["tx"] * interval_of(site),
        "net.received.average": traffic["mbits_rx"] * 125,
        "net.transmitted.average": traffic["mbits_tx"] * 125,
        "net.droppedRx.summation": dropped["rx"],
        "net.droppedTx.summation": dropped["tx"],
    }


def _disk_counters(site: Site, disk: Thing) -> dict[str, FloatArray]:
    one = site.disk(disk)
    return {
        "virtualDisk.numberReadAveraged.average": one["reads"],
        "virtualDisk.numberWriteAveraged.average": one["writes"],
        "virtualDisk.read.average": one["mb_read"] * _KB,
        "virtualDisk.write.average": one["mb_write"] * _KB,
        "virtualDisk.totalReadLatency.average": one["latency_read"],
        "virtualDisk.totalWriteLatency.average": one["latency_write"],
        "virtualDisk.readOIO.latest": one["reads"] * one["latency_read"] / 1000,
        "virtualDisk.writeOIO.latest": one["writes"] * one["latency_write"] / 1000,
    }


def _device_rows(site: Site, host: Thing) -> Iterator[Row]:
    what = f"host:{host.name}"
    flights: dict[str, list[FloatArray]] = {}
    for device in site.of("device", host=host.name):
        load, late = site.device_load(device), site.device_latency(device)
        yield from (
            (what, counter, device.fixed["name"], values) for counter, values in _device(site, device).items()
        )
        if "datastore" in device.fixed:
            rows = _store(load, late["gavg_read"], late["gavg_write"])
            if any(one.levels.get("sioc") for one in site.of("device")):
                rows["datastore.siocActiveTimePercentage.average"] = site.level(device, "sioc") * 100
                rows["datastore.sizeNormalizedDatastoreLatency.average"] = late["davg_read"] * 1000
            yield from (
                (what, counter, file_system(device.fixed["datastore"]), values)
                for counter, values in rows.items()
            )
        paths = site.of("path", device=device.name)
        in_flight = (load["reads"] * late["davg_read"] + load["writes"] * late["davg_write"]) / 1000
        for path in paths:
            flights.setdefault(path.fixed["path"].partition(":")[0], []).append(in_flight / len(paths))
            yield (
                what,
                "storagePath.commandsAborted.summation",
                path.fixed["path"],
                site.level(path, "aborts") * interval_of(site),
            )
    for name, parts in flights.items():
        yield what, "storageAdapter.outstandingIOs.average", name, np.sum(parts, axis=0)
        yield what, "storageAdapter.queueDepth.average", name, site.zeros() + 4096
    for nfs in site.of("nfs", host=host.name):
        loads = [site.disk(one) for one in site.disks_on_nfs(nfs)]
        keys: Sequence[str] = ("reads", "writes", "mb_read", "mb_write")
        total = {key: np.sum([one[key] for one in loads], axis=0) if loads else site.zeros() for key in keys}
        rows = _store(total, site.level(nfs, "latency_read"), site.level(nfs, "latency_write"))
        yield from (
            (what, counter, file_system(nfs.fixed["name"]), values) for counter, values in rows.items()
        )


def _store(load: Mapping[str, FloatArray], read: FloatArray, write: FloatArray) -> dict[str, FloatArray]:
    return {
        "datastore.numberReadAveraged.average": load["reads"],
        "datastore.numberWriteAveraged.average": load["writes"],
        "datastore.read.average": load["mb_read"] * _KB,
        "datastore.write.average": load["mb_write"] * _KB,
        "datastore.totalReadLatency.average": np.where(load["reads"] > 0.02, read, 0.0),
        "datastore.totalWriteLatency.average": np.where(load["writes"] > 0.02, write, 0.0),
    }


def _device(site: Site, device: Thing) -> dict[str, FloatArray]:
    load, late = site.device_load(device), site.device_latency(device)
    reads, writes = load["reads"], load["writes"]
    done = (reads + writes) > 0.02
    davg = weighted([late["davg_read"], late["davg_write"]], [reads, writes])
    kernel, queue = np.where(done, late["kavg"], 0.0), np.where(done, late["qavg"], 0.0)
    return {
        "disk.commandsAveraged.average": reads + writes,
        "disk.numberReadAveraged.average": reads,
        "disk.numberWriteAveraged.average": writes,
        "disk.read.average": load["mb_read"] * _KB,
        "disk.write.average": load["mb_write"] * _KB,
        "disk.deviceLatency.average": davg,
        "disk.deviceReadLatency.average": np.where(reads > 0.02, late["davg_read"], 0.0),
        "disk.deviceWriteLatency.average": np.where(writes > 0.02, late["davg_write"], 0.0),
        "disk.kernelLatency.average": kernel,
        "disk.queueLatency.average": queue,
        "disk.totalLatency.average": davg + kernel,
        "disk.maxQueueDepth.average": site.level(device, "depth"),
        "disk.commandsAborted.summation": site.level(device, "aborts") * interval_of(site),
        "disk.busResets.summation": site.level(device, "resets") * interval_of(site),
        "disk.scsiReservationConflicts.summation": site.level(device, "conflicts") * interval_of(site),
    }
