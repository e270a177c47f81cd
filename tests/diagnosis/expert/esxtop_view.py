"""A site as ``esxtop -b`` (or ``-b -a``) of one of its hosts prints it: genuine column names, two decimals.

Names, order and which columns a plain capture lacks are those of shared/domain/esxtop-format.md §1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np

from sessions.model import FloatArray
from tests.diagnosis.expert.esxtop_storage import storage_columns, virtual_disk_columns
from tests.diagnosis.expert.site import Site, Thing, shown_name

Column = tuple[str, FloatArray]
_WHOLE = (
    "MBytes",
    "Members",
    "Alloc",
    "Commands",
    "Depth",
    "Link",
    "Duplex",
    "Memctl?",
    "Physical Cpu",
    "Numa % Local",
    "Numa Rebalance",
    "Active",
    "Kernel State",
    "Watts",
    "Shares",
)
_ONLY_ALL = frozenset(
    (
        "% CPU Latency",
        "% Memory Latency",
        "% Demand",
        "Alloc Min",
        "Alloc Max",
        "Alloc Shares",
        "Migrates/sec",
        "Memctl?",
        "Memctl MBytes",
        "Memctl Target MBytes",
        "% Active Estimate",
        "Compressed Memory MBytes",
        "Compression MBytes/sec",
        "Decompression MBytes/sec",
        "Numa % Local",
        "Numa Rebalance Count Delta",
        "Numa Remote Memory MBytes",
        "Numa Local Memory MBytes",
        "Adapter Q Depth",
        "Reserves/sec",
        "Conflicts/sec",
        "Average Driver MilliSec/Read",
        "Average Driver MilliSec/Write",
        "Average Guest MilliSec/Read",
        "Average Guest MilliSec/Write",
        "Failed Commands/sec",
        "Failed Reserves/sec",
        "Aborts/sec",
        "Resets/sec",
        "Physical Cpu",
        "Link Up?",
        "Link Speed (Mb/s)",
        "Full Duplex?",
        "Multicast Packets Received/sec",
        "Broadcast Packets Received/sec",
        "Shares",
    )
)
"""Counters that a plain capture lacks; host-wide Memctl columns are an exception."""


def columns(site: Site, host: Thing, *, plain: bool = False, without: Collection[str] = ()) -> list[Column]:
    """The columns of one host's capture, but of some classes: path and values, in esxtop's order."""
    found: list[Column] = []
    absent = {vm.name: _listed(site, vm, host) for vm in site.vms(host) if not site.stays(vm)}
    for cls, instance, counters in _classes(site, host):
        if cls in without:
            continue
        here = next((absent[part] for part in instance.split(":") if part in absent), None)
        for counter, values in counters.items():
            if plain and counter in _ONLY_ALL and cls != "Physical Disk NFS Volume":
                continue
            place = f"{cls}({instance})" if instance else cls
            shown = values if here is None else values * here
            found.append((rf"\\{host.name}\{place}\{counter}", _printed(counter, shown)))
    return found


def vms_at_start(site: Site, host: Thing) -> list[Thing]:
    """The VMs that a capture lists: those of its first moment; one that leaves is zero-filled."""
    return [vm for vm in site.vms(host) if site.there(vm, host)[0]]


def _listed(site: Site, vm: Thing, host: Thing) -> FloatArray:
    """1 while a VM has columns with numbers: one that comes back has other worlds, which a capture lacks."""
    result: FloatArray = np.minimum.accumulate(site.there(vm, host))
    return result


def _printed(counter: str, values: FloatArray) -> FloatArray:
    return np.round(values, 0 if _is_whole(counter) else 2)


@cache
def _is_whole(counter: str) -> bool:
    """Whether esxtop prints a counter without decimals."""
    named = any(counter.startswith(one) or counter.endswith(one) for one in _WHOLE)
    return named and "/sec" not in counter and not counter.startswith("% ")


def write_capture(site: Site, host: Thing, path: Path, start_s: float, *, plain: bool = False) -> None:
    """Write the capture as esxtop does: quoted cells, a comma at the end of each line, UTC."""
    made = columns(site, host, plain=plain)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        names = ["(PDH-CSV 4.0) (UTC)(0)", *(name for name, _ in made)]
        out.write("".join(f'"{name}",' for name in names) + "\n")
        rows = np.stack([values for _, values in made], axis=1)
        for second, row in zip(site.seconds, rows, strict=True):
            stamp = datetime.fromtimestamp(start_s + second, UTC).strftime("%m/%d/%Y %H:%M:%S")
            out.write(f'"{stamp}",' + "".join(f'"{cell:.2f}",' for cell in row) + "\n")


def _classes(site: Site, host: Thing) -> Iterator[tuple[str, str, Mapping[str, FloatArray]]]:
    memory = site.memory(host)
    ratio = np.maximum(memory["configured"] / memory["size"] - 1.0, 0.0)
    yield "Memory", "", {f"Memory Overcommit ({n} Minute Avg)": ratio for n in (1, 5, 15)}
    yield "Physical Cpu Load", "", {f"Cpu Load ({n} Minute Avg)": _load(site, host) for n in (1, 5, 15)}
    yield from _pcpus(site, host)
    yield "Memory", "", _host_memory(memory)
    watts = 140 + 260 * site.busy(host) / (host.fixed["cores"] * host.fixed["threads"])
    yield "Power", "", {"Power Usage Now Watts": watts, "Power Usage Cap Watts": site.zeros()}
    for state, share in enumerate((1.0, 0.92, 0.84, 0.46)):
        yield "Power", str(state), {"P-State MHZ": site.zeros() + round(share * host.fixed["mhz"])}
    yield "VSAN", "", {"Enabled?": site.zeros() + float(site.shape.get("vsan", 0))}
    yield from _groups(site, host)
    for vm in vms_at_start(site, host):
        yield "Group Memory", f"{vm.fixed['id']}:{shown_name(vm)}", _vm_memory(site, vm)
    yield from storage_columns(site, host)
    for vm in vms_at_start(site, host):
        yield from virtual_disk_columns(site, vm)
    yield from _network(site, host)
    if site.level(host, "aperf")[0] != 100:
        for number in range(host.fixed["cores"] * host.fixed["threads"]):
            yield "PCPU Power State", f"PCPU {number}", {"%A/MPERF": site.level(host, "aperf")}


def _load(site: Site, host: Thing) -> FloatArray:
    waiting = [one["ready"] / 100 * site.there(vm, host) for vm in site.vms(host) for one in site.cpu(vm)]
    total = site.busy(host) + (np.sum(waiting, axis=0) if waiting else 0.0)
    result: FloatArray = total / (host.fixed["cores"] * host.fixed["threads"])
    return result


PINNED = ("0", "1")
"""The logical CPUs on which pinned VMs crowd, where a scenario tells of them."""


def pcpu_times(site: Site, host: Thing) -> Iterator[tuple[str, dict[str, FloatArray]]]:
    """UTIL, USED and CORE UTIL of each logical CPU around the mean; a hot node, or pinned CPUs, take more.

    A PCPU whose partner is busy, too, has half of the USED of both [MON70].
    """
    count = host.fixed["cores"] * host.fixed["threads"]
    util = 100.0 * site.busy(host) / count
    core = 100.0 * site.core_util(host)
    used = util * (1 - 0.5 * site.overlapped(host)) * site.level(host, "freq")
    random = np.random.default_rng(count)
    tilt = site.level(host, "hot_node") / 100.0
    pinned = site.level(host, "pinned")
    for number in range(count):
        side = 1 + tilt if number < count / 2 else 1 - tilt
        factor = side * (1 + (0.1 if count > 2 else 0) * random.standard_normal())
        is_pinned = (pinned >= 0) & (str(number) in PINNED)
        yield (
            str(number),
            {
                "util": np.where(is_pinned, pinned, np.clip(util * factor, 0, 100)),
                "used": np.where(is_pinned, pinned, np.clip(used * factor, 0, 140)),
                "core": np.where(is_pinned, pinned, np.clip(core * np.minimum(factor, 1.02), 0, 100)),
            },
        )
    yield "_Total", {"util": util, "used": used, "core": core}


def _pcpus(site: Site, host: Thing) -> Iterator[tuple[str, str, Mapping[str, FloatArray]]]:
    """The columns of all logical CPUs, a counter after the other."""
    each = list(pcpu_times(site, host))
    for counter, key in (("% Processor Time", "used"), ("% Util Time", "util"), ("% Core Util Time", "core")):
        if key != "core" or host.fixed["threads"] > 1:
            for name, values in each:
                yield "Physical Cpu", name, {counter: values[key]}


def _host_memory(of: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    nothing = np.zeros(len(of["free"]))
    return {
        "Machine MBytes": of["size"],
        "Kernel MBytes": of["kernel"],
        "NonKernel MBytes": of["size"] - of["kernel"] - of["free"],
        "Free MBytes": of["free"],
        "Kernel Managed MBytes": of["size"] * 0.995,
        "Kernel MinFree MBytes": of["keep"],
        "Kernel Reserved MBytes": of["size"] * 0.1,
        "Kernel Unreserved MBytes": of["size"] * 0.89,
        "Kernel State": of["state"],
        "PShare Shared MBytes": nothing + 300,
        "PShare Common MBytes": nothing + 40,
        "PShare Savings MBytes": nothing + 260,
        "Swap Used MBytes": of["swapped"],
        "Swap Target MBytes": of["swapped"] * 0.98,
        "Swap MBytes Read/sec": of["swap_in"],
        "Swap MBytes Write/sec": of["swap_out"],
        "Total Compressed MBytes": of["zipped"],
        "Total Saved By Compression MBytes": of["zipped"] * 0.5,
        "Memctl Current MBytes": of["balloon"],
        "Memctl Target MBytes": of["balloon_target"],
        "Memctl Max MBytes": of["configured"] * 0.65,
    }


_CPU = (
    ("% Used", "used"), ("% Run", "run"), ("% System", "sys"), ("% Wait", "wait"), ("% VmWait", "vmwait"),
    ("% Ready", "ready"), ("% Idle", "idle"), ("% Overlap", ""), ("% CoStop", "costop"),
    ("% Max Limited", "mlmtd"), ("% Swap Wait", "swpwt"),
)  # fmt: skip


def _groups(site: Site, host: Thing) -> Iterator[tuple[str, str, Mapping[str, FloatArray]]]:
    """The system's group with its idle worlds, whose ready means nothing, and each VM with its worlds."""
    quiet = dict.fromkeys(
        ("used", "run", "sys", "wait", "vmwait", "ready", "idle", "costop", "mlmtd", "swpwt"), site.zeros()
    )
    idle = {**quiet, "run": site.zeros() + 80, "ready": site.zeros() + 20}
    yield "Group Cpu", "1:system", {"Members": site.zeros() + 190, **_cpu_counters(idle, vm=False)}
    yield "Vcpu", "1:system:65537:idle1", _cpu_counters(idle)
    for vm in vms_at_start(site, host):
        number, worlds = vm.fixed["id"], site.cpu(vm)
        helper = {
            **quiet,
            "run": site.zeros() + 0.05,
            "used": site.zeros() + 0.05,
            "wait": site.zeros() + 99.9,
            "vmwait": site.zeros() + 99.9,
            "latency": site.zeros(),
            "demand": site.zeros(),
        }
        total = {
            key: np.sum([one.get(key, site.zeros()) for one in (*worlds, helper)], axis=0)
            for key in worlds[0]
        }
        total["vmwait"] = np.sum([one["vmwait"] for one in worlds], axis=0)
        reserved = vm.fixed.get("cpu_reservation_mhz", 0)
        alloc = {"Alloc Min": site.zeros() + reserved, "Alloc Max": site.limit(vm, "cpu"),
                 "Alloc Shares": site.zeros() + vm.fixed.get("cpu_shares", -3)}  # fmt: skip
        lat_m = {"% Memory Latency": site.level(vm, "lat_m") * vm.fixed["vcpus"]}
        group = f"{number}:{shown_name(vm)}"
        members = {"Members": site.zeros() + len(worlds) + 6}
        yield "Group Cpu", group, {**members, **_cpu_counters(total), **alloc, **lat_m}
        for at, world in enumerate(worlds):
            name = f"{group}:{number + 10 + at}:vmx-vcpu-{at}:{shown_name(vm)}"
            extra = {
                "% Memory Latency": site.level(vm, f"lat_m.{at}"),
                "Migrates/sec": site.level(vm, "migrates"),
                "Physical Cpu": _where_it_ran(site, vm, number + at),
            }
            yield "Vcpu", name, {**_cpu_counters(world), **extra}
        yield "Vcpu", f"{group}:{number}:vmx", _cpu_counters(helper)
        yield "Vcpu", f"{group}:{number + 2}:NetWorld-VM-{number + 1}", _cpu_counters(helper)


def _where_it_ran(site: Site, vm: Thing, seed: int) -> FloatArray:
    """The logical CPU on which a world ran last: any of them, or of those that it is pinned to."""
    host = site.host_of(vm)
    pinned = [float(one) for one in vm.fixed["affinity"].split(",") if one]
    places = pinned or np.arange(host.fixed["cores"] * host.fixed["threads"], dtype=float)
    return np.random.default_rng(seed).choice(places, len(site.seconds))


def _cpu_counters(world: Mapping[str, FloatArray], *, vm: bool = True) -> dict[str, FloatArray]:
    nothing = np.zeros(len(world["run"]))
    kept = {name: world[key] if key else nothing for name, key in _CPU if vm or name != "% VmWait"}
    kept["% CPU Latency"] = world.get("latency", nothing)
    kept["% Demand"] = world.get("demand", nothing)
    return kept


def _vm_memory(site: Site, vm: Thing) -> dict[str, FloatArray]:
    size = site.zeros() + vm.fixed["memory_gb"] * 1024.0
    active = site.level(vm, "active")
    local = site.level(vm, "local")
    consumed = site.consumed(vm)
    return {
        "Alloc Min": site.zeros() + vm.fixed.get("mem_reservation_mb", 0),
        "Alloc Max": site.limit(vm, "mem"),
        "Alloc Shares": site.zeros() - 3,
        "Numa Rebalance Count Delta": site.level(vm, "numa_migrations"),
        "Numa Remote Memory MBytes": consumed * (1 - local / 100),
        "Numa Local Memory MBytes": consumed * local / 100,
        "Numa % Local": local,
        "Memory Size MBytes": size,
        "Memory Granted Size MBytes": np.minimum(consumed * 1.02, size),
        "Memory Consumed Size MBytes": consumed,
        "Target Size MBytes": consumed,
        "Touched MBytes": size * active / 100,
        "Touched Write MBytes": size * active / 300,
        "% Active Estimate": active,
        "Memctl?": site.zeros() + float(vm.fixed.get("tools", "running") == "running"),
        "Memctl MBytes": site.level(vm, "balloon"),
        "Memctl Target MBytes": site.level(vm, "balloon_target"),
        "Swapped MBytes": site.level(vm, "swapped"),
        "Swap Target MBytes": site.level(vm, "swapped"),
        "Swap Read MBytes/sec": site.level(vm, "swap_in"),
        "Swap Written MBytes/sec": site.level(vm, "swap_out"),
        "Llswap Read MBytes/sec": site.level(vm, "llswap_in"),
        "Llswap Written MBytes/sec": site.zeros(),
        "Overhead MBytes": site.zeros() + 60,
        "Overhead Max MBytes": site.zeros() + 90,
        "Compressed Memory MBytes": site.level(vm, "zipped"),
        "Compression MBytes/sec": site.level(vm, "zip"),
        "Decompression MBytes/sec": site.level(vm, "unzip"),
    }


def _network(site: Site, host: Thing) -> Iterator[tuple[str, str, Mapping[str, FloatArray]]]:
    switches: dict[str, int] = {}
    for nic in site.of("nic", host=host.name):
        switch, name = nic.fixed["switch"], nic.name.rpartition("/")[2]
        base = 33554432 + 16777216 * switches.setdefault(switch, len(switches))
        link = {"Link Up?": site.level(nic, "up"), "Link Speed (Mb/s)": site.level(nic, "speed"),
                "Full Duplex?": site.level(nic, "duplex")}  # fmt: skip
        yield "Network Port", f"{switch}:{base + 2 + int(name[5:])}:{name}", {**link, **_port(site, nic)}
    for vm in vms_at_start(site, host):
        switch = vm.fixed["switch"]
        base = 33554432 + 16777216 * switches.setdefault(switch, len(switches))
        link = {
            "Link Up?": site.zeros() + 1,
            "Link Speed (Mb/s)": site.zeros() + 10000,
            "Full Duplex?": site.zeros() + 1,
        }
        instance = f"{switch}:{base + vm.fixed['id'] % 65536}:{vm.fixed['id'] + 1}:{shown_name(vm)}"
        yield "Network Port", instance, {**link, **_port(site, site.things[f"port:{vm.name}"])}


def _port(site: Site, one: Thing) -> dict[str, FloatArray]:
    traffic = site.traffic(one)
    rx, tx = np.maximum(traffic["rx"], 1e-9), np.maximum(traffic["tx"], 1e-9)
    kinds = ("multicast_rx", "broadcast_rx") if one.kind == "port" else ()
    multi = {"Multicast Packets Received/sec": site.level(one, "multicast_rx"),
             "Broadcast Packets Received/sec": site.level(one, "broadcast_rx")} if kinds else {}  # fmt: skip
    return {
        "Packets Transmitted/sec": traffic["tx"], "MBits Transmitted/sec": traffic["mbits_tx"],
        "Average Packet Size  Transmitted (Bytes)": traffic["mbits_tx"] / 8e-6 / tx,
        "Packets Received/sec": traffic["rx"], "MBits Received/sec": traffic["mbits_rx"],
        "Average Packet Size  Received (Bytes)": traffic["mbits_rx"] / 8e-6 / rx,
        "% Outbound Packets Dropped": site.level(one, "drop_tx"),
        "% Received Packets Dropped": site.level(one, "drop_rx"), **multi,
    }  # fmt: skip
