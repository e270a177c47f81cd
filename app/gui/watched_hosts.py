"""Which hosts can be watched with esxtop's own counters beside their vCenter's, and by what address."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass, replace

from connections.address import Address, parse_address
from connections.vsphere.address import ESXI, ESXTOP, VCENTER
from recorder.protocol import SourceReport
from resources.failures import UsageError
from sessions.model import EntityRef
from viewmodels.snapshot import Snapshot

_OVER = frozenset(("ended", "failed"))


@dataclass(frozen=True, slots=True)
class WatchedHost:
    """A host of a recorded vCenter, or one that is recorded itself: its name there, the server that is asked,
    and the address of its esxtop service with that server's login.
    """

    name: str
    server: str
    address: str


def hosts_around(refs: Sequence[EntityRef], snapshot: Snapshot) -> list[EntityRef]:
    """Return the hosts among entities, and those that the others are on, each once, in their order."""
    found = (_host_around(ref, snapshot) for ref in refs)
    return list(dict.fromkeys(host for host in found if host is not None))


def watched_host(host: EntityRef, snapshot: Snapshot, recorded: Sequence[str]) -> WatchedHost | None:
    """Return how a host is watched through one of the recorded sources (their addresses): that which has
    counters of it, or the only server there is; None if it could be asked through none.
    """
    names = {source.id: source.spec.name for source in snapshot.sources}
    known = {names.get(series.source, "") for series in snapshot.series_of.get(host, ())}
    servers = [server for server in map(_server, recorded) if server is not None]
    found = [server for server in servers if server.place in known]
    if not known and len(servers) == 1:  # its first samples are on their way
        found = servers
    for server in found[:1]:
        name = snapshot.name(host)
        address = replace(server, scheme=ESXTOP.scheme, path=glob.escape(name))
        return WatchedHost(name, server.place, str(address))
    return None


def is_watched(host: WatchedHost, sources: Sequence[SourceReport]) -> bool:
    """True if some source records esxtop's counters of the host now."""
    return any(
        one.kind == "esxtop" and one.name.lower() == host.name.lower() and one.state not in _OVER
        for one in sources
    )


def _server(source: str) -> Address | None:
    try:
        return parse_address(source, (VCENTER, ESXI))
    except UsageError:  # the lab, or a source of another kind
        return None


def _host_around(ref: EntityRef, snapshot: Snapshot) -> EntityRef | None:
    entity, steps = snapshot.entities.get(ref), 0
    while entity is not None and steps < len(snapshot.entities):  # a damaged session may go round in circles
        if entity.ref.kind == "host":
            return entity.ref
        placed = snapshot.host_of(entity.ref)
        if placed is not None and placed in snapshot.entities:
            return placed
        entity = snapshot.entities.get(entity.parent) if entity.parent is not None else None
        steps += 1
    return None
