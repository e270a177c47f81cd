"""Names that distinguish entities: a vCPU, disk or port with its VM, a table row with its host."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from sessions.model import EntityRef, Series
from viewmodels.shared_devices import seen_by, source_names
from viewmodels.snapshot import Snapshot

NAMELESS = "(without a name)"
_DOMAIN = re.compile(r"[^.\s]*[^.\s\d][^.\s]*(?P<domain>(\.[\w-]+)+)$")


def full_name(ref: EntityRef, snapshot: Snapshot) -> str:
    """Return an entity's name after the name of the VM that it is a part of: ``db-prod › vCPU 2``."""
    entity = snapshot.entities.get(ref)
    owner, name = entity.parent if entity else None, _name(ref, snapshot)
    return f"{_name(owner, snapshot)} › {name}" if owner is not None and owner.kind == "vm" else name


def row_names(series: Sequence[Series], snapshot: Snapshot) -> Mapping[int, str]:
    """Return the name of each row of a table with one series a row, by series id.

    Rows that would have the same name also get the host that measured them: ``naa.6 · esx02``.
    """
    names = {one.id: f"{full_name(one.entity, snapshot)} {one.spec.instance}".rstrip() for one in series}
    count = Counter(names.values())
    sources = source_names(snapshot)
    hosts = {one.id: _host(one, snapshot, sources) for one in series if count[names[one.id]] > 1}
    different = list(dict.fromkeys(hosts.values()))
    short = {host: without_domain(host, different) for host in different}
    for number, host in hosts.items():
        names[number] = " · ".join(filter(None, (names[number], short[host])))
    return names


def without_domain(name: str, among: Sequence[str]) -> str:
    """Return ``esx01/vmnic2`` for ``esx01.lab.local/vmnic2`` if all names in ``among`` share one DNS domain.

    IP addresses stay whole.
    """
    domains = {_DOMAIN.match(one.partition("/")[0]) for one in among}
    found = {match["domain"] if match else "" for match in domains}
    domain = found.pop() if len(found) == 1 else ""
    return name.replace(domain, "", 1) if domain else name


def _name(ref: EntityRef, snapshot: Snapshot) -> str:
    return snapshot.name(ref).strip() or NAMELESS


def _host(series: Series, snapshot: Snapshot, sources: Mapping[int, str]) -> str:
    """Return the host where a VM was last, else the host that measured the series; empty if the name
    has it.
    """
    host = snapshot.host_of(series.entity)
    if host is not None:
        return snapshot.name(host)
    return "" if series.spec.instance else seen_by(series, sources)
