"""Which entities a signal is about, for each entity that is judged: itself, its parts, all on its host."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from diagnosis.placement import Periods, joined_periods, shared_periods
from diagnosis.topology import Placed, Topology
from resources.problem_cards import Signal
from sessions.model import EntityRef

_STORAGE = ("datastore", "device")
_KERNEL = re.compile(r"\bvmk\d+\b")
_FIRST = re.compile(r"\bvmk0\b")


def only_others(signal: Signal) -> bool:
    """True if a signal's members are all on the host of the judged entity, but for its own."""
    compares = signal.same_prefix or signal.same_fact or signal.other_fact or signal.same_switch
    return signal.others and not compares and signal.of.startswith("host.")


class Scope:
    """Which entities of a source a signal is about, for each of the entities that are judged."""

    def __init__(self, topology: Topology, signal: Signal, source: int) -> None:
        self._topology, self._signal, self._source = topology, signal, source
        self._scope = signal.of or "self"

    def of(self, ref: EntityRef) -> Sequence[Placed]:
        """Return what the signal is about for one entity, and during which times."""
        if self._scope == "self":
            return self._chosen(ref, [Placed(ref)])
        if self._scope in ("hosts", "store", "vsan"):
            return self._chosen(ref, self._by_facts(ref))
        host, _, kind = self._scope.rpartition(".")
        if self._scope == "host":
            return self._topology.hosts(self._source, ref)
        bases = self._topology.hosts(self._source, ref) if host else [Placed(ref)]
        if len(bases) == 1:
            return self._chosen(ref, self._topology.below(self._source, bases[0].ref, kind))
        found: dict[EntityRef, Periods | None] = {}
        for base in bases:
            for one in self._topology.below(self._source, base.ref, kind):
                periods = shared_periods(base.periods, one.periods)
                found[one.ref] = joined_periods(found.get(one.ref, ()), periods)
        return self._chosen(ref, [Placed(one, periods) for one, periods in found.items() if periods != ()])

    def _by_facts(self, ref: EntityRef) -> Sequence[Placed]:
        if self._scope == "hosts":
            return self._topology.below(self._source, ref, "host")
        return self._store(ref) if self._scope == "store" else self._vsan_parts(ref)

    def _store(self, device: EntityRef) -> Sequence[Placed]:
        """The datastore that lies on a device, as the device's host sees it."""
        store = self._topology.disks.store_on(self._topology.base(device))
        host = self._topology.host(self._source, device)
        found = self._topology.below(self._source, host, "datastore") if host and store else ()
        return [one for one in found if self._topology.base(one.ref) == store]

    def _vsan_parts(self, ref: EntityRef) -> Sequence[Placed]:
        """What the vSAN performance service tells of the parts of a vSAN datastore, of a host, or of the host
        of such a part.
        """
        if ref.kind == "datastore":
            return self._parts_of_stores({self._topology.base(ref).key})
        host = self._topology.host(self._source, ref)
        own = self._topology.below(self._source, host, "vsan") if host else ()
        if ref.kind != "host" or not self._signal.others:
            return own
        store, mine = self._topology.texts("datastore"), {one.ref for one in own}
        stores = {str(store[one]) for one in mine if one in store}
        return [one for one in self._parts_of_stores(stores) if one.ref not in mine]

    def _parts_of_stores(self, keys: Collection[str]) -> list[Placed]:
        store = self._topology.texts("datastore")
        return [Placed(one) for one in self._topology.rows(self._source, "vsan") if store.get(one) in keys]

    def _chosen(self, ref: EntityRef, found: Sequence[Placed]) -> Sequence[Placed]:
        """Those that the signal asks for by name, fact, or as others than the entity itself."""
        signal = self._signal
        if signal.others:
            own = self.own(ref)
            found = [one for one in found if one.ref not in own]
        found = self._named(found)
        if signal.same_prefix:
            prefix = self._topology.entity(ref).name[: signal.same_prefix]
            found = [one for one in found if self._topology.entity(one.ref).name.startswith(prefix)]
        if signal.same_fact:
            known = self._topology.texts(signal.same_fact)
            found = [one for one in found if known.get(one.ref) == known.get(ref)]
        if signal.other_fact:
            known = self._topology.texts(signal.other_fact)
            found = [one for one in found if known.get(one.ref) != known.get(ref)]
        return self._on_its_switches(ref, found) if signal.same_switch else found

    def _named(self, found: Sequence[Placed]) -> Sequence[Placed]:
        if not self._signal.where_name:
            return found
        wanted = re.compile(self._signal.where_name)
        return [one for one in found if wanted.fullmatch(self._topology.entity(one.ref).name)]

    def own(self, ref: EntityRef) -> Collection[EntityRef]:
        """The entity itself and what it has of the kind that is asked for: none of them is an other one."""
        return {ref, *(one.ref for one in self._parts_of_vm(ref))}

    def on_host(self, host: EntityRef) -> Sequence[Placed]:
        """All on a host that the signal asks for by kind and name, an entity's own and the others."""
        return self._named(self._topology.below(self._source, host, self._scope.rpartition(".")[2]))

    def _parts_of_vm(self, ref: EntityRef) -> Sequence[Placed]:
        """What a VM has of the kind that the signal asks for on its host: disks, ports."""
        kind = self._scope.rpartition(".")[2]
        return self._topology.below(self._source, ref, kind) if ref.kind == "vm" else ()

    def _on_its_switches(self, ref: EntityRef, found: Sequence[Placed]) -> Sequence[Placed]:
        """The uplinks that serve the entity's own ports, none where nothing says which these are; of an
        uplink the ports of its own switch, and those of which nothing says where they are.
        """
        of_uplink, of_port = (self._topology.texts(fact) for fact in ("nic.switch", "port.switch"))
        if ref.kind == "nic":
            own = of_uplink.get(ref)
            return [port for port in found if own is None or of_port.get(port.ref, own) == own]
        ports = self._kernel_ports(ref) if ref.kind in _STORAGE else self._own_ports(ref)
        switches = {of_port.get(port.ref) for port in ports} - {None}
        every = {of_uplink.get(uplink.ref) for uplink in found}
        if not switches and (len(every) == 1 or ref.kind in _STORAGE):
            return found
        return [uplink for uplink in found if of_uplink.get(uplink.ref) in switches]

    def _own_ports(self, ref: EntityRef) -> Sequence[Placed]:
        return self._topology.below(self._source, ref, "port")

    def _kernel_ports(self, ref: EntityRef) -> Sequence[Placed]:
        """The ports over which the entity's host reaches storage: its VMkernel's, but for the first one where
        there are others, which is the management's.
        """
        host = self._topology.host(self._source, ref)
        ports = self._topology.below(self._source, host, "port") if host else ()
        kernel = [one for one in ports if _KERNEL.search(self._topology.entity(one.ref).name)]
        return [one for one in kernel if not _FIRST.search(self._topology.entity(one.ref).name)] or kernel
