"""A test vCenter and its hosts' esxtop services that tell of the same scenario: one lab, shown twice."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from lab import Lab, load_scenarios, vcenter_document
from lab.esxtop_service import services_of
from lab.vcenter_inventory import vm_uuid
from resources.catalogue import load_catalogue
from sessions.model import EntityRef
from tests.esxtop_service.service_files import write_processes

SEED = 2
Change = Callable[[int, str], str]
"""Changes a host's reply: its number and its text."""


def write_site(
    folder: Path,
    scenario: str = "default",
    *,
    ticks: int = 40,
    interval_s: float = 2.0,
    hosts: int = 2,
    changes: Mapping[str, Change] | None = None,
) -> tuple[Path, Path, Lab]:
    """Write a scenario as the vCenter's document, and as replies of its first ``hosts`` hosts.

    Return the document's path, the folder of replies, and the lab, whose VMs the document has.
    """
    lab = Lab(load_scenarios()[scenario], seed=SEED, fields="all", interval_s=interval_s)
    document = dict(vcenter_document(Lab(load_scenarios()[scenario], seed=SEED), catalogue=load_catalogue()))
    path, replies = folder / "site.json", folder / "replies"
    path.write_text(json.dumps(document), encoding="utf-8")
    replies.mkdir()
    services = services_of(lab)[:hosts]
    (replies / "counterinfo.dsv").write_text(services[0].counter_info(), encoding="utf-8")
    for number, service in enumerate(services):
        (replies / service.name).mkdir()
        write_processes(replies / service.name, lab, number)
    for tick in range(ticks):
        lab.tick()
        for service in services:
            service.step()
            text = service.reply()
            change = (changes or {}).get(service.name)
            text = change(tick, text) if change else text
            file = replies / service.name / f"{tick:05d}.dsv.gz"
            file.write_bytes(gzip.compress(text.encode(), 1))
    return path, replies, lab


def without_vm(text: str, name: str) -> str:
    """Return a reply of a host that this VM has left: without its group, its worlds and its ports."""
    before, values, after = text.partition("==COUNTER-VALUE==\n")
    kept: list[list[str]] = []
    counted: dict[str, list[str]] = {}
    leaving = False
    for fields in (line.split("|") for line in after.splitlines()):
        if fields[1] in ("Sched", "NetPortset"):
            counted[fields[1]] = fields
        if fields[1] in ("SchedGroup", "SCSI"):
            leaving = fields[1] == "SchedGroup" and fields[6] == name
            if leaving:
                _one_less(counted["Sched"])
        if fields[1] == "NetPort" and fields[5].startswith(f"{name}.eth"):
            _one_less(counted["NetPortset"])
        elif not leaving:
            kept.append(fields)
    return before + values + "\n".join("|".join(fields) for fields in kept) + "\n"


def _one_less(fields: list[str]) -> None:
    """The last field of a record counts what follows it."""
    fields[-2] = str(int(fields[-2]) - 1)


def write_moving_site(folder: Path, *, at: int = 10, ticks: int = 40) -> tuple[Path, Path, Lab, EntityRef]:
    """Write a site whose first host is left by a VM with reply ``at``, while it comes to the second.

    There it is what was another VM in the lab. Return what ``write_site`` does, and the VM.
    """
    cluster = Lab(load_scenarios()["default"], seed=SEED).cluster
    first, second = (next(vm for vm in cluster.vms if vm.host == host) for host in (0, 1))
    hosts = [host.name for host in cluster.hosts]

    def leaves(tick: int, text: str) -> str:
        return text if tick < at else without_vm(text, first.name)

    def comes(tick: int, text: str) -> str:
        return (without_vm(text, second.name) if tick < at else text).replace(second.name, first.name)

    changes = {hosts[0]: leaves, hosts[1]: comes}
    document, replies, lab = write_site(folder, ticks=ticks, changes=changes)
    listed = replies / lab.hosts[1] / "processes.tsv"
    uuid = vm_uuid(lab.cluster, first)
    listed.write_text(listed.read_text().replace(vm_uuid(lab.cluster, second), uuid))
    return document, replies, lab, EntityRef("vm", uuid)
