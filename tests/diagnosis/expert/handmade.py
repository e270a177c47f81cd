"""Captures that an admin would bring, set down number by number by somebody who had not seen the cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from tests.diagnosis.expert.handmade_host import Host
from tests.diagnosis.expert.handmade_second import SECOND

_FC = "naa.60000970000297900"
_PURE = "naa.624a9370bd452205599f42e8000"
_NVME = "t10.NVMe____Dell_Ent_NVMe_P5600_MU_U.2_3.2TB________________00D1A2B3C4E5F601"


def busy_sql_host() -> Host:
    """Two sockets of 24 cores at 66 % with six SQL Servers on flash, and a CD-ROM that answers slowly."""
    host = Host("esx-sql-01.corp.example", cores=48, memory_gb=1024, rows=120, every_s=5, seed=1)
    spike = np.where(np.arange(120) == 71, 6.4, 1.1)
    for at in range(6):
        host.vm(
            f"SQL-PRD-0{at + 1}",
            12,
            128,
            64 + 2 * at,
            ready=spike if at == 2 else 0.9,
            system=1.1,
            reserved=0,
            memory={"active": 46, "local": 97, "consumed": 131000.0, "home": 1},
        )
    for at in range(6):
        host.vm(f"SSRS-0{at + 1}", 4, 32, 35, ready=1.3, memory={"active": 21})
    for at in range(4):
        paths = {f"vmhba{2 + hba}:C0:T{target}:L{at + 11}": 0.25 for hba in (0, 1) for target in (0, 1)}
        host.lun(f"{_PURE}1101{at}", paths, 6200, 2100, read_ms=0.42, write_ms=0.61, kb=22, depth=128)
    host.lun("mpx.vmhba64:C0:T0:L0", {"vmhba64:C0:T0:L0": 1.0}, 0.4, 0.0, read_ms=31.0, depth=1)
    for at in range(6):
        host.disk(f"SQL-PRD-0{at + 1}:scsi0:0", 20, 40, 0.6, 0.8)
        host.disk(f"SQL-PRD-0{at + 1}:scsi1:0", 3600, 900, 0.5, 0.7, 22)
    host.port("DvsPortset-0:67108866:vmnic4", 96000, 82000, speed=25000)
    host.port("DvsPortset-0:67108867:vmnic5", 71000, 90000, speed=25000)
    for at, name in enumerate(list(host.ids)[:6]):
        host.port(f"DvsPortset-0:{67108880 + at}:{host.ids[name] + 1}:{name}", 21000, 22000)
    host.finish(free_mb=71000.0, core_util=83.0, used_of_util=1.04, watts=690)
    return host


def wide_vm() -> Host:
    """A VM of 24 vCPUs of which three work, on 28 half-used cores; its siblings are narrow and fine."""
    host = Host("esx07", cores=28, memory_gb=384, rows=144, every_s=5, seed=2)
    work = [68.0, 61.0, 55.0] + [6.0] * 21
    host.vm("ERP-APP-01", 24, 96, work, ready=4.1, costop=7.4, memory={"active": 12})
    for at in range(14):
        host.vm(f"APP-{at + 1:02d}", 4, 16, 34, ready=1.0)
    host.lun(
        f"{_FC}533030303A11",
        {"vmhba1:C0:T0:L1": 0.5, "vmhba2:C0:T0:L1": 0.5},
        420,
        380,
        read_ms=1.6,
        write_ms=0.9,
    )
    host.disk("ERP-APP-01:scsi0:0", 60, 90, 1.7, 1.0)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.port("vSwitch0:33554436:vmnic1", 6000, 8800, speed=10000)
    host.finish(free_mb=88000.0)
    return host


def limit_of_a_template() -> Host:
    """WEB-05 was cloned from a template with a limit of 1000 MHz; its three sisters have none."""
    host = Host("esx02", cores=32, memory_gb=512, rows=120, every_s=5, seed=3)
    for at in range(4):
        host.vm(f"WEB-0{at + 1}", 2, 8, 38, ready=0.6)
    host.vm("WEB-05", 2, 8, 18.5, ready=0.5, limited=41.0, cpu_limit=1000)
    for at in range(8):
        host.vm(f"FILE-0{at + 1}", 2, 16, 12)
    host.lun(f"{_PURE}2201", {"vmhba2:C0:T0:L1": 0.5, "vmhba3:C0:T0:L1": 0.5}, 700, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=330000.0)
    return host


def dead_lun() -> Host:
    """From the second minute on a LUN takes commands and answers none; its three VMs hang."""
    host = Host("esx11", cores=32, memory_gb=512, rows=96, every_s=5, seed=4)
    dead = host.between(120, 1e9, 1.0, 0.0)
    works = 1.0 - dead
    hung = [np.where(dead > 0, 99.0, 0.3), *[np.where(dead > 0, 30.0, 0.2)] * 3]
    for name in ("ORA-01", "ORA-02", "MQ-01"):
        host.vm(name, 4, 32, np.where(dead > 0, 1.2, 31.0), blocked=hung)
    for at in range(10):
        host.vm(f"APP-{at + 1:02d}", 2, 8, 22)
    for at, good in enumerate(("A1", "A2")):
        host.lun(
            f"{_FC}53303030{good}",
            {f"vmhba1:C0:T0:L{at}": 0.5, f"vmhba2:C0:T0:L{at}": 0.5},
            800,
            500,
            read_ms=0.9,
        )
    mine = {"ORA-01": 0.5, "ORA-02": 0.3, "MQ-01": 0.2}
    host.lun(
        f"{_FC}53303030A3",
        {"vmhba1:C0:T0:L7": 0.5, "vmhba2:C0:T0:L7": 0.5},
        900 * works,
        600 * works,
        read_ms=0.9,
        active=np.where(dead > 0, 64, 1),
        queued=np.where(dead > 0, 143, 0),
        aborts=np.where(dead > 0, 3.4, 0.0),
        failed=np.where(dead > 0, 1.2, 0.0),
        worlds=mine,
    )
    for name, share in mine.items():
        host.disk(f"{name}:scsi0:0", 900 * works * share, 600 * works * share, 1.0 * works, 0.6 * works)
    for at in range(10):
        host.disk(f"APP-{at + 1:02d}:scsi0:0", 60, 40, 1.0, 0.7)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=200000.0)
    return host


def dying_path() -> Host:
    """Four paths to each of three LUNs; all that go through vmhba3:C0:T1 fail commands and take 180 ms."""
    host = Host("esx04", cores=32, memory_gb=512, rows=120, every_s=5, seed=5)
    for at in range(12):
        host.vm(f"APP-{at + 1:02d}", 4, 16, 30)
    for lun in (3, 4, 5):
        good = [f"vmhba2:C0:T0:L{lun}", f"vmhba2:C0:T1:L{lun}", f"vmhba3:C0:T0:L{lun}"]
        bad = f"vmhba3:C0:T1:L{lun}"
        host.lun(
            f"{_FC}53303031B{lun}",
            {**dict.fromkeys(good, 0.25), bad: 0.25},
            640,
            260,
            read_ms=46.0,
            write_ms=45.0,
            failed=2.6,
            aborts=0.4,
            path_failed={bad: 2.6},
            path_ms={bad: host.around(181.0, 0.2), **{one: host.around(0.8, 0.1) for one in good}},
        )
    host.lun("naa.61866da0b1c2d3002a5f", {"vmhba0:C2:T0:L0": 1.0}, 3, 12, read_ms=0.5)
    for at in range(12):
        host.disk(f"APP-{at + 1:02d}:scsi0:0", 160, 65, 46.0, 45.0)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=260000.0)
    return host


def backup_at_night() -> Host:
    """Two hours of 30 s: from 01:20 to 02:05 a backup proxy reads 640 MB/s, all LUNs take 28 ms."""
    host = Host("esx03", cores=32, memory_gb=512, rows=240, every_s=30, seed=6, starts="2026-10-13 00:40:00")
    night = (2400.0, 5100.0)
    host.vm("VEEAM-PROXY-01", 8, 16, host.between(*night, 62.0, 2.0), memory={"active": 22})
    for at in range(10):
        host.vm(f"CRM-{at + 1:02d}", 4, 32, 18)
    late = host.between(*night, 28.0, 1.4)
    reads = host.between(*night, 320.0, 40.0)
    for lun in range(4):
        host.lun(
            f"{_FC}53303032C{lun}",
            {f"vmhba2:C0:T0:L{lun}": 0.5, f"vmhba3:C0:T0:L{lun}": 0.5},
            reads + 90,
            110,
            read_ms=late,
            write_ms=late * 0.7,
            kb=host.between(*night, 420.0, 16.0)[120],
            worlds={"VEEAM-PROXY-01": 0.8},
        )
    for lun in range(4):
        host.disk(f"VEEAM-PROXY-01:scsi1:{lun}", reads, 0.5, late, late * 0.7, 512)
    for at in range(10):
        host.disk(f"CRM-{at + 1:02d}:scsi0:0", 36, 44, late, late * 0.7)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.port("vSwitch0:33554436:vmnic1", host.between(*night, 430000, 9000), 30000, size=1460, speed=10000)
    host.finish(free_mb=120000.0)
    return host


def few_rows() -> Host:
    """Eight rows of a minute each, of a host whose PCPUs are full and whose VMs wait."""
    host = Host("esx09", cores=16, memory_gb=256, rows=8, every_s=60, seed=7)
    for at in range(16):
        host.vm(f"TS-{at + 1:02d}", 4, 12, 46, ready=15.5, costop=1.2, used_of_run=0.72)
    host.lun(f"{_PURE}4401", {"vmhba2:C0:T0:L1": 0.5, "vmhba3:C0:T0:L1": 0.5}, 700, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=40000.0, core_util=99.2, used_of_util=0.7)
    return host


def limit_and_a_past() -> Host:
    """ADFS-02 has a memory limit of 4 GB below its 16; FILE-09 has 3 GB in its swap file from last spring."""
    host = Host("esx05", cores=32, memory_gb=512, rows=120, every_s=5, seed=8)
    swapping = {"swap_in": host.around(1.3, 0.4), "swap_out": host.around(0.5, 0.5)}
    host.vm(
        "ADFS-02",
        4,
        16,
        24,
        swap_wait=7.5,
        memory={
            "limit": 4096.0,
            "consumed": 4080.0,
            "balloon": 8900.0,
            "target": 8900.0,
            "swapped": 2300.0,
            "zipped": 410.0,
            "lat_m": 8.2,
            "active": 38,
            **swapping,
        },
    )
    host.vm("FILE-09", 2, 32, 9, memory={"swapped": 3110.0, "consumed": 28800.0})
    for at in range(14):
        host.vm(f"DC-{at + 1:02d}", 2, 8, 7)
    host.lun(f"{_PURE}5501", {"vmhba2:C0:T0:L1": 0.5, "vmhba3:C0:T0:L1": 0.5}, 300, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(
        free_mb=301000.0,
        sums={
            "balloon": 8900.0,
            "target": 8900.0,
            "swapped": 5410.0,
            "zipped": 410.0,
            **swapping,
        },
    )
    return host


def remote_memory() -> Host:
    """HANA-01 needs 460 GB of a node of 384; half of what it touches lies on the other one."""
    host = Host("esx20", cores=48, memory_gb=768, rows=120, every_s=5, seed=9)
    host.vm("HANA-01", 24, 460, 58, ready=0.7, memory={"local": 61.0, "active": 72, "home": 1})
    for at in range(6):
        host.vm(f"APP-{at + 1:02d}", 4, 24, 30, memory={"local": 99.0})
    host.lun(f"{_PURE}6601", {"vmhba2:C0:T0:L1": 0.5, "vmhba3:C0:T0:L1": 0.5}, 2100, 1300, depth=128)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=25000)
    host.finish(free_mb=96000.0)
    return host


def hot_interrupts() -> Host:
    """FW-01's first vCPU takes all packets: 98 % run, a third of it system time, 3 % of its packets lost."""
    host = Host("esx15", cores=24, memory_gb=256, rows=120, every_s=5, seed=10)
    host.vm("FW-01", 4, 8, [97.5, 14.0, 12.0, 11.0], system=[31.0, 2.0, 2.0, 2.0], used_of_run=1.0)
    for at in range(8):
        host.vm(f"APP-{at + 1:02d}", 2, 8, 25)
    host.lun(f"{_PURE}7701", {"vmhba2:C0:T0:L1": 0.5, "vmhba3:C0:T0:L1": 0.5}, 300, 200)
    host.port("DvsPortset-1:50331650:vmnic2", 150000, 186000, size=420, speed=25000)
    host.port("DvsPortset-1:50331652:vmnic3", 3000, 2500, speed=25000)
    host.port(
        f"DvsPortset-1:50331660:{host.ids['FW-01'] + 1}:FW-01",
        148000,
        182000,
        size=420,
        drop_rx=host.around(3.1, 0.3),
    )
    for at in range(8):
        host.port(
            f"DvsPortset-1:{50331670 + at}:{host.ids[f'APP-{at + 1:02d}'] + 1}:APP-{at + 1:02d}", 900, 1100
        )
    host.interrupts("0x3a", {3: host.around(61000), 9: host.around(400)}, 2.1)
    host.finish(free_mb=150000.0, hot={3: 97.0})
    return host


def capped_power() -> Host:
    """A blade under a power cap of 300 W: busy threads, but USED is 54 % of UTIL, on all of them.

    Beside a busy thread a vCPU has 62.5 % [OPS], a PCPU half [MON70]: 58 % of RUN are 54 % of UTIL.
    """
    host = Host("blade-3-07", cores=32, memory_gb=512, rows=120, every_s=5, seed=11)
    for at in range(18):
        host.vm(f"CALC-{at + 1:02d}", 2, 16, 84, ready=0.9, used_of_run=0.58)
    host.lun(f"{_PURE}8801", {"vmhba2:C0:T0:L1": 0.5, "vmhba3:C0:T0:L1": 0.5}, 300, 200)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(
        free_mb=220000.0, core_util=74.0, used_of_util=0.54, watts=host.around(299.0, 0.004), cap_watts=300.0
    )
    return host


def two_queues() -> Host:
    """Both LUNs have full queues: one for its depth of 32, the other for an array that takes 38 ms."""
    host = Host("esx12", cores=32, memory_gb=512, rows=120, every_s=5, seed=12)
    host.vm("DWH-01", 8, 64, 44)
    host.vm("DWH-02", 8, 64, 41)
    host.vm("ARCH-01", 4, 32, 16)
    host.vm("ARCH-02", 4, 32, 15)
    shallow, slow = f"{_FC}53303033D1", f"{_FC}53303033D2"
    host.lun(
        shallow,
        {"vmhba2:C0:T0:L1": 0.5, "vmhba3:C0:T0:L1": 0.5},
        22000,
        9500,
        read_ms=0.95,
        write_ms=0.9,
        kb=8,
        depth=32,
        active=host.around(31.0, 0.02),
        queued=host.around(68.0, 0.2),
        kernel_ms=host.around(2.3, 0.1),
        queue_ms=host.around(2.2, 0.1),
        worlds={"DWH-01": 0.5, "DWH-02": 0.5},
    )
    host.lun(
        slow,
        {"vmhba2:C0:T0:L2": 0.5, "vmhba3:C0:T0:L2": 0.5},
        1150,
        520,
        read_ms=39.0,
        write_ms=36.0,
        depth=64,
        active=host.around(63.0, 0.01),
        queued=host.around(12.0, 0.4),
        kernel_ms=host.around(7.1, 0.2),
        queue_ms=host.around(7.0, 0.2),
        worlds={"ARCH-01": 0.6, "ARCH-02": 0.4},
    )
    for at in (1, 2):
        host.disk(f"DWH-0{at}:scsi0:0", 11000, 4750, 3.3, 3.2, 8)
        host.disk(f"ARCH-0{at}:scsi0:0", 575, 260, 46.0, 43.0)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=280000.0)
    return host


def nfs_lost() -> Host:
    """An NFS server goes away for 150 s and comes back; the other datastore goes on."""
    host = Host("esx31", cores=24, memory_gb=256, rows=120, every_s=5, seed=13, starts="2026-10-13 02:00:00")
    gone = host.between(200, 350, 1.0, 0.0)
    for at in range(4):
        host.vm(
            f"WIKI-0{at + 1}",
            2,
            8,
            np.where(gone > 0, 1.5, 16.0),
            blocked=[np.where(gone > 0, 97.0, 0.2), 0.2],
        )
    for at in range(6):
        host.vm(f"APP-{at + 1:02d}", 2, 8, 22)
    host.nfs(
        "nfs-wiki",
        240 * (1 - gone),
        160 * (1 - gone),
        ms=np.where(gone > 0, 0.0, 1.9),
        active=np.where(gone > 0, 41, 1),
    )
    host.nfs("nfs-apps", 300, 200, ms=host.around(1.6))
    for at in range(4):
        host.disk(
            f"WIKI-0{at + 1}:scsi0:0", 60 * (1 - gone), 40 * (1 - gone), 2.0 * (1 - gone), 2.0 * (1 - gone)
        )
    host.port("vSwitch1:50331650:vmnic2", 12000, 12000, speed=10000)
    host.finish(free_mb=120000.0)
    return host


def paths_down() -> Host:
    """Both paths of a LUN are away for 95 s, as the logs say; ESXi retries, and all comes back."""
    host = Host("esx32", cores=24, memory_gb=256, rows=120, every_s=5, seed=14, starts="2026-10-13 03:00:00")
    gone = host.between(240, 335, 1.0, 0.0)
    for at in range(3):
        host.vm(
            f"PRINT-0{at + 1}",
            2,
            8,
            np.where(gone > 0, 1.5, 18.0),
            blocked=[np.where(gone > 0, 96.0, 0.2), 0.2],
        )
    for at in range(6):
        host.vm(f"APP-{at + 1:02d}", 2, 8, 22)
    host.lun(f"{_FC}53303034E1", {"vmhba1:C0:T0:L1": 0.5, "vmhba2:C0:T0:L1": 0.5}, 300, 200, read_ms=0.9)
    host.lun(
        f"{_FC}53303034E2",
        {"vmhba1:C0:T1:L2": 0.5, "vmhba2:C0:T1:L2": 0.5},
        210 * (1 - gone),
        150 * (1 - gone),
        read_ms=0.9,
        active=np.where(gone > 0, 27, 1),
        failed=host.between(240, 250, 8.0, 0.0),
        worlds={"PRINT-01": 0.4, "PRINT-02": 0.3, "PRINT-03": 0.3},
    )
    for at in range(3):
        host.disk(
            f"PRINT-0{at + 1}:scsi0:0", 70 * (1 - gone), 50 * (1 - gone), 1.0 * (1 - gone), 0.8 * (1 - gone)
        )
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=120000.0)
    return host


CAPTURES: Mapping[str, Callable[[], Host]] = {
    one.__name__.replace("_", "-"): one
    for one in (
        busy_sql_host,
        wide_vm,
        limit_of_a_template,
        dead_lun,
        dying_path,
        backup_at_night,
        few_rows,
        limit_and_a_past,
        remote_memory,
        hot_interrupts,
        capped_power,
        two_queues,
        nfs_lost,
        paths_down,
        *SECOND,
    )
}


def _kernel(at: str, text: str) -> str:
    return f"2026-10-13T{at}Z In(182) vmkernel: cpu6:2097612){text}\n"


def _observed(at: str, text: str) -> str:
    return f"2026-10-13T{at}Z In(14) vobd[2097641]:  {text}\n"


_LOST = f"{_FC}53303034E2"
_NO_CONNECT = "H:0x1 D:0x0 P:0x0 Possible sense data: 0x0 0x0 0x0."
LOGS: Mapping[str, Mapping[str, str]] = {
    "nfs-lost": {
        "vobd.log": _observed(
            "02:03:24.512",
            "[vmfsCorrelator] 9123004512us: [esx.problem.vmfs.nfs.server.disconnect] "
            "10.20.0.40 /export/wiki 5e1d8b1c-0a7e2d31-0000-000000000000 nfs-wiki",
        )
        + _observed(
            "02:05:51.204",
            "[vmfsCorrelator] 9269704204us: [esx.problem.vmfs.nfs.server.restored] "
            "10.20.0.40 /export/wiki 5e1d8b1c-0a7e2d31-0000-000000000000 nfs-wiki",
        ),
    },
    "paths-down": {
        "vmkernel.log": _kernel(
            "03:04:00.310",
            "NMP: nmp_CompleteCommandForPath: Command 0x2a (0x45b9c0d1e2c0) to NMP device "
            f'"{_LOST}" failed on physical path "vmhba1:C0:T1:L2" {_NO_CONNECT}',
        )
        + _kernel(
            "03:04:00.402",
            "NMP: nmp_CompleteCommandForPath: Command 0x28 (0x45b9c0d1f0c0) to NMP device "
            f'"{_LOST}" failed on physical path "vmhba2:C0:T1:L2" {_NO_CONNECT}',
        )
        + _kernel("03:04:00.410", f"StorageApdHandler: 846: APD Start for ident [{_LOST}]!"),
        "vobd.log": _observed(
            "03:04:00.411",
            "[APDCorrelator] 11040411us: [vob.storage.apd.start] Device or filesystem "
            f"with identifier [{_LOST}] has entered the All Paths Down state.",
        )
        + _observed(
            "03:05:34.900",
            "[APDCorrelator] 11134900us: [esx.problem.storage.apd.recovered] Device or "
            f"filesystem with identifier [{_LOST}] has exited the All Paths Down state.",
        ),
    },
}
"""Lines of logs that come with a capture, by file, in the forms of modern.md §5b."""


def write_all(name: str, folder: Path) -> list[Path]:
    """The capture of a name and its logs as files."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / "capture.csv"]
    CAPTURES[name]().write(made[0])
    for file, text in LOGS.get(name, {}).items():
        made.append(folder / file)
        made[-1].write_text(text, encoding="utf-8", newline="\n")
    return made
