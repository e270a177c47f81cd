"""A lab scenario as files of replies, as the test vCenter serves them."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lab import Lab, load_scenarios
from lab.esxtop_service import services_of
from lab.vcenter_inventory import vm_uuid

HOSTS = ("esx0001.lab", "esx0002.lab")
"""The hosts of a test vCenter of two."""
_BEFORE = 8
"""Replies before a VM is switched on: a busy machine takes its time to begin."""


def write_replies(
    folder: Path, hosts: Sequence[str], *, count: int = 45, scenario: str = "default", interval_s: float = 2.0
) -> Lab:
    """Write ``count`` replies of the first hosts of a scenario, under the names ``hosts``; return the lab."""
    lab = Lab(load_scenarios()[scenario], seed=1, fields="all", interval_s=interval_s)
    services = services_of(lab)[: len(hosts)]
    (folder / "counterinfo.dsv").write_text(services[0].counter_info(), encoding="utf-8")
    for number, name in enumerate(hosts):
        (folder / name).mkdir()
        write_processes(folder / name, lab, number)
    for number in range(count):
        lab.tick()
        for name, service in zip(hosts, services, strict=True):
            service.step()
            path = folder / name / f"{number:05d}.dsv.gz"
            path.write_bytes(gzip.compress(service.reply().encode(), 1))
    return lab


def write_processes(folder: Path, lab: Lab, host: int) -> None:
    """Write what esxcli lists of a host's running VMs: world id, cartel id, instance UUID, name."""
    vms = [vm for vm in lab.cluster.vms if vm.host == host]
    lines = [f"{vm.cartel}\t{vm.cartel - 1}\t{vm_uuid(lab.cluster, vm)}\t{vm.name}" for vm in vms]
    (folder / "processes.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_switched_on(folder: Path) -> str:
    """Write replies of one host, on which a VM is switched on after 16 s; return the VM's name."""
    lab = Lab(load_scenarios()["event-power-on-mid-recording"], seed=1, fields="all")
    late = int(np.flatnonzero(lab.absent_at_start)[0])
    service = services_of(lab)[lab.cluster.vms[late].host]
    (folder / "counterinfo.dsv").write_text(service.counter_info(), encoding="utf-8")
    (folder / HOSTS[0]).mkdir()
    texts: list[str] = []
    came: int | None = None
    while came is None or len(texts) < came + 12:
        lab.tick()
        service.step()
        texts.append(service.reply())
        if came is None and not lab.absent()[late]:
            came = len(texts) - 1
    for number, text in enumerate(texts[came - _BEFORE :]):
        path = folder / HOSTS[0] / f"{number:05d}.dsv.gz"
        path.write_bytes(gzip.compress(text.encode(), 1))
    return lab.cluster.vms[late].name
