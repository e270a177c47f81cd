"""More captures that an admin would bring, set down number by number before the product was asked."""

from __future__ import annotations

import numpy as np

from tests.diagnosis.expert.handmade_host import Host
from tests.diagnosis.expert.handmade_numbers import Value

_FC = "naa.60000970000297900"


def nfs_stands_still() -> Host:
    """An NFS server stands still for half a minute: nothing comes back, and its five VMs freeze."""
    host = Host("esx41", cores=24, memory_gb=256, rows=120, every_s=5, seed=21)
    still = host.between(300, 330, 1.0, 0.0)
    for at in range(5):
        host.vm(
            f"MAIL-0{at + 1}",
            2,
            8,
            np.where(still > 0, 1.5, 24.0),
            blocked=[np.where(still > 0, 97.0, 0.2), 0.2],
        )
    for at in range(6):
        host.vm(f"APP-{at + 1:02d}", 2, 8, 22)
    host.nfs(
        "nfs-mail",
        420 * (1 - still),
        260 * (1 - still),
        ms=np.where(still > 0, 0.0, 1.7),
        active=np.where(still > 0, 58, 1),
    )
    host.nfs("nfs-apps", 300, 200, ms=host.around(1.6))
    for at in range(5):
        host.disk(
            f"MAIL-0{at + 1}:scsi0:0",
            80 * (1 - still),
            50 * (1 - still),
            2.0 * (1 - still),
            2.0 * (1 - still),
        )
    host.port("vSwitch1:50331650:vmnic2", 12000, 12000, speed=10000)
    host.port("vSwitch1:50331652:vmk1", 11000, 11500)
    host.finish(free_mb=120000.0)
    return host


def exclusive_cores() -> Host:
    """Two packet gateways with cores of their own, which count as used all the time."""
    host = Host("esx42", cores=32, memory_gb=384, rows=240, every_s=5, seed=22, threads=1)
    for at in (1, 2):
        host.vm(f"UPF-0{at}", 12, 48, 99.9, ready=0.02, system=0.1, reserved=12 * 2600, used_of_run=1.0)
    for at in range(8):
        host.vm(f"APP-{at + 1:02d}", 2, 8, 24, ready=3.1)
    host.lun(f"{_FC}53303035F1", {"vmhba1:C0:T0:L1": 0.5, "vmhba2:C0:T0:L1": 0.5}, 300, 200)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=180000.0)
    return host


def passive_node() -> Host:
    """The passive node's host of a shared-disk cluster: the active node holds its three RDMs."""
    host = Host("esx43", cores=24, memory_gb=256, rows=120, every_s=5, seed=23)
    host.vm("SQLCL-N2", 4, 32, 4)
    for at in range(8):
        host.vm(f"APP-{at + 1:02d}", 2, 8, 24)
    for lun in (1, 2, 3):
        refused = np.where(np.arange(120) % 4 < 2, 1.6, 0.4)
        host.lun(
            f"{_FC}53303036A{lun}",
            {f"vmhba1:C0:T0:L{lun}": 0.5, f"vmhba2:C0:T0:L{lun}": 0.5},
            0.2,
            0.0,
            kb=0.5,
            active=0.0,
            conflicts=refused,
            failed=refused,
        )
    host.lun(f"{_FC}53303036B1", {"vmhba1:C0:T0:L9": 0.5, "vmhba2:C0:T0:L9": 0.5}, 500, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=120000.0)
    return host


def balloon_behind() -> Host:
    """ERP-DB-01's guest, with locked pages, does not give what its balloon is to take."""
    host = Host("esx44", cores=32, memory_gb=256, rows=120, every_s=5, seed=24)
    pressed: dict[str, Value] = {
        "target": 22000.0,
        "balloon": 3100.0,
        "swapped": np.linspace(2000.0, 9000.0, 120),
        "swap_out": host.around(11.0, 0.3),
        "swap_in": host.around(4.0, 0.3),
        "active": 64.0,
        "consumed": 51000.0,
        "lat_m": 5.0,
    }
    host.vm("ERP-DB-01", 8, 64, 38, swap_wait=4.0, memory=pressed)
    gives = {"target": 4100.0, "balloon": 4100.0, "consumed": 11800.0}
    for at in range(14):
        host.vm(f"APP-{at + 1:02d}", 4, 16, 22, memory=gives)
    host.lun(f"{_FC}53303037A1", {"vmhba1:C0:T0:L1": 0.5, "vmhba2:C0:T0:L1": 0.5}, 900, 700)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(
        free_mb=host.around(3100.0, 0.03),
        state=2,
        sums={
            "balloon": 3100.0 + 14 * 4100.0,
            "target": 22000.0 + 14 * 4100.0,
            "swapped": np.linspace(2000.0, 9000.0, 120),
            "swap_in": 4.0,
            "swap_out": 11.0,
        },
    )
    return host


def busy_database() -> Host:
    """SQL-OLTP-01 in its busiest hour: all vCPUs work, and its I/O and packets go up and down with them."""
    host = Host("esx45", cores=32, memory_gb=512, rows=240, every_s=5, seed=25)
    load = 1.0 + 0.035 * np.sin(np.arange(240) / 9.0)
    host.vm("SQL-OLTP-01", 8, 128, [np.minimum(94.0 * load, 99.5)] * 8, ready=0.8, system=2.0)
    for at in range(8):
        host.vm(f"APP-{at + 1:02d}", 4, 16, 24)
    mine = {"SQL-OLTP-01": 0.9}
    host.lun(
        f"{_FC}53303038A1",
        {"vmhba1:C0:T0:L1": 0.5, "vmhba2:C0:T0:L1": 0.5},
        9000 * load,
        3000 * load,
        worlds=mine,
    )
    host.disk("SQL-OLTP-01:scsi0:0", 8000 * load, 2600 * load, 0.6, 0.5)
    host.port("vSwitch0:33554434:vmnic0", 60000 * load, 52000 * load, speed=25000)
    host.port(f"vSwitch0:33554440:{host.ids['SQL-OLTP-01'] + 1}:SQL-OLTP-01", 55000 * load, 48000 * load)
    host.finish(free_mb=150000.0)
    return host


def _behind_uplink(name: str, seed: int, *, full: str) -> Host:
    """A host with storage on vSwitch1 (vmnic2) and VMs on vSwitch0 (vmnic0); one of both uplinks is full."""
    host = Host(name, cores=32, memory_gb=384, rows=120, every_s=5, seed=seed)
    late = host.between(200, 1e9, 1.0, 0.0)
    for at in range(8):
        host.vm(f"APP-{at + 1:02d}", 4, 16, 24)
    host.vm("COPY-01", 4, 16, 30)
    many = np.where(late > 0, 84000.0, 9000.0)
    host.port("vSwitch0:33554434:vmnic0", many if full == "vmnic0" else 9000, 8000, size=1450, speed=1000)
    if full == "vmnic0":
        host.port(f"vSwitch0:33554440:{host.ids['COPY-01'] + 1}:COPY-01", many * 0.9, 3000, size=1450)
    busy = np.where(late > 0, 84000.0, 9000.0) if full == "vmnic2" else 9000
    host.port("vSwitch1:50331650:vmnic2", 9000, busy, size=1450, speed=1000)
    host.port("vSwitch1:50331652:vmk1", 8800, busy, size=1450)
    return host


def iscsi_behind_uplink() -> Host:
    """Software iSCSI and NFS over vmnic2, a gigabit that is full from second 200 on: both wait."""
    host = _behind_uplink("esx46", 26, full="vmnic2")
    ms = host.between(200, 1e9, 46.0, 1.2)
    host.lun(
        "naa.6589cfc000000a1b2c3d4e5f60718291", {"vmhba64:C0:T0:L0": 1.0}, 700, 300, read_ms=ms, write_ms=ms
    )
    host.nfs("nfs-apps", 300, 200, ms=ms)
    for at in range(8):
        host.disk(f"APP-{at + 1:02d}:scsi0:0", 80, 35, ms, ms)
    host.finish(free_mb=120000.0)
    return host


def nfs_beside_full_uplink() -> Host:
    """vmnic0 is full of a VM's copy; the NFS server, over vmnic2 of vSwitch1, is slow by itself."""
    host = _behind_uplink("esx47", 27, full="vmnic0")
    ms = host.between(200, 1e9, 46.0, 1.2)
    host.nfs("nfs-apps", 300, 200, ms=ms)
    for at in range(8):
        host.disk(f"APP-{at + 1:02d}:scsi0:0", 36, 24, ms, ms)
    host.finish(free_mb=120000.0)
    return host


def swap_on_a_lun() -> Host:
    """The host swaps four VMs to the LUN that holds their swap files, which then takes 38 ms."""
    host = Host("esx48", cores=32, memory_gb=192, rows=120, every_s=5, seed=28)
    short = host.between(240, 1e9, 1.0, 0.0)
    swapping: dict[str, Value] = {
        "swap_out": 17.0 * short,
        "swap_in": 21.0 * short,
        "swapped": np.cumsum(short) * 80.0,
        "balloon": 4200.0 * short,
        "target": 4200.0 * short,
        "lat_m": 6.0 * short,
        "consumed": 14000.0,
    }
    for at in range(4):
        host.vm(f"ERP-{at + 1:02d}", 4, 16, 32, swap_wait=6.0 * short, memory=swapping)
    for at in range(8):
        host.vm(f"APP-{at + 1:02d}", 4, 16, 20)
    late = host.between(240, 1e9, 38.0, 1.1)
    lun = f"{_FC}53303039A1"
    host.lun(
        lun,
        {"vmhba1:C0:T0:L1": 0.5, "vmhba2:C0:T0:L1": 0.5},
        300 + 2600 * short,
        200 + 2100 * short,
        read_ms=late,
        write_ms=late,
        kb=32,
        worlds={f"ERP-{at + 1:02d}": 0.04 for at in range(4)},
    )
    host.lun(f"{_FC}53303039A2", {"vmhba1:C0:T0:L2": 0.5, "vmhba2:C0:T0:L2": 0.5}, 300, 200, read_ms=1.1)
    for at in range(4):
        host.disk(f"ERP-{at + 1:02d}:scsi0:0", 30, 20, late, late)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(
        free_mb=np.where(short > 0, 1500.0, 14000.0),
        state=0,
        sums={
            "balloon": 4 * 4200.0 * short,
            "target": 4 * 4200.0 * short,
            "swapped": np.cumsum(short) * 320.0,
            "swap_in": 84.0 * short,
            "swap_out": 68.0 * short,
        },
    )
    return host


SECOND = (
    nfs_stands_still,
    exclusive_cores,
    passive_node,
    balloon_behind,
    busy_database,
    iscsi_behind_uplink,
    nfs_beside_full_uplink,
    swap_on_a_lun,
)
