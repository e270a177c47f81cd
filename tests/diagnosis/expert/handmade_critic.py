"""Captures of a fourth expert, who had seen neither cards nor other experts' cases; half are traps."""

from __future__ import annotations

import numpy as np

from tests.diagnosis.expert.handmade_host import Host
from tests.diagnosis.expert.handmade_numbers import Value, io_counters

FC = "naa.60002ac0000000000000"
NVME = "eui.0026b7282b1d6e45"
Captured = tuple[Host, ...]


def two_paths(lun: int, target: int = 0) -> dict[str, float]:
    """A LUN's paths over both adapters, half of the commands each."""
    return {f"vmhba1:C0:T{target}:L{lun}": 0.5, f"vmhba2:C0:T{target}:L{lun}": 0.5}


def usual(host: Host, vms: int = 8, run: float = 22.0, *, lun: str = f"{FC}0a01") -> None:
    """What is on each host beside: small VMs on a quick LUN and two half-empty uplinks."""
    for at in range(vms):
        host.vm(f"app-{at + 1:02d}", 2, 8, run + at)
        host.disk(f"app-{at + 1:02d}:scsi0:0", 40, 55, 0.9, 0.7)
    host.lun(lun, two_paths(1), 45 * vms, 60 * vms, read_ms=0.85, write_ms=0.6)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.port("vSwitch0:33554436:vmnic1", 7000, 9000, speed=10000)


def snapshot_consolidation() -> Captured:
    """dwh-01, whose eight vCPUs work alike, co-stops while a snapshot is consolidated, as its log says."""
    host = Host("esxa01", cores=32, memory_gb=512, rows=180, every_s=5, seed=401)
    busy = host.between(400, 640, 1.0, 0.0)
    host.vm("dwh-01", 8, 64, 44.0 - 26 * busy, costop=19.0 * busy, blocked=[0.3 + 24.0 * busy] * 8)
    usual(host)
    late = 0.9 + 33.0 * busy
    host.lun(
        f"{FC}0a02", two_paths(2), 500 + 1900 * busy, 300 + 2100 * busy,
        read_ms=0.8 + 7 * busy, write_ms=0.7 + 8 * busy, kb=64, worlds={"dwh-01": 0.2},
    )  # fmt: skip
    host.disk("dwh-01:scsi0:0", 420, 260, late, late)
    host.finish(free_mb=180000.0)
    return (host,)


def one_node_full() -> Captured:
    """Six VMs crowd on NUMA node 0, whose CPUs are full; node 1 is nearly idle, and no VM runs there."""
    host = Host("esxa02", cores=32, memory_gb=512, rows=180, every_s=5, seed=402)
    node = list(range(32))
    for at in range(6):
        host.vm(
            f"calc-{at + 1:02d}", 8, 32, 62.0, ready=8.2, memory={"home": 1.0}, runs_on=node, used_of_run=0.72
        )
    host.vm("calc-07", 4, 16, 21.0, ready=7.6, cpu_limit=8000, memory={"home": 1.0}, runs_on=node)
    for at in range(4):
        host.vm(f"web-{at + 1:02d}", 2, 8, 11.0, ready=0.3, memory={"home": 2.0}, runs_on=list(range(32, 64)))
    host.lun(f"{FC}0a01", two_paths(1), 300, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    busy: dict[int, Value] = dict.fromkeys(node, 98.0)
    host.finish(free_mb=220000.0, core_util=61.0, hot={**busy, **dict.fromkeys(range(32, 64), 3.0)})
    return (host,)


def pool_that_limits() -> Captured:
    """Three of nine VMs are held at a third of a core each by their pool; none has a limit of its own."""
    host = Host("esxa03", cores=32, memory_gb=512, rows=180, every_s=5, seed=403)
    for at in range(3):
        host.vm(f"test-{at + 1:02d}", 4, 16, 33.0, ready=0.5, limited=31.0)
    usual(host, 6)
    host.finish(free_mb=330000.0)
    return (host,)


def small_rings() -> Captured:
    """log-01 loses packets where many come at once; its vCPUs are half idle and never ready."""
    host = Host("esxa04", cores=24, memory_gb=256, rows=180, every_s=5, seed=404)
    host.vm("log-01", 4, 16, [46.0, 30.0, 31.0, 28.0], ready=0.4)
    usual(host)
    burst = np.where(np.arange(180) % 6 < 2, 1.0, 0.0)
    got = 4200 + 21000 * burst
    host.port(
        f"vSwitch0:33554440:{host.ids['log-01'] + 1}:log-01", 900, got, size=300,
        drop_rx=host.around(2.4 * burst, 0.3),
    )  # fmt: skip
    for at in range(8):
        host.port(f"vSwitch0:{33554450 + at}:{host.ids[f'app-{at + 1:02d}'] + 1}:app-{at + 1:02d}", 400, 450)
    host.finish(free_mb=120000.0)
    return (host,)


def adapter_with_a_short_queue() -> Captured:
    """Five LUNs behind vmhba64 wait in the kernel, with queues nearly empty; vmhba1's do not."""
    host = Host("esxa05", cores=32, memory_gb=384, rows=180, every_s=5, seed=405)
    usual(host)
    for at in range(5):
        name = f"{FC}0b{at:02d}"
        host.vm(f"mail-{at + 1:02d}", 4, 16, 26.0)
        host.lun(
            name, {f"vmhba64:C0:T0:L{at + 1}": 1.0}, 2600, 1500, read_ms=1.3, write_ms=1.1, kernel_ms=9.2,
            queue_ms=9.0, depth=128, active=host.around(6.0, 0.2), worlds={f"mail-{at + 1:02d}": 1.0},
        )  # fmt: skip
        host.disk(f"mail-{at + 1:02d}:scsi0:0", 2600, 1500, 10.6, 10.4)
    reads, writes = host.around(13000.0), host.around(7500.0)
    waits = [host.around(one, 0.1) for one in (1.2, 9.2, 9.0)]
    more = {"Adapter Q Depth": 32}
    host.put("device", "Physical Disk(vmhba64)", more)
    host.put(
        "device",
        "Physical Disk Adapter(vmhba64)",
        io_counters(reads, writes, 16, waits[0], waits[1], waits[2]),
    )
    quick = [host.around(one, 0.1) for one in (0.8, 0.02, 0.0)]
    host.put("device", "Physical Disk(vmhba1)", {"Adapter Q Depth": 4096})
    host.put(
        "device", "Physical Disk Adapter(vmhba1)",
        io_counters(host.around(180.0), host.around(240.0), 16, quick[0], quick[1], quick[2]),
    )  # fmt: skip
    host.finish(free_mb=200000.0)
    return (host,)


def idle_luns() -> Captured:
    """An archive LUN answers three commands a second in 44 ms, another LUN has none: nothing is wrong."""
    host = Host("esxa06", cores=24, memory_gb=256, rows=180, every_s=5, seed=406)
    usual(host)
    host.lun(f"{FC}0c01", two_paths(8), 2.4, 0.7, read_ms=44.0, write_ms=41.0)
    host.lun(f"{FC}0c02", two_paths(9), 0.0, 0.0, active=0.0)
    host.vm("archive-01", 2, 8, 3.0)
    host.disk("archive-01:scsi0:0", 2.3, 0.6, 44.2, 41.5)
    host.finish(free_mb=120000.0)
    return (host,)


def one_path_that_aborts() -> Captured:
    """One of a LUN's four paths aborts and resets; through the other three it answers in 0.8 ms."""
    host = Host("esxa07", cores=24, memory_gb=256, rows=180, every_s=5, seed=407)
    usual(host)
    host.vm("ora-01", 4, 32, 30.0)
    good = ["vmhba1:C0:T0:L7", "vmhba1:C0:T1:L7", "vmhba2:C0:T0:L7"]
    bad = "vmhba2:C0:T1:L7"
    fails = np.where(np.arange(180) % 5 == 2, 2.8, 0.4)
    host.lun(
        f"{FC}0d07", {**dict.fromkeys(good, 0.25), bad: 0.25}, 900, 500, read_ms=2.3, write_ms=2.0,
        aborts=fails, resets=0.4 * fails, failed=fails, path_failed={bad: fails},
        path_ms={**dict.fromkeys(good, 0.8), bad: host.around(6.4, 0.3)}, worlds={"ora-01": 1.0},
    )  # fmt: skip
    host.lun(
        f"{FC}0d08", {**dict.fromkeys([one.replace("L7", "L8") for one in (*good, bad)], 0.25)}, 400, 200
    )
    host.disk("ora-01:scsi0:0", 900, 500, 2.4, 2.1)
    host.finish(free_mb=120000.0)
    return (host,)


def nfs_slow_on_one_host() -> Captured:
    """Two hosts use nfs-erp: esxb01 in 1.5 ms, esxb02 in 38 ms over a vmnic2 that is at 1 Gb/s and full."""
    hosts: list[Host] = []
    for name, ms, speed, busy in (("esxb01", 1.5, 10000, 17000.0), ("esxb02", 38.0, 1000, 82500.0)):
        host = Host(name, cores=24, memory_gb=256, rows=180, every_s=5, seed=408 + len(hosts))
        for at in range(6):
            host.vm(f"erp-{name[-1]}{at + 1}", 4, 16, 24.0)
            host.disk(f"erp-{name[-1]}{at + 1}:scsi0:0", 150, 60, ms, ms)
        host.nfs("nfs-erp", 900, 360, ms=host.around(ms), active=900 * ms / 1000)
        host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
        host.port("vSwitch1:50331650:vmnic2", 9000, busy, size=1440, speed=speed)
        host.port("vSwitch1:50331652:vmk1", 8800, busy * 0.98, size=1440)
        host.finish(free_mb=120000.0)
        hosts.append(host)
    return tuple(hosts)


def limits_that_do_not_bind() -> Captured:
    """young-01's memory limit is half its size, it uses a fifth; cap-01's CPU limit is far above its use."""
    host = Host("esxa08", cores=24, memory_gb=256, rows=180, every_s=5, seed=410)
    host.vm("young-01", 4, 32, 14.0, memory={"limit": 16384.0, "consumed": 6900.0, "active": 9.0})
    host.vm("cap-01", 4, 16, 19.0, cpu_limit=6000)
    usual(host)
    host.finish(free_mb=140000.0)
    return (host,)


def what_a_storm_left() -> Captured:
    """The host was short last week: 3 GB are ballooned, 1.9 GB swapped; all rates are zero now."""
    host = Host("esxa09", cores=24, memory_gb=256, rows=180, every_s=5, seed=411)
    shrinks = np.linspace(3100.0, 2200.0, 180)
    left: dict[str, Value] = {"balloon": shrinks, "target": 0.0, "active": 7.0, "consumed": 16000.0 - shrinks}
    host.vm("hist-01", 4, 16, 9.0, memory=left)
    sparse = np.where(np.arange(180) % 47 == 9, 0.04, 0.0)
    host.vm(
        "hist-02", 4, 16, 8.0, memory={"swapped": 1900.0, "zipped": 260.0, "swap_in": sparse, "active": 6.0}
    )
    usual(host)
    host.finish(
        free_mb=90000.0,
        sums={"balloon": shrinks, "target": 0.0, "swapped": 1900.0, "zipped": 260.0, "swap_in": sparse},
    )
    return (host,)


def clone_window() -> Captured:
    """From 01:30 to 01:52 the host itself copies from one LUN to another; no VM issues more than before."""
    host = Host("esxa10", cores=32, memory_gb=384, rows=120, every_s=60, seed=412)
    copy = host.between(1800, 3120, 1.0, 0.0)
    for at in range(6):
        host.vm(f"crm-{at + 1:02d}", 4, 16, 20.0)
        host.disk(f"crm-{at + 1:02d}:scsi0:0", 45, 30, 0.9 + 27 * copy, 0.8 + 31 * copy)
    mine = {f"crm-{at + 1:02d}": 0.02 for at in range(6)}
    host.lun(
        f"{FC}0e01", two_paths(1), 280 + 1400 * copy, 180, read_ms=0.9 + 27 * copy, write_ms=0.8 + 31 * copy,
        kb=256, worlds=mine,
    )  # fmt: skip
    host.lun(f"{FC}0e02", two_paths(2), 4, 20 + 1400 * copy, read_ms=1.0, write_ms=0.8 + 6 * copy, kb=256)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=150000.0)
    return (host,)


def negotiated_down() -> Captured:
    """vmnic1 came up with 100 Mb/s half duplex beside a vmnic0 of 10 Gb/s; what goes out there is dropped."""
    host = Host("esxa11", cores=24, memory_gb=256, rows=180, every_s=5, seed=413)
    for at in range(8):
        host.vm(f"app-{at + 1:02d}", 2, 8, 24.0)
    host.lun(f"{FC}0a01", two_paths(1), 300, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.port("vSwitch0:33554436:vmnic1", 13100, 7000, size=900, speed=100)
    host._columns["network"] = [
        (name, values * 0 if name.endswith(r"vmnic1)\Full Duplex?") else values)
        for name, values in host._columns["network"]
    ]
    for at in range(8):
        name = f"app-{at + 1:02d}"
        drop: Value = host.around(4.5, 0.3) if at % 2 else 0.0
        host.port(f"vSwitch0:{33554450 + at}:{host.ids[name] + 1}:{name}", 3000, 1700, size=900, drop_tx=drop)
    host.finish(free_mb=130000.0)
    return (host,)


def broadcast_storm() -> Captured:
    """From second 300 on every port of vSwitch0 gets 38,000 broadcasts a second, and small VMs lose some."""
    host = Host("esxa12", cores=24, memory_gb=256, rows=180, every_s=5, seed=414)
    storm = host.between(300, 1e9, 1.0, 0.0)
    many = 3 + 38000 * storm
    for at in range(8):
        host.vm(
            f"app-{at + 1:02d}", 2, 8, [22.0 + 31 * storm, 18.0 + 4 * storm], system=[0.5 + 11 * storm, 0.4]
        )
    host.lun(f"{FC}0a01", two_paths(1), 300, 300)
    host.port(
        "vSwitch0:33554434:vmnic0",
        9000,
        8000 + 38000 * storm,
        size=90,
        speed=10000,
        broadcasts=many,
    )
    for at in range(8):
        name = f"app-{at + 1:02d}"
        host.port(
            f"vSwitch0:{33554450 + at}:{host.ids[name] + 1}:{name}", 400, 450 + 38000 * storm, size=90,
            drop_rx=host.around(2.1 * storm, 0.3), broadcasts=many,
        )  # fmt: skip
    host.finish(free_mb=130000.0)
    return (host,)
