"""Events about storage, joined to what they name: a device's datastores, and storage that nothing counts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from diagnosis.session_events import SessionEvents
from diagnosis.topology import SHARED_BY_HOSTS, Topology
from resources.problem_cards import Signal
from sessions.model import EntityRef, Event
from sessions.shared_devices import whole_device

_IDENTIFIER = re.compile(
    r"\b(?:(?:naa|eui|uuid|t10|mpx)\.[^\s\]\"',;()]*[^\s\]\"',;().:]"
    r"|[0-9a-f]{8}-[0-9a-f]{8}(?:-[0-9a-f]{4}-[0-9a-f]{12})?)"
)
"""How events write which device or volume they are about: a device's name, a volume's UUID."""


def told_of_stores(events: SessionEvents, device: str, signal: Signal) -> list[Event]:
    """Return what was told of a datastore in words that name the device: it is so on every host."""
    named = events.naming(device, signal.happening)
    return [event for event in named if event.entity is not None and event.entity.kind == "datastore"]


def of_uncounted_storage(
    events: SessionEvents, topology: Topology, host: EntityRef, kinds: Collection[str]
) -> Sequence[Event]:
    """Return the events of a host that name a device or volume of which it has no samples at all.

    A LUN that is lost leaves the inventory, and esxtop: no counter tells of it any more.
    """
    told = [*events.happened((topology.base(host),), kinds), *_in_logs(events, topology, host, kinds)]
    named = [(event, names) for event in told if (names := _identifiers(topology, event))]
    if not named:
        return ()
    known = set(_counted(topology, host))
    found = [event for event, names in named if known.isdisjoint(names)]
    return sorted(dict.fromkeys(found), key=lambda event: event.at)


def _in_logs(
    events: SessionEvents, topology: Topology, host: EntityRef, kinds: Collection[str]
) -> Iterator[Event]:
    """Yield what the host's own logs tell of devices and datastores."""
    names = {"", topology.entity(host).name}
    for event in events.of_kinds(kinds):
        is_storage = event.entity is not None and event.entity.kind in SHARED_BY_HOSTS
        if event.log and is_storage and event.log_host in names:
            yield event


def _identifiers(topology: Topology, event: Event) -> set[str]:
    """The devices and volumes that an event names; a datastore by its name where it is the datastore's."""
    found = set(_IDENTIFIER.findall(event.text))
    found.update([whole_device(one) for one in found])
    if event.entity is not None and event.entity.kind in SHARED_BY_HOSTS:
        found.add(topology.entity(event.entity).name)
    return found


def _counted(topology: Topology, host: EntityRef) -> Iterator[str]:
    """Yield the names and UUIDs of the devices of the host that have samples, and of all datastores."""
    stores = topology.texts("device.datastore")
    for source in topology.sources:
        for placed in topology.below(source, host, "device"):
            base = topology.base(placed.ref)
            yield topology.entity(base).name
            if store := stores.get(base):
                yield from _names_of(topology, EntityRef("datastore", str(store)))
        for ref in topology.rows(source, "datastore"):
            yield from _names_of(topology, topology.base(ref))


def _names_of(topology: Topology, store: EntityRef) -> Iterator[str]:
    yield topology.entity(store).name
    yield store.key.rstrip("/").rpartition("/")[2]
