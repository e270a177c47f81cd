"""A test vCenter and its hosts' esxtop services that tell of the same scenario: one lab, shown twice."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from lab import Lab, load_scenarios, vcenter_document
from lab.esxtop_service import services_of
from resources.catalogue import load_catalogue
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
    changes: dict[str, Change] | None = None,
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
    kept: list[str] = []
    groups = ports = 0
    leaving = False
    for line in after.splitlines():
        fields = line.split("|")
        if fields[1] in ("SchedGroup", "SCSI"):
            leaving = fields[1] == "SchedGroup" and fields[6] == name
            groups += leaving
        if leaving:
            continue
        if fields[1] == "NetPort" and fields[5].startswith(f"{name}.eth"):
            ports += 1
            continue
        kept.append(line)
    return before + values + "\n".join(_counted(line, groups, ports) for line in kept) + "\n"


def _counted(line: str, groups: int, ports: int) -> str:
    fields = line.split("|")
    if fields[1] == "Sched":
        fields[-2] = str(int(fields[-2]) - groups)
    if fields[1] == "NetPortset":
        fields[-2] = str(int(fields[-2]) - ports)
    return "|".join(fields)
