"""A small vCenter whose VMs have guests of their own, for tests that put load on them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from pyVmomi import vim

from tests.vcenter.peers import Peer
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, PASSWORD, TestVCenter

CLUSTER, STORES = "cluster-01", ("gold", "silver")
_GB = 1024


def needs_own_systems() -> None:
    """Skip where no guest can have a system of its own."""
    if sys.platform != "linux" or os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        pytest.skip("only root of a Linux with loop devices gives guests a system of their own")


def scenario(folder: Path, *, hosts: int = 2, vms: int = 2, disk_mb: int = 16, given: int = 1) -> Path:
    """Write an inventory: a cluster, two datastores, and VMs called ``perf-w01`` … spread over its hosts.

    Each VM has a system disk, and ``given`` empty disks of ``disk_mb`` MB: the first one on the first
    datastore, the second one on the second.
    """
    names = [f"esx{number + 1:02}.lab" for number in range(hosts)]
    written = {
        "format": 1,
        "scenario": "load",
        "interval_s": 20,
        "clusters": [{"name": CLUSTER, "drs": True, "drs_behavior": "manual", "drs_rate": 3}],
        "hosts": [_host(name) for name in names],
        "datastores": [_store(number, name, names) for number, name in enumerate(STORES)],
        "pools": [],
        "vms": [_vm(number, names[number % hosts], disk_mb, given) for number in range(vms)],
        "events": [],
        "series": [],
    }
    path = folder / "load.json"
    path.write_text(json.dumps(written))
    return path


def _host(name: str) -> dict[str, object]:
    devices = [
        {"name": _device(number), "queue_depth": 64, "vendor": "ACME", "model": "FlashArray"}
        for number in range(len(STORES))
    ]
    return {
        "name": name, "cluster": CLUSTER, "cores": 16, "threads": 32, "mhz": 2600, "memory_mb": 256 * _GB,
        "numa_nodes": 2, "power_policy": "static", "adapters": ["vmhba0"], "devices": devices,
        "nics": [{"name": "vmnic0", "speed_mbps": 10000}],
    }  # fmt: skip


def _device(number: int) -> str:
    return f"naa.6000c29{0:09x}{number + 1:016x}"


def _store(number: int, name: str, hosts: list[str]) -> dict[str, object]:
    uuid = f"5f000001-{number + 1:08x}-{number + 1:04x}-0025b5000001"
    return {
        "name": name, "type": "VMFS", "uuid": uuid, "url": f"ds:///vmfs/volumes/{uuid}/", "hosts": hosts,
        "device": _device(number), "capacity_mb": 4096 * _GB, "free_mb": 3072 * _GB, "sioc": number == 0,
    }  # fmt: skip


def _vm(number: int, host: str, disk_mb: int, given: int) -> dict[str, object]:
    disks = [{"unit": "scsi0:0", "size_mb": 64, "datastore": STORES[0]}]
    disks += [
        {"unit": f"scsi0:{n + 1}", "size_mb": disk_mb, "datastore": STORES[n % len(STORES)]}
        for n in range(given)
    ]
    return {
        "name": f"perf-w{number + 1:02}", "uuid": f"502a0000-0000-4000-8000-{number + 1:012x}", "host": host,
        "vcpus": 2, "memory_mb": 4 * _GB, "power": "on", "datastore": STORES[0], "tools": "running",
        "disks": disks, "nics": [{"key": 4000, "label": "Network adapter 1", "network": "VM Network"}],
    }  # fmt: skip


@dataclass(frozen=True)
class LoadSite:
    """A running test vCenter with such guests: what is in them, and how the commands reach them."""

    server: TestVCenter

    @property
    def login(self) -> list[str]:
        """The words that a command needs to log in."""
        return ["--thumbprint", self.server.thumbprint, "--password-stdin"]

    @property
    def secrets(self) -> list[str]:
        """What it then reads from stdin."""
        return [PASSWORD, GUEST_PASSWORD]

    @property
    def chosen(self) -> list[str]:
        """The words by which a plan takes all VMs as workers."""
        return ["--worker", "perf-w*", "--guest-user", GUEST_USER]

    def files(self) -> Mapping[str, set[str]]:
        """What there is in each guest's /var/tmp, by the VM's moid."""
        return {
            one.parent.name: {str(path.relative_to(one)) for path in one.rglob("*")}
            for one in self._guests("var-tmp")
        }

    def images(self) -> Mapping[str, Mapping[str, Path]]:
        """The image behind each guest's disks: by the VM's moid, by UUID (hexadecimal digits)."""
        return {
            one.parent.name: {path.name: path for path in sorted(one.iterdir())}
            for one in self._guests("disks")
        }

    def system_disk(self, vm: str) -> Path:
        """The image with a guest's system: the largest."""
        return max(self.images()[vm].values(), key=lambda one: one.stat().st_size)

    def _guests(self, name: str) -> list[Path]:
        return sorted(self.server.folder.glob(f"testvc-guests-*/*/{name}"))

    def processes(self) -> list[psutil.Process]:
        """All processes in the guests but their first ones, which are their systems."""
        found = []
        for first in psutil.Process(self.server.pid).children():
            if "-guest-machine" in _words(first):
                found += first.children(recursive=True)
        return found

    def fios(self) -> list[psutil.Process]:
        """The processes of load."""
        return [one for one in self.processes() if any("job.fio" in word for word in _words(one))]


def _words(process: psutil.Process) -> list[str]:
    try:
        return [str(word) for word in process.cmdline()]
    except psutil.Error:
        return []


_CONFIG = {
    vim.VirtualMachine: [
        "config",
        "runtime.host",
        "runtime.powerState",
        "customValue",
        "datastore",
        "resourcePool",
    ],
    vim.Datastore: ["iormConfiguration", "summary.freeSpace", "customValue", "vm"],
    vim.ClusterComputeResource: ["configurationEx", "customValue"],
    vim.HostSystem: ["customValue", "vm"],
}
_ALWAYS_NEW = ("changeVersion", "modified")
"""What each change of a VM renews, also the one that puts something back."""


def settings(server: TestVCenter) -> Mapping[str, str]:
    """Everything of a vCenter that a test may change, as text by the object's kind and name."""
    peer = Peer(server.place)
    try:
        return {
            f"{kind.__name__} {name}": "\n".join(_text(one, path) for path in paths)
            for kind, paths in _CONFIG.items()
            for name, one in sorted(peer.all(kind).items())
        }
    finally:
        peer.close()


def _text(one: Any, path: str) -> str:
    for name in path.split("."):
        one = getattr(one, name)
    if path == "customValue":  # a value that was taken away is an empty one
        one = [value for value in one if value.value]
    if path in ("vm", "datastore"):  # they have no order
        one = sorted(each._moId for each in one)
    lines = repr(one).splitlines()
    return path + ": " + "\n".join(line for line in lines if line.split("=")[0].strip() not in _ALWAYS_NEW)
