"""More captures of the fourth expert: power, wide VMs, few rows, clocks, names, bursts, an array."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from tests.diagnosis.expert import handmade_critic as first
from tests.diagnosis.expert.handmade_critic import FC, Captured, two_paths, usual
from tests.diagnosis.expert.handmade_host import Host


def threads_not_power() -> Captured:
    """USED is 71 % of RUN since both threads of most cores are busy; nothing waits."""
    host = Host("esxa13", cores=24, memory_gb=256, rows=180, every_s=5, seed=415)
    for at in range(16):
        host.vm(f"web-{at + 1:02d}", 4, 12, 50.0, ready=0.9, used_of_run=0.71)
    host.lun(f"{FC}0a01", two_paths(1), 300, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=40000.0, core_util=92.0, used_of_util=0.72, watts=420.0)
    return (host,)


def clocked_down() -> Captured:
    """Two hosts without hyper-threading give 66 % of what ran: one is at 84 %, one at 6 %."""
    busy = Host("esxc01", cores=24, memory_gb=256, rows=180, every_s=5, seed=416, threads=1)
    for at in range(10):
        busy.vm(f"batch-{at + 1:02d}", 2, 12, 96.0, ready=1.4, used_of_run=0.66)
    idle = Host("esxc02", cores=24, memory_gb=256, rows=180, every_s=5, seed=417, threads=1)
    for at in range(6):
        idle.vm(f"night-{at + 1:02d}", 2, 12, 9.0, ready=0.1, used_of_run=0.64)
    for host, watts in ((busy, 232.0), (idle, 120.0)):
        host.lun(f"{FC}0a01", two_paths(1), 300, 300)
        host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
        host.finish(free_mb=80000.0, used_of_util=0.66, watts=watts)
    return busy, idle


def monster() -> Captured:
    """HANA of 40 vCPUs and 600 GB spans both nodes of 24 cores, has its memory local, and works evenly."""
    host = Host("esxa14", cores=48, memory_gb=1024, rows=180, every_s=5, seed=418)
    host.vm(
        "hana-01", 40, 600, 52.0, ready=0.4, costop=0.15, memory={"local": 94.0, "active": 58.0, "home": 3.0},
        reserved=40 * 2600, used_of_run=1.05,
    )  # fmt: skip
    usual(host, 6)
    host.finish(free_mb=310000.0)
    return (host,)


def three_samples() -> Captured:
    """Three samples of five seconds, in which vdi-01's vCPUs are ready for 19 %."""
    host = Host("esxa15", cores=16, memory_gb=256, rows=3, every_s=5, seed=419)
    host.vm("vdi-01", 2, 8, 60.0, ready=19.0)
    usual(host)
    host.finish(free_mb=120000.0)
    return (host,)


def hour_that_comes_twice() -> Captured:
    """Stamps of Berlin over the end of summer time; shop-01 waits from 02:40 CEST to 02:20 CET."""
    host = Host(
        "esxa16", cores=32, memory_gb=384, rows=240, every_s=30, seed=420, starts="2026-10-25 00:00:00"
    )
    host.vm("shop-01", 4, 16, 55.0, ready=host.between(2400, 4800, 17.0, 0.5))
    usual(host)
    host.finish(free_mb=180000.0)
    return (host,)


def two_of_one_name() -> Captured:
    """Two VMs are called build: one has all its vCPUs at 99 %, the other one sleeps."""
    host = Host("esxa17", cores=32, memory_gb=384, rows=180, every_s=5, seed=421)
    host.vm("build", 2, 8, 99.4, ready=0.2, used_of_run=1.0)
    host.vm("build", 2, 8, 2.0)
    usual(host)
    host.finish(free_mb=180000.0)
    return (host,)


def scan_every_five_minutes() -> Captured:
    """Every five minutes twenty VMs scan for 20 s at once and wait; in between the host idles."""
    host = Host("esxa18", cores=16, memory_gb=256, rows=360, every_s=5, seed=422)
    scan = np.where(np.arange(360) % 60 < 4, 1.0, 0.0)
    for at in range(20):
        host.vm(f"desk-{at + 1:02d}", 2, 6, 11 + 58 * scan, ready=0.3 + 21 * scan, used_of_run=0.9)
    host.lun(f"{FC}0a01", two_paths(1), 300, 300)
    host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
    host.finish(free_mb=90000.0, core_util=28 + 71 * scan)
    return (host,)


def array_in_trouble() -> Captured:
    """All LUNs of an array are slow from second 300 on, from both hosts, at unchanged load."""
    hosts: list[Host] = []
    for name in ("esxd01", "esxd02"):
        host = Host(name, cores=24, memory_gb=256, rows=180, every_s=5, seed=423 + len(hosts))
        slow = host.between(300, 1e9, 1.0, 0.0)
        for at in range(4):
            vm = f"sap-{name[-1]}{at + 1}"
            host.vm(vm, 4, 16, 25.0 - 9 * slow)
            host.lun(
                f"{FC}0f0{at + 1}", two_paths(at + 1), 260, 170, read_ms=0.9 + 34 * slow,
                write_ms=0.7 + 29 * slow, worlds={vm: 1.0},
            )  # fmt: skip
            host.disk(f"{vm}:scsi0:0", 260, 170, 0.95 + 34 * slow, 0.75 + 29 * slow)
        host.lun(f"naa.61866da0b1c2d3002a{name[-2:]}", {"vmhba0:C2:T0:L0": 1.0}, 60, 40, read_ms=0.5)
        host.port("vSwitch0:33554434:vmnic0", 9000, 8000, speed=10000)
        host.finish(free_mb=120000.0)
        hosts.append(host)
    return tuple(hosts)


def one_hot_vcpu() -> Captured:
    """bi-01 has one hot vCPU of eight: the thread of its load job; a service of the host takes no part."""
    host = Host("esxa19", cores=32, memory_gb=384, rows=240, every_s=5, seed=425)
    host.vm("bi-01", 8, 64, [98.5, 7.0, 5.0, 6.0, 4.0, 5.0, 6.0, 5.0], ready=0.3)
    host.vm("wait-01", 4, 16, [71.0, 58.0, 49.0, 44.0], ready=0.6)
    usual(host)
    for at, name in enumerate(("bi-01", "wait-01")):
        host.port(f"vSwitch0:{33554450 + at}:{host.ids[name] + 1}:{name}", 600, 700)
    host.finish(free_mb=170000.0)
    return (host,)


def depth_that_shrinks() -> Captured:
    """A LUN's queue is throttled from 64 to 9 while others make the array slow."""
    host = Host("esxa20", cores=24, memory_gb=256, rows=180, every_s=5, seed=426)
    usual(host)
    slow = host.between(250, 700, 1.0, 0.0)
    host.vm("ex-01", 4, 32, 24.0)
    host.lun(
        f"{FC}0f09", two_paths(9), 420 - 160 * slow, 240 - 90 * slow, read_ms=1.0 + 36 * slow,
        write_ms=0.8 + 33 * slow, kernel_ms=0.02 + 21 * slow, queue_ms=20.6 * slow,
        active=np.where(slow > 0, 9.0, 1.0), queued=host.around(8.0 * slow, 0.3), worlds={"ex-01": 1.0},
    )  # fmt: skip
    depth = rf"\\esxa20\Physical Disk SCSI Device({FC}0f09)\Device Q Depth"
    host._columns["device"] = [
        (name, np.where(slow > 0, 9.0, 64.0) if name == depth else values)
        for name, values in host._columns["device"]
    ]
    host.disk("ex-01:scsi0:0", 420 - 160 * slow, 240 - 90 * slow, 1.1 + 57 * slow, 0.9 + 54 * slow)
    host.finish(free_mb=120000.0)
    return (host,)


_MADE = (
    first.snapshot_consolidation, first.one_node_full, first.pool_that_limits, first.small_rings,
    first.adapter_with_a_short_queue, first.idle_luns, first.one_path_that_aborts, first.nfs_slow_on_one_host,
    first.limits_that_do_not_bind, first.what_a_storm_left, first.clone_window, first.negotiated_down,
    first.broadcast_storm, threads_not_power, clocked_down, monster, three_samples, hour_that_comes_twice,
    two_of_one_name, scan_every_five_minutes, array_in_trouble, one_hot_vcpu, depth_that_shrinks,
)  # fmt: skip
CRITIC: Mapping[str, Callable[[], Captured]] = {one.__name__.replace("_", "-"): one for one in _MADE}
"""All captures of this expert by name."""

CRITIC_LOGS: Mapping[str, Mapping[str, str]] = {
    "snapshot-consolidation": {
        "dwh-01/vmware.log": (
            "2026-10-13T01:06:41.204Z In(05) vcpu-0 - Checkpoint_Unstun: vm stopped for 188405 us\n"
            "2026-10-13T01:10:36.911Z In(05) vcpu-0 - Checkpoint_Unstun: vm stopped for 2310992 us\n"
        )
    },
}
"""Lines of logs that come with a capture, by file."""


def write_all(name: str, folder: Path) -> tuple[list[Path], list[Path]]:
    """The captures of a name, one a host, and its logs."""
    folder.mkdir(parents=True, exist_ok=True)
    captures = []
    for host in CRITIC[name]():
        captures.append(folder / f"{host.name}.csv")
        host.write(captures[-1])
    if name == "hour-that-comes-twice":
        _tell_in_berlin(captures[0])
    logs = []
    for file, text in CRITIC_LOGS.get(name, {}).items():
        logs.append(folder / file)
        logs[-1].parent.mkdir(exist_ok=True)
        logs[-1].write_text(text, encoding="utf-8", newline="\n")
    return captures, logs


_CHANGE = datetime(2026, 10, 25, 1, 0)
"""The moment in UTC at which Berlin's clocks go back from 03:00 to 02:00."""


def _tell_in_berlin(capture: Path) -> None:
    """Stamps as resxtop prints them on a machine in Berlin: local, with the zone and bias of its start."""

    def local(found: re.Match[str]) -> str:
        at = datetime.strptime(found[1], "%m/%d/%Y %H:%M:%S")
        return f'"{at + timedelta(hours=2 if at < _CHANGE else 1):%m/%d/%Y %H:%M:%S}"'

    text = capture.read_text(encoding="utf-8").replace("(UTC)(0)", "(W. Europe Daylight Time)(-120)", 1)
    capture.write_text(
        re.sub(r'(?m)^"(\d\d/\d\d/\d{4} \d\d:\d\d:\d\d)"', local, text), encoding="utf-8", newline="\n"
    )
