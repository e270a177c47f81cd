"""What esxtop's storage screens show of a site: adapters, devices, paths, worlds, NFS and virtual disks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sessions.model import FloatArray
from tests.diagnosis.expert.shapes import weighted
from tests.diagnosis.expert.site import Site, Thing, devices_of, shown_name


def _io(load: Mapping[str, FloatArray], latency: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Rates and latencies of a device, a path or an adapter; no latency where nothing was done."""
    reads, writes = load["reads"], load["writes"]
    davg = weighted([latency["davg_read"], latency["davg_write"]], [reads, writes])
    is_done = (reads + writes) > 0.01
    kavg, qavg = np.where(is_done, latency["kavg"], 0.0), np.where(is_done, latency["qavg"], 0.0)
    return {
        "Commands/sec": reads + writes, "Reads/sec": reads, "Writes/sec": writes,
        "MBytes Read/sec": load["mb_read"], "MBytes Written/sec": load["mb_write"],
        "Average Driver MilliSec/Command": davg, "Average Kernel MilliSec/Command": kavg,
        "Average Guest MilliSec/Command": davg + kavg, "Average Queue MilliSec/Command": qavg,
        "Average Driver MilliSec/Read": np.where(reads > 0.01, latency["davg_read"], 0.0),
        "Average Guest MilliSec/Read": np.where(reads > 0.01, latency["davg_read"] + kavg, 0.0),
        "Average Driver MilliSec/Write": np.where(writes > 0.01, latency["davg_write"], 0.0),
        "Average Guest MilliSec/Write": np.where(writes > 0.01, latency["davg_write"] + kavg, 0.0),
    }  # fmt: skip


def storage_columns(site: Site, host: Thing) -> Iterator[tuple[str, str, Mapping[str, FloatArray]]]:
    devices = site.of("device", host=host.name)
    adapters: dict[str, list[tuple[dict[str, FloatArray], dict[str, FloatArray]]]] = {}
    shown: list[tuple[str, str, Mapping[str, FloatArray]]] = []
    for device in devices:
        shown += _device(site, device)
        for path in site.of("path", device=device.name):
            adapters.setdefault(path.fixed["path"].partition(":")[0], []).append(_path_io(site, device, path))
    for name, parts in adapters.items():
        yield "Physical Disk", name, {"Adapter Q Depth": site.zeros() + 4096}
        load = {
            key: np.sum([part[key] for part, _ in parts], axis=0)
            for key in ("reads", "writes", "mb_read", "mb_write")
        }
        weights = [part["reads"] + part["writes"] for part, _ in parts]
        late = {
            key: weighted([one[key] for _, one in parts], weights)
            for key in ("davg_read", "davg_write", "kavg", "qavg")
        }
        yield "Physical Disk Adapter", name, _io(load, late)
    yield from shown
    for nfs in site.of("nfs", host=host.name):
        yield "Physical Disk NFS Volume", nfs.fixed["name"], _nfs(site, nfs)


def _path_io(site: Site, device: Thing, path: Thing) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """A path's part of its device's commands, and its latency."""
    paths = site.of("path", device=device.name)
    total = np.sum([site.level(one, "share") * site.level(one, "up") for one in paths], axis=0)
    part = site.level(path, "share") * site.level(path, "up") / np.maximum(total, 1e-9)
    load = {key: value * part for key, value in site.device_load(device).items()}
    usual = site.device_latency(device)
    slower = site.level(path, "slower")
    return load, {"davg_read": site.level(device, "davg_read") + slower,
                  "davg_write": site.level(device, "davg_write") + slower,
                  "kavg": usual["kavg"], "qavg": usual["qavg"]}  # fmt: skip


def _device(site: Site, device: Thing) -> Iterator[tuple[str, str, Mapping[str, FloatArray]]]:
    name = device.fixed["name"]
    load, latency = site.device_load(device), site.device_latency(device)
    io = _io(load, latency)
    depth = site.level(device, "depth")
    in_flight = io["Commands/sec"] * io["Average Driver MilliSec/Command"] / 1000
    waiting = io["Commands/sec"] * io["Average Queue MilliSec/Command"] / 1000
    told, queue = site.level(device, "active"), site.level(device, "queued")
    active = np.where(told >= 0, told, np.minimum(in_flight, depth))
    queued = np.where(queue >= 0, queue, waiting)
    faults = {
        "Failed Commands/sec": site.level(device, "failed"),
        "Aborts/sec": site.level(device, "aborts"),
        "Resets/sec": site.level(device, "resets"),
        "Failed Reserves/sec": site.level(device, "conflicts"),
        "Conflicts/sec": site.level(device, "conflicts"),
        "Reserves/sec": site.zeros(),
    }
    yield (
        "Physical Disk SCSI Device",
        name,
        {
            "Device Q Depth": depth,
            "World Q Depth": site.zeros(),
            "Active Commands": active,
            "Queued Commands": queued,
            "% Used": np.minimum(100 * active / depth, 100),
            "Load": (active + queued) / depth,
            **io,
            **faults,
        },
    )
    for path in site.of("path", device=device.name):
        of_path = {
            "Failed Commands/sec": site.level(path, "failed"),
            "Aborts/sec": site.level(path, "aborts"),
            "Resets/sec": site.zeros(),
        }
        yield "Physical Disk Path", path.fixed["path"], {**_io(*_path_io(site, device, path)), **of_path}
    for disk in site.of("vdisk"):
        vm = site.things[f"vm:{disk.fixed['vm']}"]
        if name in devices_of(disk) and vm.fixed["host"] == device.fixed["host"]:
            here = site.there(vm, site.things[f"host:{device.fixed['host']}"]) * site.lies_on(disk, name)
            one = {key: value * here for key, value in site.disk(disk).items()}
            yield (
                "Physical Disk Per-Device-Per-World",
                f"{name}-{vm.fixed['id'] + 1}",
                {
                    "Shares": site.zeros() + 1000,
                    "Device Q Depth": depth,
                    "World Q Depth": depth,
                    "Active Commands": (one["reads"] + one["writes"])
                    * io["Average Driver MilliSec/Command"]
                    / 1000,
                    "Queued Commands": site.zeros(),
                    "Commands/sec": one["reads"] + one["writes"],
                    "Reads/sec": one["reads"],
                    "Writes/sec": one["writes"],
                },
            )


def _nfs(site: Site, nfs: Thing) -> dict[str, FloatArray]:
    loads = [site.disk(one) for one in site.disks_on_nfs(nfs)]
    total = {key: np.sum([load[key] for load in loads], axis=0) if loads else site.zeros()
             for key in ("reads", "writes", "mb_read", "mb_write")}  # fmt: skip
    read = np.where(total["reads"] > 0.01, site.level(nfs, "latency_read"), 0.0)
    write = np.where(total["writes"] > 0.01, site.level(nfs, "latency_write"), 0.0)
    every = weighted([read, write], [total["reads"], total["writes"]])
    return {
        "Active Commands": (total["reads"] + total["writes"]) * every / 1000,
        "Commands/sec": total["reads"] + total["writes"],
        "Reads/sec": total["reads"],
        "Writes/sec": total["writes"],
        "MBytes Read/sec": total["mb_read"],
        "MBytes Written/sec": total["mb_write"],
        "Average Guest MilliSec/Command": every,
        "Average Guest MilliSec/Read": read,
        "Average Guest MilliSec/Write": write,
        "Failed Commands/sec": site.level(nfs, "failed"),
        "Aborts/sec": site.zeros(),
        "Resets/sec": site.zeros(),
    }


def virtual_disk_columns(site: Site, vm: Thing) -> Iterator[tuple[str, str, Mapping[str, FloatArray]]]:
    disks = {one.fixed["unit"]: site.disk(one) for one in site.disks(vm)}
    if not disks:
        return
    total = {
        key: np.sum([one[key] for one in disks.values()], axis=0)
        for key in ("reads", "writes", "mb_read", "mb_write")
    }
    for way in ("read", "write"):
        total[f"latency_{way}"] = weighted([one[f"latency_{way}"] for one in disks.values()],
                                           [one[f"{way}s"] for one in disks.values()])  # fmt: skip
    for unit, one in {"": total, **disks}.items():
        yield (
            "Virtual Disk",
            f"{shown_name(vm)}:{unit}" if unit else shown_name(vm),
            {
                "Commands/sec": one["reads"] + one["writes"],
                "Reads/sec": one["reads"],
                "Writes/sec": one["writes"],
                "MBytes Read/sec": one["mb_read"],
                "MBytes Written/sec": one["mb_write"],
                "Average MilliSec/Read": one["latency_read"],
                "Average MilliSec/Write": one["latency_write"],
            },
        )
